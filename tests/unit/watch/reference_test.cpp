#include "watch/reference.hpp"

#include <gtest/gtest.h>

#include <string>

namespace receiptd::watch {
namespace {

const std::string kHash = "23fUsLDMWAisyFV5fTzvPeq9hnLMcGYF16CFLnB82nQY";
const std::string kReceipt = "Dg6kBiyeKGzSfyRfR8KdykWkhqiGxcWSt3Xhsid9rizZ";

std::string id_of(const std::string& text) {
    const auto reference = parse_reference(text);
    return reference ? reference->id : "";
}

TEST(Reference, IsAHashOrAnExplorersAddress) {
    EXPECT_EQ(id_of(kHash), kHash);
    EXPECT_EQ(id_of("  " + kHash + "\n"), kHash);
    EXPECT_EQ(id_of("https://explorer.example/txns/" + kHash), kHash);
    EXPECT_EQ(id_of("https://explorer.example/txns/" + kHash + "#" + kReceipt), kHash);
    EXPECT_EQ(id_of("https://explorer.example/?query=" + kReceipt + "&page=2"), kReceipt);
}

TEST(Reference, OfAnotherChainIsSaidToBeThat) {
    EXPECT_NE(what_else(kHash + kReceipt), "") << "88 characters: 64 bytes";
    EXPECT_NE(what_else("0x" + std::string(64, 'a')), "");
    EXPECT_EQ(what_else(std::string(64, 'a')), "") << "an implicit account";
    EXPECT_EQ(what_else(kHash), "");
    EXPECT_EQ(what_else("alice.near"), "");
}

TEST(Reference, TellsTheSenderWhereTheAddressHasIt) {
    const auto address = "https://wallet.example/?transactionHashes=" + kHash + "&account_id=alice.near#top";
    EXPECT_EQ(parse_reference(address)->id, kHash);
    EXPECT_EQ(parse_reference(address)->sender_id, "alice.near");
    EXPECT_EQ(parse_reference("https://a.example/txns/" + kHash + "?sender=NOT AN ACCOUNT")->sender_id, "");
    EXPECT_EQ(parse_reference(kHash)->sender_id, "");
}

TEST(Reference, IsNothingElse) {
    for (const auto* text :
         {"", "alice.near", "https://explorer.example/txns/", "https://explorer.example/txns/abc"})
        EXPECT_EQ(id_of(text), "") << text;
    EXPECT_EQ(id_of(kHash.substr(1)), "") << "31 bytes";
    EXPECT_EQ(id_of("see " + kHash), "") << "a sentence is no address";
    EXPECT_EQ(id_of("https://" + std::string(3'000, 'a') + "/" + kHash), "");
}

}  // namespace
}  // namespace receiptd::watch
