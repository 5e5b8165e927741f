// Whether a transaction that is handed in can be included at all: first by its bytes alone, then by what
// the chain says (chain-model.md §9). Only what no node would take is refused. Pure.
#pragma once

#include "chain/json/decode.hpp"
#include "chain/rows/rows.hpp"
#include "chain/wire/transaction.hpp"
#include "watch/submission.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace receiptd::watch {

inline constexpr std::uint64_t kLargestTransaction = 1'572'864;  // bytes, without the signature

// A signed transaction whose bytes are in order.
struct ReadTransaction {
    chain::wire::SignedTransaction signed_transaction;
    std::string tx_hash;
    std::string base64;

    const chain::wire::Transaction& body() const { return signed_transaction.transaction; }
};
// Decodes, and checks size, signature and the rules that need no state.
base::Result<ReadTransaction, SubmitError> read_transaction(const SubmitRequest& request);

// Facts that the chain told. nullopt: the item does not exist.
struct ChainFacts {
    std::optional<chain::BlockRef> block;  // that of the transaction's block_hash
    chain::BlockRef head;                  // final
    std::uint64_t validity_blocks = 86'400;
    std::optional<chain::AccountView> account;
    std::optional<chain::AccessKeyView> key;
    chain::u128 gas_price = 0;
};
// Makes the checks in nearcore's order; nullopt: all passed.
std::optional<SubmitError> check_against_chain(const chain::wire::Transaction& transaction,
                                               const ChainFacts& facts);

// The last height at which a block may include it.
chain::BlockHeight valid_until(const ChainFacts& facts);
// nullopt: it does not fit 128 bits.
std::optional<chain::u128> cost_of(const chain::wire::Transaction& transaction, chain::u128 gas_price);

// From an InvalidTxError as nodes have it.
SubmitError refusal(std::string error_json, std::string where);
// Advice for an error class (gateway.md §7); empty where nothing is known to help.
std::string_view remedy(std::string_view error_class);

}  // namespace receiptd::watch
