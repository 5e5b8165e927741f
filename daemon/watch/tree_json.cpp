#include "watch/tree_json.hpp"

#include "base/iso_time.hpp"

#include "watch/transaction_json.hpp"

#include <string_view>
#include <unordered_map>
#include <vector>

namespace receiptd::watch {

namespace {

using chain::JudgedReceipt;

Json failure_member(bool failed, const std::string& text) { return failed ? text_or_null(text) : Json(); }

Json handled_of(const JudgedReceipt& receipt) {
    if (!receipt.failed() || receipt.is_from_system() || receipt.handling == chain::Handling::undecided)
        return {};
    return receipt.handling == chain::Handling::handled;
}

Json of_receipt(const JudgedReceipt& receipt) {
    Json json;
    json["receipt_id"] = receipt.receipt_id;
    json["parent_receipt_id"] = text_or_null(receipt.parent_receipt_id);
    json["role"] = receipt.role ? Json(chain::role_name(*receipt.role)) : Json();
    json["predecessor_id"] = text_or_null(receipt.predecessor_id);
    json["receiver_id"] = text_or_null(receipt.receiver_id);
    json["method_name"] = text_or_null(receipt.method_name);
    json["actions"] = receipt.action_names;
    json["deposit"] = receipt.predecessor_id.empty() ? Json() : Json(base::to_string(receipt.deposit));
    json["awaits"] = receipt.awaits;
    json["on_result_chain"] = receipt.on_result_chain;
    json["status"] = receipt.status_name();
    json["handled"] = handled_of(receipt);
    json["error_class"] = failure_member(receipt.failed(), receipt.failure.error_class);
    json["error_text"] = failure_member(receipt.failed(), receipt.failure.error_text);
    json["action_index"] = receipt.failed() ? or_null(receipt.failure.action_index) : Json();
    json["waiting"] =
        receipt.waiting == chain::Waiting::none ? Json() : Json(chain::waiting_name(receipt.waiting));
    json["missing_data_ids"] = receipt.missing_data_ids;
    json["yield_timed_out"] = or_null(receipt.yield_timed_out);
    json["block_height"] = height_or_null(receipt.at);
    json["block_time"] = time_or_null(receipt.at);
    json["shard_id"] = or_null(receipt.shard_id);
    json["gas_burnt"] = receipt.executed ? Json(receipt.gas_burnt) : Json();
    json["tokens_burnt"] = receipt.executed ? Json(base::to_string(receipt.tokens_burnt)) : Json();
    json["children"] = Json::array();
    return json;
}

// Nests what came depth first. A parser that recurses must survive any tree a contract makes, hence the
// limit; what is deeper is listed flat.
class Nest {
public:
    explicit Nest(const std::vector<JudgedReceipt>& receipts) : receipts_(receipts) {
        for (std::size_t i = 0; i < receipts.size(); ++i) {
            const auto& receipt = receipts[i];
            if (!receipt.attached)
                loose_.push_back(i);
            else if (receipt.parent_receipt_id.empty())
                roots_.push_back(i);
            else
                children_[receipt.parent_receipt_id].push_back(i);
        }
    }

    Json nested() { return list(roots_, 1); }

    // Call after nested().
    Json more() {
        Json all = Json::array();
        for (std::size_t next = 0; next < deeper_.size(); ++next) {
            const auto index = deeper_[next];
            all.push_back(of_receipt(receipts_[index]));
            const auto found = children_.find(receipts_[index].receipt_id);
            if (found == children_.end()) continue;
            deeper_.insert(deeper_.end(), found->second.begin(), found->second.end());
        }
        for (const auto index : loose_) all.push_back(of_receipt(receipts_[index]));
        return all;
    }

private:
    using Indexes = std::vector<std::size_t>;

    Json list(const Indexes& indexes, unsigned level) {
        Json all = Json::array();
        for (const auto index : indexes) all.push_back(branch(index, level));
        return all;
    }

    Json branch(std::size_t index, unsigned level) {
        auto json = of_receipt(receipts_[index]);
        const auto found = children_.find(receipts_[index].receipt_id);
        if (found == children_.end()) return json;
        if (level < kMostNested)
            json["children"] = list(found->second, level + 1);
        else
            deeper_.insert(deeper_.end(), found->second.begin(), found->second.end());
        return json;
    }

    const std::vector<JudgedReceipt>& receipts_;
    std::unordered_map<std::string_view, Indexes> children_;
    Indexes roots_;
    Indexes loose_;
    Indexes deeper_;
};

Json totals(const chain::Judgement& tree) {
    Json json;
    json["receipts"] = tree.receipts.size();
    json["failed_receipts"] = tree.failed_receipts;
    json["gas_burnt"] = tree.gas_burnt;
    json["tokens_burnt"] = base::to_string(tree.tokens_burnt);
    const auto if_known = [&](base::u128 sum) {
        return tree.money_is_known() ? Json(base::to_string(sum)) : Json();
    };
    json["tokens_lost"] = if_known(tree.tokens_lost);
    json["gas_refunded"] = if_known(tree.refunds.gas);
    json["deposit_refunded"] = if_known(tree.refunds.deposits);
    json["net_deposit"] = if_known(tree.net_deposit);
    return json;
}

Json heights(const chain::Judgement& tree) {
    Json json;
    json["included"] = height_or_null(tree.included_at);
    json["executing"] = tree.initial_succeeded ? height_or_null(tree.initial_at) : Json();
    json["completed"] = height_or_null(tree.completed_at);
    json["final"] = height_or_null(tree.settled_at);
    return json;
}

Json delegate(const std::optional<chain::DelegateEnd>& end) {
    if (!end) return {};
    Json json;
    json["sender_id"] = end->facts.sender_id;
    json["receiver_id"] = end->facts.receiver_id;
    json["relayer_id"] = text_or_null(end->relayer_id);
    json["inner_receipt_id"] = text_or_null(end->inner_receipt_id);
    json["inner_failed"] = end->inner_failed;
    return json;
}

}  // namespace

Json height_or_null(const std::optional<chain::ExecutedAt>& at) {
    return at && at->height > 0 ? Json(at->height) : Json();
}

Json time_or_null(const std::optional<chain::ExecutedAt>& at) {
    if (!at || at->timestamp_nanosec == 0) return {};
    return base::iso_time(at->timestamp_nanosec);
}

Json near_status_or_null(const std::optional<chain::NearStatus>& status) {
    return status ? Json(status->name()) : Json();
}

Json effect_or_null(const std::optional<chain::Effect>& effect) {
    return effect ? Json(chain::effect_name(*effect)) : Json();
}

Json tree_json(const std::optional<chain::TransactionFacts>& transaction, const chain::Judgement& tree) {
    Json json;
    json["signer_id"] = transaction ? text_or_null(transaction->signer_id) : Json();
    json["receiver_id"] = transaction ? text_or_null(transaction->receiver_id) : Json();
    json["method_name"] = transaction ? text_or_null(transaction->method_name) : Json();
    json["transaction_failed"] = tree.transaction_failed;
    json["error_class"] = failure_member(tree.transaction_failed, tree.transaction_failure.error_class);
    json["error_text"] = failure_member(tree.transaction_failed, tree.transaction_failure.error_text);
    json["completed"] = tree.completed;
    json["final"] = tree.settled;
    json["verdict"] = tree.verdict ? Json(chain::verdict_name(*tree.verdict)) : Json();
    json["decided_by"] = tree.decided_by;
    json["root_cause"] = text_or_null(tree.root_cause);
    json["effect"] = effect_or_null(tree.effect);
    json["near_status"] = near_status_or_null(tree.near_status);
    json["near_status_receipt_id"] = tree.near_status ? text_or_null(tree.near_status->receipt_id) : Json();
    json["heights"] = heights(tree);
    json["totals"] = totals(tree);
    json["delegate"] = delegate(tree.delegate);
    Nest nest(tree.receipts);
    json["receipts"] = nest.nested();
    json["more"] = nest.more();
    return json;
}

}  // namespace receiptd::watch
