#include "storage/verdict_subjects.hpp"

#include "base/json_text.hpp"
#include "base/line.hpp"
#include "chain/tree/facts.hpp"
#include "chain/tree/finding.hpp"
#include "storage/rule_actions.hpp"
#include "storage/sql_time.hpp"

#include <string_view>
#include <utility>

namespace receiptd::storage {
namespace {

// In the order of VerdictSubjects::add().
const std::string kVerdicts =
    "SELECT r.tx_hash, coalesce(r.completed_height, 0), " + microseconds_of("r.completed_time") +
    ", r.signer_id, coalesce(r.user_id, ''), r.receiver_id, coalesce(r.method_name, ''), "
    "coalesce(r.error_class, ''), coalesce(r.error_text, ''), r.verdict, coalesce(r.near_status, ''), "
    "coalesce(r.effect, ''), coalesce(r.gas_burnt, 0), coalesce(t.actions, '[]'), coalesce(r.root_cause, "
    "''), "
    "r.included_height FROM transaction_results r LEFT JOIN LATERAL (SELECT actions FROM transactions t "
    "WHERE t.tx_hash = r.tx_hash "
    "  AND t.tree_id = r.tree_id AND t.block_time = r.block_time LIMIT 1) t ON true "
    "WHERE r.tx_hash = ANY ($3::text[]) AND r.block_time BETWEEN " +
    time_parameter(1) + " AND " + time_parameter(2) + " ORDER BY r.completed_time, r.tx_hash";

std::string judged_json(const rule::Subject& subject, std::string_view root_cause, std::uint64_t included) {
    return base::JsonObject()
        .text("verdict", subject.verdict)
        .text("near_status", subject.near_status)
        .text("effect", subject.effect)
        .text("error_class", subject.error_class)
        .text("error_text", base::shortened(std::string(subject.error_text), chain::kLongestErrorText))
        .text("root_cause_receipt_id", root_cause)
        .text("sender_id", subject.signer_id)
        .text("user_id", subject.user_id.empty() ? subject.signer_id : subject.user_id)
        .text("contract_id", subject.receiver_id)
        .text("method_name", base::shortened(std::string(subject.method_name), 256))
        .number("included_height", included)
        .number("completed_height", subject.block_height)
        .to_json();
}

}  // namespace

VerdictSubjects::VerdictSubjects(pqxx::transaction_base& tx, const std::vector<std::string>& tx_hashes,
                                 const TimeSpan& included)
    : rows_(shim::query(tx, kVerdicts, included.since, included.until, text_array(tx_hashes))) {
    for (const auto& row : rows_) add(row);
}

void VerdictSubjects::add(const pqxx::row& row) {
    const auto text = [&](int column) { return std::string_view(row[column].c_str(), row[column].size()); };
    auto facts = chain::stored_action_facts(text(13));
    Event event;
    auto& subject = event.subject;
    subject.kind = rule::Kind::verdict;
    subject.cause_id = texts_.emplace_back("verdict:" + std::string(text(0)));
    subject.tx_hash = text(0);
    subject.block_height = row[1].as<std::uint64_t>();
    subject.time = wall_time(row[2]);
    subject.signer_id = text(3);
    subject.user_id = text(4);
    subject.receiver_id = text(5);
    subject.method_name = text(6);
    subject.args_json = texts_.emplace_back(std::move(facts.args_json));
    subject.actions = actions_in(facts.names);
    subject.deposit = facts.deposit;
    subject.gas = row[12].as<std::uint64_t>();
    subject.error_class = text(7);
    subject.error_text = text(8);
    subject.verdict = text(9);
    subject.near_status = text(10);
    subject.effect = text(11);
    event.cause_json = judged_json(subject, text(14), row[15].as<std::uint64_t>());
    events_.push_back(std::move(event));
}

}  // namespace receiptd::storage
