#include "chain/tree/receipt_graph.hpp"

#include "chain/json/errors.hpp"
#include "chain/tree/called_method.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace receiptd::chain {

namespace {

constexpr std::array<std::pair<Verdict, Text>, 5> kVerdicts{{
    {Verdict::succeeded, "succeeded"},
    {Verdict::failed, "failed"},
    {Verdict::callback_failed, "callback_failed"},
    {Verdict::receipt_failed, "receipt_failed"},
    {Verdict::succeeded_with_handled_failure, "succeeded_with_handled_failure"},
}};

std::optional<DelegateFacts> delegate_in(const std::vector<Action>& actions) {
    for (const auto& action : actions) {
        if (action.kind == ActionKind::delegate || action.kind == ActionKind::delegate_v2)
            return DelegateFacts{std::string(action.delegate_sender_id),
                                 std::string(action.delegate_receiver_id)};
    }
    return std::nullopt;
}

u128 deposit_of(const std::vector<Action>& actions) {
    u128 sum = 0;
    for (const auto& action : actions) sum += action.deposit + deposit_of(action.delegate_actions);
    return sum;
}

}  // namespace

Text verdict_name(Verdict verdict) {
    const auto* found = std::find_if(kVerdicts.begin(), kVerdicts.end(),
                                     [&](const auto& item) { return item.first == verdict; });
    return found == kVerdicts.end() ? Text() : found->second;
}

std::optional<Verdict> parse_verdict(Text name) {
    for (const auto& [verdict, text] : kVerdicts)
        if (text == name) return verdict;
    return std::nullopt;
}

Text handling_name(Handling handling) {
    switch (handling) {
        case Handling::handled: return "handled";
        case Handling::unhandled: return "unhandled";
        case Handling::undecided: return "undecided";
    }
    return {};
}

Text waiting_name(Waiting waiting) {
    switch (waiting) {
        case Waiting::none: return "none";
        case Waiting::body: return "body";
        case Waiting::data: return "data";
        case Waiting::resume: return "resume";
        case Waiting::execution: return "execution";
    }
    return {};
}

ReceiptFacts receipt_facts(const Receipt& receipt) {
    ReceiptFacts facts;
    facts.receipt_id = receipt.receipt_id;
    facts.predecessor_id = receipt.predecessor_id;
    facts.receiver_id = receipt.receiver_id;
    facts.signer_id = receipt.signer_id;
    facts.input_data_ids.assign(receipt.input_data_ids.begin(), receipt.input_data_ids.end());
    for (const auto& receiver : receipt.output_data_receivers)
        facts.output_data_ids.emplace_back(receiver.data_id);
    facts.is_promise_yield = receipt.is_promise_yield;
    for (const auto& action : receipt.actions) {
        facts.action_names.emplace_back(action.name);
        if (action.kind == ActionKind::delete_account) facts.deletes_account = true;
    }
    facts.method_name = called_method_or_action(receipt.actions);
    facts.deposit = deposit_of(receipt.actions);
    facts.delegate = delegate_in(receipt.actions);
    return facts;
}

OutcomeFacts outcome_facts(const Outcome& outcome, std::optional<ExecutedAt> at) {
    OutcomeFacts facts;
    facts.id = outcome.id;
    facts.executor_id = outcome.executor_id;
    facts.status = outcome.status.kind;
    facts.receipt_ids.assign(outcome.receipt_ids.begin(), outcome.receipt_ids.end());
    if (facts.status == StatusKind::failure) facts.failure = classify_failure(outcome.status.failure_json);
    facts.gas_burnt = outcome.gas_burnt;
    facts.tokens_burnt = outcome.tokens_burnt;
    facts.at = at;
    return facts;
}

DataFacts data_facts(const Receipt& data_receipt) {
    return {std::string(data_receipt.data_id), !data_receipt.data, data_receipt.is_promise_resume};
}

TransactionFacts transaction_facts(const SignedTransaction& transaction) {
    return {std::string(transaction.hash),        std::string(transaction.signer_id),
            std::string(transaction.receiver_id), deposit_of(transaction.actions),
            delegate_in(transaction.actions),     std::string(called_method_or_action(transaction.actions))};
}

ReceiptGraph::Node& ReceiptGraph::node(const std::string& id) { return nodes_[id]; }

void ReceiptGraph::add(TransactionFacts transaction) {
    if (transaction.tx_hash == tx_hash_ && !transaction_) transaction_ = std::move(transaction);
}

void ReceiptGraph::add(ReceiptFacts receipt) {
    auto& body = node(receipt.receipt_id).body;
    if (!body) body = std::move(receipt);
}

// A place may be learned after the outcome.
void ReceiptGraph::add(OutcomeFacts outcome) {
    auto& known = outcome.id == tx_hash_ ? conversion_ : node(outcome.id).outcome;
    if (!known)
        known = std::move(outcome);
    else if (!known->at)
        known->at = outcome.at;
}

void ReceiptGraph::add(DataFacts data) { data_.emplace(data.data_id, std::move(data)); }

}  // namespace receiptd::chain
