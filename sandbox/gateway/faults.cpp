#include "sandbox/gateway/faults.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace receiptd::sandbox {

namespace {

constexpr std::uint64_t kStaleBlocks = 3, kPrunedBlocks = 5, kFlappingRequests = 10, kLatencyMs = 500,
                        kClockSeconds = 1'200;

constexpr std::array<std::pair<std::string_view, Fault>, 14> kNames{{
    {"429", Fault::rate_limited},
    {"500", Fault::server_error},
    {"reset", Fault::reset},
    {"truncate", Fault::truncate},
    {"slow", Fault::slow},
    {"html", Fault::html},
    {"malformed", Fault::malformed},
    {"wrong", Fault::wrong},
    {"stale", Fault::stale},
    {"latency", Fault::latency},
    {"pruned", Fault::pruned},
    {"clock", Fault::clock},
    {"flapping", Fault::flapping},
    {"without_receipts", Fault::without_receipts},
}};

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

std::uint64_t or_default(std::uint64_t amount, std::uint64_t standard) {
    return amount > 0 ? amount : standard;
}

}  // namespace

std::string_view fault_name(Fault fault) {
    for (const auto& [name, each] : kNames) {
        if (each == fault) return name;
    }
    return "none";
}

Fault fault_named(std::string_view name) {
    for (const auto& [each, fault] : kNames) {
        if (each == name) return fault;
    }
    return Fault::none;
}

std::string fault_names() {
    std::string all;
    for (const auto& [name, fault] : kNames) all.append(all.empty() ? "" : ", ").append(name);
    return all;
}

bool is_meant(std::string_view label, std::string_view method) {
    if (method.empty()) return true;
    return method.front() == '/' ? label.starts_with(method) : label == method;
}

bool is_exclusive(Fault fault) {
    return fault != Fault::stale && fault != Fault::latency && fault != Fault::pruned &&
           fault != Fault::clock && fault != Fault::flapping && fault != Fault::without_receipts;
}

std::string check_shares(const FaultPlan& plan) {
    for (const auto& rule : plan) {
        double sum = 0;
        for (const auto& other : plan) {
            if (is_exclusive(other.fault) && is_meant(rule.method, other.method)) sum += other.share;
        }
        if (sum > 1.0 + 1e-9)
            return "the shares add up to more than 1" +
                   (rule.method.empty() ? "" : " for `" + rule.method + "`");
    }
    return "";
}

base::Result<FaultPlan, std::string> parse_fault_plan(std::string_view text) {
    FaultPlan plan;
    while (!text.empty()) {
        const std::string_view item = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), item.size() + 1));
        const auto colon = item.find(':');
        const Fault fault = fault_named(item.substr(0, colon));
        if (fault == Fault::none)
            return "unknown fault `" + std::string(item.substr(0, colon)) + "` (" + fault_names() + ")";
        const double share =
            colon == std::string_view::npos ? -1 : share_of(std::string(item.substr(colon + 1)));
        if (share < 0 || share > 1) return "`" + std::string(item) + "`: a share between 0 and 1 is expected";
        plan.push_back({fault, share});
    }
    if (auto problem = check_shares(plan); !problem.empty()) return problem;
    return plan;
}

void FaultDie::set(FaultPlan plan) {
    plan_ = std::move(plan);
    met_.assign(plan_.size(), 0);
}

Trouble FaultDie::roll(std::string_view label) {
    Trouble trouble;
    const bool any = std::any_of(plan_.begin(), plan_.end(), [&](const FaultShare& rule) {
        return is_exclusive(rule.fault) && is_meant(label, rule.method);
    });
    double at = any ? uniform() : 1;
    for (std::size_t i = 0; i < plan_.size(); ++i) {
        const FaultShare& rule = plan_[i];
        if (!is_meant(label, rule.method)) continue;
        if (!is_exclusive(rule.fault)) {
            if (rule.share >= 1 || uniform() < rule.share) add(trouble, i);
        } else if (at >= 0) {
            if (at < rule.share) {
                trouble.fault = rule.fault;
                trouble.amount = rule.amount;
                trouble.wrong = rule.wrong;
            }
            at -= rule.share;
        }
    }
    return trouble;
}

void FaultDie::add(Trouble& trouble, std::size_t index) {
    const auto& [fault, share, method, amount, wrong] = plan_[index];
    if (fault == Fault::stale) trouble.stale_blocks = or_default(amount, kStaleBlocks);
    if (fault == Fault::pruned) trouble.retention_blocks = or_default(amount, kPrunedBlocks);
    if (fault == Fault::without_receipts) {
        trouble.without_receipts = true;
        trouble.in_chunks = method == "chunk";
        trouble.keep_every = amount;
    }
    if (fault == Fault::latency)
        trouble.latency +=
            std::chrono::milliseconds(static_cast<std::int64_t>(or_default(amount, kLatencyMs)));
    if (fault == Fault::clock)
        trouble.clock_ahead =
            std::chrono::seconds(static_cast<std::int64_t>(or_default(amount, kClockSeconds)));
    if (fault == Fault::flapping && met_[index]++ / or_default(amount, kFlappingRequests) % 2 == 0)
        trouble.fault = Fault::reset;
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
