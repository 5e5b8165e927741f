#include "storm/order.hpp"

namespace receiptd::storm {

// Receivers that add up what messages count know a digest that was tried: it keeps what it counts. After the
// end, what people have resent is sent as an alert of no group.
Way way_of(const Outstanding& message, Act next, const Settings& settings) {
    const bool shows_until_end = settings.keeps_open || settings.repeats;
    const bool is_last = next == Act::resolve;
    const bool is_digest = message.part == Part::digest;
    if (message.is_under_way) return is_last || is_digest ? Way::awaited : Way::beside;
    if (is_digest && (shows_until_end || !message.was_tried)) return Way::overtaken;
    if (!is_last || message.is_by_hand) return Way::beside;
    return shows_until_end && message.is_group_told ? Way::overtaken : Way::awaited;
}

Turn turn_of(Part part, const Standing& group) {
    if (part == Part::end) return group.has_alerts ? Turn::later : Turn::in_group;
    if (!group.is_over) return Turn::in_group;
    if (part == Part::digest) return Turn::overtaken;
    return group.awaits_end ? Turn::in_group : Turn::alone;
}

}  // namespace receiptd::storm
