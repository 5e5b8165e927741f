// A message as people are told of it: what the channels need of an alert's body. Pure.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <vector>

namespace receiptd::channel {

using Json = nlohmann::ordered_json;

enum class Severity { info, warning, error };
const char* severity_name(Severity severity);

struct Link {
    std::string name;  // "page", "explorer"
    std::string url;   // http or https
};

struct Notice {
    std::string id;            // of the alert
    std::string type;          // "finding.failed_receipt"
    std::string group;         // messages of one group are about one thing; else the id
    bool is_of_group = false;  // of alerts that storm control puts together
    Json common;               // what these have in common, an object; null: not told
    Severity severity = Severity::info;
    bool is_over = false;   // the group has ended
    std::string starts_at;  // RFC 3339; empty: not known
    std::string ends_at;    // of what is over
    std::vector<Link> links;
    // The members that tell its kind from others, by their names in the body: network, contract_id, …
    std::vector<std::pair<std::string, std::string>> about;
    // The members of the body and of its `data`, side by side, for templates. Their texts are visible
    // (base/visible.hpp), and addresses in them are broken so that nobody makes links of them; only those of
    // `links` are whole.
    Json values;
};

// `body` as alert/payload.hpp makes it; a message about a group may have the first alert in it, and then
// tells of that. Something else gives a notice that says so.
Notice read_notice(std::string id, const std::string& body);

}  // namespace receiptd::channel
