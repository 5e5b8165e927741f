#include "sandbox/sim/state_update.hpp"

#include "sandbox/sim/storage_usage.hpp"

#include "records.hpp"

#include <gmock/gmock.h>

namespace receiptd::sandbox::sim {
namespace {

using namespace records;

struct StateUpdates : testing::Test {
    void SetUp() override { make_account(state, "alice.test"); }
    std::uint64_t usage(const StateUpdate& update) const {
        return update.account("alice.test")->storage_usage;
    }
    State state;
};

TEST_F(StateUpdates, ChangeNothingBeforeTheyAreCommitted) {
    const CryptoHash root = state.root();
    StateUpdate update(state);
    update.set_account("alice.test", account_with(1));
    update.set_data("alice.test", "k", "v");
    EXPECT_EQ(update.account("alice.test")->amount, 1U);
    EXPECT_EQ(update.data("alice.test", "k"), "v");
    EXPECT_EQ(state.account("alice.test")->amount, 100 * kOneToken);
    EXPECT_FALSE(state.data("alice.test", "k"));
    EXPECT_EQ(state.root(), root);

    update.commit(101);
    EXPECT_EQ(state.account("alice.test")->amount, 1U);
    EXPECT_EQ(state.data("alice.test", "k"), "v");
}

TEST_F(StateUpdates, AreEmptyAgainAfterACommit) {
    StateUpdate update(state);
    update.set_account("alice.test", account_with(1));
    update.commit(101);
    const CryptoHash root = state.root();
    update.commit(102);
    EXPECT_EQ(state.root(), root);
    EXPECT_TRUE(state.touched(102).empty());
}

TEST_F(StateUpdates, ChargeAnAccountWithOneFullAccessKey182Bytes) {
    EXPECT_EQ(state.account("alice.test")->storage_usage, 182U);
}

TEST_F(StateUpdates, ChargeKeysByTheirBorshAndFortyBytes) {
    StateUpdate update(state);
    update.set_access_key("alice.test", public_of("f"), call_key("bob.test", {"one", "three"}, u128{1}));
    // 33 key, 8 nonce, 1 kind, 17 allowance, 4 + 8 receiver, 4 list, 4 + 3, 4 + 5 names, 40 record.
    const std::uint64_t call_bytes = 33 + 8 + 1 + 17 + 12 + 4 + 7 + 9 + 40;
    EXPECT_EQ(usage(update), 182 + call_bytes);
    update.remove_access_key("alice.test", public_of("f"));
    EXPECT_EQ(usage(update), 182U);
    update.remove_access_key("alice.test", public_of("f"));
    EXPECT_EQ(usage(update), 182U);

    update.set_access_key("alice.test", public_of("g"), gas_key(0, 3));
    EXPECT_EQ(usage(update), 182U + 33 + 8 + 1 + 18 + 40 + 3 * (33 + 2 + 8 + 40));
}

TEST_F(StateUpdates, ChargeAKeyThatIsUsedNothingMore) {
    StateUpdate update(state);
    update.set_access_key("alice.test", public_of("alice.test"), full_access(1'000'000));
    EXPECT_EQ(usage(update), 182U);
}

TEST_F(StateUpdates, ChargeSecp256k1KeysByTheirSizeAndMlDsaKeysByTheirHandle) {
    const auto secp = PublicKey::from_raw(chain::KeyType::secp256k1, Bytes(64, 1));
    const auto ml_dsa = PublicKey::from_raw(chain::KeyType::ml_dsa_65, Bytes(1952, 1));
    EXPECT_EQ(key_storage(*secp, full_access()), 65U + 9 + 40);
    EXPECT_EQ(key_storage(*ml_dsa, full_access()), 33U + 9 + 40);
}

TEST_F(StateUpdates, ChargeDataByKeyAndValueAndFortyBytes) {
    StateUpdate update(state);
    update.set_data("alice.test", "key", "value");
    EXPECT_EQ(usage(update), 182U + 48);
    update.set_data("alice.test", "key", "v");
    EXPECT_EQ(usage(update), 182U + 44);
    update.commit(101);

    StateUpdate next(state);
    next.set_data("alice.test", "key", "value");
    EXPECT_EQ(usage(next), 182U + 48);
    next.remove_data("alice.test", "key");
    EXPECT_EQ(usage(next), 182U);
    next.remove_data("alice.test", "key");
    EXPECT_EQ(usage(next), 182U);
}

TEST_F(StateUpdates, ChargeCodeByItsLengthAndAGlobalContractByItsName) {
    StateUpdate update(state);
    update.set_code("alice.test", Bytes(1000));
    EXPECT_EQ(usage(update), 1182U);
    EXPECT_EQ(update.account("alice.test")->code_hash, chain::sha256(Bytes(1000)));
    update.set_code("alice.test", Bytes(10));
    EXPECT_EQ(usage(update), 192U);

    update.set_global_contract("g.test", raw("global"));
    update.use_global_contract("alice.test", "g.test");
    EXPECT_EQ(usage(update), 182U + 6);
    EXPECT_EQ(update.account("alice.test")->code_hash, CryptoHash{});
    EXPECT_EQ(update.code("alice.test"), raw("global"));
    EXPECT_EQ(update.contract_hash("alice.test"), chain::sha256(raw("global")));

    update.use_global_contract("alice.test", chain::sha256(raw("none")));
    EXPECT_EQ(usage(update), 182U + 32);
    EXPECT_FALSE(update.contract_hash("alice.test"));

    update.set_code("alice.test", Bytes(10));
    EXPECT_EQ(usage(update), 192U);
    EXPECT_EQ(update.contract_hash("alice.test"), chain::sha256(Bytes(10)));
}

TEST_F(StateUpdates, LetNobodySpoilStorageWithAnAccountReadBefore) {
    StateUpdate update(state);
    const Account before = *update.account("alice.test");
    update.set_code("alice.test", Bytes(10));
    update.set_data("alice.test", "k", "v");
    update.set_account("alice.test", before);
    EXPECT_EQ(usage(update), 192U + 42);
    EXPECT_EQ(update.account("alice.test")->code_hash, chain::sha256(Bytes(10)));
}

TEST_F(StateUpdates, RemoveAnAccountWithAllItHas) {
    StateUpdate setup(state);
    setup.set_data("alice.test", "k", "v");
    setup.set_code("alice.test", raw("code"));
    setup.commit(101);

    StateUpdate update(state);
    update.set_data("alice.test", "new", "v");
    update.remove_account("alice.test");
    EXPECT_FALSE(update.account("alice.test"));
    EXPECT_FALSE(update.access_key("alice.test", public_of("alice.test")));
    EXPECT_TRUE(update.access_keys("alice.test").empty());
    EXPECT_FALSE(update.data("alice.test", "k"));
    EXPECT_FALSE(update.data("alice.test", "new"));
    EXPECT_FALSE(update.code("alice.test"));

    update.set_account("alice.test", account_with(1));
    update.set_data("alice.test", "k", "again");
    EXPECT_EQ(usage(update), 100U + 46);
    update.commit(102);
    EXPECT_EQ(state.data("alice.test", "k"), "again");
    EXPECT_EQ(state.data("alice.test", "k", 101), "v");
    EXPECT_TRUE(state.access_keys("alice.test").empty());
    EXPECT_FALSE(state.contract_hash("alice.test"));
}

TEST_F(StateUpdates, TakeRecordsInAnyOrder) {
    StateUpdate update(state);
    update.set_access_key("new.test", public_of("new.test"), full_access());
    update.set_code("new.test", Bytes(10));
    update.set_data("new.test", "k", "v");
    update.set_account("new.test", account_with(1));
    EXPECT_EQ(update.account("new.test")->storage_usage, 192U + 42);
    EXPECT_EQ(update.contract_hash("new.test"), chain::sha256(Bytes(10)));
}

TEST_F(StateUpdates, ListKeysOfStateAndUpdateTogether) {
    StateUpdate update(state);
    update.set_access_key("alice.test", public_of("x"), full_access(1));
    EXPECT_EQ(update.access_keys("alice.test").size(), 2U);
    update.remove_access_key("alice.test", public_of("alice.test"));
    ASSERT_EQ(update.access_keys("alice.test").size(), 1U);
    EXPECT_EQ(update.access_keys("alice.test").front().first, public_of("x"));
}

TEST_F(StateUpdates, DeployNoCodeAtAllAsAnEmptyContract) {
    StateUpdate update(state);
    update.set_code("alice.test", {});
    EXPECT_EQ(update.contract_hash("alice.test"), chain::sha256({}));
    EXPECT_EQ(usage(update), 182U);
}

}  // namespace
}  // namespace receiptd::sandbox::sim
