#include "channel/encode.hpp"
#include "channel/text.hpp"

namespace receiptd::channel {

namespace {

constexpr std::size_t kLongestSummary = 1'024;
constexpr std::size_t kLongestKey = 255;
constexpr std::size_t kLongestDetails = 16'384;  // an event may have 512 KB

}  // namespace

Json pagerduty_event(const Notice& notice, const Words& words, const base::Secret& routing_key) {
    Json event;
    event["routing_key"] = routing_key.reveal();
    event["event_action"] = notice.is_over ? "resolve" : "trigger";
    event["dedup_key"] = fitted(notice.group, kLongestKey);
    event["client"] = "receiptd";
    auto& payload = event["payload"];
    payload["summary"] = fitted(words.title, kLongestSummary);
    payload["source"] = "receiptd";
    payload["severity"] = severity_name(notice.severity);
    if (!notice.starts_at.empty()) payload["timestamp"] = notice.starts_at;
    payload["class"] = notice.type;
    auto& details = payload["custom_details"];
    for (const auto& [name, value] : notice.about) {
        if (name == "network") payload["group"] = value;
        if (name == "contract_id") payload["component"] = value;
        details[name] = inert(value);
    }
    details["alert_id"] = notice.id;
    if (!words.text.empty()) details["text"] = fitted(words.text, kLongestDetails);
    for (const auto& link : notice.links) event["links"].push_back({{"href", link.url}, {"text", link.name}});
    return event;
}

}  // namespace receiptd::channel
