// Faults in the form of single values, as pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::config {

// Each returns the fault as the end of a sentence; nullopt: there is none.
std::optional<std::string> url_fault(std::string_view url);
std::optional<std::string> smtp_url_fault(std::string_view url);
std::optional<std::string> mailbox_fault(std::string_view address);
std::optional<std::string> listen_fault(std::string_view listen);
std::optional<std::string> host_fault(std::string_view host);  // as parsed URLs have it, without a port
std::optional<std::string> network_fault(std::string_view network);
// "Name: value", a line each; none that the daemon sets itself. The text holds no value.
std::optional<std::string> headers_fault(std::string_view lines);
// The secret is "whsec_" and base64 of 24 to 64 bytes (standardwebhooks.com); the text never holds any of it.
std::optional<std::string> webhook_secret_fault(std::string_view secret);
std::optional<std::string> database_url_fault(std::string_view url);

// Whether a part of the path or query looks like an API key, as providers put them there.
bool seems_to_hold_a_key(std::string_view url);

struct HeaderLine {
    std::string name, value;
};
// A line without a colon has an empty value; headers_fault() refuses it.
std::vector<HeaderLine> header_lines(std::string_view lines);

// For messages: "https://host:port" of a URL that url_fault() accepts, without path and query.
std::string url_host(std::string_view url);
std::uint16_t url_port(std::string_view url);
bool is_loopback_host(std::string_view host);

}  // namespace receiptd::config
