#include "chain/json/decode.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace receiptd::chain {
namespace {

TEST(List, LiesInItsDocument) {
    auto text = std::make_unique<Document>("{}");
    List<u128> list{InDocument<u128>(*text)};
    for (unsigned i = 0; i < 1'000; ++i) list.push_back(i);
    EXPECT_EQ(list.get_allocator().document, text.get());
    EXPECT_EQ(list.back(), 999u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(list.data()) % alignof(u128), 0u);
}

TEST(List, IsMovedWithoutItsDocument) {
    Document text("{}");
    List<Text> list({"a", "b"}, InDocument<Text>(text));
    const auto* elements = list.data();
    List<Text> moved;
    moved = std::move(list);
    EXPECT_EQ(moved.data(), elements);
    EXPECT_EQ(moved.get_allocator().document, &text);
}

// Another thread may make it.
TEST(List, IsCopiedToTheHeap) {
    Document text("{}");
    const List<Text> list({"a", "b"}, InDocument<Text>(text));
    const auto copy = list;
    EXPECT_EQ(copy.get_allocator().document, nullptr);
    EXPECT_EQ(copy, List<Text>({"a", "b"}));
}

// A growing list cannot give back the memory of a document.
TEST(List, ThatIsLongMovesToTheHeap) {
    const auto receipt = [](std::size_t ids) {
        std::string list;
        for (std::size_t i = 0; i < ids; ++i) list += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\"";
        return decode_receipt(R"({"predecessor_id": "a.near", "receiver_id": "b.near",
            "receipt_id": "4reLvkAWfqk5fsqio1KLudk46cqRz9erQdaHkWZKMJDZ", "receipt": {"Action": {
            "signer_id": "a.near", "signer_public_key": "ed25519:x", "gas_price": "1", "actions": [],
            "output_data_receivers": [], "input_data_ids": [)" +
                              list + "]}}}");
    };
    const auto few = receipt(64), many = receipt(1'000);
    ASSERT_TRUE(few.has_value() && many.has_value());
    EXPECT_EQ(few->value.input_data_ids.get_allocator().document, few->document.get());
    const auto& ids = many->value.input_data_ids;
    EXPECT_EQ(ids.get_allocator().document, nullptr);
    ASSERT_EQ(ids.size(), 1'000u);
    for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(ids[i], std::to_string(i));
}

struct Counted {
    ~Counted() { ++destroyed; }
    static inline int destroyed = 0;
};

TEST(List, MayOutliveItsDocument) {
    auto text = std::make_unique<Document>("{}");
    auto list = std::make_unique<List<Counted>>(3, InDocument<Counted>(*text));
    text.reset();
    list.reset();
    EXPECT_EQ(Counted::destroyed, 0) << "its elements went with the document";
    List<Counted>(3);
    EXPECT_EQ(Counted::destroyed, 3);
}

// A value that sees which document is there when another value comes.
struct Watchful {
    Watchful() = default;
    Watchful(Watchful&&) = default;
    Watchful& operator=(Watchful&&) {
        seen = decoded->document.get();
        return *this;
    }
    const Decoded<Watchful>* decoded = nullptr;
    const Document* seen = nullptr;
};

TEST(Decoded, LetsItsValueGoBeforeItsDocument) {
    Decoded<Watchful> decoded(std::make_unique<Document>("{}"), {});
    decoded.value.decoded = &decoded;
    const auto* before = decoded.document.get();
    decoded = Decoded<Watchful>(std::make_unique<Document>("[]"), {});
    EXPECT_EQ(decoded.value.seen, before);
    EXPECT_EQ(decoded.document->json(), "[]");
}

}  // namespace
}  // namespace receiptd::chain
