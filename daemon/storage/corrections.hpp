// Findings and ends that people were told of and that do not hold, or of which it was told otherwise whether
// they were handled: each is taken back by a finding "corrected", with its alert, a line of the stream, and a
// transition where the transaction is watched. Its id is "corrected:<cause>:<truth>:<n>", the n-th correction
// of that finding ("gone", "handled", "unhandled") or of the end of that watch (its verdict, or "accepted").
#pragma once

#include "base/height_set.hpp"
#include "storage/pqxx_shim.hpp"

#include <string>
#include <vector>

namespace receiptd::storage {

// All is written in the given transaction, once however often it is found.

// Why trees were judged again.
inline constexpr const char* kOtherRules = "judged again by the rules of this program";
inline constexpr const char* kFetchedAgain = "its blocks were fetched again";
inline constexpr const char* kMoreIsKnown = "receipts that were missing are known now";

// Trees as they are now, and the findings that hold.
struct JudgedAnew {
    std::vector<std::string> tx_hashes, verdicts,  // empty: it has none, for the reason that is its class
        error_classes;                             // the class of what gave the verdict, or empty
    std::vector<std::string> holding, handled;     // ids, and of each "t", "f", or empty
    std::string why;
};
// Before results and findings of these trees are replaced: takes back findings that do not hold, and ends of
// watches that were told with another verdict. Returns whether there was one.
bool take_back_judged(pqxx::transaction_base& tx, const JudgedAnew& judged);

// Takes back findings of trees that lost a block (block_removal.hpp), once that height is stored anew and the
// tree is judged, or is not in the chain. Returns whether there was one. To be called first in its
// transaction.
bool take_back_removed(pqxx::transaction_base& tx);

// Watches of trees that lose a block begin anew, and so do those that it has moved; a told end is taken back
// at once. Returns whether there was one.
struct LostBlock {
    base::Height height = 0;
    std::string time;  // as PostgreSQL writes it
};
bool begin_watches_anew(pqxx::transaction_base& tx, const std::vector<std::string>& tx_hashes,
                        const LostBlock& block);

}  // namespace receiptd::storage
