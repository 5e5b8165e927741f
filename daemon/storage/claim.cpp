#include "storage/claim.hpp"

#include "rule/messages.hpp"
#include "storage/sql_time.hpp"

#include <map>
#include <utility>

namespace receiptd::storage {
namespace {

// next_attempt_at is the lease while an attempt is under way: nobody finds the row due before it has run out.
const std::string kClaim =
    "WITH due AS MATERIALIZED (SELECT one.* "
    "  FROM unnest($1::text[], $2::int[], $5::boolean[]) AS room (endpoint, most, ordered) "
    "  CROSS JOIN LATERAL (SELECT d.alert_id, d.endpoint, d.next_attempt_at AS due_at, "
    "      d.lease_owner IS NOT NULL AS was_claimed FROM deliveries d "
    "    WHERE d.endpoint = room.endpoint AND d.state = 'pending' AND d.next_attempt_at <= now() "
    "      AND (NOT room.ordered OR NOT EXISTS (SELECT FROM alerts a JOIN alerts earlier USING (tx_hash) "
    "        JOIN deliveries e ON e.alert_id = earlier.alert_id AND e.endpoint = d.endpoint "
    "        WHERE a.alert_id = d.alert_id AND e.state = 'pending' "
    "          AND coalesce(earlier.place, 0) < coalesce(a.place, 0))) "
    "    ORDER BY d.next_attempt_at LIMIT room.most FOR UPDATE SKIP LOCKED) one "
    "  WHERE NOT EXISTS (SELECT FROM endpoints e WHERE e.name = room.endpoint AND NOT e.active)), "
    "claimed AS (UPDATE deliveries d SET lease_owner = $3::uuid, "
    "    next_attempt_at = now() + $4::bigint * interval '1 second' "
    "  FROM due WHERE d.alert_id = due.alert_id AND d.endpoint = due.endpoint "
    "  RETURNING d.alert_id, d.endpoint, d.attempts, d.last_status IS NOT NULL OR d.last_error IS NOT NULL "
    "    AS tried, d.rules, d.by_hand, d.created_at, due.due_at, due.was_claimed) "
    "SELECT c.alert_id, c.endpoint, a.kind, coalesce(a.tx_hash, ''), coalesce(a.payload, ''), c.attempts, "
    "c.tried, " +
    microseconds_of("a.created_at") +
    ", finding_of(a), c.rules, coalesce(a.cause::text, ''), "
    "c.by_hand OR c.tried OR c.attempts > 0 OR c.was_claimed, coalesce(a.contract_id, ''), "
    "coalesce(a.method_name, ''), coalesce(a.error_class, ''), coalesce(a.signer_id, ''), "
    "coalesce(a.user_id, ''), coalesce(a.account_id, ''), " +
    microseconds_of("coalesce(a.caused_at, a.created_at)") + ", " + microseconds_of("c.created_at") +
    ", (SELECT silences FROM alert_rule_state), " + microseconds_of("now()") +
    " FROM claimed c JOIN alerts a USING (alert_id) ORDER BY c.due_at, c.alert_id";

DueDelivery due_of(const pqxx::row& row) {
    DueDelivery due;
    due.alert_id = row[0].as<std::string>();
    due.endpoint = row[1].as<std::string>();
    due.kind = row[2].as<std::string>();
    due.tx_hash = row[3].as<std::string>();
    due.payload = row[4].as<std::string>();
    due.attempts = row[5].as<unsigned>();
    due.tried = row[6].as<bool>();
    due.created_at = wall_time(row[7]);
    due.finding_id = row[8].as<std::string>();
    due.rules = ids_of(row[9]);
    due.told_json = row[10].as<std::string>();
    return due;
}

storm::About about_of(const DueDelivery& due, const pqxx::row& row) {
    storm::About about;
    about.endpoint = due.endpoint;
    about.kind = due.kind;
    about.is_of_transaction = rule::type_of(due.kind).starts_with("transaction.");
    for (const auto& rule : due.rules) about.rules.push_back(rule.substr(0, rule.find('@')));
    about.contract_id = row[12].as<std::string>();
    about.method_name = row[13].as<std::string>();
    about.error_class = row[14].as<std::string>();
    about.signer_id = row[15].as<std::string>();
    about.user_id = row[16].as<std::string>();
    about.account_id = row[17].as<std::string>();
    about.caused_at = wall_time(row[18]);
    about.queued_at = wall_time(row[19]);
    return about;
}

// What becomes of those that are not attempted.
class Fates {
public:
    void silence(const ClaimedDelivery& delivery, std::int64_t silence_id) {
        add(delivery, "silenced");
        silences_.push_back(std::to_string(silence_id));
    }

    void write(pqxx::transaction_base& tx) const {
        if (alert_ids_.empty()) return;
        shim::query(tx,
                    "UPDATE deliveries d SET state = f.state, silence_id = f.silence_id, lease_owner = NULL, "
                    "next_attempt_at = now() FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) "
                    "AS f (alert_id, endpoint, state, silence_id) "
                    "WHERE d.alert_id = f.alert_id AND d.endpoint = f.endpoint",
                    text_array(alert_ids_), text_array(endpoints_), text_array(states_),
                    text_array(silences_));
    }
    std::vector<NotSent> counts() const {
        std::vector<NotSent> counts;
        for (const auto& [of, count] : counts_) counts.push_back({of.first, of.second, count});
        return counts;
    }

private:
    void add(const ClaimedDelivery& delivery, const char* state) {
        alert_ids_.push_back(delivery.due.alert_id);
        endpoints_.push_back(delivery.due.endpoint);
        states_.emplace_back(state);
        ++counts_[{delivery.due.endpoint, state}];
    }

    std::vector<std::string> alert_ids_, endpoints_, states_, silences_;
    std::map<std::pair<std::string, std::string>, unsigned> counts_;
};

}  // namespace

Claimed claim_due(pqxx::transaction_base& tx, SilenceBook& silences, const std::string& process,
                  const std::vector<EndpointRoom>& rooms, std::chrono::seconds lease) {
    std::vector<std::string> endpoints, most, ordered;
    for (const auto& room : rooms) {
        endpoints.push_back(room.endpoint);
        most.push_back(std::to_string(room.limit));
        ordered.emplace_back(room.ordered ? "t" : "f");
    }
    Claimed claimed;
    const auto rows = shim::query(tx, kClaim, text_array(endpoints), text_array(most), process, lease.count(),
                                  text_array(ordered));
    if (rows.empty()) return claimed;
    const auto known = silences.current(tx, rows[0][20].as<std::int64_t>());
    const auto now = wall_time(rows[0][21]);
    Fates fates;
    for (const auto& row : rows) {
        ClaimedDelivery delivery;
        delivery.due = due_of(row);
        delivery.is_decided = row[11].as<bool>();
        delivery.about = about_of(delivery.due, row);
        const auto* silence = delivery.is_decided ? nullptr : storm::silence_of(*known, delivery.about, now);
        if (silence)
            fates.silence(delivery, silence->id);
        else
            claimed.due.push_back(std::move(delivery.due));
    }
    fates.write(tx);
    claimed.not_sent = fates.counts();
    return claimed;
}

}  // namespace receiptd::storage
