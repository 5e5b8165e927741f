// How an endpoint is told: which of the services that it is, and what that service needs.
#pragma once

#include "base/secret.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace receiptd::channel {

enum class Kind { json, slack, pagerduty, alertmanager, discord, telegram, email };
// In the order of Kind.
inline constexpr std::string_view kKindNames[] = {"json",    "slack",    "pagerduty", "alertmanager",
                                                  "discord", "telegram", "email"};

struct Settings {
    Kind kind = Kind::json;
    // What alerts of a group have in common: "rule", "receiver", "method", "error_class"; empty: there are no
    // groups.
    std::vector<std::string> group;
    base::Secret routing_key;  // of PagerDuty
    base::Secret token;        // of Telegram's bot
    std::string chat_id;       // of Telegram
    std::string from;          // "local@domain", of e-mail
    std::vector<std::string> to;
    std::string user;  // of the mail server; empty: without a login
    base::Secret password;
    std::string title;  // Mustache; empty: kDefaultTitle
    std::string text;   // Mustache; empty: kDefaultText
};

}  // namespace receiptd::channel
