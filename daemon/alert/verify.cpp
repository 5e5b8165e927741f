#include "alert/verify.hpp"

#include "net/fields.hpp"

#include <sodium/utils.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <sstream>
#include <string_view>

namespace receiptd::alert {

namespace {

constexpr std::string_view kVersion = "v1,";

std::string missing(const std::vector<net::Header>& headers) {
    std::string names;
    for (const std::string_view name : {"webhook-id", "webhook-timestamp", "webhook-signature"})
        if (net::find_header(headers, name).empty()) names.append(names.empty() ? "" : ", ").append(name);
    return names;
}

std::optional<std::int64_t> seconds_of(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
    return value;
}

// Empty: it is recent.
std::string out_of_time(std::int64_t timestamp, base::WallTime now) {
    const auto age = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count() - timestamp;
    const auto most = std::chrono::seconds(kOldestMessage).count();
    if (age <= most && age >= -most) return {};
    return "webhook-timestamp is " + std::to_string(age < 0 ? -age : age) + " seconds " +
           (age < 0 ? "ahead of this clock" : "old") + "; " + std::to_string(most) + " are the most";
}

// A signature is found in the same time, wherever it differs.
bool has_signature(std::string_view header, const std::string& expected) {
    std::istringstream all{std::string(header)};
    bool found = false;
    for (std::string one; all >> one;)
        found |=
            one.size() == expected.size() && sodium_memcmp(one.data(), expected.data(), expected.size()) == 0;
    return found;
}

std::string no_match(const Signer& signer, std::string_view id, std::int64_t timestamp,
                     std::string_view signatures, std::string_view body) {
    if (signatures.find(kVersion) == std::string_view::npos)
        return "webhook-signature has no signature of version 1: v1, and base64";
    constexpr unsigned kMostCut = 4;  // each costs a signature of the whole body
    for (unsigned cut = 0; cut < kMostCut && (body.ends_with('\n') || body.ends_with('\r')); ++cut) {
        body.remove_suffix(1);
        if (has_signature(signatures, signer.sign(id, timestamp, body)))
            return "no signature matches this body, but one matches without the line break at its end";
    }
    return "no signature matches: the secret is another one, or the body is not byte for byte what was sent";
}

}  // namespace

base::Result<Verified, Unverified> verify(const Signer& signer, const std::vector<net::Header>& headers,
                                          const std::string& body, std::optional<base::WallTime> now) {
    if (const auto names = missing(headers); !names.empty()) return Unverified{"missing header: " + names};
    const auto id = net::find_header(headers, "webhook-id");
    const auto signatures = net::find_header(headers, "webhook-signature");
    const auto timestamp = seconds_of(net::find_header(headers, "webhook-timestamp"));
    if (!timestamp) return Unverified{"webhook-timestamp is not a number of seconds since 1970"};
    if (now)
        if (auto fault = out_of_time(*timestamp, *now); !fault.empty()) return Unverified{std::move(fault)};
    if (!has_signature(signatures, signer.sign(id, *timestamp, body)))
        return Unverified{no_match(signer, id, *timestamp, signatures, body)};
    const auto message = nlohmann::json::parse(body, nullptr, false);
    if (!message.is_object() || !message.contains("type") || !message["type"].is_string())
        return Unverified{
            "the signature is right, but the body is not a message of receiptd: it has no type"};
    return Verified{message["type"].get<std::string>()};
}

}  // namespace receiptd::alert
