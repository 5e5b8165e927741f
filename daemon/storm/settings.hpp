// How much of a storm an endpoint is spared.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace receiptd::storm {

// A property that the alerts of one group have in common.
enum class KeyPart : std::uint8_t { rule, receiver, method, error_class };

struct Settings {
    std::vector<KeyPart> group;                  // empty: each alert is sent by itself
    std::chrono::milliseconds digest_after{0};   // the first wait; later ones are longer
    std::chrono::milliseconds resolve_after{0};  // without a further alert
    bool keeps_open = false;  // its channel shows an alert until it is told that it is over (PagerDuty)
    bool repeats = false;     // its channel forgets what it is not told again (Alertmanager)
    unsigned most_groups_per_hour = 0;          // that the same rules open; 0: any number
    unsigned most_per_hour = 0;                 // 0: any number
    double most_per_second = 0;                 // 0: any number
    std::chrono::milliseconds late_after{0};    // 0: nothing is late
    std::chrono::milliseconds expire_after{0};  // 0: nothing expires
};

}  // namespace receiptd::storm
