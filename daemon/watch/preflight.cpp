#include "watch/preflight.hpp"

#include "base/checked.hpp"
#include "base/exact_json.hpp"
#include "base/json_text.hpp"
#include "chain/json/errors.hpp"
#include "chain/wire/base64.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace receiptd::watch {

namespace {

namespace wire = chain::wire;
using Json = nlohmann::ordered_json;

// The block that includes it is somewhat above the final head.
constexpr std::uint64_t kHeadSlack = 1'000;
constexpr chain::BlockHeight kHighestStored = std::numeric_limits<std::int64_t>::max();  // a bigint

// By error class: the part of the transaction at fault, and what helps (gateway.md §7).
struct Advice {
    std::string_view error_class;
    const char* where;
    const char* remedy;
};
constexpr Advice kAdvice[] = {
    {"parse_error", "", "send the Borsh bytes of a signed transaction, base64-encoded"},
    {"invalid_nonce", "transaction.nonce", ""},    // see explain_nonce()
    {"nonce_too_large", "transaction.nonce", ""},  // see there
    {"invalid_nonce_index", "transaction.nonce", "query view_gas_key_nonces, and use one of its places"},
    {"expired", "transaction.block_hash", "fetch a fresh block hash (block, finality final) and sign again"},
    {"invalid_chain", "transaction.block_hash",
     "take the block hash from a final block of this network and sign again"},
    {"not_enough_balance", "transaction.signer_id", "fund the account or reduce the cost (gas and deposits)"},
    {"not_enough_balance_for_deposit", "transaction.signer_id", "fund the account or reduce the deposits"},
    {"not_enough_gas_key_balance", "transaction.public_key", "fund the gas key or reduce the gas"},
    {"lack_balance_for_state", "transaction.signer_id",
     "fund the account: its storage needs what it would have left"},
    {"invalid_signature", "signature",
     "check that the signing key matches the transaction's public key, that the serialization is Borsh, "
     "and that the signed data is the SHA-256 hash of the Borsh bytes"},
    {"access_key_not_found", "transaction.public_key", "use a key that exists on the account"},
    {"signer_missing", "transaction.signer_id", "create and fund the account first, or correct signer_id"},
    {"access_key_allowance", "transaction.public_key",
     "use a key with a larger allowance, or a full-access key"},
    {"access_key_permission_full_access", "transaction.actions", "sign with a full-access key"},
    {"access_key_permission_deposit", "transaction.actions",
     "sign with a full-access key, or attach no deposit"},
    {"access_key_permission_receiver", "transaction.receiver_id",
     "sign with a key that is for this receiver, or a full-access key"},
    {"access_key_permission_method", "transaction.actions",
     "sign with a key that allows this method, or a full-access key"},
    {"transaction_size_exceeded", "transaction", "send less in one transaction"},
    {"cost_overflow", "transaction.actions", "correct gas and deposits"},
    {"total_prepaid_gas_exceeded", "transaction.actions", "attach less gas"},
    {"delete_action_must_be_final", "transaction.actions", "put DeleteAccount last"},
    {"zero_attached_gas", "transaction.actions", "attach gas to each function call"},
    {"delegate_action_must_be_only_one", "transaction.actions",
     "send each delegate action in a transaction of its own"},
};

void advise(SubmitError& error) {
    for (const auto& advice : kAdvice) {
        if (advice.error_class != error.error_class) continue;
        if (error.where.empty()) error.where = advice.where;
        error.remedy = advice.remedy;
    }
}

std::string number_text(const Json& numbers, const char* name) {
    const auto number = numbers.value(name, Json());
    return number.is_number() ? base::write_json(number) : "?";
}

// The error shows two numbers. Whether the nonce has to be above the other or the next one, and whose
// nonce that is, only the transaction shows.
void explain_nonce(SubmitError& error, const wire::Transaction& transaction) {
    if (error.error_class != "invalid_nonce" && error.error_class != "nonce_too_large") return;
    const auto index = transaction.nonce.nonce_index;
    const auto place = index ? " at place " + std::to_string(*index) : std::string();
    const bool is_strict = transaction.nonce_mode == wire::NonceMode::strict;
    error.remedy = std::string("query ") + (index ? "view_gas_key_nonces" : "view_access_key") +
                   ", sign again with " + (is_strict ? "exactly " : "") +
                   (index ? "the nonce" + place : "its nonce") + " + 1";
    if (error.error_class != "invalid_nonce") return;
    const auto known = base::read_json(error.error_json);
    const auto numbers = known.is_object() ? known.value("InvalidNonce", Json()) : Json();
    if (!numbers.is_object()) return;
    error.detail = (is_strict ? "strict nonce " : "nonce ") + number_text(numbers, "tx_nonce") + place +
                   (is_strict ? " is not the one after the " : " is not above the ") +
                   (index ? "gas key's " : "access key's ") + number_text(numbers, "ak_nonce");
}

SubmitError refused(const Json& error, const wire::Transaction& transaction) {
    return refusal(base::write_json(error), transaction);
}

SubmitError malformed(std::string detail, std::string where) {
    SubmitError error;
    error.kind = SubmitError::Kind::malformed;
    error.error_class = "parse_error";
    error.detail = std::move(detail);
    error.where = std::move(where);
    advise(error);
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

std::optional<SubmitError> check_block(const wire::Transaction& transaction, const ChainFacts& facts) {
    const auto hash = transaction.block_hash.to_string();
    const auto head = "the final head is " + std::to_string(facts.head.height);
    if (!facts.block) {
        auto error = refused("InvalidChain", transaction);
        error.detail += ": after some seconds still no host knows block " + hash + ", and " + head;
        return error;
    }
    if (facts.head.height <= base::saturated_add(facts.block->height, facts.validity_blocks))
        return std::nullopt;
    auto error = refused("Expired", transaction);
    error.detail += ": its block_hash " + hash + " is of height " + std::to_string(facts.block->height) +
                    ", " + head + ", and a block hash is good for " + std::to_string(facts.validity_blocks) +
                    " heights";
    return error;
}

// No node objects to it, and no block of today takes it (recorded: refused.json of nearcore-84).
std::optional<SubmitError> check_nonce(const wire::Transaction& transaction, chain::BlockHeight head) {
    const auto nonce = transaction.nonce.nonce;
    const auto bound =
        base::saturated_multiply(base::saturated_add(head, kHeadSlack), chain::protocol::kNoncesOfAHeight);
    if (nonce < bound) return std::nullopt;
    Json error = Json::object();
    error["NonceTooLarge"] = {{"tx_nonce", nonce}, {"upper_bound", bound}};
    return refused(error, transaction);
}

// The name of an error's variant: a text, or the only member of an object.
std::string variant_of(const std::string& error_json) {
    const auto error = base::read_json(error_json);
    if (error.is_string()) return error.get<std::string>();
    return error.is_object() && error.size() == 1 ? error.begin().key() : std::string();
}

// In this protocol version no node ever takes it (chain-model.md §9.2).
bool heals_never(const std::string& error_json) {
    const auto variant = variant_of(error_json);
    for (const char* name :
         {"InvalidSignature", "ActionsValidation", "TransactionSizeExceeded", "InvalidTransactionVersion"})
        if (variant == name) return true;
    return false;
}

void list(std::string& names, const std::string& name) { names += (names.empty() ? "" : ", ") + name; }

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
    const auto signature = wire::check_signature(*decoded);
    if (signature == chain::SignatureCheck::invalid) return refused("InvalidSignature", decoded->transaction);
    ReadTransaction read;
    read.is_checked = signature == chain::SignatureCheck::valid;
    read.tx_hash = wire::transaction_hash(decoded->transaction).to_string();
    read.base64 = chain::base64_encode(bytes);
    read.signed_transaction = std::move(*decoded);
    return read;
}

std::string note_of(bool is_checked, std::string note) {
    if (is_checked) return note;
    return note + (note.empty() ? "" : "; ") +
           "its ML-DSA-65 signature was not checked here, only the hosts check it";
}

std::optional<SubmitError> check_idempotency_key(const std::string& key) {
    const auto is_good = [](char c) {
        return static_cast<unsigned char>(c) > 0x20 && static_cast<unsigned char>(c) < 0x7f;
    };
    if (key.size() <= 255 && std::all_of(key.begin(), key.end(), is_good)) return std::nullopt;
    SubmitError error;
    error.kind = SubmitError::Kind::malformed;
    error.error_class = "parse_error";
    error.detail = "an idempotency key has 1 to 255 printable characters";
    error.where = "idempotency_key";
    return error;
}

std::optional<SubmitError> check_against_chain(const wire::Transaction& transaction,
                                               const ChainFacts& facts) {
    if (auto error = check_block(transaction, facts)) return error;
    return check_nonce(transaction, facts.head.height);
}

Judged judge(const std::vector<rpc::SubmitSource::Opinion>& opinions) {
    using Says = rpc::SubmitSource::Opinion::Says;
    Judged judged;
    std::size_t objections = 0;
    bool healing = false;   // an objection that may pass
    bool other = false;     // one that is not to the block hash
    std::string lost;       // InvalidChain, if a host says that
    std::size_t hosts = 0;  // that offer the question
    for (const auto& opinion : opinions) {
        if (opinion.says == Says::on_chain) judged.on_chain = true;
        if (opinion.says == Says::no_objection) list(judged.unobjected_by, opinion.host);
        if (opinion.says != Says::not_offered) ++hosts;
        if (opinion.says != Says::objects) continue;
        ++objections;
        healing = healing || !heals_never(opinion.error_json);
        const auto variant = variant_of(opinion.error_json);
        if (variant == "InvalidChain") lost = opinion.error_json;
        other = other || (variant != "InvalidChain" && variant != "Expired");
        // A host that lags does not know a fresh block hash: what another one says is worth more.
        if (judged.error_json.empty() || variant_of(judged.error_json) == "Expired")
            judged.error_json = opinion.error_json;
        list(judged.objected_by, opinion.host);
    }
    if (judged.on_chain || !judged.unobjected_by.empty()) {
        judged.error_json.clear();
        judged.objected_by.clear();
    }
    const bool is_enough = !judged.error_json.empty() && (objections > 1 || hosts == 1);
    judged.is_proof = is_enough && !healing;
    judged.block_refused = is_enough && !other && !lost.empty();
    if (judged.block_refused) judged.error_json = lost;
    return judged;
}

bool is_congestion(const std::string& error_json) {
    const auto variant = variant_of(error_json);
    return variant == "ShardCongested" || variant == "ShardStuck";
}

bool refuses_block(const std::string& objection) {
    const auto known = base::read_json(objection);
    return known.is_object() && known.value(kBlockRefused, Json()) == true;
}

chain::BlockHeight height_of_block_hash(const ChainFacts& facts) {
    if (!facts.block) return facts.head.height;
    return std::min(facts.block->height, base::saturated_add(facts.head.height, kHeadSlack));
}

// The block that includes it has a parent that is not further from it (chain-model.md §8).
chain::BlockHeight valid_until(const ChainFacts& facts) {
    const auto from = base::saturated_add(height_of_block_hash(facts), facts.validity_blocks);
    return std::min(base::saturated_add(from, std::uint64_t{1}), kHighestStored);
}

SubmitError refusal(std::string error_json, const wire::Transaction& transaction) {
    const auto failure =
        chain::classify_failure(base::JsonObject().json("InvalidTxError", error_json).to_json());
    SubmitError error;
    error.kind = SubmitError::Kind::refused;
    error.error_class = failure.error_class;
    error.detail = failure.error_text;
    error.error_json = std::move(error_json);
    advise(error);
    explain_nonce(error, transaction);
    return error;
}

}  // namespace receiptd::watch
