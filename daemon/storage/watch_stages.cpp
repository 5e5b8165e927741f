#include "storage/watch_stages.hpp"

#include "base/json_text.hpp"
#include "storage/copy.hpp"
#include "storage/days_of.hpp"
#include "storage/news.hpp"
#include "storage/rule_actions.hpp"
#include "storage/signed_facts.hpp"
#include "storage/sql_time.hpp"
#include "storage/watched_body.hpp"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace receiptd::storage {
namespace {

// In the order of WatchedTransaction.
std::string watched_on(const DaysOf& days) {
    return "SELECT w.tx_hash, w.sender_id, t.user_id, t.receiver_id, t.actions, "
           "CASE WHEN t.actions IS NULL THEN w.signed_tx_base64 END, coalesce(w.verdict, ''), "
           "coalesce(r.near_status, ''), coalesce(r.effect, ''), coalesce(r.error_class, ''), "
           "coalesce(r.error_text, ''), r.gas_burnt, coalesce(w.idempotency_key, ''), "
           "coalesce(w.metadata::text, 'null'), 1 + corrections_of('final:' || w.tx_hash, w.tx_hash) "
           "FROM watches w " +
           watched_body(days.have("t.block_time")) +
           "LEFT JOIN LATERAL (SELECT near_status, effect, error_class, error_text, gas_burnt "
           "  FROM transaction_results r WHERE r.tx_hash = w.tx_hash "
           "  AND r.block_time BETWEEN i.block_time - interval '1 second' AND i.block_time + interval '1 "
           "second' AND " +
           days.have("r.block_time") + " LIMIT 1) r ON true WHERE w.tx_hash = ANY ($1::text[])";
}

// Reads what the tables know of a transaction, and its signed bytes as long as it is in no block.
class WatchedTransaction {
public:
    explicit WatchedTransaction(const pqxx::row& row) : row_(row) {
        if (!row[4].is_null()) {
            actions_ = chain::stored_action_facts(text(4));
            receiver_id_ = text(3);
            user_id_ = text(2);
        } else if (auto read = signed_facts(text(5))) {
            actions_ = std::move(read->actions);
            receiver_id_ = std::move(read->receiver_id);
            if (actions_->delegate) user_id_ = actions_->delegate->sender_id;
        }
    }

    // The subject views it.
    void describe(rule::Subject& subject, bool is_judged) const {
        subject.tx_hash = text(0);
        subject.signer_id = text(1);
        subject.user_id = user_id_;
        subject.receiver_id = receiver_id_;
        if (actions_) {
            subject.method_name = actions_->method_name;
            subject.args_json = actions_->args_json;
            subject.actions = actions_in(actions_->names);
            subject.deposit = actions_->deposit;
        }
        if (!is_judged) return;
        subject.verdict = text(6);
        subject.near_status = text(7);
        subject.effect = text(8);
        subject.error_class = text(9);
        subject.error_text = text(10);
        subject.gas = shim::optional_of<std::uint64_t>(row_[11]);
    }
    std::string_view idempotency_key() const { return text(12); }
    std::string_view metadata() const { return text(13); }
    unsigned telling() const { return row_[14].as<unsigned>(); }

private:
    // Empty: it is NULL.
    std::string_view text(int column) const { return {row_[column].c_str(), row_[column].size()}; }

    pqxx::row row_;
    std::optional<chain::ActionFacts> actions_;
    std::string receiver_id_, user_id_;
};

class StageEvents {
public:
    StageEvents(const pqxx::result& watched, std::int64_t now) : now_(now) {
        for (const auto& row : watched) watched_.try_emplace(row[0].as<std::string>(), row);
    }

    void add(const AppliedUpdate& item, const chain::Transition& step) {
        const auto watch = watched_.find(item.update->tx_hash);
        if (watch == watched_.end()) return;
        // Its alert waits until its outcomes are confirmed, and says whether they were.
        const auto certainty = item.certainty_of(step, true);
        Event event;
        auto& subject = event.subject;
        subject.kind = rule::Kind::stage;
        subject.stage = chain::stage_name(step.to);
        const auto& of = step.inclusion_id.empty() ? item.update->tx_hash : step.inclusion_id;
        subject.cause_id = ids_.emplace_back(std::string(subject.stage) + ":" + of);
        subject.time = step.at ? base::WallTime(base::Duration(step.at->timestamp_nanosec))
                               : base::WallTime(std::chrono::microseconds(now_));
        subject.block_height = step.at ? step.at->height : 0;
        const auto& transaction = watch->second;
        transaction.describe(subject, step.to == chain::Stage::completed || step.to == chain::Stage::final);
        subject.conclusive = certainty.conclusive;
        event.telling = transaction.telling();
        event.cause_json = told_of(subject, step, transaction.idempotency_key(), transaction.metadata());
        if (!step.confirms() && !step.retracts()) {
            events.push_back(std::move(event));
            return;
        }
        event.earlier_alert = "included:" + step.inclusion_id;
        auto further = event;
        further.subject.inclusion = step.confirms() ? "confirmed" : "retracted";
        further.subject.cause_id =
            ids_.emplace_back(std::string(further.subject.inclusion) + ":" + step.inclusion_id);
        further_events.push_back(std::move(further));
        if (step.retracts()) return;
        // Rules may match now what was not known of it before.
        event.subject.cause_id = ids_.emplace_back("included:" + item.update->tx_hash);
        auto plain = step;
        plain.inclusion_id.clear();
        event.cause_json = told_of(subject, plain, transaction.idempotency_key(), transaction.metadata());
        events.push_back(std::move(event));
    }

    std::vector<Event> events, further_events;

private:
    static std::string told_of(const rule::Subject& subject, const chain::Transition& step,
                               std::string_view idempotency_key, std::string_view metadata) {
        return base::JsonObject()
            .text("stage", chain::stage_name(step.to))
            .text("from_stage", chain::stage_name(step.from))
            .text("sender_id", subject.signer_id)
            .text("user_id", subject.user_id.empty() ? subject.signer_id : subject.user_id)
            .text("contract_id", subject.receiver_id)
            .text("method_name", subject.method_name)
            .text("verdict", subject.verdict)
            .text("near_status", subject.near_status)
            .text("effect", subject.effect)
            .text("idempotency_key", idempotency_key)
            .json("metadata", metadata)
            .number("block_height", subject.block_height)
            .json("final", !step.final   ? "null"
                           : *step.final ? "true"
                                         : "false")
            .text("inclusion_id", step.inclusion_id)
            .json("evidence", storable_json(step.evidence))
            .json("conclusive", subject.conclusive == true ? "true" : "false")
            .to_json();
    }

    std::map<std::string, WatchedTransaction> watched_;  // by tx_hash
    std::deque<std::string> ids_;
    std::int64_t now_;
};

}  // namespace

Told tell_stages(pqxx::transaction_base& tx, RuleBook& rules, const std::vector<AppliedUpdate>& applied,
                 std::int64_t now) {
    const auto is_told = [](const chain::Transition& step) {
        const bool is_finding = chain::is_end(step.to) && step.to != chain::Stage::final;
        return !is_finding && (step.from != step.to || step.confirms());
    };
    std::vector<std::string> tx_hashes;
    for (const auto& item : applied)
        for (const auto& step : item.update->transitions)
            if (is_told(step)) tx_hashes.push_back(item.update->tx_hash);
    if (tx_hashes.empty()) return {};
    const auto current = rules.current(tx);
    if ((current.kinds() & bit(rule::Kind::stage)) == 0) return {};
    StageEvents stages(shim::query(tx, watched_on(DaysOf(tx, tx_hashes)), text_array(tx_hashes)), now);
    for (const auto& item : applied)
        for (const auto& step : item.update->transitions)
            if (is_told(step)) stages.add(item, step);
    auto told = tell_further(tx, stages.further_events);
    told += tell_events(tx, current, stages.events, alerts_sent_since(applied));
    return told;
}

}  // namespace receiptd::storage
