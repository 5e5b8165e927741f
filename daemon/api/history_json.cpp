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
    Json object;
    object["tx_hash"] = listed.tx_hash;
    object["block_height"] = listed.block_height;
    object["block_time"] = listed.block_time;
    object["signer_id"] = listed.signer_id;
    object["user_id"] = listed.user_id;
    object["claimed_user_id"] = text_or_null(listed.claimed_user_id);
    object["receiver_id"] = listed.receiver_id;
    object["method_name"] = text_or_null(listed.method_name);
    object["verdict"] = text_or_null(listed.verdict);
    object["near_status"] = text_or_null(listed.near_status);
    object["effect"] = text_or_null(listed.effect);
    object["error_class"] = text_or_null(listed.error_class);
    object["error_text"] = text_or_null(listed.error_text);
    object["completed_height"] = or_null(listed.completed_height);
    object["completed_time"] = text_or_null(listed.completed_time);
    object["receipts"] = or_null(listed.receipts);
    object["failed_receipts"] = or_null(listed.failed_receipts);
    object["gas_burnt"] = or_null(listed.gas_burnt);
    object["tokens_burnt"] = text_or_null(listed.tokens_burnt);
    object["net_deposit"] = text_or_null(listed.net_deposit);
    object["tokens_lost"] = text_or_null(listed.tokens_lost);
    object["cursor"] = text_or_null(listed.cursor);
    return base::write_json(object);
}

std::string gap_json(const storage::Gap& gap) {
    Json object;
    object["from_height"] = gap.from_height;
    object["to_height"] = gap.to_height;
    object["heights"] = gap.to_height - gap.from_height + 1;
    object["reason"] = gap.reason;
    object["detail"] = text_or_null(gap.detail);
    object["attempts"] = or_null(gap.attempts);
    object["since"] = text_or_null(gap.since);
    object["last_attempt_at"] = text_or_null(gap.last_attempt_at);
    object["next_attempt_at"] = text_or_null(gap.next_attempt_at);
    return base::write_json(object);
}

std::string backfill_json(const storage::BackfillOrder& order) {
    Json object;
    object["id"] = order.id;
    object["from_height"] = order.from_height;
    object["to_height"] = order.to_height;
    object["accounts"] = order.accounts;
    object["all_accounts"] = order.all_accounts;
    object["replaces"] = order.replaces;
    object["state"] = order.finished ? "finished" : "unfinished";
    object["leased"] = order.leased;
    object["heights_left"] = or_null(order.heights_left);
    object["created_at"] = text_or_null(order.created_at);
    object["finished_at"] = text_or_null(order.finished_at);
    return base::write_json(object);
}

std::string known_heights_json(const std::string& account_id, const storage::KnownHeights& known) {
    Json object;
    object["account_id"] = text_or_null(account_id);
    object["followed"] = known.followed;
    object["since"] = text_or_null(known.since);
    object["heights"] = Json::array();
    for (const auto& range : known.ranges)
        object["heights"].push_back({{"from_height", range.from}, {"to_height", range.to}});
    object["more_heights"] = known.has_more;
    object["pruned_before"] = text_or_null(known.pruned_before);
    object["note"] = "Nothing is claimed outside these heights.";
    return base::write_json(object);
}

}  // namespace receiptd::api
