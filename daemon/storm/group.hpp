// The life of a group of alerts: the first one is sent at once, the others are counted in digests, until no
// more come.
#pragma once

#include "base/clock.hpp"
#include "storm/about.hpp"
#include "storm/settings.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::storm {

struct Group {
    std::uint64_t members = 0;
    std::uint64_t told = 0;  // of them: the first one, and those that a digest has counted
    unsigned digests = 0;
    base::WallTime told_at{};
    base::WallTime last_member_at{};
};

enum class Act : std::uint8_t { wait, digest, resolve };

struct Step {
    Act act = Act::wait;
    base::WallTime next{};  // after `wait`: when to look again
};

// Alerts of a group may tell of a condition, such as a transaction that is stuck: whether it holds for one
// of them. Such a group is over when it does not, however long ago the last alert joined.
enum class Condition : std::uint8_t { none, holds, over };

Step next_step(const Group& group, const Settings& settings, base::WallTime now,
               Condition condition = Condition::none);

// Whether people are told that the group is over.
bool is_end_told(const Group& group, const Settings& settings, Condition condition = Condition::none);

// Whether alerts of that kind tell of a condition.
bool tells_condition(std::string_view kind);
bool has_condition(std::string_view key);  // of a group

// A JSON array of the names of its rules.
std::string rules_key(const About& about);

// A JSON object of what the alerts of one group have in common: rules, contract_id, method_name, error_class;
// of those that tell of a condition also their kind, and without `parts` the id of the one alert. Names of
// methods and accounts that do not exist can be invented without end: they tell no groups apart.
std::string group_key(const About& about, const std::vector<KeyPart>& parts, std::string_view alert_id = {});

// The key of the one group of all that would open further groups, where their rules have opened enough.
std::string rest_key(const About& about);

}  // namespace receiptd::storm
