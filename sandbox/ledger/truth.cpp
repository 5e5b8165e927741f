#include "sandbox/ledger/truth.hpp"

#include "sandbox/ledger/action_json.hpp"
#include "sandbox/ledger/outcome_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace receiptd::sandbox {

namespace {

Json height_or_null(Height height, Height tip) { return height == 0 || height > tip ? Json() : Json(height); }

const char* status_name(const sim::Status& status) {
    if (std::holds_alternative<sim::Failure>(status)) return "failure";
    return std::holds_alternative<sim::SuccessValue>(status) ? "success_value" : "success_receipt_id";
}

Json error_of(const ExecutedAt& executed) {
    if (!executed) return nullptr;
    const auto* failure = std::get_if<sim::Failure>(&executed.outcome().status);
    return failure == nullptr ? Json() : failure->error();
}

Json node_json(const TransactionTree& tree, const ReceiptNode& node, const ShardLayout& newest_layout) {
    const bool of_transaction = node.parent == ReceiptNode::kTransaction;
    Json json = {{"receipt_id", node.id().to_string()},
                 {"role", to_string(node.role)},
                 {"parent", of_transaction ? Json() : Json(tree.nodes[node.parent].id().to_string())},
                 {"predecessor_id", node.receipt->predecessor_id},
                 {"receiver_id", node.receipt->receiver_id},
                 {"shard_id",
                  node.executed ? node.executed.application->shard_id
                                : newest_layout.shard_id(newest_layout.index_of(node.receipt->receiver_id))},
                 {"created_height", node.created_height},
                 {"executed_height", nullptr},
                 {"status", "pending"},
                 {"error", error_of(node.executed)}};
    if (!node.executed) return json;
    const sim::Outcome& outcome = node.executed.outcome();
    json["executed_height"] = node.executed.height();
    json["status"] = status_name(outcome.status);
    json["receipt_ids"] = hashes_json(outcome.receipt_ids);
    json["gas_burnt"] = outcome.gas_burnt;
    json["tokens_burnt"] = base::to_string(outcome.tokens_burnt);
    return json;
}

Json effect_json(const std::vector<TokenFlow>& flows) {
    u128 kept = 0;
    u128 returned = 0;
    for (const TokenFlow& flow : flows) {
        kept += flow.kept;
        returned += flow.returned;
    }
    if (returned == 0) return nullptr;
    return kept == 0 ? "refunded" : "refunded_in_part";
}

Json effect_of_failure(const FailedReceipt& failure) {
    if (!failure.handled) return nullptr;
    const Json of_tokens = failure.flow ? effect_json({*failure.flow}) : Json();
    if (!of_tokens.is_null()) return of_tokens;
    return failure.told ? "told" : "swallowed";
}

std::string user_of(const sim::wire::Transaction& body) {
    const bool is_eth_account = body.receiver_id.size() == 42 && body.receiver_id.starts_with("0x");
    for (const sim::wire::Action& action : body.actions) {
        if (const auto* v1 = std::get_if<sim::wire::SignedDelegate>(&action.value))
            return v1->delegate_action.sender_id;
        if (const auto* v2 = std::get_if<sim::wire::SignedDelegateV2>(&action.value))
            return v2->delegate_action.sender_id;
        const auto* call = std::get_if<sim::wire::FunctionCall>(&action.value);
        if (call != nullptr && is_eth_account && call->method_name == "rlp_execute") return body.receiver_id;
    }
    return body.signer_id;
}

u128 attached(const std::vector<sim::wire::Action>& actions) {
    u128 sum = 0;
    for (const sim::wire::Action& action : actions)
        std::visit(
            [&](const auto& value) {
                if constexpr (requires { value.deposit; }) sum += value.deposit;
                if constexpr (requires { value.delegate_action; })
                    sum += attached(value.delegate_action.actions);
            },
            action.value);
    return sum;
}

// Not as a fee: by a refund or payout that nobody took, or with a deleted gas key.
u128 burnt_by(const ReceiptNode& node) {
    if (!node.executed) return 0;
    if (error_of(node.executed).is_null()) return node.executed.outcome().keys_burnt;
    return node.is_from_system() ? attached(node.body().actions) : 0;
}

// Gas of an account that the same tree deleted.
bool is_dust(const TransactionTree& tree, const ReceiptNode& refund) {
    const bool is_of_gas = refund.is_from_system() && refund.body().signer_id != sim::kSystemAccount;
    return is_of_gas && std::ranges::any_of(tree.nodes, [&](const ReceiptNode& node) {
               return node.receipt->receiver_id == refund.receipt->receiver_id && node.executed &&
                      error_of(node.executed).is_null() &&
                      std::ranges::any_of(node.body().actions, [](const sim::wire::Action& action) {
                          return std::holds_alternative<sim::wire::DeleteAccount>(action.value);
                      });
           });
}

u128 tokens_lost(const TransactionTree& tree) {
    u128 sum = 0;
    for (const ReceiptNode& node : tree.nodes)
        if (!is_dust(tree, node)) sum += burnt_by(node);
    return sum;
}

// Whether the user signed: the initial receipt has checked it, and a wallet did not refuse at once.
bool user_signed(const TransactionTree& tree, const std::optional<Judgement>& judgement) {
    if (tree.nodes.empty() || !tree.nodes.front().executed) return false;
    if (!error_of(tree.nodes.front().executed).is_null()) return false;
    const bool at_once =
        std::holds_alternative<sim::SuccessValue>(tree.nodes.front().executed.outcome().status);
    return !(judgement && judgement->wallet && at_once);
}

// What came back of what the user gave: deposits of failed calls.
TokenFlow deposit_flow(const TransactionTree& tree, const sim::wire::Transaction& body) {
    const u128 sent = attached(body.actions);
    u128 back = 0;
    for (const ReceiptNode& node : tree.nodes) {
        const bool is_back = node.role == Role::refund && node.body().signer_id == sim::kSystemAccount &&
                             node.executed && error_of(node.executed).is_null();
        if (!is_back || node.parent == ReceiptNode::kTransaction) continue;
        if (error_of(tree.nodes[node.parent].executed).is_null()) continue;
        const auto& to = node.receipt->receiver_id;
        if (to == body.signer_id || to == user_of(body)) back += attached(node.body().actions);
    }
    TokenFlow flow;
    if (sent <= 1) return flow;
    flow.returned = std::min(back, sent);
    flow.kept = sent - flow.returned;
    return flow;
}

Json effect_of_tree(const Judgement& judgement, const TransactionTree& tree,
                    const sim::wire::Transaction& body) {
    if (tokens_lost(tree) > 0) return "tokens_lost";
    Json effect = effect_json(judgement.flows);
    if (effect.is_null()) effect = effect_json({deposit_flow(tree, body)});
    if (!effect.is_null()) return effect;
    for (const FailedReceipt& failure : judgement.failed)
        if (failure.handled && effect != "swallowed") effect = failure.told ? "told" : "swallowed";
    return effect;
}

Json burnt_json(const TransactionTree& tree) {
    Json list = Json::array();
    for (const ReceiptNode& node : tree.nodes)
        if (const u128 amount = burnt_by(node); amount > 0)
            list.push_back({{"receipt_id", node.id().to_string()},
                            {"role", to_string(node.role)},
                            {"amount", base::to_string(amount)},
                            {"dust", is_dust(tree, node)},
                            {"error", error_of(node.executed)}});
    return list;
}

Json timed_out_json(const TransactionTree& tree) {
    Json list = Json::array();
    for (const ReceiptNode& node : tree.nodes)
        if (node.timed_out)
            list.push_back(
                {{"receipt_id", node.id().to_string()}, {"handled", error_of(node.executed).is_null()}});
    return list;
}

// Flows that gave tokens back though no failed receipt was sent them.
Json returned_json(const TransactionTree& tree, const Judgement& judgement) {
    Json list = Json::array();
    for (const TokenFlow& flow : judgement.flows) {
        const bool of_failure =
            std::any_of(judgement.failed.begin(), judgement.failed.end(),
                        [&](const auto& failed) { return failed.flow && failed.flow->node == flow.node; });
        if (flow.returned == 0 || of_failure) continue;
        list.push_back({{"receipt_id", tree.nodes[flow.node].id().to_string()},
                        {"effect", effect_json({flow})},
                        {"kept", base::to_string(flow.kept)},
                        {"returned", base::to_string(flow.returned)}});
    }
    return list;
}

Json failed_json(const TransactionTree& tree, const Judgement& judgement) {
    Json list = Json::array();
    for (const FailedReceipt& failure : judgement.failed) {
        const ReceiptNode& node = tree.nodes[failure.node];
        Json handled_by = Json::array();
        for (const std::size_t awaiter : failure.handled_by)
            handled_by.push_back(tree.nodes[awaiter].id().to_string());
        list.push_back(
            {{"receipt_id", node.id().to_string()},
             {"role", to_string(node.role)},
             {"handled", failure.handled},
             {"handled_by", std::move(handled_by)},
             {"effect", effect_of_failure(failure)},
             {"root_cause",
              failure.root_cause ? Json(tree.nodes[*failure.root_cause].id().to_string()) : Json()},
             {"error", error_of(node.executed)}});
    }
    return list;
}

// A relayer signs for whoever signed the delegate action, or for the owner of an Ethereum wallet.
std::string method_of(const sim::wire::Transaction& body) {
    for (const sim::wire::Action& action : body.actions)
        if (const auto* call = std::get_if<sim::wire::FunctionCall>(&action.value)) return call->method_name;
    const Json first = actions_json(body.actions).front();
    return first.is_string() ? first.get<std::string>() : first.begin().key();
}

// Refunds of gas are signed by who pays for it, those of deposits by nobody.
void add_money(Json& json, const TransactionTree& tree, const sim::wire::Transaction& body) {
    u128 gas = 0;
    u128 deposits = 0;
    u128 to_signer = 0;
    for (const ReceiptNode& node : tree.nodes) {
        if (node.role != Role::refund || !node.executed || !error_of(node.executed).is_null()) continue;
        const u128 amount = attached(node.body().actions);
        const bool of_gas = node.body().signer_id != sim::kSystemAccount;
        (of_gas ? gas : deposits) += amount;
        if (!of_gas && node.receipt->receiver_id == body.signer_id) to_signer += amount;
    }
    const u128 sent = attached(body.actions);
    json["method_name"] = method_of(body);
    json["net_deposit"] = base::to_string(sent - std::min(sent, to_signer));
    json["gas_refunded"] = base::to_string(gas);
    json["deposit_refunded"] = base::to_string(deposits);
    json["tokens_lost"] = base::to_string(tokens_lost(tree));
}

const char* stage_name(const Submission& submission, const TransactionTree* tree, Height tip, bool is_final) {
    if (tree == nullptr) return to_string(submission.fate);
    if (is_final) return "final";
    return tree->completed_height != 0 && tree->completed_height <= tip ? "completed" : "included";
}

Json heights_json(const Submission& submission, const TransactionTree* tree, Height tip,
                  std::optional<Height> final_height) {
    Json heights = {{"accepted", submission.accepted_height},
                    {"included", nullptr},
                    {"executed", nullptr},
                    {"completed", nullptr},
                    {"refunded", nullptr},
                    {"final", nullptr},
                    {"ended", nullptr}};
    if (final_height) heights["final"] = *final_height;
    if (tree == nullptr) {
        if (submission.fate != Fate::pending) heights["ended"] = submission.fate_height;
        return heights;
    }
    heights["included"] = tree->included.height();
    if (!tree->nodes.empty() && tree->nodes.front().executed) {
        heights["executed"] = tree->nodes.front().executed.height();
    }
    heights["completed"] = height_or_null(tree->completed_height, tip);
    heights["refunded"] = height_or_null(tree->done_height, tip);
    return heights;
}

}  // namespace

Json truth_json(const Submission& submission, const TransactionTree* tree, Height tip,
                std::optional<Height> final_height, const ShardLayout& newest_layout) {
    const sim::wire::Transaction& body = submission.transaction->body();
    Json json = {{"tx_hash", submission.transaction->hash.to_string()},
                 {"signer_id", body.signer_id},
                 {"user_id", body.signer_id},
                 {"claimed_user_id", user_of(body) == body.signer_id ? Json() : Json(user_of(body))},
                 {"receiver_id", body.receiver_id},
                 {"nonce", body.nonce.nonce},
                 {"by_ledger", submission.by_ledger},
                 {"stage", stage_name(submission, tree, tip, final_height.has_value())},
                 {"reason", submission.reason.empty() ? Json() : Json(submission.reason)},
                 {"evidence", submission.evidence ? *submission.evidence : Json()},
                 {"heights", heights_json(submission, tree, tip, final_height)},
                 {"verdict", nullptr},
                 {"near_status", nullptr},
                 {"near_status_receipt_id", nullptr},
                 {"effect", nullptr},
                 {"wallet_refusal", nullptr},
                 {"tokens_returned", Json::array()},
                 {"burnt_tokens", Json::array()},
                 {"yields_timed_out", Json::array()},
                 {"error", nullptr},
                 {"failed_receipts", Json::array()},
                 {"tree", Json::array()}};
    if (tree == nullptr) return json;
    json["error"] = error_of(tree->included);
    json["burnt_tokens"] = burnt_json(*tree);
    json["yields_timed_out"] = timed_out_json(*tree);
    add_money(json, *tree, body);
    const auto judgement = judge(*tree, tip);
    if (user_signed(*tree, judgement)) {
        json["user_id"] = user_of(body);
        json["claimed_user_id"] = nullptr;
    }
    if (judgement) {
        json["verdict"] = to_string(judgement->verdict);
        json["near_status"] = judgement->near_failed ? "failure" : "success";
        if (judgement->near_end != ReceiptNode::kTransaction)
            json["near_status_receipt_id"] = tree->nodes[judgement->near_end].id().to_string();
        json["failed_receipts"] = failed_json(*tree, *judgement);
        json["effect"] = effect_of_tree(*judgement, *tree, body);
        if (judgement->wallet)
            json["wallet_refusal"] = {{"receipt_id", tree->nodes[judgement->wallet->asked].id().to_string()},
                                      {"error", judgement->wallet->error}};
        json["tokens_returned"] = returned_json(*tree, *judgement);
    }
    for (const std::size_t node : tree->depth_first())
        json["tree"].push_back(node_json(*tree, tree->nodes[node], newest_layout));
    return json;
}

}  // namespace receiptd::sandbox
