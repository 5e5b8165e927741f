#include "sandbox/sim/validate_actions.hpp"

#include "sandbox/sim/limits.hpp"

#include "records.hpp"

#include <nlohmann/json.hpp>

#include <gmock/gmock.h>

#include <limits>

namespace receiptd::sandbox::sim {
namespace {

using namespace records;

constexpr const char* kReceiver = "bob.test";

Json judge(std::vector<wire::Action> actions, std::string_view receiver_id = kReceiver) {
    return check_actions(kProtocol, actions, receiver_id).value_or(Json());
}
wire::Action calling(Gas gas, std::string method = "run", std::size_t args = 0) {
    return {wire::FunctionCall{std::move(method), Bytes(args), gas, 0}};
}
wire::Action adding_key(wire::AccessKey key) { return {wire::AddKey{public_of("k"), std::move(key)}}; }

wire::Action delegating(std::vector<wire::Action> actions) {
    wire::SignedDelegate delegate;
    delegate.delegate_action.sender_id = kReceiver;
    delegate.delegate_action.receiver_id = "carol.test";
    delegate.delegate_action.actions = std::move(actions);
    return {std::move(delegate)};
}
wire::Action delegate_v2_of(std::vector<wire::Action> actions) {
    wire::SignedDelegateV2 delegate;
    delegate.delegate_action.actions = std::move(actions);
    return {std::move(delegate)};
}

Json limit_error(const char* name, const char* member, std::uint64_t value, std::uint64_t limit) {
    return Json{{name, {{member, value}, {"limit", limit}}}};
}

TEST(ActionsValidation, NoActionsAndOrdinaryOnesAreValid) {
    EXPECT_TRUE(judge({}).is_null());
    EXPECT_TRUE(judge({{wire::CreateAccount{}}, {wire::Transfer{1}}, adding_key(full_access()), calling(1)})
                    .is_null());
    EXPECT_TRUE(judge({{wire::DeleteAccount{"carol.test"}}}).is_null());
}

TEST(ActionsValidation, Version87HasNoDelegateV2) {
    const auto of_version = [](std::uint32_t version) {
        return check_actions(*find_protocol(version), {{delegate_v2_of({{wire::Transfer{1}}})}}, kReceiver);
    };
    EXPECT_FALSE(of_version(86));
    EXPECT_EQ(of_version(87),
              (Json{{"RemovedProtocolFeature", {{"protocol_feature", "DelegateV2"}, {"version", 87}}}}));
}

TEST(ActionsValidation, AReceiptHasAtMost100Actions) {
    EXPECT_TRUE(judge(std::vector<wire::Action>(100, {wire::Transfer{1}})).is_null());
    EXPECT_EQ(judge(std::vector<wire::Action>(101, {wire::Transfer{1}})),
              limit_error("TotalNumberOfActionsExceeded", "total_number_of_actions", 101, 100));
}

TEST(ActionsValidation, AReceiptDeploysAtMost10ContractsOfBothKinds) {
    std::vector<wire::Action> actions(10, {wire::DeployContract{raw("code")}});
    EXPECT_TRUE(judge(actions).is_null());
    actions.push_back({wire::DeployGlobalContract{raw("code"), {}}});
    EXPECT_EQ(judge(actions),
              limit_error("TotalNumberOfDeployActionsExceeded", "number_of_deploy_actions", 11, 10));
    // Inside a delegate they are another receipt's.
    actions.back() = delegating({{wire::DeployContract{raw("code")}}});
    EXPECT_TRUE(judge(actions).is_null());
}

TEST(ActionsValidation, NothingFollowsADeletion) {
    EXPECT_EQ(judge({{wire::DeleteAccount{"carol.test"}}, {wire::Transfer{1}}}),
              Json("DeleteActionMustBeFinal"));
    EXPECT_EQ(judge({{wire::DeleteAccount{"carol.test"}}, {wire::DeleteAccount{"carol.test"}}}),
              Json("DeleteActionMustBeFinal"));
}

TEST(ActionsValidation, ThereIsOneDelegateOfEitherVersion) {
    EXPECT_TRUE(judge({delegating({}), {wire::Transfer{1}}}).is_null());
    EXPECT_EQ(judge({delegating({}), delegating({})}), Json("DelegateActionMustBeOnlyOne"));
    EXPECT_EQ(judge({delegating({}), delegate_v2_of({})}), Json("DelegateActionMustBeOnlyOne"));
}

TEST(ActionsValidation, WhatIsInsideADelegateIsJudgedToo) {
    EXPECT_EQ(judge({delegating({calling(0)})}), Json("FunctionCallZeroAttachedGas"));
    EXPECT_EQ(judge({delegate_v2_of({calling(0)})}), Json("FunctionCallZeroAttachedGas"));
}

TEST(ActionsValidation, ACallNeedsGasAndFitsItsLimits) {
    EXPECT_EQ(judge({calling(0)}), Json("FunctionCallZeroAttachedGas"));
    EXPECT_TRUE(judge({calling(1, std::string(256, 'm'))}).is_null());
    EXPECT_EQ(judge({calling(1, std::string(257, 'm'))}),
              limit_error("FunctionCallMethodNameLengthExceeded", "length", 257, 256));
    EXPECT_TRUE(judge({calling(1, "run", kMaxArgumentsBytes)}).is_null());
    EXPECT_EQ(judge({calling(1, "run", kMaxArgumentsBytes + 1)}),
              limit_error("FunctionCallArgumentsLengthExceeded", "length", 4194305, 4194304));
}

TEST(ActionsValidation, AllGasTogetherIsAtMost1000Tgas) {
    EXPECT_TRUE(judge({calling(kMaxTotalPrepaidGas - 1), calling(1)}).is_null());
    EXPECT_EQ(
        judge({calling(kMaxTotalPrepaidGas), calling(1)}),
        limit_error("TotalPrepaidGasExceeded", "total_prepaid_gas", 1000000000000001, 1000000000000000));
    EXPECT_EQ(
        judge({calling(kMaxTotalPrepaidGas), delegating({calling(1)})}),
        limit_error("TotalPrepaidGasExceeded", "total_prepaid_gas", 1000000000000001, 1000000000000000));
    EXPECT_EQ(judge({calling(std::numeric_limits<Gas>::max()), calling(1)}), Json("IntegerOverflow"));
}

TEST(ActionsValidation, ContractsFitTheirLimit) {
    const Bytes code(kMaxContractBytes + 1);
    const Json error = limit_error("ContractSizeExceeded", "size", 4194305, 4194304);
    EXPECT_EQ(judge({{wire::DeployContract{code}}}), error);
    EXPECT_EQ(judge({{wire::DeployGlobalContract{code, {}}}}), error);
}

TEST(ActionsValidation, AStakingKeyIsOneOfEd25519) {
    EXPECT_TRUE(judge({{wire::Stake{1, public_of("validator")}}}).is_null());
    const PublicKey key = *PublicKey::from_raw(chain::KeyType::secp256k1, Bytes(64, 1));
    EXPECT_EQ(judge({{wire::Stake{1, key}}}),
              (Json{{"UnsuitableStakingKey", {{"public_key", key.to_string()}}}}));
}

TEST(ActionsValidation, MethodNamesOfAKeyFitTheirLimits) {
    EXPECT_EQ(judge({adding_key(call_key("x.test", {std::string(257, 'm')}))}),
              limit_error("AddKeyMethodNameLengthExceeded", "length", 257, 256));
    // Each name counts one more byte than it has.
    const std::vector<std::string> most(20, std::string(99, 'm'));
    EXPECT_TRUE(judge({adding_key(call_key("x.test", most))}).is_null());
    std::vector<std::string> more = most;
    more.push_back("");
    EXPECT_EQ(judge({adding_key(call_key("x.test", more))}),
              limit_error("AddKeyMethodNamesNumberOfBytesExceeded", "total_number_of_bytes", 2001, 2000));
}

TEST(ActionsValidation, AccountIdsInsideActionsAreChecked) {
    EXPECT_EQ(judge({adding_key(call_key("Not An Id"))}),
              (Json{{"InvalidAccountId", {{"account_id", "Not An Id"}}}}));
    EXPECT_EQ(judge({{wire::DeleteAccount{"-"}}}), (Json{{"InvalidAccountId", {{"account_id", "-"}}}}));
    EXPECT_EQ(judge({{wire::UseGlobalContract{std::string("")}}}),
              (Json{{"InvalidAccountId", {{"account_id", ""}}}}));
}

TEST(ActionsValidation, ALongAccountIdIsToldInPart) {
    // 127 bytes, then a character of two.
    const std::string id = std::string(127, 'A') + "\xc3\xa9" + std::string(1000, 'B');
    EXPECT_EQ(judge({adding_key(call_key(id))}),
              (Json{{"InvalidAccountId", {{"account_id", std::string(127, 'A')}}}}));
}

TEST(ActionsValidation, GasKeysStartEmptyWithSomeNoncesAndNoAllowance) {
    EXPECT_TRUE(judge({adding_key(gas_key(0, 1))}).is_null());
    EXPECT_TRUE(judge({adding_key(gas_key(0, 1024))}).is_null());
    const auto wrong_count = [](std::uint16_t count) {
        return Json{{"GasKeyInvalidNumNonces", {{"requested_nonces", count}, {"limit", 1024}}}};
    };
    EXPECT_EQ(judge({adding_key(gas_key(0, 0))}), wrong_count(0));
    EXPECT_EQ(judge({adding_key(gas_key(0, 1025))}), wrong_count(1025));
    EXPECT_EQ(judge({adding_key(gas_key(5, 1))}),
              (Json{{"AddGasKeyWithNonZeroBalance", {{"balance", "5"}}}}));
    wire::GasKeyFunctionCall permission{{0, 1}, {u128{1}, "x.test", {}}};
    EXPECT_EQ(judge({adding_key({0, permission})}), Json("GasKeyFunctionCallAllowanceNotAllowed"));
    permission.function_call = {std::nullopt, "x.test", {std::string(257, 'm')}};
    EXPECT_TRUE(judge({adding_key({0, permission})}).contains("AddKeyMethodNameLengthExceeded"));
}

TEST(ActionsValidation, AStateInitBelongsToTheAccountItDerives) {
    wire::DeterministicStateInit action;
    action.state_init.code = CryptoHash{};
    action.state_init.data = {{raw("k"), raw("v")}};
    const std::string derived = wire::deterministic_account(action.state_init);
    EXPECT_TRUE(judge({{action}}, derived).is_null());
    EXPECT_EQ(judge({{action}}), (Json{{"InvalidDeterministicStateInitReceiver",
                                        {{"receiver_id", kReceiver}, {"derived_id", derived}}}}));
    wire::SignedDelegate delegate;
    delegate.delegate_action.receiver_id = derived;
    delegate.delegate_action.actions = {{action}};
    EXPECT_TRUE(judge({{delegate}}).is_null());
}

TEST(ActionsValidation, RecordsOfAStateInitFitTheirLimits) {
    wire::DeterministicStateInit action;
    action.state_init.code = std::string("g.test");
    action.state_init.data = {{Bytes(2049), {}}};
    EXPECT_EQ(judge({{action}}, wire::deterministic_account(action.state_init)),
              limit_error("DeterministicStateInitKeyLengthExceeded", "length", 2049, 2048));
    action.state_init.code = std::string("Not An Id");
    EXPECT_EQ(judge({{action}}), (Json{{"InvalidAccountId", {{"account_id", "Not An Id"}}}}));
}

// Apart from the rest, as deriving an account from so many bytes takes long.
TEST(ActionsValidation, AValueOfAStateInitFitsItsLimit) {
    wire::StateInit init;
    init.data = {{Bytes(2048), Bytes(4194304)}};
    EXPECT_FALSE(check_state_records(init));
    init.data = {{Bytes(2048), Bytes(4194305)}};
    EXPECT_EQ(check_state_records(init),
              limit_error("DeterministicStateInitValueLengthExceeded", "length", 4194305, 4194304));
}

TEST(ActionsValidation, NoVersionHasUniversalAccounts) {
    for (const std::uint32_t version : {86U, 87U, 88U}) {
        const Json unsupported = {{"protocol_feature", "UniversalAccounts"}, {"version", version}};
        EXPECT_EQ(check_actions(*find_protocol(version), {{{wire::UniversalStateInit{}}}}, kReceiver),
                  (Json{{"UnsupportedProtocolFeature", unsupported}}));
    }
}

TEST(ActionsValidation, AnUnknownActionIsAnUnsupportedFeature) {
    EXPECT_EQ(judge({{wire::UnknownActions{16, 1, {}}}}),
              (Json{{"UnsupportedProtocolFeature", {{"protocol_feature", "Action16"}, {"version", 86}}}}));
}

}  // namespace
}  // namespace receiptd::sandbox::sim
