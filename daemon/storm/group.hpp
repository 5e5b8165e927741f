// The life of a group of alerts: the first one is sent at once, the others are counted in digests, until no
// more come.
#pragma once

#include "base/clock.hpp"
#include "storm/about.hpp"
#include "storm/settings.hpp"

#include <cstdint>
#include <string>
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

// `lasts`: what its alerts are about is still so; then it does not end.
Step next_step(const Group& group, const Settings& settings, base::WallTime now, bool lasts = false);

// Whether people are told that the group is over.
bool is_end_told(const Group& group, const Settings& settings);

// A JSON object of what the alerts of one group have in common: rules, contract_id, method_name, error_class.
std::string group_key(const About& about, const std::vector<KeyPart>& parts);

}  // namespace receiptd::storm
