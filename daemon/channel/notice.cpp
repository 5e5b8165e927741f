#include "channel/notice.hpp"

#include "base/exact_json.hpp"
#include "base/line.hpp"
#include "base/visible.hpp"
#include "channel/text.hpp"

#include <initializer_list>
#include <set>
#include <string_view>

namespace receiptd::channel {

namespace {

constexpr std::string_view kFirstAlert = "first_alert";
constexpr std::size_t kLongestUnreadable = 8'192;  // of a body that is no message

// Text of a member; empty: it is missing, or something else.
std::string text_of(const Json& object, const char* name) {
    const auto found = object.find(name);
    return found == object.end() || !found->is_string() ? std::string() : found->get<std::string>();
}

std::string first_text(std::initializer_list<std::string> texts) {
    for (const auto& text : texts)
        if (!text.empty()) return text;
    return {};
}

std::string count_of(const Json& data, const char* name) {
    const auto found = data.find(name);
    return found == data.end() || !found->is_number_unsigned() ? "more" : base::write_json(*found);
}

Severity severity_of(const std::string& type, const Json& data) {
    if (type == "finding.stuck" || type == "transaction.corrected" || type == "endpoint.withheld")
        return Severity::warning;
    if (type.starts_with("finding.") || type.starts_with("rule.") || type == "group.digest" ||
        type == "daemon.stalled")
        return Severity::error;
    if (type == "transaction.judged")
        return text_of(data, "near_status") == "failure" ? Severity::error : Severity::info;
    return Severity::info;
}

// "contract_panic at app.near swap"
std::string subject_in_words(const Json& data) {
    std::string words;
    const std::pair<const char*, std::string_view> parts[] = {
        {"error_class", ""}, {"contract_id", " at "}, {"method_name", " "}};
    for (const auto& [name, before] : parts)
        if (const auto text = text_of(data, name); !text.empty())
            words += (words.empty() ? std::string() : std::string(before)) + text;
    return words;
}

// For bodies without a sentence of their own.
std::string summary_of(const std::string& type, const Json& data) {
    const auto subject = subject_in_words(data);
    const auto about = subject.empty() ? subject : ": " + subject;
    if (type == "group.digest")
        return count_of(data, "untold") + " more alerts, " + count_of(data, "count") + " in all" + about;
    if (type == "group.resolved") return "over after " + count_of(data, "count") + " alerts" + about;
    if (type == "endpoint.withheld")
        return count_of(data, "count") + " alerts were withheld: there were more than this endpoint takes";
    return type + about;
}

// Links that people can follow: without a public_url the API's and the page's are paths. A group has none but
// the API's.
std::vector<Link> links_of(const Json& data) {
    std::vector<Link> links;
    const auto given = data.find("links");
    if (given == data.end() || !given->is_object()) return links;
    for (const char* name : {"page", "explorer", "api"}) {
        if (std::string_view(name) == "api" && !links.empty()) continue;
        if (auto url = text_of(*given, name); url.starts_with("https://") || url.starts_with("http://"))
            links.push_back({name, std::move(url)});
    }
    return links;
}

// Without their versions, and in one order.
std::string rule_names(const Json& object) {
    std::set<std::string> names;
    const auto rules = object.find("rules");
    if (rules == object.end() || !rules->is_array()) return {};
    for (const auto& rule : *rules) {
        if (!rule.is_string()) continue;
        const auto& name = rule.get_ref<const std::string&>();  // "payments@3"
        names.insert(name.substr(0, name.find('@')));
    }
    std::string joined;
    for (const auto& name : names) joined += (joined.empty() ? "" : ",") + name;
    return joined;
}

std::vector<std::pair<std::string, std::string>> about(const Json& body, const Json& data) {
    std::vector<std::pair<std::string, std::string>> pairs;
    const auto add = [&](const char* name, const std::string& value) {
        if (!value.empty()) pairs.emplace_back(name, base::visible(value));
    };
    add("network", text_of(body, "network"));
    add("rules", first_text({rule_names(body), rule_names(data)}));
    for (const char* name : {"contract_id", "method_name", "error_class"}) add(name, text_of(data, name));
    return pairs;
}

Json shown(const Json& value, unsigned depth = 0) {
    constexpr unsigned kDeepest = 8;  // what an event holds may be deeper: it stands as JSON
    if (value.is_string()) return inert(base::visible(value.get_ref<const std::string&>()));
    if (!value.is_structured()) return value;
    if (depth == kDeepest) return inert(base::visible(base::write_json(value)));
    auto copy = value.is_array() ? Json::array() : Json::object();
    if (value.is_array())
        for (const auto& item : value) copy.push_back(shown(item, depth + 1));
    else
        for (const auto& [name, item] : value.items()) copy[name] = shown(item, depth + 1);
    return copy;
}

Json member(const Json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_object() ? *found : Json::object();
}

// A message about a group that tells of its first alert: with how many have joined since.
Json with_counts(Json told, const Json& data) {
    for (const char* name : {"count", "untold", "first_at", "last_at", "ended_at"})
        if (data.contains(name)) told[name] = data[name];
    return told;
}

Json values_of(const Notice& notice, const Json& body, const Json& data) {
    auto values = Json::object();
    for (const auto& [name, value] : body.items())
        if (name != "data" && name != kFirstAlert) values[name] = shown(value);
    for (const auto& [name, value] : data.items()) {
        // A contract may emit anything: it is shown as JSON.
        const bool is_free = name == "data" && value.is_structured();
        values[name] = shown(is_free ? Json(base::write_json(value)) : value);
    }
    if (text_of(values, "summary").empty()) values["summary"] = shown(summary_of(notice.type, data));
    values["id"] = base::visible(notice.id);
    values["type"] = notice.type;
    values["severity"] = severity_name(notice.severity);
    values["links"] = Json::object();
    for (const auto& [name, url] : notice.links) values["links"][name] = url;
    return values;
}

}  // namespace

const char* severity_name(Severity severity) {
    switch (severity) {
        case Severity::info: return "info";
        case Severity::warning: return "warning";
        case Severity::error: return "error";
    }
    return "error";
}

Notice read_notice(std::string id, const std::string& text) {
    auto body = base::read_json(text);
    if (!body.is_object())
        body = {{"type", "unreadable"}, {"data", {{"told", base::shortened(text, kLongestUnreadable)}}}};
    const auto data = member(body, "data");
    const auto first = member(body, kFirstAlert.data());
    const auto told = first.empty() ? data : with_counts(member(first, "data"), data);
    Notice notice;
    notice.id = std::move(id);
    notice.type = base::visible(first_text({text_of(body, "type"), "message"}));
    // The messages of an episode of a daemon are about one thing, too.
    const bool of_daemon = notice.type.starts_with("daemon.");
    const auto group = text_of(body, "group_name");
    notice.is_of_group = !group.empty();
    if (const auto common = body.find("group"); common != body.end() && common->is_object())
        notice.common = *common;
    notice.group = first_text({group, of_daemon ? text_of(data, "episode") : "", notice.id});
    notice.severity =
        first.empty() ? severity_of(notice.type, data) : severity_of(text_of(first, "type"), told);
    notice.is_over = notice.type == "group.resolved" || notice.type == "daemon.recovered";
    notice.starts_at = first_text(
        {text_of(data, "first_at"), of_daemon ? text_of(data, "since") : "", text_of(body, "timestamp")});
    if (notice.is_over) notice.ends_at = first_text({text_of(data, "ended_at"), text_of(body, "timestamp")});
    notice.links = links_of(told);
    notice.about = about(body, data);
    notice.values = values_of(notice, body, told);
    return notice;
}

}  // namespace receiptd::channel
