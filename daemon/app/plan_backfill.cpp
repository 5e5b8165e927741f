// `receiptd backfill --plan` and `reindex --plan`: what is to be fetched again, and what it costs.
#include "app/commands.hpp"
#include "app/followed_accounts.hpp"
#include "app/print_json.hpp"
#include "app/runtime.hpp"
#include "storage/inspect.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <iostream>

namespace receiptd::app {
namespace {

struct FillCost {
    base::HeightSet heights;
    std::uint64_t requests = 0;  // of blocks and chunks; trees come on top with source rpc
    double a_second = 0;         // that the hosts allow; 0: no limit is configured
};

FillCost fill_cost(const config::Settings& settings, const storage::StoredSummary& stored,
                   const base::HeightSet& heights) {
    FillCost cost;
    cost.heights = heights;
    const auto source = settings.follow.source;
    const auto contents = source == config::Source::rpc ? stored.chunks_a_block : 1.0;
    const auto a_height = source == config::Source::neardata ? 1.0 : 1.0 + contents;
    cost.requests = static_cast<std::uint64_t>(a_height * static_cast<double>(heights.size()));
    if (source == config::Source::neardata && settings.neardata)
        cost.a_second = settings.neardata->max_requests_per_second;
    else
        for (const auto& upstream : settings.upstreams) cost.a_second += upstream.max_requests_per_second;
    return cost;
}

std::string time_text(const FillCost& cost) {
    if (cost.a_second <= 0) return "";
    char text[64];
    std::snprintf(text, sizeof text, ", %.1f hours at %.0f a second",
                  static_cast<double>(cost.requests) / cost.a_second / 3'600, cost.a_second);
    return text;
}

int print_cost(const FillCost& cost, config::Source source, bool as_json, nlohmann::ordered_json plan,
               const char* purpose, const char* trees) {
    const bool rpc = source == config::Source::rpc;
    if (as_json) {
        plan["heights"] = cost.heights.size();
        plan["requests"] = cost.requests;
        plan["trees_on_top"] = rpc;
        print_json(plan);
        return kOk;
    }
    std::cout << purpose << cost.heights.size() << " heights: about " << cost.requests
              << " requests of source " << config::to_string(source)
              << (rpc ? std::string(", and 1.5 to 2 for each transaction that ") + trees : "")
              << time_text(cost) << '\n';
    return kOk;
}

}  // namespace

int plan_backfill(const config::Settings& settings, const BackfillCommand& command, bool as_json) {
    const auto stored = storage::stored_summary(database_options(settings));
    const auto source = settings.follow.source;
    if (command.replaces) {
        const auto heights = storage::replaceable_heights(database_options(settings), *command.range);
        return print_cost(fill_cost(settings, stored, heights), source, as_json, {}, "to replace   ",
                          "is stored of them");
    }
    const auto& chosen = command.accounts;
    const auto range = command.range.value_or(base::kAllHeights);
    base::HeightSet together;
    auto accounts = nlohmann::ordered_json::array();
    for (auto account : stored.accounts) {
        if (!chosen.empty() && std::find(chosen.begin(), chosen.end(), account.account_id) == chosen.end())
            continue;
        account.not_whole = account.not_whole.within(range);
        together.add(account.not_whole);
        accounts.push_back(lacking_json(account));
        if (!as_json) std::cout << in_words(account) << '\n';
    }
    return print_cost(fill_cost(settings, stored, together), source, as_json, {{"accounts", accounts}},
                      "to fill      ", "touches the accounts");
}

}  // namespace receiptd::app
