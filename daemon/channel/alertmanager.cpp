#include "channel/encode.hpp"
#include "channel/text.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace receiptd::channel {

namespace {

constexpr std::size_t kLongestAnnotation = 16'384;

// The label of each thing that alerts of a group may have in common, by its name in the configuration.
constexpr std::pair<std::string_view, std::string_view> kGroupLabels[] = {{"rule", "rules"},
                                                                          {"receiver", "contract_id"},
                                                                          {"method", "method_name"},
                                                                          {"error_class", "error_class"}};

// Alertmanager knows an alert by its labels: all messages of a group must have the same. A group has what its
// alerts have in common, and no more.
bool is_label(std::string_view name, const Notice& notice, const std::vector<std::string>& group) {
    if (!notice.is_of_group) return true;
    for (const auto& [part, label] : kGroupLabels)
        if (name == label)
            return notice.common.is_null() ? std::find(group.begin(), group.end(), part) != group.end()
                                           : notice.common.contains(label);
    return true;
}

// Receivers of Alertmanager put labels and annotations into messages of all kinds: what services take for
// mentions or markup is text of the chain, or nobody's.
std::string without_markup(std::string_view character) {
    if (character == "<") return "‹";
    if (character == ">") return "›";
    return std::string(character);
}

std::string harmless(const std::string& text) {
    return fitted(without_calls(text), kLongestAnnotation, without_markup);
}

}  // namespace

Json alertmanager_alerts(const Notice& notice, const Words& words, const std::vector<std::string>& group) {
    Json alert;
    auto& labels = alert["labels"];
    labels["alertname"] = "receiptd";
    for (const auto& [name, value] : notice.about)
        if (is_label(name, notice, group))
            labels[name == "rules" ? "alertname" : name] = harmless(inert(value));
    labels["group"] = notice.group;
    auto& annotations = alert["annotations"];
    annotations["summary"] = harmless(words.title);
    if (!words.text.empty()) annotations["description"] = harmless(words.text);
    annotations["severity"] = severity_name(notice.severity);
    for (const auto& link : notice.links) annotations[link.name] = link.url;
    if (!notice.starts_at.empty()) alert["startsAt"] = notice.starts_at;
    if (notice.is_over) alert["endsAt"] = notice.ends_at;
    if (!notice.links.empty()) alert["generatorURL"] = notice.links.front().url;
    return Json::array({std::move(alert)});
}

}  // namespace receiptd::channel
