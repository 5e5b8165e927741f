// The lists of findings, watches and methods as values. Pure.
#pragma once

#include "base/clock.hpp"
#include "chain/tree/finding.hpp"
#include "page/render.hpp"
#include "storage/page_store.hpp"
#include "storage/watch_store.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace receiptd::page {

// One choice of a <select>: {value, label, chosen}.
struct Choice {
    std::string_view value, label;
};
Json choices(const std::vector<Choice>& all, std::string_view chosen);
// Every kind of finding.
Json kind_choices(std::string_view chosen);

Json group_values(const storage::FailureGroup& group, base::WallTime now);

// {bars: [{x, y, height, title}], width, height, total, most}: a chart of equal steps.
Json trend_values(const std::vector<storage::FailureCount>& trend);

// {key, metadata} that came with a submission or a watch; null: nothing did.
Json given_values(const storage::Watch& watch);
Json watch_values(const storage::Watch& watch, base::WallTime now);
Json method_values(const storage::MethodHealth& method);

}  // namespace receiptd::page
