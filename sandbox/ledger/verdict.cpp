#include "sandbox/ledger/verdict.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace receiptd::sandbox {

namespace {

bool failed(const ExecutedAt& executed) {
    return executed && std::holds_alternative<sim::Failure>(executed.outcome().status);
}

class DataEdges {
public:
    explicit DataEdges(const TransactionTree& tree) : tree_(tree) {
        for (std::size_t i = 0; i < tree.nodes.size(); ++i)
            for (const CryptoHash& id : tree.nodes[i].body().input_data_ids) awaiting_[id].push_back(i);
    }

    std::vector<std::size_t> awaiters(std::size_t node) const {
        std::vector<std::size_t> found;
        for (const sim::DataReceiver& receiver : tree_.nodes[node].body().output_data_receivers) {
            const auto at = awaiting_.find(receiver.data_id);
            if (at != awaiting_.end()) found.insert(found.end(), at->second.begin(), at->second.end());
        }
        return found;
    }

private:
    const TransactionTree& tree_;
    std::map<CryptoHash, std::vector<std::size_t>> awaiting_;
};

// Back from a receipt to the failures that led to it. A data id is carried by its maker and by those that are
// returned in its place: the result is that of the last one.
class WayBack {
public:
    explicit WayBack(const TransactionTree& tree) : tree_(tree), known_(tree.nodes.size()) {
        for (std::size_t i = 0; i < tree.nodes.size(); ++i)
            for (const sim::DataReceiver& receiver : tree.nodes[i].body().output_data_receivers)
                producers_[receiver.data_id] = i;
    }

    std::optional<std::size_t> cause(std::size_t node) {
        if (!known_[node]) known_[node] = find(node);
        return *known_[node];
    }

private:
    std::optional<std::size_t> find(std::size_t node) {
        std::vector<std::size_t> awaited;
        for (const CryptoHash& id : tree_.nodes[node].body().input_data_ids)
            if (const auto at = producers_.find(id); at != producers_.end()) awaited.push_back(at->second);
        for (const std::size_t each : awaited)
            if (failed(tree_.nodes[each].executed)) return cause(each).value_or(each);
        for (const std::size_t each : awaited)
            if (const auto before = cause(each)) return before;
        const std::size_t parent = tree_.nodes[node].parent;
        return parent == ReceiptNode::kTransaction ? std::nullopt : cause(parent);
    }

    const TransactionTree& tree_;
    std::map<CryptoHash, std::size_t> producers_;
    std::vector<std::optional<std::optional<std::size_t>>> known_;
};

bool says_something(const TransactionTree& tree, const ReceiptNode& node) {
    const sim::Outcome& outcome = node.executed.outcome();
    if (!outcome.logs.empty()) return true;
    if (const auto* value = std::get_if<sim::SuccessValue>(&outcome.status)) {
        const std::string text(value->value.begin(), value->value.end());
        if (!text.empty() && text != "null") return true;
    }
    return std::any_of(node.children.begin(), node.children.end(),
                       [&](std::size_t child) { return !tree.nodes[child].is_from_system(); });
}

FailedReceipt judge_failure(const TransactionTree& tree, const DataEdges& edges, std::size_t node) {
    FailedReceipt failure{node, false, {}, {}, false, {}};
    if (tree.nodes[node].role == Role::callback) return failure;
    std::vector<std::size_t> awaiters = edges.awaiters(node);
    failure.handled =
        !awaiters.empty() && std::none_of(awaiters.begin(), awaiters.end(),
                                          [&](std::size_t at) { return failed(tree.nodes[at].executed); });
    if (!failure.handled) return failure;
    failure.told = std::any_of(awaiters.begin(), awaiters.end(),
                               [&](std::size_t at) { return says_something(tree, tree.nodes[at]); });
    failure.handled_by = std::move(awaiters);
    return failure;
}

u128 amount_in(const sim::Json& json) { return base::parse_u128(json.get_ref<const std::string&>()).value(); }

std::optional<TokenFlow> flow_of(const TransactionTree& tree, std::size_t node) {
    const ReceiptNode& receipt = tree.nodes[node];
    if (receipt.is_from_system()) return std::nullopt;  // it may not be executed yet
    const auto* value = std::get_if<sim::SuccessValue>(&receipt.executed.outcome().status);
    const auto* call = receipt.body().actions.empty()
                           ? nullptr
                           : std::get_if<sim::wire::FunctionCall>(&receipt.body().actions.front().value);
    if (value == nullptr || call == nullptr || call->method_name != "ft_resolve_transfer")
        return std::nullopt;
    const u128 sent = amount_in(sim::Json::parse(call->args.begin(), call->args.end()).at("amount"));
    const u128 kept = amount_in(sim::Json::parse(value->value.begin(), value->value.end()));
    return TokenFlow{node, kept, sent - kept};
}

void follow_tokens(const TransactionTree& tree, Judgement& judgement) {
    for (const std::size_t node : tree.depth_first()) {
        const auto flow = flow_of(tree, node);
        if (!flow) continue;
        judgement.flows.push_back(*flow);
        for (FailedReceipt& failure : judgement.failed)
            if (std::count(failure.handled_by.begin(), failure.handled_by.end(), node) > 0)
                failure.flow = flow;
    }
}

bool asks_a_wallet(const ReceiptNode& node) {
    const auto* call = node.body().actions.empty()
                           ? nullptr
                           : std::get_if<sim::wire::FunctionCall>(&node.body().actions.front().value);
    return call != nullptr && call->method_name == "rlp_execute" &&
           node.receipt->receiver_id.starts_with("0x");
}

std::optional<std::string> refusal_in(const sim::Bytes& value) {
    const auto answer = sim::Json::parse(value.begin(), value.end(), nullptr, false);
    if (!answer.is_object() || answer.value("success", true)) return std::nullopt;
    return answer.at("error").get<std::string>();
}

void find_near_end(const TransactionTree& tree, Judgement& judgement) {
    const sim::Status* status = &tree.included.outcome().status;
    std::optional<std::size_t> asked;
    while (const auto* next = std::get_if<sim::SuccessReceiptId>(status)) {
        judgement.near_end = tree.child_of(judgement.near_end, next->receipt_id);
        const ReceiptNode& node = tree.nodes.at(judgement.near_end);
        if (!asked && asks_a_wallet(node)) asked = judgement.near_end;
        status = &node.executed.outcome().status;
    }
    judgement.near_failed = std::holds_alternative<sim::Failure>(*status);
    const auto* value = asked ? std::get_if<sim::SuccessValue>(status) : nullptr;
    if (const auto error = value ? refusal_in(value->value) : std::nullopt)
        judgement.wallet = {*asked, *error};
}

Verdict verdict_of(const TransactionTree& tree, const Judgement& judgement) {
    if (failed(tree.included)) return Verdict::failed;
    bool callback = false;
    bool all_handled = true;
    for (const FailedReceipt& failure : judgement.failed) {
        const Role role = tree.nodes[failure.node].role;
        if (role == Role::initial) return Verdict::failed;
        callback = callback || role == Role::callback;
        all_handled = all_handled && failure.handled;
    }
    if (callback) return Verdict::callback_failed;
    if (judgement.near_failed) return Verdict::failed;
    if (!all_handled || judgement.wallet) return Verdict::receipt_failed;
    return judgement.failed.empty() ? Verdict::succeeded : Verdict::succeeded_with_handled_failure;
}

}  // namespace

const char* to_string(Verdict verdict) {
    switch (verdict) {
        case Verdict::succeeded: return "succeeded";
        case Verdict::failed: return "failed";
        case Verdict::callback_failed: return "callback_failed";
        case Verdict::receipt_failed: return "receipt_failed";
        case Verdict::succeeded_with_handled_failure: return "succeeded_with_handled_failure";
    }
    return "";
}

std::optional<Judgement> judge(const TransactionTree& tree, Height tip) {
    if (tree.completed_height == 0 || tree.completed_height > tip) return std::nullopt;
    const DataEdges edges(tree);
    WayBack way_back(tree);
    Judgement judgement;
    for (const std::size_t node : tree.depth_first()) {
        const ReceiptNode& receipt = tree.nodes[node];
        if (receipt.is_from_system() || !failed(receipt.executed)) continue;
        judgement.failed.push_back(judge_failure(tree, edges, node));
        judgement.failed.back().root_cause = way_back.cause(node);
    }
    follow_tokens(tree, judgement);
    find_near_end(tree, judgement);
    judgement.verdict = verdict_of(tree, judgement);
    return judgement;
}

}  // namespace receiptd::sandbox
