// The queue of trees that leave as traces.
#pragma once

#include "base/task.hpp"
#include "storage/watch_store.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::storage {

struct QueuedTrace {
    std::string tx_hash;
    chain::BlockHeight included_height = 0;  // 0: its watch ended without a block
};

// All that is stored of one. A tree whose rows cannot be read is marked so.
struct TraceFacts {
    QueuedTrace queued;
    std::optional<Watch> watch;
    std::vector<StoredTransition> transitions;
    StoredTree tree;
    std::map<std::string, std::string> arguments;  // JSON, by receipt; if they are asked for
};

struct ClaimedTraces {
    std::vector<TraceFacts> traces;
    std::uint64_t too_old = 0;  // ended more than 30 minutes ago: they are done
};

struct TraceBacklog {
    std::uint64_t pending = 0;
    std::chrono::milliseconds oldest{0};
    std::uint64_t crowded_out = 0;  // more waited than may: they are done
};

// A claim is this process's for so long. What is not done by then another one may take.
inline constexpr std::chrono::seconds kTraceLease{20};
inline constexpr std::uint64_t kMostTracesQueued = 100'000;

class TraceStore {
public:
    virtual ~TraceStore() = default;
    // The oldest ones that nobody has claimed, `most` at most.
    virtual base::Task<ClaimedTraces> claim_traces(unsigned most, bool with_arguments) = 0;
    virtual base::Task<void> traces_done(std::vector<QueuedTrace> traces) = 0;
    // Gives claims back: somebody may take them at once.
    virtual base::Task<void> release_traces(std::vector<QueuedTrace> traces) = 0;
    // Forgets what was done an hour ago, and what is too much. Call every few seconds.
    virtual base::Task<TraceBacklog> tend_traces() = 0;
};

}  // namespace receiptd::storage
