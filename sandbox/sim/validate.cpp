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
    AccessKey key;
    std::optional<Json> unpaid_deposit{};
};

std::optional<Json> check_nonce_index(const wire::Transaction& transaction, const AccessKey& key) {
    const auto& index = transaction.nonce.nonce_index;
    if (const wire::GasKeyInfo* gas_key = gas_key_info(key)) {
        if (index && *index < gas_key->num_nonces) return std::nullopt;
        return variant("InvalidNonceIndex", payload({{"tx_nonce_index", index ? Json(*index) : Json()},
                                                     {"num_nonces", gas_key->num_nonces}}));
    }
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

// Takes the gas from the gas key, or says why it cannot.
std::optional<Json> take_gas(const wire::Transaction& transaction, Charged& charged,
                             wire::GasKeyInfo& gas_key) {
    const u128 cost = charged.cost.total - charged.cost.deposits;
    if (gas_key.balance < cost)
        return variant("NotEnoughGasKeyBalance", payload({{"signer_id", transaction.signer_id},
                                                          {"balance", balance_json(gas_key.balance)},
                                                          {"cost", balance_json(cost)}}));
    gas_key.balance -= cost;
    return std::nullopt;
}

// Takes the deposits of a transaction of a gas key from its account. Where that cannot give them, no receipt
// is made, and the gas that was bought for it stays in the key.
void take_deposits(const wire::Transaction& transaction, Charged& charged, const ValidationContext& context) {
    const u128 deposits = charged.cost.deposits;
    if (deposits == 0) return;
    Account left = charged.account;
    left.amount -= std::min(deposits, left.amount);
    const bool is_poor = charged.account.amount < deposits;
    if (!is_poor && !storage_shortfall(left)) {
        charged.account = left;
        return;
    }
    gas_key_info(charged.key)->balance +=
        charged.cost.remaining * context.protocol.purchase_price(context.gas_price);
    charged.unpaid_deposit =
        variant("NotEnoughBalanceForDeposit",
                payload({{"signer_id", transaction.signer_id},
                         {"balance", balance_json(charged.account.amount)},
                         {"cost", balance_json(deposits)},
                         {"reason", is_poor ? "NotEnoughBalance" : "LackBalanceForState"}}));
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

// Rows 13 to 15.
std::optional<Json> take_all(const wire::Transaction& transaction, Charged& charged) {
    if (wire::GasKeyInfo* gas_key = gas_key_info(charged.key))
        return take_gas(transaction, charged, *gas_key);
    if (auto invalid = take_cost(transaction, charged)) return invalid;
    const auto missing = storage_shortfall(charged.account);
    if (!missing) return std::nullopt;
    return variant("LackBalanceForState",
                   payload({{"signer_id", transaction.signer_id}, {"amount", balance_json(*missing)}}));
}

// Rows 7 and 9-16 of chain-model.md §9; `records` is a StateAt or a StateUpdate.
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
    std::uint64_t& nonce = nonce_at(charged.key, transaction.nonce.nonce_index);
    if (auto invalid = check_nonce(transaction, nonce, context.height)) return *invalid;
    if (auto invalid = take_all(transaction, charged)) return *invalid;
    if (const auto* permission = function_call_permission(*key))
        if (auto invalid = check_permission(*permission, transaction.actions, transaction.receiver_id))
            return access_key_error(*invalid);
    nonce = transaction.nonce.nonce;
    if (gas_key_info(charged.key)) take_deposits(transaction, charged, context);
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

std::optional<Json> check_against_state(const wire::SignedTransaction& transaction, const StateAt& state,
                                        const ValidationContext& context) {
    auto verdict = judge(transaction.transaction, state, context);
    if (auto* invalid = std::get_if<Json>(&verdict)) return std::move(*invalid);
    return std::get<Charged>(verdict).unpaid_deposit;
}

StateCharge charge_transaction(StateUpdate& update, const wire::SignedTransaction& transaction,
                               const ValidationContext& context) {
    const wire::Transaction& body = transaction.transaction;
    auto verdict = judge(body, update, context);
    if (auto* invalid = std::get_if<Json>(&verdict)) return std::move(*invalid);
    Charged& charged = std::get<Charged>(verdict);
    update.set_account(body.signer_id, charged.account);
    update.set_access_key(body.signer_id, body.public_key, charged.key);
    if (charged.unpaid_deposit) return UnpaidDeposit{charged.cost.burnt, std::move(*charged.unpaid_deposit)};
    return charged.cost;
}

}  // namespace receiptd::sandbox::sim
