#include "storage/kept_result.hpp"

#include "storage/days_of.hpp"
#include "storage/sql_time.hpp"

namespace receiptd::storage {
namespace {

const std::string kPrunedBefore =
    "SELECT " + microseconds_of("before_time") + " FROM pruned WHERE table_name = 'receipts'";

const std::string kKeptResult =
    "SELECT signer_id, receiver_id, coalesce(method_name, ''), verdict, coalesce(error_class, ''), "
    "block_height, " +
    microseconds_of("block_time") + ", completed_height, " + microseconds_of("completed_time") +
    ", settled_height, receipts, failed_receipts, gas_burnt, tokens_burnt, coalesce(tokens_lost, 0), "
    "near_status = 'failure', coalesce(near_status_receipt_id, ''), coalesce(root_cause, ''), "
    "coalesce(effect, ''), coalesce(user_id, ''), coalesce(claimed_user_id, '') "
    "FROM transaction_results WHERE tx_hash = $1 AND ";

chain::ExecutedAt block_of(const pqxx::field& height, const pqxx::field& microseconds) {
    return {height.as<chain::BlockHeight>(),
            microseconds.as<std::uint64_t>() * static_cast<std::uint64_t>(kNanosecondsPerMicrosecond)};
}

KeptResult kept_result_of(const std::string& tx_hash, const pqxx::row& row) {
    KeptResult kept;
    kept.transaction.tx_hash = tx_hash;
    kept.transaction.signer_id = row[0].as<std::string>();
    kept.transaction.receiver_id = row[1].as<std::string>();
    kept.transaction.method_name = row[2].as<std::string>();
    auto& tree = kept.tree;
    tree.included = tree.completed = tree.settled = true;
    tree.verdict = chain::parse_verdict(row[3].as<std::string>());
    kept.error_class = row[4].as<std::string>();
    tree.included_at = block_of(row[5], row[6]);
    tree.completed_at = block_of(row[7], row[8]);
    tree.settled_at = chain::ExecutedAt{row[9].as<chain::BlockHeight>(), 0};  // its time is not kept
    kept.receipts = row[10].as<std::uint64_t>();
    tree.failed_receipts = row[11].as<std::uint64_t>();
    tree.gas_burnt = row[12].as<chain::Gas>();
    tree.tokens_burnt = amount_of(row[13]);
    tree.tokens_lost = amount_of(row[14]);
    if (!row[15].is_null())
        tree.near_status = chain::NearStatus{row[15].as<bool>(), row[16].as<std::string>()};
    tree.root_cause = row[17].as<std::string>();
    tree.effect = chain::parse_effect(row[18].as<std::string>());
    tree.user = {row[19].as<std::string>(), row[20].as<std::string>()};
    return kept;
}

}  // namespace

Kept kept_of(pqxx::transaction_base& tx, const std::string& tx_hash) {
    Kept kept;
    const auto pruned = tx.exec(kPrunedBefore);
    if (pruned.empty()) return kept;
    kept.pruned_before = wall_time(pruned[0][0]);
    const auto rows = shim::query(
        tx, kKeptResult + DaysOf(tx, {tx_hash}).have("block_time") + " ORDER BY block_time LIMIT 1", tx_hash);
    if (!rows.empty()) kept.result = kept_result_of(tx_hash, rows[0]);
    return kept;
}

}  // namespace receiptd::storage
