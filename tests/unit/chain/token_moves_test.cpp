#include "chain/tree/token_moves.hpp"

#include <gtest/gtest.h>

#include <string>

namespace receiptd::chain {
namespace {

std::string in_words(const TokenMove& move) {
    return std::to_string(move.position) + ": " + std::string(move.from) + " -> " + std::string(move.to) +
           " " + base::to_string(move.amount) + (move.token.empty() ? "" : " of " + std::string(move.token));
}

std::vector<std::string> moves(Text standard, Text event, Text data) {
    ContractEvent told;
    told.standard = standard;
    told.event = event;
    told.data = data;
    std::vector<std::string> words;
    for (const auto& move : token_moves(told)) words.push_back(in_words(move));
    return words;
}

using Words = std::vector<std::string>;

TEST(TokenMoves, OfFungibleTokensAreTransfersMintsAndBurns) {
    EXPECT_EQ(
        moves(
            "nep141", "ft_transfer",
            R"([{"old_owner_id":"alice.near","new_owner_id":"bob.near","amount":"5","memo":"x"},)"
            R"({"amount":"340282366920938463463374607431768211455","new_owner_id":"c.near","old_owner_id":"b.near"}])"),
        (Words{"0: alice.near -> bob.near 5",
               "1: b.near -> c.near 340282366920938463463374607431768211455"}));
    EXPECT_EQ(moves("nep141", "ft_mint", R"([{"owner_id":"alice.near","amount":"5"}])"),
              Words{"0:  -> alice.near 5"});
    EXPECT_EQ(moves("nep141", "ft_burn", R"([{"owner_id":"alice.near","amount":"5"}])"),
              Words{"0: alice.near ->  5"});
}

TEST(TokenMoves, OfNonFungibleTokensCountPieces) {
    EXPECT_EQ(moves("nep171", "nft_transfer",
                    R"([{"old_owner_id":"alice.near","new_owner_id":"bob.near","token_ids":["1","2"]}])"),
              Words{"0: alice.near -> bob.near 2"});
    EXPECT_EQ(moves("nep171", "nft_mint", R"([{"owner_id":"alice.near","token_ids":["1"]}])"),
              Words{"0:  -> alice.near 1"});
    EXPECT_EQ(moves("nep171", "nft_burn", R"([{"owner_id":"alice.near","token_ids":["1","2","3"]}])"),
              Words{"0: alice.near ->  3"});
}

TEST(TokenMoves, OfManyTokensTellEachTokenAlone) {
    EXPECT_EQ(moves("nep245", "mt_transfer",
                    R"([{"old_owner_id":"alice.near","new_owner_id":"bob.near","token_ids":["a","b"],)"
                    R"("amounts":["1","2"]},{"old_owner_id":"bob.near","new_owner_id":"c.near",)"
                    R"("token_ids":["a"],"amounts":["3"]}])"),
              (Words{"0: alice.near -> bob.near 1 of a", "1: alice.near -> bob.near 2 of b",
                     "2: bob.near -> c.near 3 of a"}));
    EXPECT_EQ(moves("nep245", "mt_burn", R"([{"owner_id":"alice.near","token_ids":["a"],"amounts":["9"]}])"),
              Words{"0: alice.near ->  9 of a"});
}

TEST(TokenMoves, AreNotToldByOtherEvents) {
    const Text data = R"([{"old_owner_id":"alice.near","new_owner_id":"bob.near","amount":"5"}])";
    EXPECT_EQ(moves("nep141", "ft_transfer_call", data), Words());
    EXPECT_EQ(moves("nep141", "nft_transfer", data), Words());
    EXPECT_EQ(moves("nep297", "ft_transfer", data), Words());
    EXPECT_EQ(moves("", "", data), Words());
}

// An event that can be understood keeps its position: ids are made of it.
TEST(TokenMoves, LeaveOutWhatIsNotAsTheStandardHasIt) {
    EXPECT_EQ(
        moves(
            "nep141", "ft_transfer",
            R"([{"old_owner_id":"alice.near","amount":"5"},{"old_owner_id":"alice.near",)"
            R"("new_owner_id":"bob.near","amount":5},{"old_owner_id":"alice.near","new_owner_id":"NOT AN ID",)"
            R"("amount":"5"},{"old_owner_id":"alice.near","new_owner_id":"alice.near","amount":"5"},)"
            R"({"old_owner_id":"alice.near","new_owner_id":"bob.near","amount":"0"},)"
            R"({"old_owner_id":"alice.near","new_owner_id":"bob.near","amount":"6"}])"),
        Words{"5: alice.near -> bob.near 6"});
    EXPECT_EQ(moves("nep245", "mt_mint",
                    R"([{"owner_id":"a.near","token_ids":["a","b"],"amounts":["1"]},)"
                    R"({"owner_id":"a.near","token_ids":["a"],"amounts":["1"]}])"),
              Words{"1:  -> a.near 1 of a"});
    EXPECT_EQ(moves("nep141", "ft_mint", R"([{"owner_id":{"a":1},"amount":["5"]}])"), Words());
    for (const auto* data :
         {"", "7", "null", "{}", "[[]]", "[7]", R"({"owner_id":"a.near","amount":"5"})", "[{"})
        EXPECT_EQ(moves("nep141", "ft_mint", data), Words()) << data;
}

TEST(TokenMoves, OfAHostileEventAreBounded) {
    std::string data = "[";
    for (int i = 0; i < 5'000; ++i)
        data += std::string(i > 0 ? "," : "") + R"({"owner_id":"alice.near","amount":"1"})";
    EXPECT_EQ(moves("nep141", "ft_mint", data + "]").size(), kMostTokenMoves);
    EXPECT_EQ(moves("nep141", "ft_mint", std::string(1'000, '[') + std::string(1'000, ']')), Words());
}

}  // namespace
}  // namespace receiptd::chain
