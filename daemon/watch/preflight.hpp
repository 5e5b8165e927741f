// Whether a transaction that is handed in can be included at all: by its bytes, by its block hash and nonce,
// and by what the nodes' own verifier says of it (rpc.md §5.2). Only what no node would take is refused.
// Pure.
#pragma once

#include "chain/json/protocol.hpp"
#include "chain/rows/rows.hpp"
#include "chain/wire/transaction.hpp"
#include "rpc/submit_source.hpp"
#include "watch/submission.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::watch {

// A signed transaction whose bytes are in order.
struct ReadTransaction {
    chain::wire::SignedTransaction signed_transaction;
    std::string tx_hash;
    std::string base64;
    bool is_checked = true;  // false: its signature is of a kind that only the hosts can check

    const chain::wire::Transaction& body() const { return signed_transaction.transaction; }
};
// Decodes, and checks the signature.
base::Result<ReadTransaction, SubmitError> read_transaction(const SubmitRequest& request);
// The note of a submission, with a sentence where the signature was not checked.
std::string note_of(bool is_checked, std::string note);
// nullopt: it is empty, or a good one.
std::optional<SubmitError> check_idempotency_key(const std::string& key);

// Facts that the chain told.
struct ChainFacts {
    std::optional<chain::BlockRef> block;  // that of the transaction's block_hash; nullopt: no host knows it
    chain::BlockRef head;                  // final
    std::uint64_t validity_blocks = chain::protocol::kValidityBlocks;
};
// Makes the checks that no node makes for us; nullopt: nothing speaks against it.
std::optional<SubmitError> check_against_chain(const chain::wire::Transaction& transaction,
                                               const ChainFacts& facts);

// The hosts' opinions of one transaction, put together.
struct Judged {
    bool on_chain = false;
    std::string unobjected_by;  // "first, second"
    // Where no host takes it:
    std::string error_json;   // the InvalidTxError of the first that objects; empty: none does
    std::string objected_by;  // "first, second"
    // No later block can heal the error (chain-model.md §9.2), and two hosts say so where two have a word.
    bool is_proof = false;
    // As many hosts object to its block hash alone, and one of them knows that block as one that lost.
    bool block_refused = false;
};
Judged judge(const std::vector<rpc::SubmitSource::Opinion>& opinions);
// Congestion passes by itself: what is refused for it alone is sent all the same.
bool is_congestion(const std::string& error_json);

// A member of an objection as it is stored: true, if Judged::block_refused.
inline constexpr const char* kBlockRefused = "block_hash_refused";
bool refuses_block(const std::string& objection);

// The last height at which a block may include it.
chain::BlockHeight valid_until(const ChainFacts& facts);
// The height of the block that its hash names: at most a little above the head, whatever a host told; for an
// unknown one the head's.
chain::BlockHeight height_of_block_hash(const ChainFacts& facts);
// From an InvalidTxError as nodes have it.
SubmitError refusal(std::string error_json, const chain::wire::Transaction& transaction);

}  // namespace receiptd::watch
