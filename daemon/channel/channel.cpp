#include "channel/channel.hpp"

#include "base/exact_json.hpp"
#include "channel/encode.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace receiptd::channel {

namespace {

// The part of the target behind the path of the endpoint's url.
std::string path_of_service(const Settings& settings) {
    switch (settings.kind) {
        case Kind::alertmanager: return "/api/v2/alerts";
        case Kind::telegram: return "/bot" + settings.token.reveal() + "/sendMessage";
        default: return {};
    }
}

Json encoded(const Settings& settings, const Notice& notice) {
    const auto words = fill(settings, notice);
    switch (settings.kind) {
        case Kind::json:
        case Kind::email: break;
        case Kind::slack: return slack_message(notice, words);
        case Kind::pagerduty: return pagerduty_event(notice, words, settings.routing_key);
        case Kind::alertmanager: return alertmanager_alerts(notice, words, settings.group);
        case Kind::discord: return discord_message(notice, words);
        case Kind::telegram: return telegram_message(notice, words, settings.chat_id);
    }
    throw std::logic_error("a channel without a message of its own");
}

}  // namespace

std::string_view default_url(Kind kind) {
    switch (kind) {
        case Kind::pagerduty: return "https://events.pagerduty.com/v2/enqueue";
        case Kind::telegram: return "https://api.telegram.org";
        default: return {};
    }
}

std::string target(const Settings& settings, std::string path_and_query) {
    const auto more = path_of_service(settings);
    if (more.empty()) return path_and_query;
    auto end = std::min(path_and_query.find('?'), path_and_query.size());
    while (end > 0 && path_and_query[end - 1] == '/') path_and_query.erase(--end, 1);
    return path_and_query.insert(end, more);
}

std::string body(const Settings& settings, const std::string& alert_id, std::string alert_body) {
    if (settings.kind == Kind::json) return alert_body;
    return base::write_json(encoded(settings, read_notice(alert_id, alert_body)));
}

// Telegram: ResponseParameters.
std::optional<std::chrono::seconds> asked_wait(Kind kind, const std::string& answer_body) {
    if (kind != Kind::telegram && kind != Kind::discord) return std::nullopt;
    const auto answer = base::read_json(answer_body);
    const Json::json_pointer place(kind == Kind::telegram ? "/parameters/retry_after" : "/retry_after");
    if (!answer.is_object() || !answer.contains(place)) return std::nullopt;
    const auto seconds = base::number_in(answer[place]);
    if (!seconds || !(*seconds >= 0)) return std::nullopt;
    constexpr double kMost = 366 * 24 * 3'600;
    return std::chrono::seconds(static_cast<std::int64_t>(std::ceil(std::min(*seconds, kMost))));
}

}  // namespace receiptd::channel
