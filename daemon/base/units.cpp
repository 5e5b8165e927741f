#include "base/units.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace receiptd::base {

namespace {

using Milliseconds = std::chrono::milliseconds;

struct Unit {
    std::string_view name;
    std::uint64_t size;
};

constexpr std::array kTimeUnits = {Unit{"w", 604'800'000}, Unit{"d", 86'400'000}, Unit{"h", 3'600'000},
                                   Unit{"m", 60'000},      Unit{"s", 1'000},      Unit{"ms", 1}};
constexpr std::array kByteUnits = {
    Unit{"GiB", 1ull << 30}, Unit{"MiB", 1ull << 20}, Unit{"KiB", 1ull << 10}, Unit{"GB", 1'000'000'000},
    Unit{"MB", 1'000'000},   Unit{"kB", 1'000},       Unit{"KB", 1'000},       Unit{"B", 1}};

constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes "<digits><unit>" off the front of text, as a multiple of the smallest unit.
template <std::size_t N>
std::optional<std::uint64_t> take_amount(std::string_view& text, const std::array<Unit, N>& units) {
    std::uint64_t number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
    const auto letters = std::find_if(text.begin(), text.end(), is_digit) - text.begin();
    const auto name = text.substr(0, static_cast<std::size_t>(letters));
    text.remove_prefix(name.size());
    for (const auto& unit : units)
        if (unit.name == name) {
            if (number > kMost / unit.size) return std::nullopt;
            return number * unit.size;
        }
    return std::nullopt;
}

}  // namespace

std::optional<Milliseconds> parse_duration(std::string_view text) {
    if (text.empty()) return std::nullopt;
    std::uint64_t total = 0;
    while (!text.empty()) {
        const auto amount = take_amount(text, kTimeUnits);
        if (!amount || *amount > kMost - total) return std::nullopt;
        total += *amount;
    }
    return Milliseconds(static_cast<Milliseconds::rep>(total));
}

std::string format_duration(Milliseconds duration) {
    auto rest = static_cast<std::uint64_t>(std::max<Milliseconds::rep>(0, duration.count()));
    // The largest unit that leaves nothing over: 90 minutes are "90m", not "1h30m".
    for (const auto& unit : kTimeUnits)
        if (unit.name != "w" && rest >= unit.size && rest % unit.size == 0)
            return std::to_string(rest / unit.size) + std::string(unit.name);
    return "0s";
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
    if (!text.empty() && std::all_of(text.begin(), text.end(), is_digit)) {
        std::string with_unit(text);
        with_unit += 'B';
        return parse_bytes(with_unit);
    }
    const auto amount = take_amount(text, kByteUnits);
    return text.empty() ? amount : std::nullopt;
}

std::string format_bytes(std::uint64_t bytes) {
    for (const auto& unit : kByteUnits)
        if (unit.name.ends_with("iB") && bytes >= unit.size && bytes % unit.size == 0)
            return std::to_string(bytes / unit.size) + std::string(unit.name);
    return std::to_string(bytes) + "B";
}

}  // namespace receiptd::base
