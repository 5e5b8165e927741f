#include "storage/fates.hpp"

#include "storage/sql_time.hpp"

namespace receiptd::storage {
namespace {

constexpr const char* kWrite =
    "UPDATE deliveries d SET state = f.state, silence_id = nullif(f.silence_id, 0), "
    "group_id = coalesce(nullif(f.group_id, 0), d.group_id), "
    "dead_because = nullif(f.dead_because, ''), late = f.is_late, "
    "last_error = CASE WHEN f.dead_because = 'expired' THEN coalesce(d.last_error, 'it has waited too long') "
    "  ELSE d.last_error END, "
    "lease_owner = CASE WHEN f.is_held OR f.is_owned THEN d.lease_owner END, "
    "next_attempt_at = CASE WHEN f.is_held THEN d.next_attempt_at WHEN f.due_at = 0 THEN now() "
    "  ELSE timestamptz 'epoch' + f.due_at * interval '1 microsecond' END "
    "FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], "
    "  $7::boolean[], $8::text[], $9::boolean[], $10::boolean[]) "
    "  AS f (alert_id, endpoint, state, silence_id, group_id, due_at, is_held, dead_because, is_late, "
    "    is_owned) "
    "WHERE d.alert_id = f.alert_id AND d.endpoint = f.endpoint";

}  // namespace

void Fates::write(pqxx::transaction_base& tx) const {
    if (fates_.empty()) return;
    std::vector<std::string> alert_ids, endpoints, states, silences, groups, times, held, reasons, late,
        owned;
    for (const auto& fate : fates_) {
        alert_ids.push_back(fate.alert_id);
        endpoints.push_back(fate.endpoint);
        states.push_back(fate.state);
        silences.push_back(std::to_string(fate.silence_id));
        groups.push_back(std::to_string(fate.group_id));
        times.push_back(std::to_string(microseconds(fate.due_at)));
        held.emplace_back(fate.is_held ? "t" : "f");
        reasons.push_back(fate.dead_because);
        late.emplace_back(fate.is_late ? "t" : "f");
        owned.emplace_back(fate.is_owned ? "t" : "f");
    }
    shim::query(tx, kWrite, text_array(alert_ids), text_array(endpoints), text_array(states),
                text_array(silences), text_array(groups), text_array(times), text_array(held),
                text_array(reasons), text_array(late), text_array(owned));
}

std::vector<NotSent> Fates::counts() const {
    std::vector<NotSent> counts;
    for (const auto& [of, count] : counts_) counts.push_back({of.first, of.second, count});
    return counts;
}

}  // namespace receiptd::storage
