#include "rpc/receipt_source.hpp"

#include "base/coroutine.hpp"
#include "rpc/block_source.hpp"
#include "rpc/questions.hpp"
#include "rpc/result_json.hpp"

#include <utility>

namespace receiptd::rpc {
namespace {

using Origin = ReceiptSource::Origin;

base::Result<Origin, std::string> read_origin(const std::string& body) {
    const auto result = result_json(body);
    if (!result.is_object()) return refuse<Origin>(std::string("result is not an object"));
    Origin origin;
    const auto hash = result.find("transaction_hash");
    const auto sender = result.find("sender_account_id");
    if (hash == result.end() || !hash->is_string() || !chain::CryptoHash::parse(hash->get<std::string>()))
        return refuse<Origin>(std::string("transaction_hash is not a valid hash"));
    if (sender == result.end() || !sender->is_string())
        return refuse<Origin>(std::string("sender_account_id is not a string"));
    origin.tx_hash = *hash;
    origin.sender_id = *sender;
    return origin;
}

Decoder<ReceiptSource::Body> body_decoder(std::string id) {
    return [id = std::move(id)](std::string body) -> base::Result<ReceiptSource::Body, std::string> {
        auto receipt = chain::decode_receipt_answer(std::move(body));
        if (!receipt) return refuse<ReceiptSource::Body>(receipt.error());
        if (receipt->value.receipt_id != id)
            return refuse<ReceiptSource::Body>("asked for receipt " + id + ", got another one");
        return std::move(*receipt);
    };
}

// Returns the fault of the proof; empty: none.
std::string fault_of(const chain::OutcomeProof& proof, const std::string& receipt_id) {
    if (proof.outcome.id != receipt_id) return "asked for the outcome of " + receipt_id + ", got another one";
    const auto light = chain::light_client_proof(proof);
    if (!light) return "a hash or a value of the proof cannot be read";
    // Followed blocks tell whether the block is on the chain; this check does not.
    const auto verdict = chain::check_light_client_proof(*light, std::nullopt);
    if (verdict == chain::ProofVerdict::outcome_root_differs) return "the outcome is not in the block named";
    if (verdict != chain::ProofVerdict::valid) return "the header is not that of the block named";
    return {};
}

Decoder<ReceiptSource::Proof> proof_decoder(std::string id) {
    return [id = std::move(id)](std::string body) -> base::Result<ReceiptSource::Proof, std::string> {
        auto proof = chain::decode_outcome_proof_answer(std::move(body));
        if (!proof) return refuse<ReceiptSource::Proof>(proof.error());
        auto fault = fault_of(proof->value, id);
        if (!fault.empty()) return refuse<ReceiptSource::Proof>(std::move(fault));
        return std::move(*proof);
    };
}

std::optional<ReceiptSource::Unknown> unknown_to_all(const CallError& error) {
    const bool refused = error.error_class == ErrorClass::caller_fault;
    const bool not_offered = error.reason == "METHOD_NOT_FOUND" || (refused && !error.absent);
    if (!error.absent && !not_offered) return std::nullopt;
    return ReceiptSource::Unknown{error.detail, not_offered};
}

}  // namespace

base::Task<ReceiptSource::OriginResult> RpcReceiptSource::origin(std::string receipt_id, Priority priority) {
    Decoder<Origin> decode = read_origin;
    auto call = ask_receipt_to_tx(receipt_id, priority);
    auto answer = co_await decoded_call<Origin>(*router_, pool_, std::move(call), std::move(decode));
    if (answer) co_return std::move(answer->value);
    if (auto unknown = unknown_to_all(answer.error())) co_return std::move(*unknown);
    co_return unavailable(answer.error());
}

base::Task<ReceiptSource::BodyResult> RpcReceiptSource::body(std::string receipt_id, Priority priority) {
    auto call = ask_receipt(receipt_id, priority);
    auto decode = body_decoder(std::move(receipt_id));
    auto answer = co_await decoded_call<Body>(*router_, pool_, std::move(call), std::move(decode));
    if (answer) co_return std::move(answer->value);
    if (auto unknown = unknown_to_all(answer.error())) co_return std::move(*unknown);
    co_return unavailable(answer.error());
}

base::Task<ReceiptSource::ProofResult> RpcReceiptSource::outcome(std::string receipt_id,
                                                                 std::string receiver_id,
                                                                 std::string final_block_hash,
                                                                 Priority priority) {
    auto call = ask_outcome_proof(receipt_id, receiver_id, final_block_hash, priority);
    auto decode = proof_decoder(std::move(receipt_id));
    auto answer = co_await decoded_call<Proof>(*router_, pool_, std::move(call), std::move(decode));
    if (answer) co_return std::move(answer->value);
    if (answer.error().error_class == ErrorClass::not_yet) co_return NotYet{};
    if (auto unknown = unknown_to_all(answer.error())) co_return std::move(*unknown);
    co_return unavailable(answer.error());
}

}  // namespace receiptd::rpc
