#include "storage/rehearsal.hpp"

#include "storage/news.hpp"
#include "storage/stored_subjects.hpp"

#include <utility>

namespace receiptd::storage {
namespace {

RehearsedAlert alert_of(const rule::Subject& subject, const std::vector<std::string_view>& matched) {
    RehearsedAlert alert;
    alert.alert_id = subject.cause_id;
    alert.kind = rule::kind_name(subject.kind);
    alert.tx_hash = subject.tx_hash;
    alert.height = subject.block_height;
    alert.rules.assign(matched.begin(), matched.end());
    return alert;
}

Rehearsed rehearse_on(pqxx::transaction_base& tx, const rule::RuleSet& rules, base::HeightRange heights) {
    Rehearsed done;
    StoredSubjects history(tx, rules, heights);
    while (history.next())
        for (const auto& subject : history.subjects()) {
            ++done.subjects[std::string(rule::kind_name(subject.kind))];
            const auto matched = rules_about(subject, rules);
            if (matched.empty()) continue;
            if (done.alerts.size() == Rehearsal::kMostAlerts)
                throw StorageError("these rules match more than a million times there: try fewer heights");
            done.alerts.push_back(alert_of(subject, matched));
        }
    return done;
}

}  // namespace

base::Task<Rehearsed> Rehearsal::rehearse(rule::RuleSet rules, base::HeightRange heights) {
    return database_.pool.maintenance.run([rules = std::move(rules), heights](pqxx::connection& connection) {
        shim::Snapshot tx(connection);
        return rehearse_on(tx, rules, heights);
    });
}

}  // namespace receiptd::storage
