// Blocks and coverage: which heights are wanted, stored, or cannot be had. Like every method of a store,
// these run their SQL on a database thread and come back by value; each reconnects with back-off by itself
// and returns only when it is done or `stop` was requested (then StorageStopped is thrown).
#pragma once

#include "base/clock.hpp"
#include "base/height_set.hpp"
#include "base/task.hpp"
#include "chain/rows/rows.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::storage {

struct Coverage {
    base::HeightSet wanted;   // all heights that should be there
    base::HeightSet covered;  // all heights that are (skipped ones included)
    // Heights in `covered` whose blocks told no outcomes (source rpc); means nothing outside of it.
    base::HeightSet without_outcomes;
    base::WallTime made_at{};  // the database was
    // Every height from this one on is wanted, up to the head. nullopt: no daemon has followed the head yet.
    std::optional<base::Height> followed_since;
    base::HeightSet skipped_by_operator;  // and not wanted again since
    // The first start was by the word of one host, and no other one has confirmed it yet. nullopt: it has.
    std::optional<base::Height> one_host_since;
    base::HeightSet gaps() const {
        auto missing = wanted;
        missing.subtract(covered);
        return missing;
    }
};

// A height that could not be had so far.
struct UnavailableHeight {
    base::Height height = 0;
    std::string reason;  // rpc::Unavailable::reason
    std::string detail;
    unsigned attempts = 0;
};

enum class CommitOutcome {
    committed,
    already_covered,  // another daemon, or an in-doubt commit that had succeeded: nothing written
    not_leader,       // another daemon leads since: nothing written
};

// How the partitions of a day may come to be.
enum class DayLeave {
    if_there,  // they are not made
    counted,   // at most ten new days a minute
    free,
};
enum class DayWord { ready, absent, too_many };

class BlockStore {
public:
    virtual ~BlockStore() = default;

    virtual base::Task<Coverage> load_coverage() = 0;
    // Grows when a lost connection was made anew. The database may have gone back since (failover to a
    // standby, restore): heights that were committed may be there no more.
    virtual std::uint64_t reconnects() const = 0;
    // Adds to `wanted`.
    virtual base::Task<void> want(base::HeightRange range) = 0;
    virtual base::Task<void> follow_since(base::Height height) = 0;                       // see Coverage
    virtual base::Task<void> set_one_host_since(std::optional<base::Height> height) = 0;  // see Coverage
    // Gives up, for good, the heights of the range that are wanted, or would be at the next start, and are
    // not stored; so it does its backfills. Returns them.
    virtual base::Task<base::HeightSet> skip(base::HeightRange range) = 0;

    // One transaction: COPY of all rows, alerts for its findings, coverage += batch.covered (refused if any
    // height of it is covered already), unavailable_heights -= batch.covered. With an epoch: only while
    // that is the leader's.
    virtual base::Task<CommitOutcome> commit(chain::RowBatch batch) = 0;

    // Before the first block of a day (since 1970, UTC) is committed: its partitions.
    virtual base::Task<DayWord> open_day(std::int64_t day, DayLeave leave) = 0;

    virtual base::Task<void> record_unavailable(UnavailableHeight height) = 0;
    virtual base::Task<std::vector<UnavailableHeight>> unavailable_heights(unsigned limit) = 0;

    // In one transaction: deletes the rows of the block at `height`, and takes its height and the skipped
    // ones below it from coverage. Returns these heights; empty: it is not stored. Trees by source rpc that
    // ran in it in part become pending.
    virtual base::Task<base::HeightSet> remove_block(base::Height height) = 0;

    // The nearest stored block above / below a height.
    virtual base::Task<std::optional<chain::BlockRef>> stored_block_above(base::Height height) = 0;
    virtual base::Task<std::optional<chain::BlockRef>> stored_block_below(base::Height height) = 0;
    virtual base::Task<std::optional<chain::BlockRef>> stored_block_by_hash(std::string hash) = 0;
    // The highest ones, ascending.
    virtual base::Task<std::vector<chain::BlockRef>> newest_blocks(unsigned limit) = 0;
};

}  // namespace receiptd::storage
