// GET /alerts and /silences.
#include "base/coroutine.hpp"
#include "page/alerts.hpp"
#include "page/filters.hpp"
#include "page/lists.hpp"

#include <optional>
#include <utility>

namespace receiptd::page {

namespace {

storage::DeliveryFilter delivery_filter(Filters& given) {
    storage::DeliveryFilter filter;
    const auto known = [](const std::string& state) {
        return storage::is_delivery_state(state) ? std::optional(state) : std::nullopt;
    };
    filter.state = given.one_of("state", std::string("it must be ") + storage::kDeliveryStatesInWords, known)
                       .value_or("");
    filter.endpoint = given.text("endpoint", "it must be the name of an endpoint");
    filter.rule = given.text("rule", "it must be the name of a rule");
    filter.group_id = given.number("group");
    filter.limit = kListed + 1;
    filter.cursor = given.cursor([](const std::string& cursor) {
        const auto place = storage::parse_delivery_cursor(cursor);
        return place && api::is_time(place->created_at);
    });
    return filter;
}

Json delivery_filter_values(const storage::DeliveryFilter& filter) {
    Json values;
    values["states"] = state_choices(filter.state);
    values["endpoint"] = filter.endpoint;
    values["rule"] = filter.rule;
    values["group_id"] = filter.group_id ? Json(std::to_string(*filter.group_id)) : Json();
    return values;
}

std::string delivery_query(const storage::DeliveryFilter& filter) {
    auto query = "state=" + url_encoded(filter.state) + "&endpoint=" + url_encoded(filter.endpoint) +
                 "&rule=" + url_encoded(filter.rule);
    if (filter.group_id) query += "&group=" + std::to_string(*filter.group_id);
    return query;
}

base::Task<net::ServerReply> alerts_page(SharedSite site, api::Call call) {
    Filters given(call);
    auto filter = delivery_filter(given);
    auto values = delivery_filter_values(filter);
    const auto status = site->api->services.status();
    values["has_endpoints"] = status.outbox.has_value();
    values["dead"] =
        status.outbox && status.outbox->dead > 0 ? Json(count_text(status.outbox->dead)) : Json();
    values["off"] = list_of(status.endpoints_off, [](const auto& name) { return Json{{"name", name}}; });
    auto frame = site->frame("Alerts", "alerts");
    if (!given.fault().empty())
        co_return co_await unlisted(site, std::move(frame), "alerts", std::move(values), given.fault());
    const auto now = site->wall();
    auto& calls = site->api->calls;
    values["query"] = delivery_query(filter);
    if (filter.group_id) {
        auto asking = site->store.alert_group(*filter.group_id);
        const auto group = co_await calls.wait_for(std::move(asking));
        values["group"] = group ? alert_group_values(*group, now) : Json();
    }
    auto listing = site->api->services.deliveries.list_deliveries(std::move(filter));
    auto found = co_await calls.wait_for(std::move(listing));
    values["next"] = next_cursor(found, storage::delivery_cursor);
    values["deliveries"] = list_of(found, [&](const auto& row) { return delivery_values(row, now); });
    co_return co_await reply_with(site, 200, std::move(frame), "alerts", std::move(values));
}

base::Task<net::ServerReply> silences_page(SharedSite site, api::Call call) {
    Filters given(call);
    const bool all = given.flag("all") == true;
    Json values;
    values["all"] = all;
    auto frame = site->frame("Silences", "alerts");
    if (!given.fault().empty())
        co_return co_await unlisted(site, std::move(frame), "silences", std::move(values), given.fault());
    auto listing = site->api->services.silences.silences(all);
    const auto found = co_await site->api->calls.wait_for(std::move(listing));
    const auto now = site->wall();
    values["silences"] = list_of(found, [&](const auto& row) { return silence_values(row, now); });
    co_return co_await reply_with(site, 200, std::move(frame), "silences", std::move(values));
}

}  // namespace

std::vector<api::Route> alert_view_routes(const SharedSite& site) {
    return {view(site, "/alerts", alerts_page), view(site, "/silences", silences_page)};
}

}  // namespace receiptd::page
