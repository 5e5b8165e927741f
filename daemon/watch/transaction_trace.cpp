#include "watch/transaction_trace.hpp"

#include "trace/otlp.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::watch {

namespace {

std::uint64_t nanosec_of(base::WallTime time) {
    const auto since = time.time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

std::vector<trace::Step> steps_of(const TransactionView& view) {
    std::vector<trace::Step> steps;
    if (!view.watch) return steps;
    steps.push_back({chain::Stage::accepted, nanosec_of(view.watch->created_at)});
    for (const auto& [transition, certainty, learned_at] : view.transitions) {
        if (transition.confirms()) continue;
        trace::Step step{transition.to, nanosec_of(learned_at)};
        if (const auto& at = transition.at; at && at->timestamp_nanosec > 0) {
            step.nanosec = at->timestamp_nanosec;
            step.height = at->height;
        }
        step.evidence = transition.evidence;
        steps.push_back(std::move(step));
    }
    return steps;
}

std::optional<trace::Caller> caller_of(const TransactionView& view) {
    return view.watch ? trace::parse_traceparent(view.watch->traceparent) : std::nullopt;
}

bool is_later_execution(const TransactionView& view) {
    if (!view.tree || !view.tree->included_at) return false;
    return std::any_of(view.other_executions.begin(), view.other_executions.end(), [&](const auto& other) {
        return other.included_at && other.included_at->height < view.tree->included_at->height;
    });
}

trace::Transaction traced(const TransactionView& view) {
    trace::Transaction transaction;
    transaction.tx_hash = view.tx_hash;
    transaction.sender_id = view.sender_id;
    transaction.facts = view.transaction ? &*view.transaction : nullptr;
    transaction.tree = view.tree ? &*view.tree : nullptr;
    transaction.is_later_execution = is_later_execution(view);
    transaction.steps = steps_of(view);
    transaction.caller = caller_of(view);
    if (view.watch) transaction.reason = view.watch->state.reason;
    return transaction;
}

}  // namespace

std::string trace_id(const TransactionView& view) {
    const auto caller = caller_of(view);
    return trace::to_hex(caller ? caller->trace_id : trace::trace_id_of(view.tx_hash));
}

trace::Trace transaction_trace(const TransactionView& view, const std::string& network,
                               trace::ServiceNames& services, std::map<std::string, std::string> arguments) {
    auto transaction = traced(view);
    transaction.network = network;
    transaction.arguments = std::move(arguments);
    return trace::trace_of(transaction, services);
}

std::string transaction_trace_json(const TransactionView& view, const std::string& network) {
    trace::ServiceNames services(trace::kMostServices);
    return trace::to_request({transaction_trace(view, network, services).resource_spans});
}

}  // namespace receiptd::watch
