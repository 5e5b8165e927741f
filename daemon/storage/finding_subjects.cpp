#include "storage/finding_subjects.hpp"

#include "chain/tree/facts.hpp"
#include "storage/rule_actions.hpp"
#include "storage/sql_time.hpp"

#include <string_view>
#include <utility>

namespace receiptd::storage {
namespace {

// In the order of FindingSubjects::add().
const std::string kColumns =
    "SELECT f.kind, f.finding_id, f.tx_hash, f.receipt_id, coalesce(f.block_height, 0), " +
    microseconds_of("f.block_time") +
    ", f.signer_id, f.user_id, body.predecessor_id, coalesce(f.contract_id, body.receiver_id), "
    "coalesce(f.method_name, body.method_name), f.role, f.error_class, f.error_text, r.verdict, "
    "r.near_status, "
    "f.effect, f.handled, coalesce(f.expected, false), f.conclusive, "
    "coalesce(f.amount_burnt, f.amount_returned), body.deposit, body.gas_burnt, body.actions, f.next FROM ";

constexpr std::chrono::days kLongestTree{7};

// The receipt that a finding is about, or its transaction if it failed before it made one: of all findings,
// or of those on which the condition holds. The span is named again for each table: a plan leaves out
// partitions by what stands there.
std::string body_where(const std::string& condition) {
    return " LEFT JOIN LATERAL ((SELECT predecessor_id, receiver_id, method_name, deposit, gas_burnt, "
           "actions "
           "  FROM receipts b WHERE " +
           condition +
           " AND b.tree_id = f.tree_id AND b.receipt_id = f.receipt_id "
           "    AND b.block_time = f.block_time AND b.block_time BETWEEN " +
           time_parameter(1) + " AND " + time_parameter(2) +
           " LIMIT 1) "
           "  UNION ALL (SELECT NULL, receiver_id, NULL, NULL, gas_burnt, actions FROM transactions t "
           "    WHERE " +
           condition +
           " AND f.receipt_id IS NULL AND t.tx_hash = f.tx_hash AND t.tree_id = f.tree_id "
           "      AND t.block_time = f.block_time AND t.block_time BETWEEN " +
           time_parameter(1) + " AND " + time_parameter(2) + " LIMIT 1) LIMIT 1) body ON true ";
}

const std::string kResult =
    "LEFT JOIN LATERAL (SELECT verdict, near_status FROM transaction_results t WHERE t.tx_hash = f.tx_hash "
    "  AND t.tree_id = f.tree_id AND t.block_time BETWEEN f.block_time - interval '7 days' AND f.block_time "
    "  AND t.block_time BETWEEN " +
    time_parameter(1, kLongestTree) + " AND " + time_parameter(2) + " LIMIT 1) r ON true ";
const std::string kNoResult = "CROSS JOIN (SELECT NULL AS verdict, NULL AS near_status) r ";
const std::string kOldestFirst = "ORDER BY f.block_time, f.finding_id";

std::string_view text_of(const pqxx::field& field) {
    return field.is_null() ? std::string_view() : std::string_view(field.c_str(), field.size());
}

}  // namespace

std::string FindingSubjects::select(Detail detail, const std::string& source) {
    const bool all = detail == Detail::all;
    const auto body = body_where(all ? "true" : "(f.contract_id IS NULL OR f.method_name IS NULL)");
    return kColumns + source + body + (all ? kResult : kNoResult) + kOldestFirst;
}

void FindingSubjects::add(const pqxx::row& row) {
    const auto kind = rule::parse_kind(text_of(row[0]));
    if (!kind) return;  // no rule is about it
    Event event;
    auto& subject = event.subject;
    subject.kind = *kind;
    subject.cause_id = text_of(row[1]);
    subject.tx_hash = text_of(row[2]);
    subject.receipt_id = text_of(row[3]);
    subject.block_height = row[4].as<std::uint64_t>();
    subject.time = wall_time(row[5]);
    subject.signer_id = text_of(row[6]);
    subject.user_id = text_of(row[7]);
    subject.predecessor_id = text_of(row[8]);
    subject.receiver_id = text_of(row[9]);
    subject.method_name = text_of(row[10]);
    subject.role = text_of(row[11]);
    subject.error_class = text_of(row[12]);
    subject.error_text = text_of(row[13]);
    subject.verdict = text_of(row[14]);
    subject.near_status = text_of(row[15]);
    subject.effect = text_of(row[16]);
    subject.handled = shim::optional_of<bool>(row[17]);
    subject.expected = row[18].as<bool>();
    subject.conclusive = shim::optional_of<bool>(row[19]);
    if (!row[20].is_null()) subject.amount = amount_of(row[20]);
    subject.gas = shim::optional_of<std::uint64_t>(row[22]);
    if (!row[23].is_null()) {
        auto facts = chain::stored_action_facts(text_of(row[23]));
        subject.actions = actions_in(facts.names);
        subject.deposit = facts.deposit;
        subject.args_json = arguments_.emplace_back(std::move(facts.args_json));
    }
    event.telling = row[24].as<unsigned>();
    events_.push_back(std::move(event));
}

}  // namespace receiptd::storage
