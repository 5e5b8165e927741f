// Whether a transaction may enter the mempool or a chunk, in nearcore's order (chain-model.md §9,
// steps 3-7 and 9-16; the others are the ledger's).
#pragma once

#include "sandbox/sim/fees.hpp"
#include "sandbox/sim/state.hpp"
#include "sandbox/sim/state_update.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::sandbox::sim {

struct ValidationContext {
    const Protocol& protocol;
    u128 gas_price = 0;  // of the block
    // The height of the block that would hold it, which bounds the nonce. A node that judges for a client
    // does not look at that bound: nullopt.
    std::optional<Height> height;
};

// nullopt: valid. Else the InvalidTxError as JSON ("Expired", {"InvalidNonce":{…}}, …).
std::optional<Json> check_actions_size_signature(const wire::SignedTransaction& transaction,
                                                 const ValidationContext& context);
// A state as it stood after the block at that height.
struct StateAt {
    const State& state;
    Height at = kNewest;
    std::optional<Account> account(std::string_view id) const { return state.account(id, at); }
    std::optional<AccessKey> access_key(std::string_view id, const PublicKey& key) const {
        return state.access_key(id, key, at);
    }
};
std::optional<Json> check_against_state(const wire::SignedTransaction& transaction, const StateAt& state,
                                        const ValidationContext& context);

// A gas key paid for the conversion, and its account cannot pay the deposit: the transaction fails in its
// block.
struct UnpaidDeposit {
    Gas burnt = 0;
    Json error;  // the InvalidTxError
};
// The cost of a conversion, or the InvalidTxError as JSON: then it is in no block.
using StateCharge = std::variant<TransactionCost, UnpaidDeposit, Json>;

// Checks as check_against_state does, and if the transaction is valid: bumps the key's nonce and
// takes the total cost from the signer and its gas from the key's allowance; of a gas key the gas from the
// key and the deposits from the signer. On an error nothing is changed. The caller commits.
StateCharge charge_transaction(StateUpdate& update, const wire::SignedTransaction& transaction,
                               const ValidationContext& context);

}  // namespace receiptd::sandbox::sim
