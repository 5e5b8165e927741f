#include "sandbox/sim/actions.hpp"

#include "chain/wire/hex.hpp"

#include "action_stage.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::sandbox::sim {
namespace {

using namespace records;
using testing::IsEmpty;
using testing::SizeIs;

using Actions = ActionStage;

Json about(const char* name, const std::string& account_id) {
    return Json{{name, {{"account_id", account_id}}}};
}
Json no_permission(const std::string& account_id, const std::string& actor_id) {
    return Json{{"ActorNoPermission", {{"account_id", account_id}, {"actor_id", actor_id}}}};
}

wire::Action add_key(const char* name, wire::AccessKey key = full_access()) {
    return {wire::AddKey{public_of(name), std::move(key)}};
}
const wire::Action kCreate{wire::CreateAccount{}};

// --- CreateAccount ---

TEST_F(Actions, AParentCreatesItsSubAccountAndActsForIt) {
    EXPECT_TRUE(error_of("alice.test", "new.alice.test", {kCreate, transfer(5), add_key("new")}).is_null());
    EXPECT_EQ(amount("new.alice.test"), 5U);
    EXPECT_EQ(state.account("new.alice.test")->storage_usage, 182U);
    EXPECT_EQ(state.access_key("new.alice.test", public_of("new"))->nonce, 199'000'000U);
}

TEST_F(Actions, OnlyTheDirectParentCreatesASubAccount) {
    const auto not_allowed = [](const char* id, const char* predecessor) {
        return Json{{"CreateAccountNotAllowed", {{"account_id", id}, {"predecessor_id", predecessor}}}};
    };
    EXPECT_EQ(error_of("bob.test", "new.alice.test", {kCreate}), not_allowed("new.alice.test", "bob.test"));
    EXPECT_EQ(error_of("alice.test", "a.new.alice.test", {kCreate}),
              not_allowed("a.new.alice.test", "alice.test"));
    EXPECT_EQ(error_of("registrar", "new.alice.test", {kCreate}), not_allowed("new.alice.test", "registrar"));
}

TEST_F(Actions, TopLevelAccountsAreCreatedByTheRegistrar) {
    EXPECT_EQ(error_of("alice.test", "top", {kCreate}), (Json{{"CreateAccountOnlyByRegistrar",
                                                               {{"account_id", "top"},
                                                                {"registrar_account_id", "registrar"},
                                                                {"predecessor_id", "alice.test"}}}}));
    EXPECT_TRUE(error_of("registrar", "top", {kCreate}).is_null());
}

TEST_F(Actions, TheSystemAccountCannotBeCreated) {
    EXPECT_TRUE(error_of("registrar", "system", {kCreate}).contains("CreateAccountNotAllowed"));
}

TEST_F(Actions, AnAccountIsCreatedOnce) {
    EXPECT_EQ(error_of("test", "bob.test", {kCreate}), about("AccountAlreadyExists", "bob.test"));
}

TEST_F(Actions, ImplicitAccountsAreNotCreatedByTheAction) {
    for (const std::string& id :
         {std::string(64, 'a'), "0x" + std::string(40, 'b'), "0s" + std::string(40, 'c')})
        EXPECT_EQ(error_of("registrar", id, {kCreate}), about("OnlyImplicitAccountCreationAllowed", id));
}

// --- Transfer and implicit accounts ---

TEST_F(Actions, ATransferAddsToTheBalance) {
    EXPECT_TRUE(error_of("alice.test", "bob.test", {transfer(5)}).is_null());
    EXPECT_EQ(amount("bob.test"), 100 * kOneToken + 5);
}

TEST_F(Actions, ATransferToNobodyFails) {
    EXPECT_EQ(error_of("alice.test", "nobody.test", {transfer(5)}),
              about("AccountDoesNotExist", "nobody.test"));
}

TEST_F(Actions, ATransferCreatesTheAccountOfAKey) {
    const PublicKey key = public_of("implicit");
    const std::string id = chain::hex_encode(key.raw());
    EXPECT_TRUE(error_of("alice.test", id, {transfer(5)}).is_null());
    EXPECT_EQ(amount(id), 5U);
    EXPECT_EQ(state.account(id)->storage_usage, 182U);
    EXPECT_EQ(*state.access_key(id, key), (wire::AccessKey{199'000'000, wire::FullAccess{}}));
    EXPECT_TRUE(error_of("alice.test", id, {transfer(5)}).is_null());
    EXPECT_EQ(amount(id), 10U);
}

TEST_F(Actions, ATransferCreatesTheAccountOfAnAddressWithAWalletContract) {
    const std::string id = "0x" + std::string(40, 'b');
    EXPECT_TRUE(error_of("alice.test", id, {transfer(5)}).is_null());
    EXPECT_TRUE(state.access_keys(id).empty());
    EXPECT_EQ(state.account(id)->global_contract,
              wire::GlobalContractId(chain::sha256(chain::bytes_of(kEthWalletCode))));
    EXPECT_EQ(state.account(id)->storage_usage, 132U);
}

TEST_F(Actions, ATransferCreatesADeterministicAccountWithoutAnything) {
    const std::string id = "0s" + std::string(40, 'c');
    EXPECT_TRUE(error_of("alice.test", id, {transfer(5)}).is_null());
    EXPECT_TRUE(state.access_keys(id).empty());
    EXPECT_FALSE(state.contract_hash(id));
    EXPECT_EQ(state.account(id)->storage_usage, 100U);
}

TEST_F(Actions, AnImplicitAccountIsNotCreatedAmongOtherActions) {
    const std::string id(64, 'a');
    EXPECT_EQ(error_of("alice.test", id, {transfer(5), add_key("thief")}), about("AccountDoesNotExist", id));
}

TEST_F(Actions, RefundsCreateNoAccounts) {
    const std::string id(64, 'a');
    EXPECT_EQ(error_of("system", id, {transfer(5)}), about("AccountDoesNotExist", id));
}

TEST_F(Actions, AGasRefundRestoresTheAllowanceOfTheKeyThatPaid) {
    change(state, kGenesis, [](StateUpdate& u) {
        u.set_access_key("alice.test", public_of("call"), call_key("x.test", {}, u128{10}));
    });
    const auto allowance = [&] {
        const auto key = state.access_key("alice.test", public_of("call"));
        return *std::get<wire::FunctionCallPermission>(key->permission).allowance;
    };
    signer_id = "alice.test";
    signer_key = public_of("call");
    EXPECT_TRUE(error_of("bob.test", "alice.test", {transfer(5)}).is_null());
    EXPECT_EQ(allowance(), 10U);
    EXPECT_TRUE(error_of("system", "alice.test", {transfer(5)}).is_null());
    EXPECT_EQ(allowance(), 15U);
    signer_id = "system";
    EXPECT_TRUE(error_of("system", "alice.test", {transfer(5)}).is_null());
    EXPECT_EQ(allowance(), 15U);
    EXPECT_EQ(amount("alice.test"), 100 * kOneToken + 15);
}

// --- Who may act ---

TEST_F(Actions, NothingCanBeDoneWithAnAccountThatDoesNotExist) {
    const std::vector<wire::Action> actions{{wire::DeployContract{}},
                                            {wire::FunctionCall{}},
                                            {wire::Stake{}},
                                            add_key("k"),
                                            {wire::DeleteKey{}},
                                            {wire::DeleteAccount{}},
                                            {wire::SignedDelegate{}},
                                            {wire::SignedDelegateV2{}},
                                            {wire::DeployGlobalContract{}},
                                            {wire::UseGlobalContract{}},
                                            {wire::TransferToGasKey{}},
                                            {wire::WithdrawFromGasKey{}}};
    for (const wire::Action& action : actions)
        EXPECT_EQ(own("nobody.test", {action}), about("AccountDoesNotExist", "nobody.test"));
}

TEST_F(Actions, OnlyTheAccountItselfChangesItsKeysCodeStakeAndLife) {
    const std::vector<wire::Action> actions{{wire::DeployContract{}},
                                            {wire::Stake{}},
                                            add_key("k"),
                                            {wire::DeleteKey{}},
                                            {wire::DeleteAccount{}},
                                            {wire::DeployGlobalContract{}},
                                            {wire::UseGlobalContract{}},
                                            {wire::WithdrawFromGasKey{}}};
    for (const wire::Action& action : actions)
        EXPECT_EQ(error_of("alice.test", "bob.test", {action}), no_permission("bob.test", "alice.test"));
}

TEST_F(Actions, WhoSendsATransferDoesNotOwnTheReceiver) {
    EXPECT_EQ(error_of("alice.test", "bob.test", {transfer(1), add_key("thief")}),
              no_permission("bob.test", "alice.test"));
}

// --- DeployContract ---

TEST_F(Actions, ADeployedContractIsTheAccountsCode) {
    EXPECT_TRUE(own("alice.test", {{wire::DeployContract{raw("code")}}}).is_null());
    EXPECT_EQ(state.code("alice.test"), raw("code"));
    EXPECT_EQ(state.account("alice.test")->code_hash, chain::sha256(raw("code")));
}

// --- Stake ---

TEST_F(Actions, AStakeLocksAndUnlocksTokens) {
    set_amount("alice.test", 5000 * kOneToken);
    const wire::Action stake{wire::Stake{kMinimumStake, public_of("v")}};
    EXPECT_TRUE(own("alice.test", {stake}).is_null());
    EXPECT_EQ(amount("alice.test"), 4000 * kOneToken);
    EXPECT_EQ(state.account("alice.test")->locked, kMinimumStake);
    EXPECT_TRUE(own("alice.test", {{wire::Stake{2 * kMinimumStake, public_of("v")}}}).is_null());
    EXPECT_EQ(amount("alice.test"), 3000 * kOneToken);
    EXPECT_TRUE(own("alice.test", {{wire::Stake{0, public_of("v")}}}).is_null());
    EXPECT_EQ(amount("alice.test"), 5000 * kOneToken);
    EXPECT_EQ(state.account("alice.test")->locked, 0U);
    EXPECT_EQ(state.total_balance(), 5100 * kOneToken);
}

TEST_F(Actions, AStakeNeedsTheTokens) {
    set_amount("alice.test", 100, 7);
    EXPECT_EQ(
        own("alice.test", {{wire::Stake{108, public_of("v")}}}),
        (Json{{"TriesToStake",
               {{"account_id", "alice.test"}, {"stake", "108"}, {"locked", "7"}, {"balance", "100"}}}}));
}

TEST_F(Actions, WhoHasNoStakeCannotUnstake) {
    EXPECT_EQ(own("alice.test", {{wire::Stake{0, public_of("v")}}}), about("TriesToUnstake", "alice.test"));
}

TEST_F(Actions, AStakeHasAMinimum) {
    EXPECT_EQ(own("alice.test", {{wire::Stake{kOneToken, public_of("v")}}}),
              (Json{{"InsufficientStake",
                     {{"account_id", "alice.test"},
                      {"stake", decimal(kOneToken)},
                      {"minimum_stake", decimal(1000 * kOneToken)}}}}));
}

// --- Keys ---

TEST_F(Actions, ANewKeyStartsWithANonceOfItsHeightWhateverTheActionSays) {
    EXPECT_TRUE(own("alice.test", {add_key("k", full_access(5))}).is_null());
    EXPECT_EQ(state.access_key("alice.test", public_of("k"))->nonce, 199'000'000U);
}

TEST_F(Actions, AKeyIsAddedOnce) {
    EXPECT_EQ(own("alice.test", {add_key("alice.test")}),
              (Json{{"AddKeyAlreadyExists",
                     {{"account_id", "alice.test"}, {"public_key", public_of("alice.test").to_string()}}}}));
}

TEST_F(Actions, AKeyIsDeletedOnce) {
    const wire::Action remove{wire::DeleteKey{public_of("alice.test")}};
    EXPECT_TRUE(own("alice.test", {remove}).is_null());
    EXPECT_TRUE(state.access_keys("alice.test").empty());
    EXPECT_EQ(own("alice.test", {remove}),
              (Json{{"DeleteKeyDoesNotExist",
                     {{"account_id", "alice.test"}, {"public_key", public_of("alice.test").to_string()}}}}));
}

// --- Gas keys ---

struct GasKeys : ActionStage {
    void SetUp() override {
        ActionStage::SetUp();
        ASSERT_TRUE(own("alice.test", {add_key("gas", gas_key(0, 3))}).is_null());
    }
    u128 balance() { return gas_key_balance(*state.access_key("alice.test", public_of("gas"))); }
    wire::Action fund(u128 deposit, const char* key = "gas") {
        return {wire::TransferToGasKey{public_of(key), deposit}};
    }
    wire::Action withdraw(u128 value, const char* key = "gas") {
        return {wire::WithdrawFromGasKey{public_of(key), value}};
    }
};

TEST_F(GasKeys, KeepTheirPermissionAndHaveNoncesByIndexOnly) {
    const AccessKey key = *state.access_key("alice.test", public_of("gas"));
    EXPECT_EQ(key, gas_key(0, 3));
    EXPECT_EQ(key.nonces, std::vector<std::uint64_t>(3, 199'000'000));
}

TEST_F(GasKeys, AreFundedByAnybodyAndEmptiedByTheirAccount) {
    EXPECT_TRUE(error_of("bob.test", "alice.test", {fund(10)}).is_null());
    EXPECT_EQ(balance(), 10U);
    EXPECT_EQ(state.total_balance(), 200 * kOneToken + 10);
    EXPECT_TRUE(own("alice.test", {withdraw(4)}).is_null());
    EXPECT_EQ(balance(), 6U);
    EXPECT_EQ(amount("alice.test"), 100 * kOneToken + 4);
    EXPECT_EQ(state.total_balance(), 200 * kOneToken + 10);
}

TEST_F(GasKeys, GiveNoMoreThanTheyHold) {
    EXPECT_TRUE(error_of("bob.test", "alice.test", {fund(10)}).is_null());
    EXPECT_EQ(own("alice.test", {withdraw(11)}), (Json{{"InsufficientGasKeyBalance",
                                                        {{"account_id", "alice.test"},
                                                         {"public_key", public_of("gas").to_string()},
                                                         {"balance", "10"},
                                                         {"required", "11"}}}}));
}

TEST_F(GasKeys, AreNotWhatOtherKeysAre) {
    for (const char* key : {"alice.test", "stranger"}) {
        const Json error{{"GasKeyDoesNotExist",
                          {{"account_id", "alice.test"}, {"public_key", public_of(key).to_string()}}}};
        EXPECT_EQ(error_of("bob.test", "alice.test", {fund(1, key)}), error);
        EXPECT_EQ(own("alice.test", {withdraw(1, key)}), error);
    }
}

TEST_F(GasKeys, LoseUpToOneTokenWhenTheyAreDeleted) {
    const wire::Action remove{wire::DeleteKey{public_of("gas")}};
    EXPECT_TRUE(error_of("bob.test", "alice.test", {fund(kOneToken + 1)}).is_null());
    EXPECT_EQ(own("alice.test", {remove}), (Json{{"GasKeyBalanceTooHigh",
                                                  {{"account_id", "alice.test"},
                                                   {"public_key", public_of("gas").to_string()},
                                                   {"balance", decimal(kOneToken + 1)}}}}));
    EXPECT_EQ(run("alice.test", "alice.test", {withdraw(1), remove}).keys_burnt, kOneToken);
}

TEST_F(GasKeys, AreBurntWithTheirAccountUpToOneToken) {
    const wire::Action remove{wire::DeleteAccount{"bob.test"}};
    EXPECT_TRUE(error_of("bob.test", "alice.test", {fund(kOneToken + 1)}).is_null());
    EXPECT_EQ(
        own("alice.test", {remove}),
        (Json{
            {"GasKeyBalanceTooHigh",
             {{"account_id", "alice.test"}, {"public_key", nullptr}, {"balance", decimal(kOneToken + 1)}}}}));
    EXPECT_TRUE(own("alice.test", {withdraw(2)}).is_null());
    EXPECT_EQ(run("alice.test", "alice.test", {remove}).keys_burnt, kOneToken - 1);
}

// --- DeleteAccount ---

TEST_F(Actions, ADeletedAccountPaysItsBalanceToTheBeneficiary) {
    const Result result = run("alice.test", "alice.test", {{wire::DeleteAccount{"bob.test"}}});
    EXPECT_TRUE(result.error.is_null());
    EXPECT_FALSE(state.account("alice.test"));
    ASSERT_THAT(result.new_receipts, SizeIs(1));
    const Receipt& payout = result.new_receipts.front();
    const auto& body = std::get<ActionReceipt>(payout.body);
    EXPECT_EQ(payout.predecessor_id, "system");
    EXPECT_EQ(payout.receiver_id, "bob.test");
    EXPECT_EQ(body.signer_id, "system");
    EXPECT_EQ(body.signer_public_key.to_string(), "ed25519:11111111111111111111111111111111");
    EXPECT_EQ(body.gas_price, 0U);
    EXPECT_EQ(body.actions, std::vector<wire::Action>{transfer(100 * kOneToken)});
}

TEST_F(Actions, ADeletedAccountWithoutTokensPaysNothing) {
    set_amount("alice.test", 0);
    EXPECT_THAT(run("alice.test", "alice.test", {{wire::DeleteAccount{"bob.test"}}}).new_receipts, IsEmpty());
}

TEST_F(Actions, AnAccountThatStakesIsNotDeleted) {
    set_amount("alice.test", 1, 1);
    EXPECT_EQ(own("alice.test", {{wire::DeleteAccount{"bob.test"}}}),
              about("DeleteAccountStaking", "alice.test"));
}

TEST_F(Actions, AnAccountWithMoreThan10000BytesIsNotDeleted) {
    const std::vector<wire::Action> remove{{wire::DeleteAccount{"bob.test"}}};
    const auto fill = [&](std::size_t bytes) {
        change(state, kGenesis, [&](StateUpdate& u) {
            u.set_data("alice.test", "k", std::string(bytes - 182 - 41, 'x'));
            u.set_code("alice.test", Bytes(50'000));  // does not count
        });
    };
    fill(10'001);
    EXPECT_EQ(own("alice.test", remove), about("DeleteAccountWithLargeState", "alice.test"));
    fill(10'000);
    EXPECT_TRUE(own("alice.test", remove).is_null());
}

TEST_F(Actions, AnAccountMayBeMadeAndDeletedInOneReceipt) {
    const Result result =
        run("alice.test", "new.alice.test", {kCreate, transfer(5), {wire::DeleteAccount{"bob.test"}}});
    EXPECT_TRUE(result.error.is_null());
    EXPECT_FALSE(state.account("new.alice.test"));
    EXPECT_THAT(result.new_receipts, SizeIs(1));
}

// --- Storage ---

TEST(StorageStake, IsOwedAbove770Bytes) {
    Account account = account_with(0);
    account.storage_usage = 770;
    EXPECT_FALSE(check_storage_stake("alice.test", account));
    account.storage_usage = 771;
    EXPECT_EQ(check_storage_stake("alice.test", account),
              (Json{{"LackBalanceForState",
                     {{"account_id", "alice.test"}, {"amount", "7710000000000000000000"}}}}));
    account.locked = 7'000 * kStoragePricePerByte / 10;
    account.amount = 71 * kStoragePricePerByte;
    EXPECT_FALSE(check_storage_stake("alice.test", account));
    account.amount -= 1;
    EXPECT_EQ((*check_storage_stake("alice.test", account))["LackBalanceForState"]["amount"], "1");
}

}  // namespace
}  // namespace receiptd::sandbox::sim
