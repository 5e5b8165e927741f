#include "sandbox/ledger/outcome_json.hpp"

#include "chain/wire/base64.hpp"
#include "sandbox/ledger/action_json.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::sandbox {

using chain::base64_encode;

Json hashes_json(const std::vector<CryptoHash>& hashes) {
    Json list = Json::array();
    for (const CryptoHash& hash : hashes) list.push_back(hash.to_string());
    return list;
}

namespace {

Json body_json(const sim::ActionReceipt& body) {
    Json receivers = Json::array();
    for (const sim::DataReceiver& receiver : body.output_data_receivers) {
        receivers.push_back(
            {{"data_id", receiver.data_id.to_string()}, {"receiver_id", receiver.receiver_id}});
    }
    return {{"Action",
             {{"signer_id", body.signer_id},
              {"signer_public_key", body.signer_public_key.to_string()},
              {"gas_price", base::to_string(body.gas_price)},
              {"output_data_receivers", std::move(receivers)},
              {"input_data_ids", hashes_json(body.input_data_ids)},
              {"actions", actions_json(body.actions)},
              {"is_promise_yield", body.is_promise_yield},
              {"refund_to", nullptr}}}};
}

Json body_json(const sim::DataReceipt& body) {
    return {{"Data",
             {{"data_id", body.data_id.to_string()},
              {"data", body.data ? Json(base64_encode(*body.data)) : Json()},
              {"is_promise_resume", body.is_promise_resume}}}};
}

Json body_json(const sim::GlobalContractReceipt& body) {
    return {{"GlobalContractDistribution",
             {{"id", contract_id_json(body.contract)},
              {"target_shard", body.target_shard},
              {"already_delivered_shards", body.already_delivered_shards},
              {"code", base64_encode(chain::sha256(body.code).view())},
              {"nonce", body.nonce}}}};
}

Json status_json(const sim::Status& status) {
    if (const auto* failure = std::get_if<sim::Failure>(&status)) return {{"Failure", failure->error()}};
    if (const auto* value = std::get_if<sim::SuccessValue>(&status)) {
        return {{"SuccessValue", base64_encode(value->value)}};
    }
    return {{"SuccessReceiptId", std::get<sim::SuccessReceiptId>(status).receipt_id.to_string()}};
}

Json contract_json(const std::optional<sim::RunContract>& contract) {
    if (!contract) return nullptr;
    if (const auto* local = std::get_if<sim::LocalCode>(&*contract))
        return {{"local", local->hash.to_string()}};
    const auto& global = std::get<sim::wire::GlobalContractId>(*contract);
    if (const auto* hash = std::get_if<CryptoHash>(&global)) return {{"global_hash", hash->to_string()}};
    return {{"global_account_id", std::get<std::string>(global)}};
}

// As nodes write it: outcomes of transactions have no profile at all, receipts one that may be empty.
Json metadata_json(const Execution& execution) {
    if (execution.receipt == nullptr) return {{"version", 1}, {"gas_profile", nullptr}};
    const auto& contracts = execution.outcome.contracts;
    if (!contracts) return {{"version", 3}, {"gas_profile", Json::array()}};
    Json list = Json::array();
    for (const auto& contract : *contracts) list.push_back(contract_json(contract));
    return {{"version", 4}, {"gas_profile", Json::array()}, {"contracts", std::move(list)}};
}

}  // namespace

Json transaction_json(const TransactionRecord& transaction) {
    const sim::wire::Transaction& body = transaction.body();
    Json json = {{"signer_id", body.signer_id},
                 {"public_key", body.public_key.to_string()},
                 {"nonce", body.nonce.nonce},
                 {"receiver_id", body.receiver_id},
                 {"actions", actions_json(body.actions)},
                 {"priority_fee", 0},
                 {"signature", transaction.signed_transaction.signature.to_string()},
                 {"hash", transaction.hash.to_string()}};
    if (body.version == sim::wire::TransactionVersion::v1) {
        json["nonce_mode"] = body.nonce_mode == sim::wire::NonceMode::strict ? "strict" : "monotonic";
    }
    if (body.nonce.nonce_index) json["nonce_index"] = *body.nonce.nonce_index;
    return json;
}

Json receipt_json(const sim::Receipt& receipt) {
    return {{"predecessor_id", receipt.predecessor_id},
            {"receiver_id", receipt.receiver_id},
            {"receipt_id", receipt.receipt_id.to_string()},
            {"receipt", std::visit([](const auto& body) { return body_json(body); }, receipt.body)},
            {"priority", 0}};
}

Json proof_json(const chain::ProofPath& path) {
    Json steps = Json::array();
    for (const chain::ProofStep& step : path) {
        steps.push_back({{"hash", step.hash.to_string()}, {"direction", step.left ? "Left" : "Right"}});
    }
    return steps;
}

Json outcome_json(const Execution& execution) {
    const sim::Outcome& outcome = execution.outcome;
    return {{"logs", outcome.logs},
            {"receipt_ids", hashes_json(outcome.receipt_ids)},
            {"gas_burnt", outcome.gas_burnt},
            {"tokens_burnt", base::to_string(outcome.tokens_burnt)},
            {"executor_id", outcome.executor_id},
            {"status", status_json(outcome.status)},
            {"metadata", metadata_json(execution)}};
}

Json outcome_with_id_json(const Execution& execution, const CryptoHash& block_hash,
                          const chain::ProofPath& proof) {
    return {{"id", execution.outcome.id.to_string()},
            {"block_hash", block_hash.to_string()},
            {"proof", proof_json(proof)},
            {"outcome", outcome_json(execution)}};
}

}  // namespace receiptd::sandbox
