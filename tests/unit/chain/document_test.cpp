#include "chain/json/decode.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
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

}  // namespace
}  // namespace receiptd::chain
