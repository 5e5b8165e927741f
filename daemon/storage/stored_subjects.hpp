// Stored history as what alert rules match.
#pragma once

#include "base/height_set.hpp"
#include "rule/rule_set.hpp"
#include "storage/finding_subjects.hpp"
#include "storage/rule_interest.hpp"
#include "storage/sql_time.hpp"
#include "storage/verdict_subjects.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::storage {

// The subjects of some blocks, then of the next: its memory does not grow with the history, nor with
// the arguments of many receipts.
class StoredSubjects {
public:
    // Others cannot be told from history.
    static constexpr rule::Kinds kKinds = rule::kFindings | bit(rule::Kind::verdict) | kOfDoneReceipts;

    // Reads what the blocks between the heights proved, both included; what `rules` cannot match may be left
    // out. For one transaction that sees one state of the database (shim::Snapshot), and one at a time.
    StoredSubjects(pqxx::transaction_base& tx, rule::RuleSet rules, base::HeightRange heights);
    ~StoredSubjects();
    StoredSubjects(const StoredSubjects&) = delete;
    StoredSubjects& operator=(const StoredSubjects&) = delete;

    // False: there are no more blocks.
    bool next();
    // The subjects of the last next(), oldest first. They live until the next one.
    const std::vector<rule::Subject>& subjects() const { return subjects_; }
    base::Height read_up_to() const { return read_up_to_; }

private:
    struct Judged {
        std::string tx_hash;
        std::int64_t included = 0;   // microseconds
        std::int64_t completed = 0;  // the same
    };
    struct Blocks {
        TimeSpan span;
        base::Height last = 0;
        std::size_t blocks = 0;
    };
    std::optional<TimeSpan> next_blocks();
    std::optional<Blocks> find_blocks();
    bool is_much(const TimeSpan& span);
    void open_judged(const TimeSpan& first);
    std::vector<Judged> judged_until(std::int64_t time);
    void add_findings(const TimeSpan& span);
    void add_verdicts(const TimeSpan& span);
    void add_happenings(const TimeSpan& span);

    pqxx::transaction_base& tx_;
    RuleInterest interest_;
    base::HeightRange heights_;
    TimeSpan times_;  // of the heights
    base::Height next_;
    base::Height read_up_to_ = 0;
    std::optional<std::int64_t> told_until_;  // microseconds
    unsigned blocks_at_once_;
    std::deque<Judged> judged_;  // read ahead
    bool judged_open_ = false;

    std::unique_ptr<const FindingSubjects> findings_;
    std::unique_ptr<const VerdictSubjects> verdicts_;
    std::vector<chain::Happening> happenings_;
    std::vector<rule::Subject> subjects_;
};

}  // namespace receiptd::storage
