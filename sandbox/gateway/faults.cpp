#include "sandbox/gateway/faults.hpp"

#include <array>
#include <cmath>

namespace receiptd::sandbox {

namespace {

constexpr std::array<std::pair<std::string_view, Fault>, 8> kNames{{
    {"429", Fault::rate_limited},
    {"500", Fault::server_error},
    {"reset", Fault::reset},
    {"truncate", Fault::truncate},
    {"slow", Fault::slow},
    {"html", Fault::html},
    {"malformed", Fault::malformed},
    {"stale", Fault::stale},
}};

Fault fault_named(std::string_view name) {
    for (const auto& [each, fault] : kNames) {
        if (each == name) return fault;
    }
    return Fault::none;
}

// -1 for anything but a number.
double share_of(const std::string& text) {
    try {
        std::size_t used = 0;
        const double share = std::stod(text, &used);
        return used == text.size() && std::isfinite(share) ? share : -1;
    } catch (const std::exception&) {
        return -1;
    }
}

}  // namespace

base::Result<FaultPlan, std::string> parse_fault_plan(std::string_view text) {
    FaultPlan plan;
    double sum = 0;
    while (!text.empty()) {
        const std::string_view item = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), item.size() + 1));
        const auto colon = item.find(':');
        const Fault fault = fault_named(item.substr(0, colon));
        if (fault == Fault::none)
            return "unknown fault `" + std::string(item.substr(0, colon)) +
                   "` (429, 500, reset, truncate, slow, html, malformed, stale)";
        const double share =
            colon == std::string_view::npos ? -1 : share_of(std::string(item.substr(colon + 1)));
        if (share < 0 || share > 1) return "`" + std::string(item) + "`: a share between 0 and 1 is expected";
        sum += share;
        plan.push_back({fault, share});
    }
    if (sum > 1.0 + 1e-9) return std::string("the shares add up to more than 1");
    return plan;
}

Fault FaultDie::roll() {
    if (plan_.empty()) return Fault::none;
    double at = uniform();
    for (const auto& [fault, share] : plan_) {
        if (at < share) return fault;
        at -= share;
    }
    return Fault::none;
}

// SplitMix64: the standard library's distributions differ between implementations.
double FaultDie::uniform() {
    state_ += 0x9e3779b97f4a7c15ull;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ull;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebull;
    mixed ^= mixed >> 31;
    return static_cast<double>(mixed >> 11) * 0x1.0p-53;
}

}  // namespace receiptd::sandbox
