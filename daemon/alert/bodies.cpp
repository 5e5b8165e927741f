// Dispatcher's work on bodies: each is made before its first attempt, and kept.
#include "alert/dispatcher.hpp"
#include "alert/payload.hpp"
#include "base/log.hpp"
#include "base/offload.hpp"
#include "metrics/registry.hpp"

#include <utility>

namespace receiptd::alert {

namespace {

using Bodies = std::map<std::string, std::string>;  // by alert_id

Cause cause_of(const storage::DueDelivery& delivery, storage::StoredCause stored) {
    Cause cause;
    cause.alert_id = delivery.alert_id;
    cause.finding_id = delivery.finding_id;
    cause.kind = delivery.kind;
    cause.tx_hash = delivery.tx_hash;
    cause.alerted_at = delivery.created_at;
    cause.finding = std::move(stored.finding);
    cause.told_json = delivery.told_json;
    cause.tree = std::move(stored.tree);
    cause.idempotency_key = std::move(stored.idempotency_key);
    cause.metadata_json = std::move(stored.metadata_json);
    cause.evidence_json = std::move(stored.evidence_json);
    return cause;
}

// A body with less in it is better than none, for this alert and for those that are claimed with it.
std::string body_of(const Cause& cause, const Site& site) {
    try {
        return checked_payload(cause, site);
    } catch (const std::exception& e) {
        log::error("an alert cannot be put into words: it is sent with less in it",
                   {{"alert_id", cause.alert_id}, {"because", e.what()}});
    }
    Cause less;
    less.alert_id = cause.alert_id;
    less.finding_id = cause.finding_id;
    less.kind = cause.kind;
    less.tx_hash = cause.tx_hash;
    less.alerted_at = cause.alerted_at;
    return checked_payload(less, site);
}

base::Task<Bodies> make_on(base::asio::thread_pool& cpu, std::vector<Cause> causes, Site site) {
    return base::offload(cpu, [causes = std::move(causes), site = std::move(site)] {
        Bodies bodies;
        for (const auto& cause : causes) bodies[cause.alert_id] = body_of(cause, site);
        return bodies;
    });
}

}  // namespace

// Makes the bodies of one claim together. Attempts under way go on meanwhile.
base::Task<void> Dispatcher::give_bodies(std::vector<storage::DueDelivery>& deliveries) {
    std::map<std::string, storage::DueDelivery> without;
    for (const auto& delivery : deliveries)
        if (delivery.payload.empty()) without.emplace(delivery.alert_id, delivery);
    if (without.empty()) co_return;
    std::vector<storage::DueDelivery> asked;
    for (const auto& [id, delivery] : without) asked.push_back(delivery);
    auto known = co_await store_.causes(std::move(asked));
    std::vector<Cause> causes;
    for (const auto& [id, delivery] : without) causes.push_back(cause_of(delivery, std::move(known[id])));
    const auto made = co_await make_on(cpu_, std::move(causes), site_);
    for (const auto& [id, body] : made)
        if (is_plain(body)) plain_.Increment();
    auto bodies = made;
    const auto kept = co_await store_.keep_payloads(std::move(bodies));
    for (auto& delivery : deliveries) {
        if (!delivery.payload.empty()) continue;
        delivery.payload = made.at(delivery.alert_id);
        const auto stored = kept.find(delivery.alert_id);
        if (stored == kept.end()) continue;
        delivery.payload = stored->second.body;
        delivery.confirmed = stored->second.confirmed;
    }
}

}  // namespace receiptd::alert
