// Makes what is posted to an endpoint, from the body of an alert as it is stored. Pure.
//
// For channels that people read, text of the chain stays text: it makes no markup, no mention and no link,
// and is cut to what the service takes.
#pragma once

#include "channel/settings.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace receiptd::channel {

// Where the service is if the endpoint has no url; empty: it needs one.
std::string_view default_url(Kind kind);

// Path and query of a request to an endpoint whose url has `path_and_query`. It may hold a secret.
std::string target(const Settings& settings, std::string path_and_query);

// The JSON that is posted; not of Kind::email (channel/mail.hpp). `alert_body` is JSON as alert/payload.hpp
// makes it, and Kind::json gets just that. The answer may hold a secret.
std::string body(const Settings& settings, const std::string& alert_id, std::string alert_body);

// How long a service asks to be left alone in the body of its answer, where others have a header for it.
std::optional<std::chrono::seconds> asked_wait(Kind kind, const std::string& answer_body);

}  // namespace receiptd::channel
