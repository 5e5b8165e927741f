#include "storage/tell_batch.hpp"

#include "storage/copy.hpp"
#include "storage/happening_subjects.hpp"
#include "storage/news.hpp"
#include "storage/rule_interest.hpp"
#include "storage/stored_happenings.hpp"
#include "storage/trace_outbox.hpp"
#include "storage/verdict_subjects.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace receiptd::storage {
namespace {

// Tells the results in the rows that are news and that a rule may be about.
Told tell_results(pqxx::transaction_base& tx, const rule::RuleSet& now, const chain::RowBatch& batch) {
    if ((now.kinds() & bit(rule::Kind::verdict)) == 0) return {};
    const auto since = microseconds(batch.happened.since);
    std::vector<std::string> tx_hashes;
    auto included = kNoTime;
    for_each_row(batch, chain::Table::transaction_results,
                 {"tx_hash", "block_time", "completed_time", "signer_id", "user_id", "receiver_id"},
                 [&](const RowFields& row) {
                     const auto text = [&row](std::size_t at) { return row[at].value_or(""); };
                     if (microseconds_in(row[2]) < since ||
                         !now.may_match(rule::Kind::verdict, {text(3), text(4), text(5)}))
                         return;
                     included.include(microseconds_in(row[1]));
                     tx_hashes.emplace_back(text(0));
                 });
    if (tx_hashes.empty()) return {};
    const VerdictSubjects judged(tx, tx_hashes, included);
    return tell_events(tx, now, judged.events(), batch.alerts_sent_since);
}

// As they were chosen, or as the rows tell them.
std::vector<chain::Happening> happenings_of(pqxx::transaction_base& tx, const RuleInterest& now,
                                            const chain::RowBatch& batch) {
    auto executed = times_of_rows(batch, chain::Table::receipts);
    executed.since = std::max(executed.since, microseconds(batch.happened.since));
    if (executed.since > executed.until) return {};
    return stored_happenings(tx, now, executed, {ids_of_rows(batch, chain::Table::receipts)}).found;
}

// The accounts behind transactions that were not seen where the rows of their happenings were made.
Users missing_users(pqxx::transaction_base& tx, const std::vector<chain::Happening>& happenings) {
    std::vector<std::string> tx_hashes;
    auto executed = kNoTime;
    for (const auto& happening : happenings) {
        const auto& receipt = *happening.receipt;
        const bool is_known = receipt.user_id && receipt.signer_id != chain::kSystemAccount;
        if (is_known || receipt.tx_hash.empty()) continue;
        executed.include(
            static_cast<std::int64_t>(receipt.at.timestamp_nanosec / kNanosecondsPerMicrosecond));
        if (tx_hashes.empty() || tx_hashes.back() != receipt.tx_hash) tx_hashes.push_back(receipt.tx_hash);
    }
    return users_of(tx, tx_hashes, executed);
}

Told tell_happenings(pqxx::transaction_base& tx, const rule::RuleSet& now,
                     const std::vector<chain::Happening>& happenings, base::WallTime sent_since) {
    const auto users = missing_users(tx, happenings);
    const AskedBy nobody;
    std::vector<Event> events;
    for (const auto& happening : happenings) {
        const auto asked = users.find(happening.receipt->tx_hash);
        const auto subject = subject_of(happening, asked == users.end() ? nobody : asked->second);
        if (!now.match(subject).empty()) events.push_back({subject, told_of(happening, subject)});
    }
    return tell_events(tx, now, events, sent_since);
}

}  // namespace

Told tell_batch(pqxx::transaction_base& tx, Database& database, const chain::RowBatch& batch) {
    auto& rules = database.rules;
    queue_traces(tx, database.traces.rules(), batch);
    const auto sent_since = batch.alerts_sent_since;
    auto told = tell_findings(tx, rules, batch.findings, Telling::any, sent_since);
    const auto rows_of = [&batch](chain::Table table) { return batch[table].rows; };
    if (rows_of(chain::Table::transaction_results) == 0 && rows_of(chain::Table::receipts) == 0) return told;
    const auto interest = rules.interest(tx);
    const auto& now = interest->rules();
    told += tell_results(tx, now, batch);
    if (interest->kinds() == 0 || rows_of(chain::Table::receipts) == 0) return told;
    const bool is_chosen = batch.happened.interest == interest;
    told += is_chosen ? tell_happenings(tx, now, batch.happened.chosen, sent_since)
                      : tell_happenings(tx, now, happenings_of(tx, *interest, batch), sent_since);
    return told;
}

}  // namespace receiptd::storage
