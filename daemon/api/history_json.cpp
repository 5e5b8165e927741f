#include "api/history_json.hpp"

#include "base/exact_json.hpp"
#include "watch/json_values.hpp"

namespace receiptd::api {

namespace {

using watch::Json;
using watch::or_null;
using watch::text_or_null;

}  // namespace

std::string listed_transaction_json(const storage::ListedTransaction& listed) {
    Json told;
    told["tx_hash"] = listed.tx_hash;
    told["block_height"] = listed.block_height;
    told["block_time"] = listed.block_time;
    told["signer_id"] = listed.signer_id;
    told["user_id"] = listed.user_id;
    told["claimed_user_id"] = text_or_null(listed.claimed_user_id);
    told["receiver_id"] = listed.receiver_id;
    told["method_name"] = text_or_null(listed.method_name);
    told["verdict"] = text_or_null(listed.verdict);
    told["near_status"] = text_or_null(listed.near_status);
    told["effect"] = text_or_null(listed.effect);
    told["error_class"] = text_or_null(listed.error_class);
    told["error_text"] = text_or_null(listed.error_text);
    told["completed_height"] = or_null(listed.completed_height);
    told["completed_time"] = text_or_null(listed.completed_time);
    told["receipts"] = or_null(listed.receipts);
    told["failed_receipts"] = or_null(listed.failed_receipts);
    told["gas_burnt"] = or_null(listed.gas_burnt);
    told["tokens_burnt"] = text_or_null(listed.tokens_burnt);
    told["net_deposit"] = text_or_null(listed.net_deposit);
    told["tokens_lost"] = text_or_null(listed.tokens_lost);
    told["cursor"] = text_or_null(listed.cursor);
    return base::write_json(told);
}

std::string gap_json(const storage::Gap& gap) {
    Json told;
    told["from_height"] = gap.from_height;
    told["to_height"] = gap.to_height;
    told["heights"] = gap.to_height - gap.from_height + 1;
    told["reason"] = gap.reason;
    told["detail"] = text_or_null(gap.detail);
    told["attempts"] = or_null(gap.attempts);
    told["since"] = text_or_null(gap.since);
    told["last_attempt_at"] = text_or_null(gap.last_attempt_at);
    told["next_attempt_at"] = text_or_null(gap.next_attempt_at);
    return base::write_json(told);
}

std::string backfill_json(const storage::BackfillOrder& order) {
    Json told;
    told["id"] = order.id;
    told["from_height"] = order.from_height;
    told["to_height"] = order.to_height;
    told["accounts"] = order.accounts;
    told["all_accounts"] = order.all_accounts;
    told["replaces"] = order.replaces;
    told["state"] = order.finished ? "finished" : "unfinished";
    told["leased"] = order.leased;
    told["heights_left"] = or_null(order.heights_left);
    told["created_at"] = text_or_null(order.created_at);
    told["finished_at"] = text_or_null(order.finished_at);
    return base::write_json(told);
}

std::string known_heights_json(const std::string& account_id, const storage::KnownHeights& known) {
    Json told;
    told["account_id"] = text_or_null(account_id);
    told["followed"] = known.followed;
    told["since"] = text_or_null(known.since);
    told["heights"] = Json::array();
    for (const auto& range : known.ranges)
        told["heights"].push_back({{"from_height", range.from}, {"to_height", range.to}});
    told["more_heights"] = known.has_more;
    told["pruned_before"] = text_or_null(known.pruned_before);
    told["note"] = "Nothing is claimed outside these heights.";
    return base::write_json(told);
}

}  // namespace receiptd::api
