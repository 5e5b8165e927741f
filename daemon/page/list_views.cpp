// GET /findings, /watches, /alerts and /contracts.
#include "api/query.hpp"
#include "base/coroutine.hpp"
#include "page/lists.hpp"
#include "page/now.hpp"
#include "page/texts.hpp"
#include "page/views.hpp"

#include <algorithm>

namespace receiptd::page {

namespace {

constexpr unsigned kListed = 50;
constexpr unsigned kGroups = 40;
constexpr unsigned kTrendSteps = 48;
constexpr unsigned kMethods = 100;
constexpr unsigned kMostHours = 24 * 30;

unsigned hours_of(const api::Call& call, unsigned otherwise) {
    const auto given = api::parse_number(parameter(call, "hours"));
    return given && *given >= 1 && *given <= kMostHours ? static_cast<unsigned>(*given) : otherwise;
}

std::optional<bool> flag_of(const api::Call& call, std::string_view name) {
    const auto given = parameter(call, name);
    if (given == "true") return true;
    if (given == "false") return false;
    return std::nullopt;
}

template <class Rows, class Values>
Json list_of(const Rows& rows, Values&& values) {
    Json list = Json::array();
    for (const auto& row : rows) list.push_back(values(row));
    return list;
}

// One row more than is shown tells whether there are more; "" if there are not.
template <class Rows, class Cursor>
std::string next_cursor(Rows& rows, Cursor&& cursor) {
    if (rows.size() <= kListed) return {};
    rows.resize(kListed);
    return url_encoded(cursor(rows.back()));
}

// --- Findings ---

storage::FailureFilter failure_filter(const api::Call& call) {
    storage::FailureFilter filter;
    filter.hours = hours_of(call, 24);
    filter.contract_id = account_parameter(call, "contract_id");
    filter.handled = flag_of(call, "handled");
    filter.kind = parameter(call, "kind");
    if (kind_badge(filter.kind)["means"].get<std::string>().empty()) filter.kind.clear();
    return filter;
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
    const auto filter = failure_filter(call);
    storage::FindingFilter chosen;
    chosen.contract_id = filter.contract_id;
    chosen.kind = filter.kind;
    chosen.handled = filter.handled;
    chosen.limit = kListed + 1;
    const auto place = storage::parse_finding_cursor(parameter(call, "cursor", 512));
    if (place && api::is_time(place->block_time)) chosen.cursor = parameter(call, "cursor", 512);
    auto& calls = site->api->calls;
    auto grouping = calls.start(site->store.failure_groups(filter, kGroups));
    auto trending = calls.start(site->store.failure_trend(filter, kTrendSteps));
    auto listing = calls.start(site->api->services.findings.list_findings(std::move(chosen)));
    const auto groups = co_await calls.wait_for(std::move(grouping));
    const auto trend = co_await calls.wait_for(std::move(trending));
    auto found = co_await calls.wait_for(std::move(listing));
    const auto now = site->wall();
    const auto next = next_cursor(found, storage::cursor_after);
    Json values;
    values["filter"] = filter_values(filter);
    values["query"] = filter_query(filter);
    values["groups"] = list_of(groups, [&](const auto& group) { return group_values(group, now); });
    values["trend"] = trend_values(trend);
    values["findings"] = list_of(found, [&](const auto& finding) { return finding_values(finding, now); });
    values["next"] = next;
    auto frame = site->frame("Findings", "findings");
    co_return co_await reply_with(site, 200, std::move(frame), "findings", std::move(values));
}

// --- Watches ---

base::Task<net::ServerReply> watches_page(SharedSite site, api::Call call) {
    storage::WatchFilter filter;
    const auto stage = parameter(call, "stage");
    filter.open_only = flag_of(call, "open") == true;
    if (!filter.open_only) filter.stage = chain::parse_stage(stage);
    filter.verdict = chain::parse_verdict(parameter(call, "verdict"));
    filter.sender_id = account_parameter(call, "sender_id");
    filter.limit = kListed + 1;
    if (const auto cursor = parameter(call, "cursor"); storage::parse_watch_cursor(cursor))
        filter.cursor = cursor;
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
    std::string query = filter.open_only ? "open=true" : "open=false";
    if (!filter.sender_id.empty()) query += "&sender_id=" + url_encoded(filter.sender_id);
    if (filter.verdict) query += "&verdict=" + url_encoded(verdict);
    auto listing = site->api->services.watches.list_watches(std::move(filter));
    auto found = co_await site->api->calls.wait_for(std::move(listing));
    const auto now = site->wall();
    values["next"] = next_cursor(found, storage::watch_cursor);
    values["query"] = query;
    values["watches"] = list_of(found, [&](const auto& watch) { return watch_values(watch, now); });
    auto frame = site->frame("Watches", "watches");
    co_return co_await reply_with(site, 200, std::move(frame), "watches", std::move(values));
}

// --- Alerts ---

base::Task<net::ServerReply> alerts_page(SharedSite site, api::Call call) {
    storage::DeliveryFilter filter;
    filter.state = parameter(call, "state");
    if (filter.state != "pending" && filter.state != "delivered" && filter.state != "dead")
        filter.state.clear();
    filter.endpoint = parameter(call, "endpoint");
    filter.limit = kListed + 1;
    Json values;
    values["states"] = choices(
        {{"", "Every state"}, {"pending", "Pending"}, {"delivered", "Delivered"}, {"dead", "Given up"}},
        filter.state);
    values["endpoint"] = filter.endpoint;
    auto listing = site->api->services.deliveries.list_deliveries(std::move(filter));
    auto found = co_await site->api->calls.wait_for(std::move(listing));
    const auto now = site->wall();
    values["more"] = found.size() > kListed;
    if (found.size() > kListed) found.resize(kListed);
    values["deliveries"] = list_of(found, [&](const auto& row) { return delivery_values(row, now); });
    const auto status = site->api->services.status();
    values["has_endpoints"] = status.outbox.has_value();
    values["dead"] =
        status.outbox && status.outbox->dead > 0 ? Json(count_text(status.outbox->dead)) : Json();
    values["off"] = list_of(status.endpoints_off, [](const auto& name) { return Json{{"name", name}}; });
    auto frame = site->frame("Alerts", "alerts");
    co_return co_await reply_with(site, 200, std::move(frame), "alerts", std::move(values));
}

// --- Contracts ---

base::Task<net::ServerReply> contracts_page(SharedSite site, api::Call call) {
    const auto contract = account_parameter(call, "contract_id");
    const auto hours = std::min(hours_of(call, 1), 24u);
    auto asking = site->store.contract_health(contract, hours, kMethods);
    const auto methods = co_await site->api->calls.wait_for(std::move(asking));
    Json values;
    values["contract"] = contract;
    values["spans"] =
        choices({{"1", "This hour"}, {"6", "Last 6 hours"}, {"24", "Last day"}}, std::to_string(hours));
    values["methods"] = list_of(methods, method_values);
    auto frame = site->frame("Contracts", "contracts");
    co_return co_await reply_with(site, 200, std::move(frame), "contracts", std::move(values));
}

}  // namespace

std::vector<api::Route> list_routes(const SharedSite& site) {
    return {view(site, "/findings", findings_page), view(site, "/watches", watches_page),
            view(site, "/alerts", alerts_page), view(site, "/contracts", contracts_page)};
}

}  // namespace receiptd::page
