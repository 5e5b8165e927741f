// A rule as its author wrote it (docs/rules.md), read and checked.
#pragma once

#include "base/result.hpp"
#include "rule/words.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::rule {

struct Fault {
    std::string path;  // "rule.any[1].where[0].at_least"
    std::string text;  // a sentence without its subject: "must be ..."
    friend bool operator==(const Fault&, const Fault&) = default;
};

// "No success for so long": fewer than `at_least` subjects of kind absence matched within `within`.
struct Absence {
    std::uint64_t at_least = 1;
    std::chrono::milliseconds within{0};
};

// "Too slow for so long": the percentile of what matching subjects of kind latency took within `window` is
// above `over`.
struct Latency {
    double percentile = 95;
    std::chrono::milliseconds over{0};
    std::chrono::milliseconds window{0};
};

struct Condition;  // rule/condition.hpp

struct Definition {
    std::string name;
    std::string json;  // canonical: keys sorted, no spaces; equal rules have equal texts
    Kinds kinds = 0;
    std::vector<std::string> lists;              // named by its conditions
    bool withholds_late = false;                 // its late alerts are not sent
    std::shared_ptr<const Condition> condition;  // what it asks of a subject of its kinds; never null
    // Timed rules have one of these, and one kind; their condition says which subjects count.
    std::shared_ptr<const Absence> absence;
    std::shared_ptr<const Latency> latency;

    bool is_timed() const { return absence || latency; }
};

inline constexpr std::size_t kMostRules = 10'000;
inline constexpr std::size_t kMostTimedRules = 1'000;
inline constexpr std::size_t kLongestRule = 64 * 1024;  // bytes of JSON
inline constexpr std::size_t kMostConditions = 100;     // of a rule
inline constexpr std::size_t kDeepest = 8;              // any, all and not within one another

// From a JSON object with the keys of a [[rule]]. At least one fault where it is refused.
base::Result<Definition, std::vector<Fault>> parse(std::string_view json);

// The rule of an endpoint that names none: findings that are neither handled nor expected. Its name is
// reserved.
inline constexpr std::string_view kDefaultName = "default";
const Definition& default_definition();

}  // namespace receiptd::rule
