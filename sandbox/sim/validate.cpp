#include "sandbox/sim/validate.hpp"

#include "sandbox/sim/access_rules.hpp"
#include "sandbox/sim/error_json.hpp"
#include "sandbox/sim/limits.hpp"
#include "sandbox/sim/storage_usage.hpp"
#include "sandbox/sim/validate_actions.hpp"

namespace receiptd::sandbox::sim {

namespace {

Json access_key_error(Json error) { return variant("InvalidAccessKeyError", std::move(error)); }

// The cost of a conversion, and the signer's account and key after it.
struct Charged {
    TransactionCost cost;
    Account account;
    wire::AccessKey key;
};

std::optional<Json> check_nonce_index(const wire::Transaction& transaction, const wire::AccessKey& key) {
    const auto& index = transaction.nonce.nonce_index;
    if (const wire::GasKeyInfo* gas_key = gas_key_info(key))
        return variant("InvalidNonceIndex", payload({{"tx_nonce_index", index ? Json(*index) : Json()},
                                                     {"num_nonces", gas_key->num_nonces}}));
    if (index)
        return access_key_error(
            key_error("AccessKeyNotFound", transaction.signer_id, transaction.public_key));
    return std::nullopt;
}

std::optional<Json> check_nonce(const wire::Transaction& transaction, std::uint64_t key_nonce,
                                std::optional<Height> height) {
    const std::uint64_t nonce = transaction.nonce.nonce;
    const bool strict = transaction.nonce_mode == wire::NonceMode::strict;
    if (nonce <= key_nonce || (strict && nonce - key_nonce != 1))
        return variant("InvalidNonce", payload({{"tx_nonce", nonce}, {"ak_nonce", key_nonce}}));
    if (!height) return std::nullopt;
    const std::uint64_t bound = nonce_upper_bound(*height);
    if (nonce >= bound)
        return variant("NonceTooLarge", payload({{"tx_nonce", nonce}, {"upper_bound", bound}}));
    return std::nullopt;
}

// Takes the cost from the balance and the allowance, or says why it cannot.
std::optional<Json> take_cost(const wire::Transaction& transaction, Charged& charged) {
    const u128 total = charged.cost.total;
    if (charged.account.amount < total)
        return variant("NotEnoughBalance", payload({{"signer_id", transaction.signer_id},
                                                    {"balance", balance_json(charged.account.amount)},
                                                    {"cost", balance_json(total)}}));
    charged.account.amount -= total;
    auto* permission = function_call_permission(charged.key);
    if (!permission || !permission->allowance) return std::nullopt;
    if (*permission->allowance < total)
        return access_key_error(
            variant("NotEnoughAllowance", payload({{"account_id", transaction.signer_id},
                                                   {"public_key", transaction.public_key.to_string()},
                                                   {"allowance", balance_json(*permission->allowance)},
                                                   {"cost", balance_json(total)}})));
    *permission->allowance -= total;
    return std::nullopt;
}

// Rows 7 and 9-16 of chain-model.md §9; `find` is a State or a StateUpdate.
template <class Records>
std::variant<Charged, Json> judge(const wire::Transaction& transaction, const Records& records,
                                  const ValidationContext& context) {
    const auto cost = transaction_cost(context.protocol, transaction, context.gas_price);
    if (!cost) return Json("CostOverflow");
    const auto account = records.account(transaction.signer_id);
    if (!account) return variant("SignerDoesNotExist", payload({{"signer_id", transaction.signer_id}}));
    const auto key = records.access_key(transaction.signer_id, transaction.public_key);
    if (!key)
        return access_key_error(
            key_error("AccessKeyNotFound", transaction.signer_id, transaction.public_key));
    Charged charged{*cost, *account, *key};
    if (auto invalid = check_nonce_index(transaction, *key)) return *invalid;
    if (auto invalid = check_nonce(transaction, key->nonce, context.height)) return *invalid;
    if (auto invalid = take_cost(transaction, charged)) return *invalid;
    if (const auto missing = storage_shortfall(charged.account))
        return variant("LackBalanceForState",
                       payload({{"signer_id", transaction.signer_id}, {"amount", balance_json(*missing)}}));
    if (const auto* permission = function_call_permission(*key))
        if (auto invalid = check_permission(*permission, transaction.actions, transaction.receiver_id))
            return access_key_error(*invalid);
    charged.key.nonce = transaction.nonce.nonce;
    return charged;
}

}  // namespace

std::optional<Json> check_actions_size_signature(const wire::SignedTransaction& transaction,
                                                 const ValidationContext& context) {
    const wire::Transaction& body = transaction.transaction;
    if (auto invalid = check_actions(context.protocol, body.actions, body.receiver_id))
        return variant("ActionsValidation", std::move(*invalid));
    const bool is_of_85 =
        body.version == wire::TransactionVersion::v1 || body.public_key.type() == chain::KeyType::ml_dsa_65;
    if (is_of_85 && !context.protocol.has_gas_keys) return "InvalidTransactionVersion";
    const std::uint64_t size = wire::encode(body).size();
    if (size > kMaxTransactionBytes)
        return variant("TransactionSizeExceeded", payload({{"size", size}, {"limit", kMaxTransactionBytes}}));
    if (wire::check_signature(transaction) != chain::SignatureCheck::valid) return "InvalidSignature";
    if (!transaction_cost(context.protocol, body, context.gas_price)) return "CostOverflow";
    return std::nullopt;
}

std::optional<Json> check_against_state(const wire::SignedTransaction& transaction, const State& state,
                                        const ValidationContext& context) {
    auto verdict = judge(transaction.transaction, state, context);
    if (auto* invalid = std::get_if<Json>(&verdict)) return std::move(*invalid);
    return std::nullopt;
}

StateCharge charge_transaction(StateUpdate& update, const wire::SignedTransaction& transaction,
                               const ValidationContext& context) {
    const wire::Transaction& body = transaction.transaction;
    auto verdict = judge(body, update, context);
    if (auto* invalid = std::get_if<Json>(&verdict)) return std::move(*invalid);
    const Charged& charged = std::get<Charged>(verdict);
    update.set_account(body.signer_id, charged.account);
    update.set_access_key(body.signer_id, body.public_key, charged.key);
    return charged.cost;
}

}  // namespace receiptd::sandbox::sim
