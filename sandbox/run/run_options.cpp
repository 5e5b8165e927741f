#include "sandbox/run/run_options.hpp"

#include <charconv>
#include <ctime>
#include <stdexcept>

namespace receiptd::sandbox {

namespace {

constexpr std::uint64_t kNanosec = 1'000'000'000;
// Block times are shown with nanoseconds in 64 bits; the chain may live for centuries from here.
constexpr std::uint64_t kLatest = 4'102'444'800 * kNanosec;  // 2100

std::optional<std::uint64_t> from_rfc3339(const std::string& text) {
    std::tm parts{};
    const char* end = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    if (end == nullptr || *end != '\0') return std::nullopt;
    const std::time_t seconds = ::timegm(&parts);
    if (seconds < 0) return std::nullopt;
    return static_cast<std::uint64_t>(seconds) * kNanosec;
}

std::optional<std::uint64_t> from_digits(const std::string& text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

}  // namespace

const sim::Protocol* find_protocol(std::uint32_t version) {
    const sim::Protocol* found = sim::find_protocol(version);
    if (found == nullptr) throw std::invalid_argument("--protocol-version must be " + sim::known_protocols());
    return found;
}

std::pair<std::uint64_t, const sim::Protocol*> parse_upgrade(const std::string& text) {
    const auto colon = text.find(':');
    const auto epoch = from_digits(text.substr(0, colon));
    const auto version = colon == std::string::npos ? std::nullopt : from_digits(text.substr(colon + 1));
    const auto* protocol = version && *version <= UINT32_MAX
                               ? sim::find_protocol(static_cast<std::uint32_t>(*version))
                               : nullptr;
    if (!epoch || protocol == nullptr)
        throw std::invalid_argument("--upgrade-at must be EPOCH:VERSION, with the version " +
                                    sim::known_protocols());
    return {*epoch, protocol};
}

std::pair<std::uint64_t, std::string> parse_split(const std::string& text) {
    const auto colon = text.find(':');
    const auto epoch = from_digits(text.substr(0, colon));
    if (!epoch || colon == std::string::npos)
        throw std::invalid_argument("--split-at must be EPOCH:ACCOUNT, not \"" + text + "\"");
    return {*epoch, text.substr(colon + 1)};
}

std::uint64_t parse_genesis_time(const std::string& text, std::uint64_t now_nanosec) {
    if (text == "now") return now_nanosec;
    auto time = from_digits(text);
    if (!time) time = from_rfc3339(text);
    if (!time || *time > kLatest)
        throw std::invalid_argument(
            "--genesis-time must be \"now\", a time such as 2026-01-01T00:00:00Z, or ns since 1970 (before "
            "2100), "
            "not \"" +
            text + "\"");
    return *time;
}

}  // namespace receiptd::sandbox
