#include "storage/rehearsal.hpp"

#include "base/offload.hpp"
#include "rule/rule_set.hpp"
#include "storage/news.hpp"
#include "storage/stored_subjects.hpp"

#include <utility>

namespace receiptd::storage {
namespace {

// Good ends and timed rules leave nothing in history that they could be told from.
bool is_replayed(const rule::Definition& definition) {
    return (definition.kinds & ~StoredSubjects::kKinds) == 0 && !definition.is_timed();
}

std::vector<rule::Definition> definitions_of(const std::vector<std::string>& texts) {
    std::vector<rule::Definition> definitions;
    for (const auto& text : texts) {
        const auto& otherwise = rule::default_definition();
        definitions.push_back(text == otherwise.json ? otherwise : *rule::parse(text));
    }
    return definitions;
}

RehearsedAlert alert_of(const rule::Subject& subject, const std::vector<std::string_view>& matched) {
    RehearsedAlert alert;
    alert.alert_id = subject.cause_id;
    alert.kind = rule::kind_name(subject.kind);
    alert.tx_hash = subject.tx_hash;
    alert.height = subject.block_height;
    alert.rules.assign(matched.begin(), matched.end());
    return alert;
}

struct RehearsalBounds {
    std::size_t alerts;
    std::optional<base::SteadyTime> until;
    const StopSignal& stop;

    void check_time() const {
        if (stop.requested()) throw StorageStopped();
        if (until && std::chrono::steady_clock::now() >= *until)
            throw RehearsalTooLarge("this takes too long: try fewer heights, or one rule");
    }
    void check_room(const Rehearsed& done) const {
        if (done.alerts.size() == alerts)
            throw RehearsalTooLarge("these rules match more than " + std::to_string(alerts) +
                                    " times there: try fewer heights, or one rule");
    }
};

void rehearse_on(pqxx::transaction_base& tx, const rule::RuleSet& rules, base::HeightRange heights,
                 const RehearsalBounds& bounds, Rehearsed& done) {
    StoredSubjects history(tx, rules, heights);
    while (history.next()) {
        bounds.check_time();
        for (const auto& subject : history.subjects()) {
            ++done.subjects[std::string(rule::kind_name(subject.kind))];
            const auto matched = rules_about(subject, rules);
            if (matched.empty()) continue;
            bounds.check_room(done);
            done.alerts.push_back(alert_of(subject, matched));
        }
    }
}

Rehearsed rehearse_in(Session& session, const RulesOnHistory& asked, const RehearsalBounds& bounds) {
    auto all = definitions_of(asked.definitions);
    std::vector<rule::Definition> definitions;
    std::vector<std::string> not_replayed;
    for (auto& definition : all) {
        if (!is_replayed(definition)) not_replayed.push_back(definition.name);
        // Its condition says which successes count, and a success is no alert.
        if (!definition.is_timed()) definitions.push_back(std::move(definition));
    }
    const rule::RuleSet rules(std::move(definitions), rule::Lists(asked.lists));
    return session.run(
        [&](pqxx::connection& connection) {
            Rehearsed done;
            done.not_replayed = not_replayed;
            shim::Snapshot tx(connection);
            rehearse_on(tx, rules, asked.heights, bounds, done);
            return done;
        },
        bounds.until);
}

// Rehearsals without an end of their own have patience with each statement, but begin none again: it would
// take too long again.
DatabaseOptions patient(DatabaseOptions options, const Rehearsal::Limits& limits) {
    if (!limits.time) options.question_timeout = options.statement_timeout;
    return options;
}

}  // namespace

Rehearsal::Rehearsal(const DatabaseOptions& options, metrics::StorageSeries& series, Limits limits)
    : context_(patient(options, limits), series), limits_(limits) {}

base::Task<Rehearsed> Rehearsal::rehearse(RulesOnHistory asked) {
    return base::offload(thread_, [this, asked = std::move(asked)] {
        std::optional<base::SteadyTime> until;
        if (limits_.time) until = std::chrono::steady_clock::now() + *limits_.time;
        Session session(context_, WaitedFor::by_people);
        try {
            return rehearse_in(session, asked, {limits_.alerts, until, context_.stop});
        } catch (const StorageTimeout&) {
            if (limits_.time) throw;
            throw RehearsalTooLarge(
                "one question to the database took longer than database.statement_timeout: try fewer "
                "heights, or one rule");
        }
    });
}

}  // namespace receiptd::storage
