// Chooses the host to ask next. Pure: the router describes its hosts, this picks one.
#pragma once

#include "base/clock.hpp"
#include "rpc/upstream.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace receiptd::rpc {

struct HostView {
    HostKind kind = HostKind::regular;
    bool usable = true;          // may be asked by this call, offers the method
    bool absent = false;         // said in this call that it does not know the object
    bool unproven = false;       // would have to prove its network first
    bool below_horizon = false;  // learned earlier: it no longer holds the height
    bool untracked = false;      // learned earlier: it does not track the shard
    bool doubted = false;        // it told what is not of this chain
    bool last = false;           // the caller would rather have another one
    bool first = false;          // the caller would like it (it served the block of this chunk)
    unsigned tries = 0;          // that failed in this call
    base::Duration wait{};       // before it may be asked
    double health = 1.0;         // 0..1
    double load = 0.0;           // requests running and waiting, as a share of its slots
};

// The cheapest host that may still know, or none. A regular host goes before an archival one as
// long as it is not much worse; one below its horizon, or without the shard, is asked only if nobody else is
// left.
std::optional<std::size_t> choose(const std::vector<HostView>& hosts);

}  // namespace receiptd::rpc
