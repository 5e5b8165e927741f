#include "storage/pg_timed_rule_store.hpp"

#include "storage/pg_lease_store.hpp"
#include "storage/set_aside.hpp"
#include "storage/timed_absence.hpp"
#include "storage/timed_known.hpp"
#include "storage/timed_latency.hpp"
#include "storage/timed_rules.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace receiptd::storage {
namespace {

// By source rpc the trees of the newest blocks are always on their way, and those with a yield for minutes.
constexpr std::chrono::minutes kTreesMayTake{10};

struct Evaluated {
    TimedReport report;
    Told told;
};

// A tree that began before may bring successes of the rule's time.
std::chrono::milliseconds looks_back(const TimedRule& rule) {
    return std::max<std::chrono::milliseconds>(rule.window(), kTreesMayTake);
}

bool stores_receipts(pqxx::transaction_base& tx) {
    return tx.exec("SELECT FROM chain_identity WHERE scope <> 'headers'").size() > 0;
}

// Sets TimedRule::until. A rule whose trees take too long is not judged.
std::vector<TimedRule*> absences_of(pqxx::transaction_base& tx, std::vector<TimedRule>& rules,
                                    const rule::KnownTime& known) {
    std::vector<TimedRule*> absences;
    std::vector<std::chrono::milliseconds> windows;
    for (auto& rule : rules) {
        if (!rule.definition->absence || rule.state == TimedState::too_many) continue;
        rule.state = TimedState::history;
        absences.push_back(&rule);
        windows.push_back(looks_back(rule));
    }
    if (absences.empty() || !stores_receipts(tx)) return {};
    const auto settled = settled_until(tx, known.until, windows);
    std::erase_if(absences, [&](TimedRule* rule) {
        rule->until = settled.at(looks_back(*rule));
        const bool waits = rule->until <= known.from || rule->until < known.until - kTreesMayTake;
        if (waits) rule->state = TimedState::trees;
        return waits;
    });
    return absences;
}

std::vector<TimedRule*> latencies_of(std::vector<TimedRule>& rules, const rule::KnownTime& known) {
    std::vector<TimedRule*> latencies;
    for (auto& rule : rules) {
        if (!rule.definition->latency || rule.state == TimedState::too_many) continue;
        rule.until = known.until;
        rule.state = TimedState::history;
        if (known.from <= known.until - rule.window()) latencies.push_back(&rule);
    }
    return latencies;
}

// A window that reaches below what is stored.
void mark_skips(pqxx::transaction_base& tx, std::vector<TimedRule>& rules, const rule::KnownTime& known) {
    const auto lacks_some = [&known](const TimedRule& rule) {
        return rule.state == TimedState::history && known.from > rule.until - rule.window();
    };
    if (std::none_of(rules.begin(), rules.end(), lacks_some) || !begins_at_skip(tx, known)) return;
    for (auto& rule : rules)
        if (lacks_some(rule)) rule.state = TimedState::skipped;
}

// Empty: all rules.
using RuleNames = std::span<const std::string>;

Evaluated evaluate_in(pqxx::transaction_base& tx, RuleBook& book, base::WallTime newest, RuleNames only) {
    Evaluated evaluated;
    const auto rules = book.current(tx);
    auto timed = load_timed_rules(tx, rules, newest);
    std::erase_if(timed, [&](const TimedRule& rule) {
        return !only.empty() && std::find(only.begin(), only.end(), rule.name) == only.end();
    });
    if (timed.empty()) return evaluated;
    if (const auto known = known_time(tx, newest)) {
        evaluated.report.until = known->until;
        evaluated.report.more = judge_absences(tx, rules, *known, absences_of(tx, timed, *known));
        judge_latencies(tx, rules, latencies_of(timed, *known));
        mark_skips(tx, timed, *known);
    }
    evaluated.told = take_turns(tx, timed);
    for (const auto& rule : timed) ++evaluated.report.rules[rule.state];
    return evaluated;
}

std::vector<std::string> names_of_rules(pqxx::connection& connection, RuleBook& book, base::WallTime newest) {
    pqxx::work tx(connection);
    std::vector<std::string> names;
    for (const auto& rule : load_timed_rules(tx, book.current(tx), newest)) names.push_back(rule.name);
    return names;
}

void add(TimedReport& report, const TimedReport& more) {
    for (const auto& [state, rules] : more.rules) report.rules[state] += rules;
    report.until = more.until;
    report.more = report.more || more.more;
}

}  // namespace

base::Task<std::optional<TimedReport>> PgTimedRuleStore::evaluate(std::int64_t epoch, base::WallTime newest) {
    return database_.pool.maintenance.run(
        [&database = database_, epoch, newest](pqxx::connection& connection) -> std::optional<TimedReport> {
            TimedReport report;
            bool is_leader = true;
            const auto judge = [&](RuleNames some) {
                pqxx::work tx(connection);
                const auto evaluated = evaluate_in(tx, database.rules, newest, some);
                is_leader = leads(tx, epoch);
                if (!is_leader) return;
                tx.commit();
                database.announce(evaluated.told);
                add(report, evaluated.report);
            };
            const auto list = [&] { return names_of_rules(connection, database.rules, newest); };
            const auto leave = [](const std::string&, const Refusal&) {};
            database.set_aside.together(Aside::timed_rule, list, std::identity(), judge, leave);
            if (!is_leader) return std::nullopt;
            return report;
        });
}

}  // namespace receiptd::storage
