#include "storage/watch_stages.hpp"

#include "base/json_text.hpp"
#include "storage/copy.hpp"
#include "storage/news.hpp"
#include "storage/sql_time.hpp"

#include <deque>
#include <map>
#include <string>
#include <string_view>

namespace receiptd::storage {
namespace {

// What the tables know of the transactions, by tx_hash.
const std::string kWatched =
    "SELECT w.tx_hash, w.sender_id, coalesce(t.user_id, ''), coalesce(t.receiver_id, ''), "
    "coalesce(r.method_name, ''), coalesce(w.verdict, ''), coalesce(r.near_status, ''), "
    "coalesce(r.effect, ''), coalesce(w.idempotency_key, ''), coalesce(w.metadata::text, 'null'), "
    "1 + corrections_of('final:' || w.tx_hash, w.tx_hash) "
    "FROM watches w "
    "LEFT JOIN LATERAL (SELECT user_id, receiver_id FROM transactions t WHERE t.tx_hash = w.tx_hash "
    "  AND t.block_time > now() - interval '30 days' LIMIT 1) t ON true "
    "LEFT JOIN LATERAL (SELECT method_name, near_status, effect FROM transaction_results r "
    "  WHERE r.tx_hash = w.tx_hash AND r.tree_id = w.tx_hash "
    "  AND r.block_time > now() - interval '30 days' LIMIT 1) r ON true "
    "WHERE w.tx_hash = ANY ($1::text[])";

class StageEvents {
public:
    StageEvents(const pqxx::result& watched, std::int64_t now) : now_(now) {
        for (const auto& row : watched) watched_.emplace(row[0].as<std::string>(), row);
    }

    void add(const AppliedUpdate& item, const chain::Transition& step) {
        const auto watch = watched_.find(item.update->tx_hash);
        if (watch == watched_.end()) return;
        const auto text = [&](int column) { return std::string_view(watch->second[column].c_str()); };
        const auto certainty = item.certainty_of(step.to);
        Event event;
        auto& subject = event.subject;
        subject.kind = rule::Kind::stage;
        subject.stage = chain::stage_name(step.to);
        subject.cause_id = ids_.emplace_back(std::string(subject.stage) + ":" + item.update->tx_hash);
        subject.tx_hash = watch->first;
        subject.time = step.at ? base::WallTime(base::Duration(step.at->timestamp_nanosec))
                               : base::WallTime(std::chrono::microseconds(now_));
        subject.block_height = step.at ? step.at->height : 0;
        subject.signer_id = text(1);
        subject.user_id = text(2);
        subject.receiver_id = text(3);
        subject.method_name = text(4);
        const bool is_judged = step.to == chain::Stage::completed || step.to == chain::Stage::final;
        if (is_judged) {
            subject.verdict = text(5);
            subject.near_status = text(6);
            subject.effect = text(7);
        }
        subject.conclusive = certainty.conclusive;
        event.telling = watch->second[10].as<unsigned>();
        event.cause_json = told_of(subject, step, text(8), text(9));
        events.push_back(std::move(event));
    }

    std::vector<Event> events;

private:
    static std::string told_of(const rule::Subject& subject, const chain::Transition& step,
                               std::string_view idempotency_key, std::string_view metadata) {
        return base::JsonObject()
            .text("stage", subject.stage)
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
            .json("evidence", storable_json(step.evidence))
            .json("conclusive", subject.conclusive == true ? "true" : "false")
            .to_json();
    }

    std::map<std::string, pqxx::row> watched_;
    std::deque<std::string> ids_;
    std::int64_t now_;
};

}  // namespace

Told tell_stages(pqxx::transaction_base& tx, RuleBook& rules, const std::vector<AppliedUpdate>& applied,
                 std::int64_t now) {
    const auto is_told = [](const AppliedUpdate& item, const chain::Transition& step) {
        const bool is_finding = chain::is_end(step.to) && step.to != chain::Stage::final;
        return item.update->alert && !is_finding && step.from != step.to;
    };
    std::vector<std::string> tx_hashes;
    for (const auto& item : applied)
        for (const auto& step : item.update->transitions)
            if (is_told(item, step)) tx_hashes.push_back(item.update->tx_hash);
    if (tx_hashes.empty()) return {};
    const auto current = rules.current(tx);
    if ((current.kinds() & bit(rule::Kind::stage)) == 0) return {};
    StageEvents stages(shim::query(tx, kWatched, text_array(tx_hashes)), now);
    for (const auto& item : applied)
        for (const auto& step : item.update->transitions)
            if (is_told(item, step)) stages.add(item, step);
    return tell_events(tx, current, stages.events);
}

}  // namespace receiptd::storage
