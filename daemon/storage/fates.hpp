// Writes what becomes of claimed deliveries, all together.
#pragma once

#include "storage/claim.hpp"
#include "storage/pqxx_shim.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::storage {

class Fates {
public:
    void silence(const ClaimedDelivery& delivery, std::int64_t silence_id) {
        keep(delivery, "silenced").silence_id = silence_id;
    }
    void group(const ClaimedDelivery& delivery, std::int64_t group_id) {
        keep(delivery, "grouped").group_id = group_id;
    }
    void withhold(const ClaimedDelivery& delivery) { keep(delivery, "withheld"); }
    void keep_late(const ClaimedDelivery& delivery) { keep(delivery, "late").is_late = true; }
    void overtake(const ClaimedDelivery& delivery) { keep(delivery, "overtaken"); }
    void expire(const ClaimedDelivery& delivery) { keep(delivery, "dead").dead_because = "expired"; }
    // The first of a group: it is sent.
    void open_group(const ClaimedDelivery& delivery, std::int64_t group_id) {
        hold(delivery).group_id = group_id;
    }
    void send_late(const ClaimedDelivery& delivery) { hold(delivery); }
    // It is due as before. What an earlier claim may have sent still says so.
    void put_back(const ClaimedDelivery& delivery) {
        put_back(delivery, delivery.due_at);
        fates_.back().is_owned = delivery.was_claimed;
    }
    // It is due then, and no process holds it.
    void put_back(const ClaimedDelivery& delivery, base::WallTime due_at) {
        fates_.push_back({delivery.due.alert_id, delivery.due.endpoint, "pending"});
        fates_.back().due_at = due_at;
    }

    void write(pqxx::transaction_base& tx) const;
    std::vector<NotSent> counts() const;

private:
    struct Fate {
        std::string alert_id, endpoint, state;
        std::int64_t silence_id = 0;
        std::int64_t group_id = 0;
        std::string dead_because = {};
        base::WallTime due_at{};
        bool is_held = false;   // by the claim
        bool is_owned = false;  // its lease has an owner and is over
        bool is_late = false;
    };
    Fate& hold(const ClaimedDelivery& delivery) {
        fates_.push_back({delivery.due.alert_id, delivery.due.endpoint, "pending"});
        fates_.back().is_held = true;
        fates_.back().is_late = delivery.due.late;
        return fates_.back();
    }
    Fate& keep(const ClaimedDelivery& delivery, const char* state) {
        ++counts_[{delivery.due.endpoint, state}];
        fates_.push_back({delivery.due.alert_id, delivery.due.endpoint, state});
        return fates_.back();
    }

    std::vector<Fate> fates_;
    std::map<std::pair<std::string, std::string>, unsigned> counts_;
};

}  // namespace receiptd::storage
