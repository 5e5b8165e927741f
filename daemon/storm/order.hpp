// Which messages of a group may still be sent. A service that shows an alert until it hears the end must not
// hear of the alert after the end. Pure.
#pragma once

#include "storm/group.hpp"
#include "storm/settings.hpp"

#include <cstdint>

namespace receiptd::storm {

enum class Part : std::uint8_t { alert, digest, end };

// A message of a group that is neither delivered nor given up.
struct Outstanding {
    Part part = Part::alert;
    bool is_under_way = false;   // the answer to its attempt is not known yet
    bool was_tried = false;      // the endpoint may have had it
    bool is_by_hand = false;     // people have resent it
    bool is_group_told = false;  // the endpoint has taken a digest of the group
};

enum class Way : std::uint8_t {
    beside,     // it keeps its place in the queue
    awaited,    // the next message comes when this one is delivered or given up
    overtaken,  // it is dropped; the next message counts what it would have counted
};

// The fate of a message before the group's next one is queued. `next`: Act::digest or Act::resolve.
Way way_of(const Outstanding& message, Act next, const Settings& settings);

// A group whose messages are about to be sent.
struct Standing {
    bool is_over = false;
    bool awaits_end = false;  // its end is in the queue: neither taken yet nor under way
    bool has_alerts = false;  // alerts of it are in the queue
};

enum class Turn : std::uint8_t {
    in_group,   // it is sent as a message of its group
    alone,      // its group is over: it is sent as an alert of no group
    overtaken,  // its group is over: it is not sent
    later,      // alerts of the group come first
};
Turn turn_of(Part part, const Standing& group);

}  // namespace receiptd::storm
