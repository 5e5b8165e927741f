// How an endpoint is told: which of the services that it is, and what that service needs.
#pragma once

#include "base/secret.hpp"

#include <string>
#include <string_view>

namespace receiptd::channel {

enum class Kind { json, slack, pagerduty, alertmanager, discord, telegram };
// In the order of Kind.
inline constexpr std::string_view kKindNames[] = {"json",         "slack",   "pagerduty",
                                                  "alertmanager", "discord", "telegram"};

struct Settings {
    Kind kind = Kind::json;
    base::Secret routing_key;  // of PagerDuty
    base::Secret token;        // of Telegram's bot
    std::string chat_id;       // of Telegram
    std::string title;         // Mustache; empty: kDefaultTitle
    std::string text;          // Mustache; empty: kDefaultText
};

}  // namespace receiptd::channel
