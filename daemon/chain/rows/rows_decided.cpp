// Rows of results and findings.
#include "base/line.hpp"
#include "chain/rows/rows_write.hpp"
#include "chain/tree/rules.hpp"

#include <iterator>
#include <utility>

namespace receiptd::chain {

namespace {

constexpr std::size_t kResultBytes = 420;  // without a long error text

void write_result(RowBatch& batch, const TreeResult& result) {
    auto& table = batch[Table::transaction_results];
    CopyWriter row(table.piece());
    row.text(result.tx_hash);
    row.text(result.tx_hash);  // tree_id
    row.bigint(result.included_at.height);
    row.time(RowTime(result.included_at.timestamp_nanosec));
    row.text(result.signer_id);
    row.text(result.receiver_id);
    row.text(verdict_name(result.verdict));
    row.text_or_null(result.failure.error_class);
    row.text_or_null(base::shortened(result.failure.error_text, kLongestErrorText));
    row.bigint(result.included_at.height);
    row.bigint(result.completed_at.height);
    row.time(RowTime(result.completed_at.timestamp_nanosec));
    row.bigint(result.settled_at.height);
    row.integer(result.receipts);
    row.integer(result.failed_receipts);
    row.bigint(result.gas_burnt);
    row.numeric(result.tokens_burnt);
    const auto& near_status = result.near_status;
    near_status ? row.text(near_status->name()) : row.null();
    const bool by_initial = !near_status || near_status->receipt_id == result.initial_receipt_id;
    row.text_or_null(by_initial ? std::string_view() : std::string_view(near_status->receipt_id));
    row.text_or_null(result.root_cause);
    result.effect ? row.text(effect_name(*result.effect)) : row.null();
    row.smallint(kRulesVersion);
    row.text_or_null(result.user.id);
    row.text_or_null(result.method_name);
    for (const auto amount :
         {result.refunds.net(result.sent), result.refunds.gas, result.refunds.deposits, result.tokens_lost})
        amount > 0 && result.money_is_known ? row.numeric(amount) : row.null();
    row.text_or_null(result.user.claimed_id);
    row.end_row();
    ++table.rows;
}

void write_finding(RowBatch& batch, const Finding& finding) {
    auto& table = batch[Table::findings];
    CopyWriter row(table.piece());
    row.text(finding.finding_id);
    row.text(finding.kind);
    row.text(finding.tx_hash);
    row.text(finding.tx_hash);  // tree_id
    row.text_or_null(finding.receipt_id);
    finding.role ? row.text(role_name(*finding.role)) : row.null();
    finding.handled ? row.boolean(*finding.handled) : row.null();
    row.text_or_null(finding.contract_id);
    row.text_or_null(finding.method_name);
    row.text_or_null(finding.signer_id);
    row.text_or_null(finding.failure.error_class);
    row.text_or_null(base::shortened(finding.failure.error_text, kLongestErrorText));
    finding.at.height > 0 ? row.bigint(finding.at.height) : row.null();
    row.time(RowTime(finding.at.timestamp_nanosec));
    row.texts(std::vector<Text>(finding.handled_by.begin(), finding.handled_by.end()));
    row.text_or_null(finding.root_cause);
    finding.effect ? row.text(effect_name(*finding.effect)) : row.null();
    finding.flow ? row.numeric(finding.flow->kept) : row.null();
    finding.flow ? row.numeric(finding.flow->returned) : row.null();
    row.text_or_null(finding.user_id);
    finding.burnt ? row.numeric(*finding.burnt) : row.null();
    finding.expected ? row.boolean(true) : row.null();
    row.end_row();
    ++table.rows;
}

}  // namespace

void note_user(RowBatch& batch, const TreeResult& result) {
    if (!result.user.claimed_id.empty())
        batch.disowned.push_back(
            {result.tx_hash, result.user.claimed_id, result.included_at.timestamp_nanosec});
}

void write_decided(RowBatch& batch, Decided&& decided) {
    auto& results = batch[Table::transaction_results].piece();
    results.reserve(results.size() + decided.results.size() * kResultBytes);
    for (const auto& result : decided.results) {
        write_result(batch, result);
        note_user(batch, result);
    }
    for (const auto& finding : decided.findings) write_finding(batch, finding);
    batch.facts.decided.add(decided);
    batch.findings.insert(batch.findings.end(), std::make_move_iterator(decided.findings.begin()),
                          std::make_move_iterator(decided.findings.end()));
}

}  // namespace receiptd::chain
