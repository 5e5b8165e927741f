#include "follow/agreement.hpp"

#include <gtest/gtest.h>

namespace receiptd::follow {
namespace {

using rpc::Witness;
using Word = Witness::Word;

Witness has(const std::string& hash) { return {"host", Word::has, chain::BlockRef{100, hash, "", 99, 0}}; }
Witness says(Word word) { return {"host", word, std::nullopt}; }

TEST(ABlockThatIsNotLinked, NeedsTwoHostsThatTellIt) {
    EXPECT_EQ(tell_block({has("A"), has("A")}, "A"), Told::yes);
    EXPECT_EQ(tell_block({has("A"), has("B"), has("A")}, "A"), Told::yes);
    EXPECT_EQ(tell_block({has("A"), has("B")}, "A"), Told::no);
    EXPECT_EQ(tell_block({has("A"), says(Word::denies)}, "A"), Told::no);
    EXPECT_EQ(tell_block({has("B"), has("B")}, "A"), Told::no);
    EXPECT_EQ(tell_block({}, "A"), Told::no);
}

TEST(ABlockThatIsNotLinked, IsBelievedOfTheOnlyHostThatCanTell) {
    EXPECT_EQ(tell_block({has("A")}, "A"), Told::yes);
    EXPECT_EQ(tell_block({says(Word::unable), has("A")}, "A"), Told::yes);
    EXPECT_EQ(tell_block({says(Word::silent), has("A")}, "A"), Told::unclear)
        << "the other one may come back";
    EXPECT_EQ(tell_block({says(Word::denies)}, "A"), Told::no) << "it does not say so again";
}

TEST(BlocksThatDoNotFit, TheOneThatFewerHostsTellIsWrong) {
    EXPECT_EQ(judge_misfit({has("A"), has("A"), has("B")}, "A"), Wrong::offered);
    EXPECT_EQ(judge_misfit({has("A"), has("B"), has("B")}, "A"), Wrong::stored);
    EXPECT_EQ(judge_misfit({has("A")}, "A"), Wrong::offered) << "the host contradicts itself";
}

TEST(BlocksThatDoNotFit, RemovalNeedsTwoHostsThatAgree) {
    EXPECT_EQ(judge_misfit({has("B")}, "A"), Wrong::undecided);
    EXPECT_EQ(judge_misfit({has("B"), says(Word::silent)}, "A"), Wrong::undecided);
    EXPECT_EQ(judge_misfit({has("A"), has("B")}, "A"), Wrong::undecided);
    EXPECT_EQ(judge_misfit({has("B"), has("C")}, "A"), Wrong::undecided) << "they do not agree";
    EXPECT_EQ(judge_misfit({has("B"), has("B")}, "A"), Wrong::stored);
    EXPECT_EQ(judge_misfit({says(Word::denies), says(Word::denies)}, "A"), Wrong::stored);
    EXPECT_EQ(judge_misfit({says(Word::unable), says(Word::unable)}, "A"), Wrong::undecided);
}

TEST(AStoredBlock, IsContradictedByTwoHostsThatTellTheSameOther) {
    EXPECT_TRUE(contradicted({has("A"), has("B"), has("B")}, "A"));
    EXPECT_FALSE(contradicted({has("A"), has("B")}, "A"));
    EXPECT_FALSE(contradicted({has("A"), has("B"), has("C")}, "A"));
    EXPECT_FALSE(contradicted({has("A"), says(Word::denies), says(Word::denies)}, "A")) << "they may lag";
    EXPECT_FALSE(contradicted({has("A"), has("A"), has("B"), has("B")}, "A"));
}

TEST(TheWordsOfHosts, AreSaidToPeople) {
    EXPECT_EQ(in_words({has("A"), says(Word::denies), says(Word::unable), says(Word::silent)}),
              "host: A, host: no block, host: cannot tell, host: no answer");
}

}  // namespace
}  // namespace receiptd::follow
