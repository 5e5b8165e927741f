#include "storage/sift.hpp"

#include "storage/notices.hpp"
#include "storage/sql_time.hpp"

#include <algorithm>

namespace receiptd::storage {
namespace {

constexpr std::chrono::seconds kNextTurn{5};  // of what waits for another message of its group

}  // namespace

void Sift::sort(const Deliveries& deliveries) {
    load();
    room_left_ =
        std::min<std::uint64_t>(room_.limit, storm::allowed_now(load_, settings_.most_per_second, now_));
    std::set<std::string> keys, rules;
    for (const auto* delivery : deliveries)
        if (is_grouped(*delivery)) {
            keys.insert(own_key(*delivery));
            keys.insert(storm::rest_key(delivery->about));
            rules.insert(storm::rules_key(delivery->about));
        }
    if (!keys.empty()) groups_ = lock_groups(tx_, room_.endpoint, keys);
    look_at_order(deliveries);
    if (settings_.most_groups_per_hour > 0 && !rules.empty())
        opened_ = groups_of_the_hour(tx_, room_.endpoint, rules);
    for (auto* delivery : deliveries) sort_one(*delivery);
    settle_groups();
    for (const auto* delivery : deliveries)
        if (delivery->is_sent && !delivery->is_decided && delivery->due.late && delivery->due.group_id == 0)
            fates_.send_late(*delivery);
    save();
}

std::optional<std::chrono::milliseconds> Sift::pause() const {
    const auto next = storm::next_allowed_at(load_, settings_.most_per_second, now_);
    if (next <= now_) return std::nullopt;
    return std::chrono::ceil<std::chrono::milliseconds>(next - now_);
}

// Locks the row of the endpoint, so that daemons that share it count one after the other.
void Sift::load() {
    if (!is_limited()) return;
    const auto row =
        shim::query(tx_,
                    "INSERT INTO endpoint_load AS l (endpoint) VALUES ($1) "
                    "ON CONFLICT (endpoint) DO UPDATE SET endpoint = l.endpoint RETURNING " +
                        microseconds_of("hour") + ", passed, withheld, " + microseconds_of("free_at"),
                    room_.endpoint)[0];
    load_ = {wall_time(row[0]), row[1].as<std::uint64_t>(), row[2].as<std::uint64_t>(), wall_time(row[3])};
    if (load_.hour != storm::hour_of(now_)) begin_hour();
}

void Sift::begin_hour() {
    if (load_.withheld > 0) queue_withheld(tx_, room_.endpoint, load_, settings_.most_per_hour, true);
    load_.hour = storm::hour_of(now_);
    load_.passed = load_.withheld = 0;
}

void Sift::save() {
    storm::take(load_, sent_, settings_.most_per_second, now_);
    if (!is_limited()) return;
    shim::query(tx_,
                "UPDATE endpoint_load SET hour = " + time_parameter(2) +
                    ", passed = $3, withheld = $4, free_at = " + time_parameter(5) + " WHERE endpoint = $1",
                room_.endpoint, microseconds(load_.hour), load_.passed, load_.withheld,
                microseconds(load_.free_at));
}

std::string Sift::own_key(const ClaimedDelivery& delivery) const {
    return storm::group_key(delivery.about, settings_.group, delivery.due.alert_id);
}

std::string Sift::key_of(const ClaimedDelivery& delivery) const {
    auto key = own_key(delivery);
    const bool is_known = groups_.contains(key) || opening_.contains(key);
    return is_known || !is_enough(delivery) ? key : storm::rest_key(delivery.about);
}

// Whether its rules have opened as many groups as they may.
bool Sift::is_enough(const ClaimedDelivery& delivery) const {
    if (settings_.group.empty() || settings_.most_groups_per_hour == 0) return false;
    const auto opened = opened_.find(storm::rules_key(delivery.about));
    return opened != opened_.end() && opened->second >= settings_.most_groups_per_hour;
}

// An alert of a condition is a group even where the endpoint has none: whoever is told of it hears of its
// end.
bool Sift::is_grouped(const ClaimedDelivery& delivery) const {
    return !delivery.is_decided && !delivery.about.is_of_transaction &&
           (!settings_.group.empty() || storm::tells_condition(delivery.about.kind));
}

// Asks for the messages that are in a group already.
void Sift::look_at_order(const Deliveries& deliveries) {
    std::vector<OfGroup> messages;
    for (const auto* delivery : deliveries)
        if (const auto& due = delivery->due; due.group_id != 0)
            messages.push_back({due.alert_id, due.kind, due.group_id});
    turns_ = turns_of(tx_, messages);
}

// True: it is not sent now.
bool Sift::keep_in_order(ClaimedDelivery& delivery) {
    const auto turn = turns_.find(delivery.due.alert_id);
    if (turn == turns_.end() || turn->second == storm::Turn::in_group) return false;
    if (turn->second == storm::Turn::alone) {
        delivery.due.group_name.clear();
        return false;
    }
    if (turn->second == storm::Turn::overtaken)
        fates_.overtake(delivery);
    else
        fates_.put_back(delivery, std::max(delivery.due_at, now_ + kNextTurn));
    return true;
}

void Sift::sort_one(ClaimedDelivery& delivery) {
    if (has_expired(delivery)) return fates_.expire(delivery);
    if (keep_in_order(delivery)) return;
    if (!delivery.is_decided)
        if (const auto* silence = storm::silence_of(silences_, delivery.about, now_))
            return fates_.silence(delivery, silence->id);
    if (!delivery.is_decided && keep_late(delivery)) return;
    const bool is_certain = delivery.is_decided || delivery.about.is_of_transaction;
    if (is_grouped(delivery)) {
        const auto key = key_of(delivery);
        if (groups_.contains(key)) return joining_[key].push_back(&delivery);
        if (const auto opening = opening_.find(key); opening != opening_.end())
            return opening->second.push_back(&delivery);
        if (waiting_.contains(key)) return fates_.put_back(delivery);
    }
    if (!is_certain && storm::left_in_hour(load_, settings_.most_per_hour) == 0) return withhold(delivery);
    if (room_left_ == 0) {
        if (is_grouped(delivery)) waiting_.insert(key_of(delivery));
        return fates_.put_back(delivery);
    }
    if (is_certain) return send(delivery);
    sort_new(delivery);
}

// Whatever was tried of it. What people send anew has its whole schedule again.
bool Sift::has_expired(const ClaimedDelivery& delivery) const {
    return settings_.expire_after.count() > 0 && !delivery.is_by_hand &&
           now_ - delivery.about.queued_at > settings_.expire_after;
}

// True: nobody wants it so late.
bool Sift::keep_late(ClaimedDelivery& delivery) {
    const auto& about = delivery.about;
    const bool is_late = settings_.late_after.count() > 0 && now_ - about.caused_at > settings_.late_after;
    if (is_late && delivery.withhold_late && !about.is_of_transaction) {
        fates_.keep_late(delivery);
        return true;
    }
    delivery.due.late = is_late;
    return false;
}

void Sift::send(ClaimedDelivery& delivery) {
    delivery.is_sent = true;
    --room_left_;
    ++sent_;
}

// The first of its group, or one that is in none.
void Sift::sort_new(ClaimedDelivery& delivery) {
    ++load_.passed;
    send(delivery);
    if (!is_grouped(delivery)) return;
    opening_[key_of(delivery)].push_back(&delivery);
    ++opened_[storm::rules_key(delivery.about)];
}

void Sift::withhold(ClaimedDelivery& delivery) {
    if (load_.withheld++ == 0) queue_withheld(tx_, room_.endpoint, load_, settings_.most_per_hour, false);
    fates_.withhold(delivery);
}

// A group that another process has opened just now has told its first one already.
void Sift::settle_groups() {
    std::map<std::string, Opening> openings;
    for (const auto& [key, deliveries] : opening_)
        openings[key] = {storm::rules_key(deliveries.front()->about), deliveries.front()->due.alert_id};
    open_groups(tx_, room_.endpoint, openings, groups_);
    for (auto& [key, deliveries] : opening_) {
        const auto& open = groups_.at(key);
        auto& first = *deliveries.front();
        if (open.is_new) {
            first.due.group_id = open.group_id;
            first.due.group_json = key;
            first.due.group_name = open.name;
            fates_.open_group(first, open.group_id);
        } else {
            first.is_sent = false;
            fates_.group(first, open.group_id);
            --load_.passed;
            --sent_;
        }
        for (std::size_t i = 1; i < deliveries.size(); ++i) fates_.group(*deliveries[i], open.group_id);
        join(key, deliveries, open.is_new);
    }
    for (auto& [key, deliveries] : joining_) {
        for (const auto* delivery : deliveries) fates_.group(*delivery, groups_.at(key).group_id);
        join(key, deliveries, false);
    }
}

void Sift::join(const std::string& key, const Deliveries& deliveries, bool is_first_told) {
    Joining joining;
    joining.members = deliveries.size();
    joining.told = is_first_told ? 1 : 0;
    for (std::size_t i = is_first_told ? 1 : 0; i < deliveries.size() && joining.ids.size() < kMostIdsTold;
         ++i)
        joining.ids.push_back(deliveries[i]->due.alert_id);
    for (const auto* delivery : deliveries) {
        joining.first_at = std::min(joining.first_at, delivery->about.caused_at);
        joining.last_at = std::max(joining.last_at, delivery->about.caused_at);
    }
    join_group(tx_, groups_.at(key), joining, settings_, now_);
}

}  // namespace receiptd::storage
