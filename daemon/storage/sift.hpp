// Sorts the claimed deliveries of one endpoint: which are sent now, which wait, and which are silenced,
// grouped, withheld or too old.
#pragma once

#include "storage/claim.hpp"
#include "storage/fates.hpp"
#include "storage/group_order.hpp"
#include "storage/groups.hpp"
#include "storm/limits.hpp"
#include "storm/silence.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace receiptd::storage {

class Sift {
public:
    // `now`: of the transaction. All of it outlives the sift.
    Sift(pqxx::transaction_base& tx, const EndpointRoom& room, base::WallTime now,
         const std::vector<storm::Silence>& silences, Fates& fates)
        : tx_(tx), room_(room), settings_(room.storm), now_(now), silences_(silences), fates_(fates) {}

    // In the order in which they are due; marks those to be sent.
    void sort(const std::vector<ClaimedDelivery*>& deliveries);
    // How long the endpoint's pace lets nothing more go; nullopt: it does.
    std::optional<std::chrono::milliseconds> pause() const;

private:
    using Deliveries = std::vector<ClaimedDelivery*>;

    bool is_limited() const { return settings_.most_per_hour > 0 || settings_.most_per_second > 0; }
    void load();
    void begin_hour();
    void save();
    bool is_grouped(const ClaimedDelivery& delivery) const;
    // The key of the group that it joins or opens.
    std::string key_of(const ClaimedDelivery& delivery) const;
    std::string own_key(const ClaimedDelivery& delivery) const;
    bool is_enough(const ClaimedDelivery& delivery) const;
    void look_at_order(const std::vector<ClaimedDelivery*>& deliveries);
    bool keep_in_order(ClaimedDelivery& delivery);
    void sort_one(ClaimedDelivery& delivery);
    bool has_expired(const ClaimedDelivery& delivery) const;
    bool keep_late(ClaimedDelivery& delivery);
    void send(ClaimedDelivery& delivery);
    void sort_new(ClaimedDelivery& delivery);
    void withhold(ClaimedDelivery& delivery);
    void join(const std::string& key, const Deliveries& deliveries, bool is_first_told);
    void settle_groups();

    pqxx::transaction_base& tx_;
    const EndpointRoom& room_;
    const storm::Settings& settings_;
    base::WallTime now_;
    const std::vector<storm::Silence>& silences_;
    Fates& fates_;

    storm::Load load_;
    std::uint64_t room_left_ = 0;
    std::uint64_t sent_ = 0;
    OpenGroups groups_;
    std::map<std::string, Deliveries> joining_;    // by key; of groups that are open
    std::map<std::string, Deliveries> opening_;    // by key; the first one opens the group
    std::map<std::string, storm::Turn> turns_;     // by alert_id; of messages that are in a group
    std::set<std::string> waiting_;                // keys whose first alert must wait
    std::map<std::string, std::uint64_t> opened_;  // groups of the last hour, by their rules
};

}  // namespace receiptd::storage
