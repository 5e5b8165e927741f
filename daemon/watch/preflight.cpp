#include "watch/preflight.hpp"

#include "base/checked.hpp"
#include "base/json_text.hpp"
#include "chain/json/errors.hpp"
#include "chain/wire/base64.hpp"
#include "chain/wire/fees.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace receiptd::watch {

namespace {

namespace wire = chain::wire;
using Json = nlohmann::ordered_json;
using Members = std::initializer_list<std::pair<const char*, Json>>;

// The block that includes it is somewhat above the final head.
constexpr std::uint64_t kHeadSlack = 1'000;
constexpr chain::BlockHeight kHighestStored = std::numeric_limits<std::int64_t>::max();  // a bigint

Json variant(const char* name, Members members) {
    Json payload = Json::object();
    for (const auto& [member, value] : members) payload[member] = value;
    Json json = Json::object();
    json[name] = std::move(payload);
    return json;
}

SubmitError refused(const Json& error, const char* where) {
    return refusal(error.dump(-1, ' ', false, Json::error_handler_t::replace), where);
}

SubmitError actions_refused(const char* error) {
    Json json = Json::object();
    json["ActionsValidation"] = error;
    return refused(json, "transaction.actions");
}

SubmitError key_refused(const Json& error, const char* where = "transaction.actions") {
    Json json = Json::object();
    json["InvalidAccessKeyError"] = error;
    return refused(json, where);
}

SubmitError malformed(std::string detail, std::string where) {
    SubmitError error;
    error.kind = SubmitError::Kind::malformed;
    error.error_class = "parse_error";
    error.detail = std::move(detail);
    error.where = std::move(where);
    error.remedy = remedy(error.error_class);
    return error;
}

SubmitError malformed(const chain::BorshError& error) {
    auto where = "byte " + std::to_string(error.offset);
    if (!error.path.empty()) where += ": " + error.path;
    return malformed("not a signed transaction: " + error.reason, std::move(where));
}

// Reports the place where base64 breaks; every text that does not decode has one.
SubmitError malformed_base64(std::string_view text) {
    constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    auto end = text.size();
    while (end > 0 && text.size() - end < 2 && text[end - 1] == '=') --end;
    const auto foreign = text.substr(0, end).find_first_not_of(kAlphabet);
    if (foreign != std::string_view::npos)
        return malformed("not base64 (standard alphabet, padded)", "character " + std::to_string(foreign));
    if (text.size() % 4 != 0)
        return malformed("not base64: " + std::to_string(text.size()) + " characters are no multiple of 4",
                         "character " + std::to_string(text.size()));
    return malformed("not base64: stray bits or padding in the last group",
                     "character " + std::to_string(text.size() - 4));
}

// Rules that are the same in every protocol version.
std::optional<SubmitError> check_actions(const std::vector<wire::Action>& actions) {
    unsigned delegates = 0;
    for (std::size_t i = 0; i < actions.size(); ++i) {
        const auto& action = actions[i].value;
        const bool last = i + 1 == actions.size();
        if (std::holds_alternative<wire::DeleteAccount>(action) && !last)
            return actions_refused("DeleteActionMustBeFinal");
        if (std::holds_alternative<wire::SignedDelegate>(action) ||
            std::holds_alternative<wire::SignedDelegateV2>(action))
            ++delegates;
        const auto* call = std::get_if<wire::FunctionCall>(&action);
        if (call != nullptr && call->gas == 0) return actions_refused("FunctionCallZeroAttachedGas");
    }
    if (delegates > 1) return actions_refused("DelegateActionMustBeOnlyOne");
    return std::nullopt;
}

std::optional<SubmitError> check_bytes(const wire::SignedTransaction& transaction) {
    const auto& body = transaction.transaction;
    if (auto error = check_actions(body.actions)) return error;
    const auto size = wire::encode(body).size();
    if (size > kLargestTransaction)
        return refused(variant("TransactionSizeExceeded", {{"size", size}, {"limit", kLargestTransaction}}),
                       "transaction");
    if (wire::check_signature(transaction) == chain::SignatureCheck::invalid)
        return refused("InvalidSignature", "signature");
    if (!cost_of(body, 0)) return refused("CostOverflow", "transaction.actions");
    return std::nullopt;
}

Json balance(chain::u128 amount) { return base::to_string(amount); }

std::optional<SubmitError> check_block(const wire::Transaction& transaction, const ChainFacts& facts) {
    const auto hash = transaction.block_hash.to_string();
    const auto head = "the final head is " + std::to_string(facts.head.height);
    if (!facts.block) {
        auto error = refused("InvalidChain", "transaction.block_hash");
        error.detail += ": after some seconds still no host knows block " + hash + ", and " + head;
        return error;
    }
    if (facts.head.height <= base::saturated_add(facts.block->height, facts.validity_blocks))
        return std::nullopt;
    auto error = refused("Expired", "transaction.block_hash");
    error.detail += ": its block_hash " + hash + " is of height " + std::to_string(facts.block->height) +
                    ", " + head + ", and a block hash is good for " + std::to_string(facts.validity_blocks) +
                    " heights";
    return error;
}

std::optional<SubmitError> check_nonce(const wire::Transaction& transaction, std::uint64_t key_nonce,
                                       chain::BlockHeight head) {
    const auto nonce = transaction.nonce.nonce;
    if (nonce <= key_nonce)
        return refused(variant("InvalidNonce", {{"tx_nonce", nonce}, {"ak_nonce", key_nonce}}),
                       "transaction.nonce");
    // Transactions before a strict one may be under way, so it can still get its turn.
    const auto bound =
        base::saturated_multiply(base::saturated_add(head, kHeadSlack), chain::kNoncesOfAHeight);
    if (nonce >= bound)
        return refused(variant("NonceTooLarge", {{"tx_nonce", nonce}, {"upper_bound", bound}}),
                       "transaction.nonce");
    return std::nullopt;
}

// The function-call permission of a key as `query` shows it; null: full access.
Json permission_of(const std::string& permission_json) {
    const auto permission = Json::parse(permission_json, nullptr, false);
    for (const char* name : {"FunctionCall", "GasKeyFunctionCall"})
        if (permission.is_object() && permission.contains(name)) return permission[name];
    return {};
}

bool is_gas_key(const std::string& permission_json) {
    const auto permission = Json::parse(permission_json, nullptr, false);
    return permission.is_object() &&
           (permission.contains("GasKeyFunctionCall") || permission.contains("GasKeyFullAccess"));
}

std::optional<SubmitError> check_allowance(const wire::Transaction& transaction, const Json& permission,
                                           chain::u128 cost) {
    const auto text = permission.value("allowance", Json());
    const auto allowance =
        text.is_string() ? base::parse_u128(text.get_ref<const std::string&>()) : std::nullopt;
    if (!allowance || *allowance >= cost) return std::nullopt;
    return key_refused(variant("NotEnoughAllowance", {{"account_id", transaction.signer_id},
                                                      {"public_key", transaction.public_key.to_string()},
                                                      {"allowance", balance(*allowance)},
                                                      {"cost", balance(cost)}}),
                       "transaction.public_key");
}

std::optional<SubmitError> check_permission(const wire::Transaction& transaction, const Json& permission) {
    const auto& actions = transaction.actions;
    const auto* call = actions.size() == 1 ? std::get_if<wire::FunctionCall>(&actions[0].value) : nullptr;
    if (call == nullptr) return key_refused("RequiresFullAccess");
    if (call->deposit > 0) return key_refused("DepositWithFunctionCall");
    const auto receiver = permission.value("receiver_id", Json());
    if (receiver.is_string() && receiver != transaction.receiver_id)
        return key_refused(variant("ReceiverMismatch",
                                   {{"tx_receiver", transaction.receiver_id}, {"ak_receiver", receiver}}),
                           "transaction.receiver_id");
    const auto methods = permission.value("method_names", Json::array());
    if (!methods.is_array() || methods.empty()) return std::nullopt;
    if (std::find(methods.begin(), methods.end(), Json(call->method_name)) != methods.end())
        return std::nullopt;
    return key_refused(variant("MethodNameMismatch", {{"method_name", call->method_name}}));
}

std::optional<SubmitError> check_money(const wire::Transaction& transaction, const ChainFacts& facts,
                                       chain::u128 cost) {
    // A gas key pays for the gas itself.
    if (is_gas_key(facts.key->permission_json) || facts.account->amount >= cost) return std::nullopt;
    return refused(variant("NotEnoughBalance", {{"signer_id", transaction.signer_id},
                                                {"balance", balance(facts.account->amount)},
                                                {"cost", balance(cost)}}),
                   "transaction.signer_id");
}

}  // namespace

base::Result<ReadTransaction, SubmitError> read_transaction(const SubmitRequest& request) {
    chain::Bytes bytes(request.bytes.begin(), request.bytes.end());
    if (request.bytes.empty()) {
        auto decoded = chain::base64_decode(request.base64);
        if (!decoded) return malformed_base64(request.base64);
        bytes = std::move(*decoded);
    }
    if (bytes.empty()) return malformed("there are no bytes", "byte 0");
    auto decoded = wire::decode_signed_transaction(bytes);
    if (!decoded) return malformed(decoded.error());
    if (auto error = check_bytes(*decoded)) return std::move(*error);
    ReadTransaction read;
    read.tx_hash = wire::transaction_hash(decoded->transaction).to_string();
    read.base64 = chain::base64_encode(bytes);
    read.signed_transaction = std::move(*decoded);
    return read;
}

std::optional<SubmitError> check_against_chain(const wire::Transaction& transaction,
                                               const ChainFacts& facts) {
    if (auto error = check_block(transaction, facts)) return error;
    const auto cost = cost_of(transaction, facts.gas_price);
    if (!cost) return refused("CostOverflow", "transaction.actions");
    if (!facts.account)
        return refused(variant("SignerDoesNotExist", {{"signer_id", transaction.signer_id}}),
                       "transaction.signer_id");
    if (!facts.key)
        return key_refused(variant("AccessKeyNotFound", {{"account_id", transaction.signer_id},
                                                         {"public_key", transaction.public_key.to_string()}}),
                           "transaction.public_key");
    // A gas key has many nonces, and `query` shows none of them.
    if (!transaction.nonce.nonce_index && !is_gas_key(facts.key->permission_json))
        if (auto error = check_nonce(transaction, facts.key->nonce, facts.head.height)) return error;
    if (auto error = check_money(transaction, facts, *cost)) return error;
    const auto permission = permission_of(facts.key->permission_json);
    if (!permission.is_object()) return std::nullopt;
    if (auto error = check_allowance(transaction, permission, *cost)) return error;
    return check_permission(transaction, permission);
}

// The block that includes it has a parent that is not further from it (chain-model.md §8).
chain::BlockHeight valid_until(const ChainFacts& facts) {
    const auto from = facts.block ? facts.block->height : facts.head.height;
    return std::min(base::saturated_add(base::saturated_add(from, facts.validity_blocks), std::uint64_t{1}),
                    kHighestStored);
}

std::optional<chain::u128> cost_of(const wire::Transaction& transaction, chain::u128 gas_price) {
    const auto cost = wire::transaction_cost(transaction, gas_price);
    if (!cost) return std::nullopt;
    return cost->total;
}

SubmitError refusal(std::string error_json, std::string where) {
    const auto failure =
        chain::classify_failure(base::JsonObject().json("InvalidTxError", error_json).to_json());
    SubmitError error;
    error.kind = SubmitError::Kind::refused;
    error.error_class = failure.error_class;
    error.detail = failure.error_text;
    error.where = std::move(where);
    error.remedy = remedy(failure.error_class);
    error.error_json = std::move(error_json);
    return error;
}

std::string_view remedy(std::string_view error_class) {
    static constexpr std::pair<std::string_view, std::string_view> kRemedies[] = {
        {"parse_error", "send the Borsh bytes of a signed transaction, base64-encoded"},
        {"invalid_nonce", "query view_access_key, sign again with its nonce + 1"},
        {"nonce_too_large", "query view_access_key, sign again with its nonce + 1"},
        {"expired", "fetch a fresh block hash (block, finality final) and sign again"},
        {"invalid_chain", "take the block hash from a final block of this network and sign again"},
        {"not_enough_balance", "fund the account or reduce the cost (gas and deposits)"},
        {"invalid_signature",
         "check that the signing key matches the transaction's public key, that the serialization is Borsh, "
         "and that the signed data is the SHA-256 hash of the Borsh bytes"},
        {"access_key_not_found", "use a key that exists on the account"},
        {"signer_missing", "create and fund the account first, or correct signer_id"},
        {"access_key_allowance", "use a key with a larger allowance, or a full-access key"},
        {"access_key_permission_full_access", "sign with a full-access key"},
        {"access_key_permission_deposit", "sign with a full-access key, or attach no deposit"},
        {"access_key_permission_receiver", "sign with a key that is for this receiver, or a full-access key"},
        {"access_key_permission_method", "sign with a key that allows this method, or a full-access key"},
        {"transaction_size_exceeded", "send less in one transaction"},
        {"cost_overflow", "correct gas and deposits"},
        {"delete_action_must_be_final", "put DeleteAccount last"},
        {"zero_attached_gas", "attach gas to each function call"},
        {"delegate_action_must_be_only_one", "send each delegate action in a transaction of its own"},
    };
    for (const auto& [known, text] : kRemedies)
        if (known == error_class) return text;
    return {};
}

}  // namespace receiptd::watch
