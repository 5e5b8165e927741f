// The first view as values: the daemon's state in words, counts, hosts, the newest findings. Pure.
#pragma once

#include "api/status.hpp"
#include "base/clock.hpp"
#include "chain/tree/finding.hpp"
#include "page/render.hpp"
#include "storage/page_store.hpp"

#include <optional>
#include <vector>

namespace receiptd::page {

struct NowView {
    api::DaemonStatus status;
    std::optional<storage::RecentCounts> counts;          // nullopt: they could not be had
    std::optional<std::vector<chain::Finding>> findings;  // newest first
    base::WallTime now{};
};
Json now_values(const NowView& view);

// {kind, where, why, tx, time, …}: one of a list of findings.
Json finding_values(const chain::Finding& finding, base::WallTime now);

}  // namespace receiptd::page
