// Whether the outcomes of stored whole blocks are those of the chain: compared with the roots in the chunk
// headers above them (docs/decisions/0043).
#pragma once

#include "base/height_set.hpp"
#include "base/task.hpp"
#include "chain/json/shard_layout.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace receiptd::storage {

// A block with false outcomes, and all that is needed to ask other hosts for the true ones.
struct FalseOutcomes {
    std::map<std::uint64_t, std::vector<std::string>> roots;  // by shard, of all: outcomes have one of these
    struct Tree {
        std::string tx_hash;
        std::string sender_id;
    };
    std::vector<Tree> trees;       // that were executed in part in these shards
    std::vector<Tree> unfinished;  // began in the block or below it: outcomes of theirs may be left out
    std::set<std::string> stored;  // ids of the outcomes in these shards
};

// Roots of the outcomes that a block executed, by the chunk headers above it.
struct RootsAbove {
    std::set<std::string> roots;  // each outcome leads to one of these
    bool are_all = false;         // no other one is to come
    bool covered = true;          // by hashes of blocks; false: they prove nothing
};

class OutcomeStore {
public:
    virtual ~OutcomeStore() = default;

    struct Compared {
        base::HeightSet refuted;  // their outcomes are others than those of the chain
        base::Height next = 0;    // where the next call goes on
        bool is_last = true;
        bool is_waited_for = false;  // alerts or ends of watches wait for what was not compared
    };
    // How long alerts about outcomes of whole blocks wait for them; nullopt: they do not.
    virtual base::Task<void> hold_alerts(std::optional<std::chrono::seconds> for_long) = 0;
    // Looks at some blocks from a height on that were not compared yet, by chunk headers up to `agreed`.
    // Those whose outcomes are the chain's are confirmed from then on; alerts that have waited for that
    // leave, and ends of watches become conclusive.
    virtual base::Task<Compared> compare_outcomes(base::Height from, base::Height agreed) = 0;
    // The outcomes stay as they are, and as not confirmed.
    virtual base::Task<void> leave_unconfirmed(base::HeightSet heights) = 0;
    virtual base::Task<FalseOutcomes> false_outcomes(base::Height height, base::Height agreed) = 0;

    // By height, of those that are stored.
    virtual base::Task<std::map<base::Height, RootsAbove>> roots_above(base::HeightSet heights,
                                                                       base::Height agreed) = 0;
};

}  // namespace receiptd::storage
