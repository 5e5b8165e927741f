// Bodies of alerts as alert/payload.hpp makes them, for the tests of channels.
#pragma once

#include "channel/notice.hpp"

#include <string>

namespace receiptd::channel::testing {

// Everything at once that some service could take for more than text.
inline const std::string kHostile =
    "@everyone <!channel> <@U123> [x](http://evil.example) https://evil.example/a www.evil.example <a "
    "href='x'>y</a> "
    "*bold* _it_ ~s~ `code` ```\n# head ||spoiler|| :tada: /start #tag {{> error_text}} {{#data}} \r\nBcc: "
    "a@evil.example "
    "\u202Etxt";

inline Json finding(const std::string& error_text) {
    return Json{{"type", "finding.failed_receipt"},
                {"timestamp", "2026-03-01T12:00:00.123456Z"},
                {"schema_version", 1},
                {"network", "mainnet"},
                {"data",
                 {{"summary", "on_transfer of app.near failed: contract_panic: " + error_text},
                  {"tx_hash", "F8X"},
                  {"user_id", "alice.near"},
                  {"verdict", nullptr},
                  {"failing_branch", {"initial alice.near: succeeded", "callback app.near: failed"}},
                  {"contract_id", "app.near"},
                  {"method_name", "on_transfer"},
                  {"error_class", "contract_panic"},
                  {"error_text", error_text},
                  {"block_height", 103},
                  {"links",
                   {{"api", "https://receiptd.example.org/v1/transactions/F8X"},
                    {"page", "https://receiptd.example.org/tx/F8X"},
                    {"explorer", "https://explorer.example.org/txns/F8X"}}}}},
                {"rules", {"on-call@2", "ops@1"}}};
}

// The body of a message about a group of alerts: "group.digest", "group.resolved".
inline Json group(const std::string& type) {
    return Json{{"type", type},
                {"timestamp", "2026-03-01T13:00:00Z"},
                {"network", "mainnet"},
                {"data",
                 {{"group_id", 17},
                  {"rules", {"on-call"}},
                  {"contract_id", "app.near"},
                  {"method_name", "on_transfer"},
                  {"error_class", "contract_panic"},
                  {"count", 5000},
                  {"untold", 4999},
                  {"first_at", "2026-03-01T12:00:00Z"},
                  {"last_at", "2026-03-01T12:50:00Z"},
                  {"ended_at", type == "group.resolved" ? Json("2026-03-01T13:00:00Z") : Json()},
                  {"alert_ids", {"failed_receipt:r1", "failed_receipt:r2"}}}},
                {"rules", {"on-call@2"}},
                {"group_id", 17},
                {"group_name", "group-17"}};
}

// 64 kB.
inline std::string emoji() {
    std::string text;
    while (text.size() < 65'536) text += "🔥";
    return text;
}

}  // namespace receiptd::channel::testing
