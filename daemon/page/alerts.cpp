#include "page/alerts.hpp"

#include "base/exact_json.hpp"
#include "base/line.hpp"
#include "page/lists.hpp"
#include "page/texts.hpp"

#include <string>
#include <utility>
#include <vector>

namespace receiptd::page {

namespace {

constexpr std::size_t kLongestAnswer = 300;

// "payments@3" by its name, and as it is.
Json rule_values(const std::vector<std::string>& rules) {
    Json values = Json::array();
    for (const auto& rule : rules) {
        const auto name = rule.substr(0, rule.find('@'));
        values.push_back({{"rule", rule}, {"query", url_encoded(name)}});
    }
    return values;
}

// A delivery that is not sent by itself has no attempt and no answer: its fate says why.
Json answer_of(const storage::DeliveryRow& row) {
    if (!row.last_error.empty()) return base::shortened(row.last_error, kLongestAnswer);
    if (row.last_status > 0) return "HTTP " + std::to_string(row.last_status);
    return nullptr;
}

Json fate_of(const storage::DeliveryRow& row) {
    if (row.dead_because == "expired") return "it waited too long";
    if (row.dead_because == "unserved") return "no daemon served the endpoint";
    if (row.dead_because == "gone") return "the endpoint answered 410";
    if (row.late && row.state != "late") return "late";
    return nullptr;
}

std::string member_text(const Json& value) {
    return value.is_string() ? value.get<std::string>() : base::write_json(value);
}

// {name, values: [{value}]} of each member of an object whose values are texts or lists of texts. Texts that
// are empty stand for values that are missing.
Json members_of(const std::string& json) {
    Json members = Json::array();
    const auto object = base::read_json(json);
    if (!object.is_object()) return members;
    for (const auto& [name, given] : object.items()) {
        Json values = Json::array();
        for (const auto& each : given.is_array() ? given : Json::array({given}))
            if (each != "") values.push_back({{"value", member_text(each)}});
        if (!values.empty()) members.push_back({{"name", name}, {"values", std::move(values)}});
    }
    return members;
}

}  // namespace

Json state_choices(std::string_view chosen) {
    auto list = choices({{"", "Every state"}}, chosen);
    for (const auto state : storage::kDeliveryStates)
        list.push_back(
            {{"value", state}, {"label", delivery_badge(state)["label"]}, {"chosen", state == chosen}});
    return list;
}

Json delivery_values(const storage::DeliveryRow& row, base::WallTime now) {
    Json values;
    values["id"] = row.alert_id;
    values["endpoint"] = row.endpoint;
    values["state"] = delivery_badge(row.state);
    values["fate"] = fate_of(row);
    values["kind"] = kind_badge(row.kind);
    values["tx"] = transaction_link(row.tx_hash);
    values["attempts"] = count_text(row.attempts);
    values["answer"] = answer_of(row);
    values["created"] = time_json(row.created_at, now);
    const auto next = time_of(row.next_attempt_at);
    values["is_due"] = next && *next <= now;
    values["next_attempt"] = next && *next > now ? time_json(row.next_attempt_at, now) : Json();
    values["delivered"] = time_json(row.delivered_at, now);
    values["rules"] = rule_values(row.rules);
    values["group"] = row.group_id == 0 ? Json() : Json(std::to_string(row.group_id));
    values["silence"] = row.silence_id == 0 ? Json() : Json(std::to_string(row.silence_id));
    return values;
}

Json alert_group_values(const storage::AlertGroup& group, base::WallTime now) {
    const bool is_over = !group.ended_at.empty();
    Json values;
    values["id"] = std::to_string(group.group_id);
    values["endpoint"] = group.endpoint;
    values["members"] = plural(group.members, "alert", "alerts");
    values["told"] = count_text(group.told);
    values["digests"] = plural(group.digests, "digest", "digests");
    values["common"] = members_of(group.key_json);
    values["first"] = time_json(group.first_at, now);
    values["last"] = time_json(group.last_at, now);
    values["ended"] = time_json(group.ended_at, now);
    values["tone"] = is_over ? "calm" : "odd";
    values["icon"] = icon_of(is_over ? "calm" : "odd");
    values["state"] = is_over ? "Over" : "Goes on";
    return values;
}

Json silence_values(const storage::SilenceRow& row, base::WallTime now) {
    const bool is_over = row.state == "over";
    Json values;
    values["id"] = std::to_string(row.silence_id);
    values["tone"] = row.state == "active" ? "odd" : is_over ? "calm" : "wait";
    values["icon"] = icon_of(values["tone"].get<std::string>());
    values["state"] = row.state == "active" ? "Active" : is_over ? "Over" : "Coming";
    values["matches"] = members_of(row.matcher_json);
    values["reason"] = row.reason;
    values["author"] = row.author;
    values["starts"] = time_json(row.starts_at, now);
    values["ends"] = time_json(row.ends_at, now);
    values["ended_by"] = row.ended_by.empty() ? Json() : Json(row.ended_by);
    values["may_end"] = !is_over;
    return values;
}

}  // namespace receiptd::page
