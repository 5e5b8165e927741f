#include "channel/encode.hpp"
#include "channel/text.hpp"

namespace receiptd::channel {

namespace {

constexpr std::size_t kLongestAnnotation = 16'384;

}  // namespace

Json alertmanager_alerts(const Notice& notice, const Words& words) {
    Json alert;
    auto& labels = alert["labels"];
    labels["alertname"] = "receiptd";
    for (const auto& [name, value] : notice.about)
        if (name == "rules")
            labels["alertname"] = value;
        else
            labels[name] = value;
    labels["group"] = notice.group;
    auto& annotations = alert["annotations"];
    annotations["summary"] = fitted(words.title, kLongestAnnotation);
    if (!words.text.empty()) annotations["description"] = fitted(words.text, kLongestAnnotation);
    annotations["severity"] = severity_name(notice.severity);
    for (const auto& link : notice.links) annotations[link.name] = link.url;
    if (!notice.starts_at.empty()) alert["startsAt"] = notice.starts_at;
    if (notice.is_over) alert["endsAt"] = notice.ends_at;
    if (!notice.links.empty()) alert["generatorURL"] = notice.links.front().url;
    return Json::array({std::move(alert)});
}

}  // namespace receiptd::channel
