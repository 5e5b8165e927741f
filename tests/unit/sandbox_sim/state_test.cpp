#include "sandbox/sim/state.hpp"

#include "records.hpp"

#include <gmock/gmock.h>

namespace receiptd::sandbox::sim {
namespace {

using namespace records;
using testing::ElementsAre;
using testing::Pair;

TEST(State, ShowsAnAccountAsItStoodAtAnyHeight) {
    State state;
    make_account(state, "alice.test", 5, 10);
    change(state, 12, [](StateUpdate& update) { update.set_account("alice.test", account_with(7)); });
    change(state, 15, [](StateUpdate& update) { update.remove_account("alice.test"); });

    EXPECT_FALSE(state.account("alice.test", 9));
    EXPECT_EQ(state.account("alice.test", 10)->amount, 5U);
    EXPECT_EQ(state.account("alice.test", 11)->amount, 5U);
    EXPECT_EQ(state.account("alice.test", 12)->amount, 7U);
    EXPECT_EQ(state.account("alice.test", 14)->amount, 7U);
    EXPECT_FALSE(state.account("alice.test", 15));
    EXPECT_FALSE(state.account("alice.test"));
    EXPECT_FALSE(state.account("nobody.test"));
}

TEST(State, KeepsTheLastValueOfAHeight) {
    State state;
    make_account(state, "alice.test", 5, 10);
    change(state, 10, [](StateUpdate& update) { update.set_account("alice.test", account_with(6)); });
    EXPECT_EQ(state.account("alice.test", 10)->amount, 6U);
}

TEST(State, KeepsKeysCodeAndDataOfADeletedAccountForHeightsBefore) {
    State state;
    make_account(state, "alice.test", 5, 10);
    change(state, 11, [](StateUpdate& update) {
        update.set_code("alice.test", raw("code"));
        update.set_data("alice.test", "k", "v");
    });
    change(state, 12, [](StateUpdate& update) { update.remove_account("alice.test"); });

    EXPECT_EQ(state.access_keys("alice.test", 11).size(), 1U);
    EXPECT_EQ(state.code("alice.test", 11), raw("code"));
    EXPECT_EQ(state.data("alice.test", "k", 11), "v");
    EXPECT_TRUE(state.access_keys("alice.test").empty());
    EXPECT_FALSE(state.access_key("alice.test", public_of("alice.test")));
    EXPECT_FALSE(state.code("alice.test"));
    EXPECT_FALSE(state.contract_hash("alice.test"));
    EXPECT_FALSE(state.data("alice.test", "k"));
    EXPECT_TRUE(state.data_with_prefix("alice.test", "").empty());
}

TEST(State, ANewAccountOfAnOldNameHasNothingOfTheOldOne) {
    State state;
    make_account(state, "alice.test", 5, 10);
    change(state, 11, [](StateUpdate& update) { update.set_data("alice.test", "k", "v"); });
    change(state, 12, [](StateUpdate& update) { update.remove_account("alice.test"); });
    change(state, 13, [](StateUpdate& update) { update.set_account("alice.test", account_with(1)); });
    EXPECT_EQ(state.account("alice.test")->storage_usage, 100U);
    EXPECT_FALSE(state.data("alice.test", "k"));
    EXPECT_EQ(state.data("alice.test", "k", 11), "v");
}

TEST(State, ListsKeysByTheirText) {
    State state;
    make_account(state, "alice.test");
    change(state, kGenesis, [](StateUpdate& update) {
        for (const char* name : {"a", "b", "c"})
            update.set_access_key("alice.test", public_of(name), full_access(7));
    });
    const KeyList keys = state.access_keys("alice.test");
    ASSERT_EQ(keys.size(), 4U);
    for (std::size_t i = 1; i < keys.size(); ++i)
        EXPECT_LT(keys[i - 1].first.to_string(), keys[i].first.to_string());
}

TEST(State, ListsDataByKeyBelowAPrefix) {
    State state;
    make_account(state, "alice.test");
    change(state, 101, [](StateUpdate& update) {
        for (const char* key : {"a", "b1", "b2", "b3", "c"}) update.set_data("alice.test", key, "1");
    });
    change(state, 102, [](StateUpdate& update) {
        update.set_data("alice.test", "b1", "2");
        update.remove_data("alice.test", "b2");
    });
    EXPECT_THAT(state.data_with_prefix("alice.test", "b"), ElementsAre(Pair("b1", "2"), Pair("b3", "1")));
    EXPECT_THAT(state.data_with_prefix("alice.test", "b", 101),
                ElementsAre(Pair("b1", "1"), Pair("b2", "1"), Pair("b3", "1")));
    EXPECT_EQ(state.data_with_prefix("alice.test", "").size(), 4U);
    EXPECT_TRUE(state.data_with_prefix("nobody.test", "").empty());
}

TEST(State, KeepsBinaryKeysApart) {
    State state;
    make_account(state, "alice.test");
    change(state, 101, [](StateUpdate& update) {
        update.set_data("alice.test", std::string("\0", 1), "zero");
        update.set_data("alice.test", "", "empty");
    });
    EXPECT_EQ(state.data("alice.test", std::string("\0", 1)), "zero");
    EXPECT_EQ(state.data("alice.test", ""), "empty");
}

TEST(State, TellsWhatABlockTouchedInOrderAndOnce) {
    State state;
    make_account(state, "bob.test");
    make_account(state, "alice.test");
    make_account(state, "bob.test");
    EXPECT_THAT(state.touched(kGenesis),
                ElementsAre(Pair("bob.test", Touch::account), Pair("bob.test", Touch::access_key),
                            Pair("alice.test", Touch::account), Pair("alice.test", Touch::access_key)));
    change(state, 101, [](StateUpdate& update) {
        update.set_code("bob.test", raw("code"));
        update.set_data("bob.test", "k", "v");
    });
    EXPECT_THAT(state.touched(101),
                ElementsAre(Pair("bob.test", Touch::account), Pair("bob.test", Touch::contract_code),
                            Pair("bob.test", Touch::data)));
    EXPECT_TRUE(state.touched(102).empty());
}

TEST(State, ForgetsHowItStoodBefore) {
    State state;
    for (const char* name : {"alice.test", "bob.test"}) make_account(state, name, 5, 10);
    change(state, 12, [](StateUpdate& update) { update.set_account("alice.test", account_with(7)); });
    change(state, 14, [](StateUpdate& update) { update.remove_account("bob.test"); });
    state.forget_below(14);

    EXPECT_FALSE(state.account("alice.test", 11));
    EXPECT_EQ(state.account("alice.test", 14)->amount, 7U);
    EXPECT_EQ(state.access_keys("alice.test").size(), 1U);
    EXPECT_FALSE(state.account("bob.test", 14));
    EXPECT_TRUE(state.touched(12).empty());
    EXPECT_THAT(state.touched(14), testing::Contains(Pair("bob.test", Touch::account)));
    state.forget_below(20);  // bob.test is gone for good
    make_account(state, "bob.test", 3, 21);
    EXPECT_EQ(state.account("bob.test")->amount, 3U);
    EXPECT_THAT(state.touched(21), testing::Contains(Pair("bob.test", Touch::account)));
}

TEST(State, ItsRootFollowsFromTheChangesAndTheirOrder) {
    const auto root_of = [](std::vector<std::string> ids, Height height) {
        State state;
        for (const std::string& id : ids) make_account(state, id, 1, height);
        return state.root();
    };
    EXPECT_EQ(State().root(), CryptoHash{});
    EXPECT_EQ(root_of({"alice.test", "bob.test"}, 1), root_of({"alice.test", "bob.test"}, 1));
    EXPECT_NE(root_of({"alice.test", "bob.test"}, 1), root_of({"bob.test", "alice.test"}, 1));
    EXPECT_NE(root_of({"alice.test"}, 1), root_of({"alice.test"}, 2));
}

TEST(State, ItsRootKnowsEveryKindOfRecord) {
    State state;
    make_account(state, "alice.test");
    std::set<CryptoHash> roots{state.root()};
    const auto differs = [&](auto make) {
        change(state, 101, make);
        return roots.insert(state.root()).second;
    };
    EXPECT_TRUE(differs([](StateUpdate& u) { u.set_account("alice.test", account_with(1)); }));
    EXPECT_TRUE(differs([](StateUpdate& u) { u.set_data("alice.test", "k", "v"); }));
    EXPECT_TRUE(differs([](StateUpdate& u) { u.set_data("alice.test", "k", "w"); }));
    EXPECT_TRUE(differs([](StateUpdate& u) { u.remove_data("alice.test", "k"); }));
    EXPECT_TRUE(differs([](StateUpdate& u) { u.set_code("alice.test", raw("code")); }));
    EXPECT_TRUE(
        differs([](StateUpdate& u) { u.set_access_key("alice.test", public_of("x"), full_access(1)); }));
    EXPECT_TRUE(differs([](StateUpdate& u) { u.set_global_contract("alice.test", raw("code")); }));
    EXPECT_TRUE(differs([](StateUpdate& u) { u.set_global_contract_nonce("alice.test", 1); }));
    EXPECT_TRUE(differs([](StateUpdate& u) { u.use_global_contract("alice.test", "alice.test"); }));
    EXPECT_TRUE(differs([](StateUpdate& u) { u.remove_account("alice.test"); }));
    EXPECT_FALSE(differs([](StateUpdate&) {}));
}

TEST(State, CountsAmountsStakesAndGasKeysInItsTotal) {
    State state;
    EXPECT_EQ(state.total_balance(), 0U);
    make_account(state, "alice.test", 10);
    make_account(state, "bob.test", 20);
    EXPECT_EQ(state.total_balance(), 30U);
    change(state, 101, [](StateUpdate& update) { update.set_account("alice.test", account_with(4, 3)); });
    EXPECT_EQ(state.total_balance(), 27U);
    change(state, 102,
           [](StateUpdate& update) { update.set_access_key("bob.test", public_of("g"), gas_key(5)); });
    EXPECT_EQ(state.total_balance(), 32U);
    change(state, 103,
           [](StateUpdate& update) { update.set_access_key("bob.test", public_of("g"), gas_key(6)); });
    EXPECT_EQ(state.total_balance(), 33U);
    change(state, 104, [](StateUpdate& update) { update.remove_account("bob.test"); });
    EXPECT_EQ(state.total_balance(), 7U);
}

TEST(State, RefusesChangesBelowItsNewestHeight) {
    State state;
    make_account(state, "alice.test", 5, 10);
    EXPECT_THROW(make_account(state, "alice.test", 5, 9), std::logic_error);
}

TEST(State, IsAsItWasWhenBlocksAreTakenBack) {
    State state;
    make_account(state, "alice.test", 10);
    change(state, 101, [](StateUpdate& update) {
        update.set_data("alice.test", "k", "old");
        update.set_global_contract("alice.test", raw("first"));
        update.set_global_contract_nonce("alice.test", 1);
    });
    const State::Mark mark = state.mark(101);
    make_account(state, "bob.test", 20, 102);
    change(state, 102, [](StateUpdate& update) {
        update.set_access_key("alice.test", public_of("g"), gas_key(5));
        update.set_data("alice.test", "k", "new");
        update.set_code("alice.test", raw("code"));
    });
    change(state, 103, [](StateUpdate& update) {
        update.set_global_contract("alice.test", raw("second"));
        update.set_global_contract_nonce("alice.test", 2);
        update.remove_account("alice.test");
    });
    state.take_back(mark);

    EXPECT_EQ(state.account("alice.test")->amount, 10U);
    EXPECT_FALSE(state.access_key("alice.test", public_of("g")));
    EXPECT_FALSE(state.code("alice.test"));
    EXPECT_EQ(state.data("alice.test", "k"), "old");
    EXPECT_EQ(state.global_contract("alice.test"), raw("first"));
    EXPECT_EQ(StateUpdate(state).global_contract_nonce("alice.test"), 1U);
    EXPECT_FALSE(state.account("bob.test"));
    EXPECT_TRUE(state.touched(102).empty());
    EXPECT_EQ(state.root(), mark.root);
    EXPECT_EQ(state.total_balance(), 10U);
    change(state, 104, [](StateUpdate& update) { update.set_data("alice.test", "k", "newest"); });
    EXPECT_EQ(state.touched(104).size(), 2U) << "the account, whose storage grew, and the datum";
}

TEST(State, TellsTheCodeOfAGlobalContractAtEachHeight) {
    State state;
    make_account(state, "bob.test");
    change(state, 101, [](StateUpdate& update) { update.set_global_contract("alice.test", raw("first")); });
    change(state, 101, [](StateUpdate& update) { update.use_global_contract("bob.test", "alice.test"); });
    change(state, 103, [](StateUpdate& update) { update.set_global_contract("alice.test", raw("second")); });

    EXPECT_EQ(state.code("bob.test", 102), raw("first"));
    EXPECT_EQ(state.code("bob.test"), raw("second"));
    EXPECT_EQ(state.contract_hash("bob.test"), chain::sha256(raw("second")));
    EXPECT_FALSE(state.global_contract("alice.test", 100));
}

}  // namespace
}  // namespace receiptd::sandbox::sim
