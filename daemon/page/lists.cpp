#include "page/lists.hpp"

#include "base/line.hpp"
#include "page/texts.hpp"

#include <algorithm>
#include <cstdio>

namespace receiptd::page {

namespace {

// Sizes of a bar with the gap beside it, and of the chart, in its own units.
constexpr std::uint64_t kStep = 10, kBar = 8, kChartHeight = 60;
constexpr std::size_t kLongestText = 300;

std::string share_text(std::uint64_t part, std::uint64_t all) {
    if (all == 0) return "–";
    char text[16];
    std::snprintf(text, sizeof text, "%.1f %%", 100.0 * static_cast<double>(part) / static_cast<double>(all));
    return text;
}

std::string minutes_of(const std::string& iso) {
    return iso.size() < 16 ? iso : iso.substr(0, 10) + " " + iso.substr(11, 5);
}

}  // namespace

Json choices(const std::vector<Choice>& all, std::string_view chosen) {
    Json list = Json::array();
    for (const auto& [value, label] : all)
        list.push_back({{"value", value}, {"label", label}, {"chosen", value == chosen}});
    return list;
}

Json kind_choices(std::string_view chosen) {
    auto list = choices({{"", "Every kind"}}, chosen);
    for (const auto kind : chain::kind::kAll)
        list.push_back({{"value", kind}, {"label", kind_badge(kind)["label"]}, {"chosen", kind == chosen}});
    return list;
}

Json group_values(const storage::FailureGroup& group, base::WallTime now) {
    Json values;
    values["kind"] = kind_badge(group.kind);
    values["contract"] = group.contract_id;
    values["contract_query"] = url_encoded(group.contract_id);
    values["method"] = base::shortened(group.method_name, 80);
    values["error_class"] = group.error_class;
    const bool is_failure = !group.error_class.empty() || !group.error_text.empty();
    values["why"] =
        is_failure ? Json(base::shortened(group.error_text, kLongestText)) : values["kind"]["means"];
    values["tx"] = transaction_link(group.tx_hash);
    values["first"] = time_json(group.first_at, now);
    values["last"] = time_json(group.last_at, now);
    values["count"] = count_text(group.findings);
    return values;
}

Json trend_values(const std::vector<storage::FailureCount>& trend) {
    std::uint64_t most = 0, total = 0;
    for (const auto& step : trend) {
        most = std::max(most, step.findings);
        total += step.findings;
    }
    Json bars = Json::array();
    for (std::size_t i = 0; i < trend.size(); ++i) {
        const auto count = trend[i].findings;
        // A single finding stays visible beside thousands.
        const auto height = count == 0 ? 0 : std::max<std::uint64_t>(2, count * kChartHeight / most);
        bars.push_back(
            {{"x", i * kStep},
             {"y", kChartHeight - height},
             {"bar", kBar},
             {"height", height},
             {"title", plural(count, "finding", "findings") + " from " + minutes_of(trend[i].from)}});
    }
    Json values;
    values["bars"] = std::move(bars);
    values["width"] = trend.size() * kStep;
    values["height"] = kChartHeight;
    values["total"] = plural(total, "finding", "findings");
    values["most"] = count_text(most);
    values["first"] = trend.empty() ? Json() : Json(minutes_of(trend.front().from));
    values["last"] = trend.empty() ? Json() : Json(minutes_of(trend.back().from));
    return values;
}

Json given_values(const storage::Watch& watch) {
    if (watch.idempotency_key.empty() && watch.metadata_json.empty()) return {};
    Json values;
    values["key"] = watch.idempotency_key.empty() ? Json() : Json(watch.idempotency_key);
    values["metadata"] = watch.metadata_json.empty() ? Json() : Json(watch.metadata_json);
    return values;
}

Json watch_values(const storage::Watch& watch, base::WallTime now) {
    Json values;
    values["tx"] = transaction_link(watch.tx_hash);
    values["sender"] = watch.sender_id;
    values["stage"] = stage_badge(watch.state);
    values["verdict"] = watch.state.verdict ? verdict_badge(*watch.state.verdict) : Json();
    values["reason"] = watch.state.reason.empty() ? Json() : Json(error_class_words(watch.state.reason));
    values["origin"] = storage::origin_name(watch.origin);
    values["stuck"] = watch.stuck;
    values["given"] = given_values(watch);
    values["since"] = time_json(watch.stage_since, now);
    values["created"] = time_json(watch.created_at, now);
    return values;
}

Json method_values(const storage::MethodHealth& method) {
    Json values;
    values["contract"] = method.contract_id;
    values["contract_query"] = url_encoded(method.contract_id);
    values["method"] = base::shortened(method.method_name, 80);
    values["calls"] = count_text(method.calls);
    values["failures"] = count_text(method.failures);
    values["callbacks"] = count_text(method.failed_callbacks);
    values["share"] = share_text(method.failures, method.calls);
    values["meter"] =
        method.calls == 0 ? 0.0 : static_cast<double>(method.failures) / static_cast<double>(method.calls);
    const char* tone = method.failed_callbacks > 0 ? "bad" : method.failures > 0 ? "odd" : "good";
    values["tone"] = tone;
    values["icon"] = icon_of(tone);
    values["state"] = method.failed_callbacks > 0       ? "callbacks fail"
                      : method.failures == 0            ? "healthy"
                      : method.failures == method.calls ? "all fail"
                                                        : "some fail";
    return values;
}

}  // namespace receiptd::page
