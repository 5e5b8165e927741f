// GET /findings, /watches and /contracts.
#include "api/query.hpp"
#include "base/coroutine.hpp"
#include "base/iso_time.hpp"
#include "page/filters.hpp"
#include "page/lists.hpp"
#include "page/now.hpp"
#include "page/texts.hpp"
#include "page/views.hpp"

#include <algorithm>
#include <chrono>

namespace receiptd::page {

namespace {

constexpr unsigned kGroups = 40;
constexpr unsigned kTrendSteps = 48;
constexpr unsigned kMethods = 100;
constexpr unsigned kMostHours = 24 * 7;

// --- Findings ---

storage::FailureFilter failure_filter(Filters& given) {
    storage::FailureFilter filter;
    filter.hours = given.hours(24, kMostHours);
    filter.contract_id = given.account("contract_id");
    filter.handled = given.flag("handled");
    const auto known = [](const std::string& kind) {
        const auto& all = chain::kind::kAll;
        return std::find(all.begin(), all.end(), kind) == all.end() ? std::nullopt : std::optional(kind);
    };
    filter.kind = given.one_of("kind", "it must be one of the kinds in the form", known).value_or("");
    return filter;
}

// As the store counts them: up to the newest block, whose time need not be this machine's.
std::string hours_before_newest(const Site& site, unsigned hours) {
    const auto committed = site.api->services.status().committed;
    const auto newest = committed ? time_of(committed->time) : std::nullopt;
    return base::iso_time(newest.value_or(site.wall()) - std::chrono::hours(hours));
}

std::string filter_query(const storage::FailureFilter& filter) {
    auto query = "hours=" + std::to_string(filter.hours);
    if (!filter.contract_id.empty()) query += "&contract_id=" + url_encoded(filter.contract_id);
    if (!filter.kind.empty()) query += "&kind=" + url_encoded(filter.kind);
    if (filter.handled) query += *filter.handled ? "&handled=true" : "&handled=false";
    return query;
}

Json filter_values(const storage::FailureFilter& filter) {
    Json values;
    values["contract"] = filter.contract_id;
    const auto handled = !filter.handled ? "" : *filter.handled ? "true" : "false";
    values["handled"] =
        choices({{"", "Handled or not"}, {"false", "Not handled"}, {"true", "Handled"}}, handled);
    values["kinds"] = kind_choices(filter.kind);
    const auto hours = std::to_string(filter.hours);
    values["spans"] =
        choices({{"1", "Last hour"}, {"6", "Last 6 hours"}, {"24", "Last day"}, {"168", "Last week"}}, hours);
    return values;
}

base::Task<net::ServerReply> findings_page(SharedSite site, api::Call call) {
    Filters given(call);
    const auto filter = failure_filter(given);
    storage::FindingFilter chosen;
    chosen.since = hours_before_newest(*site, filter.hours);
    chosen.contract_id = filter.contract_id;
    chosen.kind = filter.kind;
    chosen.handled = filter.handled;
    chosen.limit = kListed + 1;
    chosen.cursor = given.cursor([](const std::string& cursor) {
        const auto place = storage::parse_finding_cursor(cursor);
        return place && api::is_time(place->block_time);
    });
    Json values;
    values["filter"] = filter_values(filter);
    auto frame = site->frame("Findings", "findings");
    if (!given.fault().empty())
        co_return co_await unlisted(site, std::move(frame), "findings", std::move(values), given.fault());
    auto& calls = site->api->calls;
    auto grouping = calls.start(site->store.failure_groups(filter, kGroups));
    auto trending = calls.start(site->store.failure_trend(filter, kTrendSteps));
    auto listing = calls.start(site->api->services.findings.list_findings(std::move(chosen)));
    const auto groups = co_await calls.wait_for(std::move(grouping));
    const auto trend = co_await calls.wait_for(std::move(trending));
    auto found = co_await calls.wait_for(std::move(listing));
    const auto now = site->wall();
    const auto next = next_cursor(found, storage::cursor_after);
    values["query"] = filter_query(filter);
    values["groups"] = list_of(groups, [&](const auto& group) { return group_values(group, now); });
    values["trend"] = trend_values(trend);
    values["findings"] = list_of(found, [&](const auto& finding) { return finding_values(finding, now); });
    values["next"] = next;
    co_return co_await reply_with(site, 200, std::move(frame), "findings", std::move(values));
}

// --- Watches ---

storage::WatchFilter watch_filter(Filters& given) {
    storage::WatchFilter filter;
    filter.open_only = given.flag("open") == true;
    const auto stage = given.one_of("stage", "it must be a stage, such as final", chain::parse_stage);
    if (!filter.open_only) filter.stage = stage;
    filter.verdict =
        given.one_of("verdict", "it must be one of the verdicts in the form", chain::parse_verdict);
    filter.sender_id = given.account("sender_id");
    filter.limit = kListed + 1;
    filter.cursor = given.cursor(storage::parse_watch_cursor);
    return filter;
}

base::Task<net::ServerReply> watches_page(SharedSite site, api::Call call) {
    Filters given(call);
    auto filter = watch_filter(given);
    Json values;
    values["sender"] = filter.sender_id;
    values["open"] = filter.open_only;
    const auto verdict = filter.verdict ? chain::verdict_name(*filter.verdict) : std::string_view();
    values["verdicts"] = choices({{"", "Every verdict"},
                                  {"succeeded", "Succeeded"},
                                  {"failed", "Failed"},
                                  {"callback_failed", "Callback failed"},
                                  {"receipt_failed", "Receipt failed"},
                                  {"succeeded_with_handled_failure", "Handled failure"}},
                                 verdict);
    auto frame = site->frame("Watches", "watches");
    if (!given.fault().empty())
        co_return co_await unlisted(site, std::move(frame), "watches", std::move(values), given.fault());
    std::string query = filter.open_only ? "open=true" : "open=false";
    if (filter.stage) query += "&stage=" + url_encoded(chain::stage_name(*filter.stage));
    if (!filter.sender_id.empty()) query += "&sender_id=" + url_encoded(filter.sender_id);
    if (filter.verdict) query += "&verdict=" + url_encoded(verdict);
    auto listing = site->api->services.watches.list_watches(std::move(filter));
    auto found = co_await site->api->calls.wait_for(std::move(listing));
    const auto now = site->wall();
    values["next"] = next_cursor(found, storage::watch_cursor);
    values["query"] = query;
    values["watches"] = list_of(found, [&](const auto& watch) { return watch_values(watch, now); });
    co_return co_await reply_with(site, 200, std::move(frame), "watches", std::move(values));
}

// --- Contracts ---

base::Task<net::ServerReply> contracts_page(SharedSite site, api::Call call) {
    Filters given(call);
    const auto contract = given.account("contract_id");
    const auto hours = given.hours(1, 24);
    Json values;
    values["contract"] = contract;
    values["spans"] =
        choices({{"1", "Last hour"}, {"6", "Last 6 hours"}, {"24", "Last day"}}, std::to_string(hours));
    auto frame = site->frame("Contracts", "contracts");
    if (!given.fault().empty())
        co_return co_await unlisted(site, std::move(frame), "contracts", std::move(values), given.fault());
    auto asking = site->store.contract_health(contract, hours, kMethods);
    const auto methods = co_await site->api->calls.wait_for(std::move(asking));
    values["methods"] = list_of(methods, method_values);
    co_return co_await reply_with(site, 200, std::move(frame), "contracts", std::move(values));
}

}  // namespace

std::vector<api::Route> list_routes(const SharedSite& site) {
    return {view(site, "/findings", findings_page), view(site, "/watches", watches_page),
            view(site, "/contracts", contracts_page)};
}

}  // namespace receiptd::page
