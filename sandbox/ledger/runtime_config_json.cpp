#include "sandbox/ledger/runtime_config_json.hpp"

#include "sandbox/sim/fees.hpp"
#include "sandbox/sim/host_costs.hpp"
#include "sandbox/sim/limits.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace receiptd::sandbox {

namespace {

using Json = nlohmann::json;
using sim::Gas;
namespace wire = sim::wire;

// Any named account; it is not the sender unless the column says so.
constexpr std::string_view kReceiver = "receiver.sandbox";

// In nearcore's words: sir, "sender is receiver".
Json fee_json(const sim::Fee& fee) {
    return {{"send_sir", fee.send_to_self}, {"send_not_sir", fee.send_to_other}, {"execution", fee.exec}};
}

Json fee_of(const sim::Protocol& protocol, const wire::Action& action) {
    return fee_json(sim::action_fee(protocol, action, kReceiver));
}

// The cost of one more byte.
Json fee_between(const sim::Protocol& protocol, const wire::Action& without, const wire::Action& with) {
    const sim::Fee low = sim::action_fee(protocol, without, kReceiver);
    const sim::Fee high = sim::action_fee(protocol, with, kReceiver);
    return fee_json(
        {high.send_to_self - low.send_to_self, high.send_to_other - low.send_to_other, high.exec - low.exec});
}

wire::Action deploy(std::size_t bytes) { return {wire::DeployContract{sim::Bytes(bytes)}}; }

wire::Action call(std::size_t bytes) {
    wire::FunctionCall call;
    call.args = sim::Bytes(bytes);
    return {std::move(call)};
}

// Adds a key that may call this method; nullptr: any.
wire::Action add_call_key(const char* method_name) {
    wire::FunctionCallPermission permission;
    if (method_name) permission.method_names = {method_name};
    wire::AddKey key;
    key.access_key.permission = std::move(permission);
    return {std::move(key)};
}

Json action_costs_json(const sim::Protocol& protocol) {
    return {{"create_account_cost", fee_of(protocol, {wire::CreateAccount{}})},
            {"deploy_contract_cost", fee_of(protocol, deploy(0))},
            {"deploy_contract_cost_per_byte", fee_between(protocol, deploy(0), deploy(1))},
            {"function_call_cost", fee_of(protocol, call(0))},
            {"function_call_cost_per_byte", fee_between(protocol, call(0), call(1))},
            {"transfer_cost", fee_of(protocol, {wire::Transfer{}})},
            {"stake_cost", fee_of(protocol, {wire::Stake{}})},
            {"add_key_cost",
             {{"full_access_cost", fee_of(protocol, {wire::AddKey{}})},
              {"function_call_cost", fee_of(protocol, add_call_key(nullptr))},
              {"function_call_cost_per_byte", fee_between(protocol, add_call_key("a"), add_call_key("ab"))}}},
            {"delete_key_cost", fee_of(protocol, {wire::DeleteKey{}})},
            {"delete_account_cost", fee_of(protocol, {wire::DeleteAccount{}})},
            {"delegate_cost", fee_of(protocol, {wire::SignedDelegate{}})}};
}

Json transaction_costs_json(const sim::Protocol& protocol) {
    return {{"action_receipt_creation_config", fee_json(sim::receipt_fee())},
            {"action_creation_config", action_costs_json(protocol)}};
}

Json ext_costs_json() {
    return {{"log_base", sim::kLogBase},
            {"log_byte", sim::kLogByte},
            {"storage_write_base", sim::kStorageWriteBase},
            {"storage_write_key_byte", sim::kStorageWriteKeyByte},
            {"storage_write_value_byte", sim::kStorageWriteValueByte},
            {"storage_read_base", sim::kStorageReadBase},
            {"storage_read_key_byte", sim::kStorageReadKeyByte},
            {"storage_read_value_byte", sim::kStorageReadValueByte},
            {"storage_remove_base", sim::kStorageRemoveBase},
            {"storage_remove_key_byte", sim::kStorageRemoveKeyByte},
            {"promise_and_base", sim::kPromiseAndBase},
            {"promise_return", sim::kPromiseReturn},
            {"yield_create_base", sim::kYieldCreateBase},
            {"yield_create_byte", sim::kYieldCreateByte},
            {"yield_resume_base", sim::kYieldResumeBase},
            {"yield_resume_byte", sim::kYieldResumeByte}};
}

Json limits_json(const LedgerOptions& options) {
    return {{"max_gas_burnt", sim::kMaxGasBurnt},
            {"max_total_prepaid_gas", sim::kMaxTotalPrepaidGas},
            {"max_actions_per_receipt", sim::kMaxActionsPerReceipt},
            {"max_deploy_actions_per_receipt", sim::kMaxDeployActionsPerReceipt},
            {"max_number_bytes_method_names", sim::kMaxMethodNamesBytes},
            {"max_length_method_name", sim::kMaxMethodNameBytes},
            {"max_arguments_length", sim::kMaxArgumentsBytes},
            {"max_length_returned_data", sim::kMaxReturnedValue},
            {"max_contract_size", sim::kMaxContractBytes},
            {"max_transaction_size", sim::kMaxTransactionBytes},
            {"max_length_storage_key", sim::kMaxStorageKeyBytes},
            {"max_length_storage_value", sim::kMaxStorageValueBytes},
            {"max_promises_per_function_call_action", sim::kMaxPromises},
            {"max_number_input_data_dependencies", sim::kMaxInputDataDependencies},
            {"max_number_logs", sim::kMaxLogs},
            {"max_total_log_length", sim::kMaxTotalLogLength},
            {"max_yield_payload_size", sim::kMaxYieldPayload},
            {"yield_timeout_length_in_blocks", options.yield_timeout_blocks}};
}

Json charged_and_allowed(const LedgerOptions& options, const sim::Protocol& protocol) {
    return {{"storage_amount_per_byte", base::to_string(sim::kStoragePricePerByte)},
            {"transaction_costs", transaction_costs_json(protocol)},
            {"wasm_config", {{"ext_costs", ext_costs_json()}, {"limit_config", limits_json(options)}}},
            {"account_creation_config",
             {{"min_allowed_top_level_account_length", sim::kMinTopLevelAccountBytes},
              {"registrar_account_id", sim::kRegistrar}}},
            {"congestion_control_config", {{"max_congestion_incoming_gas", options.congestion_gas}}}};
}

// The members that change nothing here. saturating_float_to_int is an older one: schemas of
// clients still ask for it.
constexpr const char* kIdleMembers = R"json(
{
 "transaction_costs": {
  "data_receipt_creation_config": {
   "base_cost": {"send_sir": 36486732312, "send_not_sir": 36486732312, "execution": 36486732312},
   "cost_per_byte": {"send_sir": 17212011, "send_not_sir": 47683715, "execution": 17212011}
  },
  "storage_usage_config": {"num_bytes_account": 100, "num_extra_bytes_record": 40},
  "pessimistic_gas_price_inflation_ratio": [1, 1],
  "ml_dsa_65_verification_cost": 100000000000
 },
 "wasm_config": {
  "ext_costs": {
   "base": 264768111, "contract_loading_base": 35445963, "contract_loading_bytes": 1089295,
   "read_memory_base": 2609863200, "read_memory_byte": 3801333, "write_memory_base": 2803794861,
   "write_memory_byte": 2723772, "read_register_base": 2517165186, "read_register_byte": 98562,
   "write_register_base": 2865522486, "write_register_byte": 3801564, "utf8_decoding_base": 3111779061,
   "utf8_decoding_byte": 291580479, "utf16_decoding_base": 3543313050, "utf16_decoding_byte": 163577493,
   "sha256_base": 4540970250, "sha256_byte": 24117351, "keccak256_base": 5879491275,
   "keccak256_byte": 21471105, "keccak512_base": 5811388236, "keccak512_byte": 36649701,
   "sha3_256_base": 5879491275, "sha3_256_byte": 21471105, "sha3_384_base": 5811388236,
   "sha3_384_byte": 36649701, "sha3_512_base": 5811388236, "sha3_512_byte": 36649701,
   "ripemd160_base": 853675086, "ripemd160_block": 680107584, "ed25519_verify_base": 210000000000,
   "ed25519_verify_byte": 9000000, "ecrecover_base": 278821988457, "p256_verify_base": 1300000000000,
   "p256_verify_byte": 13000000, "storage_write_evicted_byte": 32117307,
   "storage_large_read_overhead_base": 1, "storage_large_read_overhead_byte": 1,
   "storage_remove_ret_value_byte": 11531556, "storage_has_key_base": 54039896625,
   "storage_has_key_byte": 30790845, "storage_iter_create_prefix_base": 0,
   "storage_iter_create_prefix_byte": 0, "storage_iter_create_range_base": 0,
   "storage_iter_create_from_byte": 0, "storage_iter_create_to_byte": 0, "storage_iter_next_base": 0,
   "storage_iter_next_key_byte": 0, "storage_iter_next_value_byte": 0, "touching_trie_node": 2280000000,
   "read_cached_trie_node": 2280000000, "promise_and_per_promise": 5452176,
   "validator_stake_base": 911834726400, "validator_total_stake_base": 911834726400,
   "contract_compile_base": 0, "contract_compile_bytes": 0, "alt_bn128_g1_multiexp_base": 713000000000,
   "alt_bn128_g1_multiexp_element": 320000000000, "alt_bn128_g1_sum_base": 3000000000,
   "alt_bn128_g1_sum_element": 5000000000, "alt_bn128_pairing_check_base": 9686000000000,
   "alt_bn128_pairing_check_element": 5102000000000, "yield_create_with_id_base": 290000000000,
   "bls12381_p1_sum_base": 16500000000, "bls12381_p1_sum_element": 6000000000,
   "bls12381_p2_sum_base": 18600000000, "bls12381_p2_sum_element": 15000000000,
   "bls12381_g1_multiexp_base": 16500000000, "bls12381_g1_multiexp_element": 930000000000,
   "bls12381_g2_multiexp_base": 18600000000, "bls12381_g2_multiexp_element": 1995000000000,
   "bls12381_map_fp_to_g1_base": 1500000000, "bls12381_map_fp_to_g1_element": 252000000000,
   "bls12381_map_fp2_to_g2_base": 1500000000, "bls12381_map_fp2_to_g2_element": 900000000000,
   "bls12381_pairing_base": 2130000000000, "bls12381_pairing_element": 2130000000000,
   "bls12381_p1_decompress_base": 15000000000, "bls12381_p1_decompress_element": 81000000000,
   "bls12381_p2_decompress_base": 15000000000, "bls12381_p2_decompress_element": 165000000000
  },
  "limit_config": {
   "max_receipt_size": 4194304, "account_id_validity_rules_version": 2,
   "per_receipt_storage_proof_size_limit": 4000000, "max_stack_height": 262144,
   "initial_memory_pages": 1024, "max_memory_pages": 2048, "registers_memory_limit": 1073741824,
   "max_register_size": 104857600, "max_number_registers": 100,
   "max_functions_number_per_contract": 10000, "max_locals_per_contract": 1000000,
   "max_tables_per_contract": 1, "max_elements_per_contract_table": 10000
  },
  "grow_mem_cost": 1, "regular_op_cost": 822756, "vm_kind": "Wasmtime",
  "storage_get_mode": "FlatStorage", "discard_custom_sections": true, "fix_contract_loading_cost": false,
  "implicit_account_creation": true, "eth_implicit_accounts": true, "global_contract_host_fns": true,
  "reftypes_bulk_memory": true, "saturating_float_to_int": true
 },
 "congestion_control_config": {
  "max_congestion_outgoing_gas": 10000000000000000, "max_congestion_memory_consumption": 1000000000,
  "max_congestion_missed_chunks": 125, "max_outgoing_gas": 300000000000000000,
  "min_outgoing_gas": 1000000000000000, "allowed_shard_outgoing_gas": 1000000000000000,
  "max_tx_gas": 500000000000000, "min_tx_gas": 20000000000000, "reject_tx_congestion_threshold": 0.8,
  "outgoing_receipts_usual_size_limit": 102400, "outgoing_receipts_big_size_limit": 4718592
 },
 "witness_config": {
  "main_storage_proof_size_soft_limit": 4000000, "combined_transactions_size_limit": 4194304,
  "new_transactions_validation_state_size_soft_limit": 572864
 }
}
)json";

}  // namespace

Json runtime_config_json(const LedgerOptions& options, const sim::Protocol& protocol) {
    Json json = Json::parse(kIdleMembers);
    json.merge_patch(charged_and_allowed(options, protocol));
    const auto& [part, whole] = protocol.contract_reward;
    json["transaction_costs"]["burnt_gas_reward"] = Json::array({part, whole});
    if (protocol.min_gas_purchase_price > 0) {
        json["min_gas_purchase_price"] = base::to_string(protocol.min_gas_purchase_price);
        json["account_creation_charge"] = base::to_string(protocol.account_creation_charge);
    }
    return json;
}

}  // namespace receiptd::sandbox
