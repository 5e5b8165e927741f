#include "storage/timed_absence.hpp"

#include "base/iso_time.hpp"
#include "base/json_text.hpp"
#include "rule/anchor.hpp"
#include "storage/happening_subjects.hpp"
#include "storage/rule_interest.hpp"
#include "storage/sql_time.hpp"
#include "storage/stored_happenings.hpp"
#include "storage/timed_known.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace receiptd::storage {
namespace {

constexpr std::size_t kMostCounted = 50'000;  // of history, in one transaction
constexpr std::size_t kFewCounted = 1'000;
constexpr std::size_t kManyCounted = 4'000;
constexpr std::size_t kMostReceivers = 1'000;
constexpr base::Duration kFirstStep = std::chrono::minutes(1);
constexpr base::Duration kShortestStep = std::chrono::seconds(1);
constexpr base::Duration kLongestStep = std::chrono::days(7);
constexpr int kExamples = 3;

struct BlockSuccesses {
    base::WallTime time{};
    std::uint64_t count = 0;
    std::string tx_hash;  // of one of them
    std::string receipt_id;
};
using Successes = std::map<std::uint64_t, BlockSuccesses>;  // by height

// Rules that are counted up to the same time.
class CountedGroup {
public:
    CountedGroup(const rule::RuleSet& rules, std::vector<TimedRule*> members) : members_(std::move(members)) {
        std::set<std::string> receivers;
        bool by_receivers = true;
        for (auto* rule : members_) {
            by_index_[rule->index] = rule;
            const auto of_rule = rule::receivers_of(*rules.definitions()[rule->index].condition);
            by_receivers = by_receivers && !of_rule.empty();
            receivers.insert(of_rule.begin(), of_rule.end());
        }
        if (by_receivers && receivers.size() <= kMostReceivers)
            only_.receivers.assign(receivers.begin(), receivers.end());
    }

    // Returns how many receipts were read.
    std::size_t count_up_to(pqxx::transaction_base& tx, const RuleInterest& interest, base::WallTime until) {
        const TimeSpan span{microseconds(members_.front()->counted->until) + 1, microseconds(until)};
        const auto stored = stored_happenings(tx, interest, span, only_);
        std::map<const TimedRule*, Successes> counts;
        for (const auto& happening : stored.found) {
            const auto subject = subject_of(happening);
            for (const auto index : interest.rules().match(subject))
                if (const auto member = by_index_.find(index); member != by_index_.end())
                    add(counts[member->second][subject.block_height], subject);
        }
        store(tx, counts);
        for (auto* rule : members_) rule->counted->until = until;
        return stored.receipts;
    }

private:
    static void add(BlockSuccesses& block, const rule::Subject& subject) {
        if (block.count++ > 0) return;
        block.time = subject.time;
        block.tx_hash = subject.tx_hash;
        block.receipt_id = subject.receipt_id;
    }

    // Older ones than these decide nothing.
    static void store(pqxx::transaction_base& tx, const std::map<const TimedRule*, Successes>& counts) {
        std::vector<std::string> names, heights, times, numbers, tx_hashes, receipt_ids;
        for (const auto& [rule, successes] : counts) {
            std::uint64_t found = 0;
            for (auto block = successes.rbegin();
                 block != successes.rend() && found < rule->definition->absence->at_least; ++block) {
                found += block->second.count;
                names.push_back(rule->name);
                heights.push_back(std::to_string(block->first));
                times.push_back(std::to_string(microseconds(block->second.time)));
                numbers.push_back(std::to_string(block->second.count));
                tx_hashes.push_back(block->second.tx_hash);
                receipt_ids.push_back(block->second.receipt_id);
            }
        }
        if (names.empty()) return;
        shim::query(tx,
                    "INSERT INTO timed_successes (rule, block_height, block_time, successes, tx_hash, "
                    "receipt_id) SELECT rule, height, timestamptz 'epoch' + interval '1 microsecond' * at, "
                    "number, nullif(tx_hash, ''), receipt_id FROM unnest($1::text[], $2::bigint[], "
                    "$3::bigint[], $4::int[], $5::text[], $6::text[]) AS each (rule, height, at, number, "
                    "tx_hash, receipt_id) ON CONFLICT (rule, block_height) DO UPDATE "
                    "SET successes = excluded.successes",
                    text_array(names), text_array(heights), text_array(times), text_array(numbers),
                    text_array(tx_hashes), text_array(receipt_ids));
    }

    std::vector<TimedRule*> members_;
    std::map<rule::RuleIndex, TimedRule*> by_index_;
    OnlyReceipts only_;
};

void begin_counting(pqxx::transaction_base& tx, const rule::KnownTime& known,
                    const std::vector<TimedRule*>& absences) {
    std::vector<std::string> anew;
    for (auto* rule : absences) {
        const auto counting = rule::go_on(rule->window(), {known.from, rule->until}, rule->counted);
        rule->counted = counting.counted;
        if (counting.anew) anew.push_back(rule->name);
    }
    if (!anew.empty())
        shim::query(tx, "DELETE FROM timed_successes WHERE rule = ANY ($1::text[])", text_array(anew));
}

// True: something is left.
bool count_on(pqxx::transaction_base& tx, const rule::RuleSet& rules,
              const std::vector<TimedRule*>& absences) {
    const RuleInterest interest(rules, bit(rule::Kind::absence));
    std::map<std::pair<base::WallTime, base::WallTime>, std::vector<TimedRule*>> groups;
    for (auto* rule : absences) groups[{rule->counted->until, rule->until}].push_back(rule);
    std::size_t read = 0;
    bool more = false;
    // Rules whose history is counted keep no others from being judged.
    for (auto entry = groups.rbegin(); entry != groups.rend(); ++entry) {
        const auto [begin, end] = entry->first;
        CountedGroup group(rules, entry->second);
        auto step = kFirstStep;
        auto at = begin;
        while (at < end && read <= kMostCounted) {
            at = step > end - at ? end : at + step;
            const auto receipts = group.count_up_to(tx, interest, at);
            read += receipts;
            if (receipts < kFewCounted) step = std::min(step * 2, kLongestStep);
            if (receipts > kManyCounted) step = std::max(step / 2, kShortestStep);
        }
        more = more || at < end;
    }
    return more;
}

// Reads the successes of each rule from the newest on, without those that cannot decide it; and decides.
const std::string kDecide =
    "WITH asked AS (SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS each (rule, at_least, "
    "  since)), "
    "ranked AS MATERIALIZED (SELECT s.*, a.at_least, a.since, coalesce(sum(s.successes) OVER (PARTITION BY "
    "  s.rule ORDER BY s.block_height DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS newer, "
    "  row_number() OVER (PARTITION BY s.rule ORDER BY s.block_height DESC) AS place "
    "  FROM timed_successes s JOIN asked a USING (rule)), "
    "pruned AS (DELETE FROM timed_successes s USING ranked r WHERE s.rule = r.rule "
    "  AND s.block_height = r.block_height AND r.newer >= r.at_least) "
    "SELECT rule, " +
    microseconds_of("max(block_time) FILTER (WHERE newer < at_least AND newer + successes >= at_least)") +
    ", coalesce(sum(successes) FILTER (WHERE newer < at_least AND block_time > timestamptz 'epoch' + "
    "  interval '1 microsecond' * since), 0)::bigint, " +
    "coalesce(json_agg(json_strip_nulls(json_build_object('tx_hash', tx_hash, 'receipt_id', receipt_id, "
    "  'block_height', block_height, 'block_time', " +
    iso("block_time") + ")) ORDER BY place) FILTER (WHERE place <= " + std::to_string(kExamples) +
    "), '[]')::text FROM ranked GROUP BY rule";

struct DecidedAbsence {
    std::optional<base::WallTime> decisive;
    std::uint64_t within = 0;
    std::string examples_json = "[]";
};

std::map<std::string, DecidedAbsence> decide(pqxx::transaction_base& tx,
                                             const std::vector<TimedRule*>& absences) {
    std::vector<std::string> names, at_least, since;
    for (const auto* rule : absences) {
        names.push_back(rule->name);
        at_least.push_back(std::to_string(rule->definition->absence->at_least));
        since.push_back(std::to_string(microseconds(rule->counted->until - rule->window())));
    }
    std::map<std::string, DecidedAbsence> decided;
    for (const auto& row :
         shim::query(tx, kDecide, text_array(names), text_array(at_least), text_array(since))) {
        auto& of = decided[row[0].as<std::string>()];
        if (!row[1].is_null()) of.decisive = wall_time(row[1]);
        of.within = row[2].as<std::uint64_t>();
        of.examples_json = row[3].as<std::string>();
    }
    return decided;
}

std::string numbers_of(const rule::Absence& absence, const DecidedAbsence& decided) {
    using std::chrono::duration_cast;
    const auto window = duration_cast<std::chrono::seconds>(absence.within);
    return base::JsonObject()
        .number("window_seconds", static_cast<std::uint64_t>(window.count()))
        .number("at_least", absence.at_least)
        .number("successes", decided.within)
        .json("last_successes", decided.examples_json)
        .to_json();
}

void judge_absence(pqxx::transaction_base& tx, TimedRule& rule, const DecidedAbsence& decided) {
    const auto& absence = *rule.definition->absence;
    const rule::Successes successes{*rule.counted, decided.decisive};
    rule.judgement = rule::judge(absence, successes, base::Duration(0));
    // Not of an open episode: a chain that stands still now was moving when that began.
    if (rule.judgement.is == rule::Judgement::Is::holds && !rule.is_open) {
        const auto since = decided.decisive.value_or(rule.counted->from);
        rule.judgement = rule::judge(absence, successes, stood_still(tx, since, rule.counted->until));
    }
    if (rule.judgement.is == rule::Judgement::Is::holds) rule.numbers_json = numbers_of(absence, decided);
}

}  // namespace

bool judge_absences(pqxx::transaction_base& tx, const rule::RuleSet& rules, const rule::KnownTime& known,
                    const std::vector<TimedRule*>& absences) {
    if (absences.empty()) return false;
    begin_counting(tx, known, absences);
    const bool more = count_on(tx, rules, absences);
    const auto decided = decide(tx, absences);
    for (auto* rule : absences) {
        const auto found = decided.find(rule->name);
        if (rule->counted->until == rule->until)
            judge_absence(tx, *rule, found == decided.end() ? DecidedAbsence() : found->second);
        const bool is_known = rule->judgement.is != rule::Judgement::Is::unknown;
        rule->state = !is_known                                          ? TimedState::history
                      : rule->judgement.is == rule::Judgement::Is::holds ? TimedState::alert
                                                                         : TimedState::quiet;
    }
    return more;
}

}  // namespace receiptd::storage
