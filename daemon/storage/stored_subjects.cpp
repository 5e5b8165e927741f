#include "storage/stored_subjects.hpp"

#include "storage/block_times.hpp"
#include "storage/happening_subjects.hpp"
#include "storage/news.hpp"
#include "storage/stored_happenings.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace receiptd::storage {
namespace {

constexpr unsigned kFirstBlocks = 4;
constexpr unsigned kMostBlocks = 1'024;
constexpr std::size_t kFewReceipts = 1'000;
constexpr std::int64_t kMostReceipts = 8'000;
constexpr std::int64_t kMostBytes = 16 << 20;  // of their actions
constexpr int kJudgedAtOnce = 1'000;

}  // namespace

StoredSubjects::StoredSubjects(pqxx::transaction_base& tx, rule::RuleSet rules, base::HeightRange heights)
    : tx_(tx),
      interest_(std::move(rules), kOfDoneReceipts),
      heights_(heights),
      times_(times_around(tx, heights)),
      next_(heights.from),
      blocks_at_once_(kFirstBlocks) {}

StoredSubjects::~StoredSubjects() = default;

// A few sparse blocks may be followed by dense ones.
bool StoredSubjects::is_much(const TimeSpan& span) {
    const auto receipts =
        shim::query(tx_,
                    "SELECT count(*), coalesce(sum(octet_length(actions::text)), 0)::bigint FROM receipts "
                    "WHERE " +
                        between("block_time", 1),
                    span.since, span.until)[0];
    return receipts[0].as<std::int64_t>() > kMostReceipts || receipts[1].as<std::int64_t>() > kMostBytes;
}

std::optional<TimeSpan> StoredSubjects::next_blocks() {
    for (;;) {
        const auto found = find_blocks();
        if (!found) return std::nullopt;
        if (found->blocks > 1 && is_much(found->span)) {
            blocks_at_once_ = std::max(blocks_at_once_ / 4, 1U);
            continue;
        }
        read_up_to_ = found->last;
        next_ = read_up_to_ + 1;
        told_until_ = found->span.until;
        return found->span;
    }
}

// From the last block's time on: findings of watches lie between blocks, too.
std::optional<StoredSubjects::Blocks> StoredSubjects::find_blocks() {
    if (next_ > heights_.to) return std::nullopt;
    const auto blocks =
        shim::query(tx_,
                    "SELECT max(block_height), " + microseconds_of("min(block_time)") + ", " +
                        microseconds_of("max(block_time)") +
                        ", count(*) FROM (SELECT block_height, block_time FROM blocks WHERE block_height "
                        "BETWEEN $1 AND $2 AND " +
                        between("block_time", 3) + " ORDER BY block_height LIMIT $5) b",
                    next_, heights_.to, told_until_.value_or(times_.since), times_.until, blocks_at_once_)[0];
    if (blocks[0].is_null()) return std::nullopt;
    const auto since = told_until_ ? *told_until_ + 1 : blocks[1].as<std::int64_t>();
    return Blocks{
        {since, blocks[2].as<std::int64_t>()}, blocks[0].as<base::Height>(), blocks[3].as<std::size_t>()};
}

bool StoredSubjects::next() {
    subjects_.clear();
    const auto span = next_blocks();
    if (!span) return false;
    const auto kinds = interest_.rules().kinds();
    if ((kinds & (rule::kFindings | bit(rule::Kind::stage))) != 0) add_findings(*span);
    if ((kinds & bit(rule::Kind::verdict)) != 0) add_verdicts(*span);
    add_happenings(*span);
    std::sort(subjects_.begin(), subjects_.end(), [](const rule::Subject& a, const rule::Subject& b) {
        return std::tie(a.time, a.cause_id) < std::tie(b.time, b.cause_id);
    });
    return true;
}

void StoredSubjects::add_findings(const TimeSpan& span) {
    findings_ = std::make_unique<const FindingSubjects>(
        tx_, FindingSubjects::Detail::all, span,
        "(SELECT *, 1 AS next FROM " + without_repetitions("findings f WHERE " + between("f.block_time", 1)) +
            ") f");
    for (const auto& event : findings_->events()) subjects_.push_back(event.subject);
}

// No index leads to results by the time of their end.
void StoredSubjects::open_judged(const TimeSpan& first) {
    const auto last =
        shim::query(tx_,
                    "SELECT " + microseconds_of("max(block_time)") +
                        " FROM blocks WHERE block_height BETWEEN $1 AND $2 AND " + between("block_time", 3),
                    heights_.from, heights_.to, first.since, times_.until)[0][0]
            .as<std::int64_t>();
    const auto time = [](std::int64_t at) {
        return "to_timestamp(" + std::to_string(at) + " / 1000000::float8)";
    };
    const auto week_before = first.since - std::chrono::microseconds(std::chrono::days(7)).count();
    tx_.exec("DECLARE judged_history NO SCROLL CURSOR FOR SELECT tx_hash, " + microseconds_of("block_time") +
             ", " + microseconds_of("completed_time") +
             " FROM transaction_results WHERE completed_time BETWEEN " + time(first.since) + " AND " +
             time(last) + " AND block_time BETWEEN " + time(week_before) + " AND " + time(last) +
             " ORDER BY completed_time, tx_hash");
    judged_open_ = true;
}

std::vector<StoredSubjects::Judged> StoredSubjects::judged_until(std::int64_t time) {
    std::vector<Judged> judged;
    for (;;) {
        while (!judged_.empty() && judged_.front().completed <= time) {
            judged.push_back(std::move(judged_.front()));
            judged_.pop_front();
        }
        if (!judged_.empty()) return judged;
        const auto more = tx_.exec("FETCH FORWARD " + std::to_string(kJudgedAtOnce) + " FROM judged_history");
        if (more.empty()) return judged;
        for (const auto& row : more)
            judged_.push_back(
                {row[0].as<std::string>(), row[1].as<std::int64_t>(), row[2].as<std::int64_t>()});
    }
}

void StoredSubjects::add_verdicts(const TimeSpan& span) {
    if (!judged_open_) open_judged(span);
    const auto judged = judged_until(span.until);
    if (judged.empty()) return;
    auto included = kNoTime;
    std::vector<std::string> tx_hashes;
    for (const auto& each : judged) {
        included.include(each.included);
        tx_hashes.push_back(each.tx_hash);
    }
    verdicts_ = std::make_unique<const VerdictSubjects>(tx_, tx_hashes, included);
    for (const auto& event : verdicts_->events()) subjects_.push_back(event.subject);
}

void StoredSubjects::add_happenings(const TimeSpan& span) {
    auto stored = stored_happenings(tx_, interest_, span);
    happenings_ = std::move(stored.found);
    for (const auto& happening : happenings_) subjects_.push_back(subject_of(happening));
    if (stored.receipts < kFewReceipts && !stored.has_large_ones)
        blocks_at_once_ = std::min(blocks_at_once_ * 2, kMostBlocks);
}

}  // namespace receiptd::storage
