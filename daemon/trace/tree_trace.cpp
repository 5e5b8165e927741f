#include "trace/tree_trace.hpp"

#include "base/u128.hpp"
#include "trace/otlp.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace receiptd::trace {

namespace {

using chain::JudgedReceipt;

constexpr std::uint64_t kNanosecondsInMicrosecond = 1'000;
constexpr std::size_t kLongestEvidence = 2'048;
constexpr std::string_view kFunctionCall = "FunctionCall";

std::uint64_t rounded(std::uint64_t nanosec) { return nanosec - nanosec % kNanosecondsInMicrosecond; }

std::uint64_t time_of(const std::optional<chain::ExecutedAt>& at) {
    return at ? rounded(at->timestamp_nanosec) : 0;
}

std::string error_words(const std::string& error_class, const std::string& error_text) {
    return plain(error_text.empty() ? error_class : error_class + ": " + error_text);
}

bool is_bad_end(chain::Stage stage) { return chain::is_end(stage) && stage != chain::Stage::final; }

bool is_good(chain::Verdict verdict) {
    return verdict == chain::Verdict::succeeded || verdict == chain::Verdict::succeeded_with_handled_failure;
}

// The stages that pass before the receipts tell what happens.
bool has_span(chain::Stage stage) {
    return stage == chain::Stage::accepted || stage == chain::Stage::pending ||
           stage == chain::Stage::included;
}

class Tracing {
public:
    Tracing(const Transaction& transaction, ServiceNames& services)
        : transaction_(transaction),
          services_(services),
          root_(root_id()),
          spans_(trace::trace_id_of(transaction), transaction.network) {
        if (transaction_.tree) choose_receipts();
        place_steps();
    }

    Trace trace() {
        const bool has_time = transaction_.tree && transaction_.tree->included_at;
        if (!has_time && transaction_.steps.empty()) return {};
        root();
        stages();
        for (const auto* receipt : chosen_) this->receipt(*receipt);
        return {spans_.to_resource_spans(), spans_.size()};
    }

private:
    struct Place {
        SpanId span_id;
        std::uint64_t executed = 0;  // nanoseconds
    };

    // Executions of one hash have one trace id, and a span each.
    SpanId root_id() const {
        const auto& tree = transaction_.tree;
        if (!transaction_.is_later_execution || !tree || !tree->included_at)
            return span_id_of(transaction_.tx_hash);
        return span_id_of(transaction_.tx_hash + "@" + std::to_string(tree->included_at->height));
    }

    // Some are told by blocks, others by our clock, which learns of them late: nothing comes after what
    // followed it.
    void place_steps() {
        for (const auto& step : transaction_.steps) times_.push_back(rounded(step.nanosec));
        for (std::size_t i = times_.size(); i > 1; --i)
            times_[i - 2] = std::min(times_[i - 2], times_[i - 1]);
    }

    void choose_receipts() {
        const auto& receipts = transaction_.tree->receipts;
        const auto calls =
            static_cast<std::size_t>(std::count_if(receipts.begin(), receipts.end(), [](const auto& r) {
                return r.executed && !r.is_from_system();
            }));
        auto refunds = kMostReceipts - std::min(kMostReceipts, calls);
        for (const auto& receipt : receipts) {
            if (!receipt.executed || !receipt.at) continue;
            const bool is_refund = receipt.is_from_system();
            const bool has_room = chosen_.size() < kMostReceipts && (!is_refund || refunds > 0);
            if (!has_room) {
                ++left_out_;
                continue;
            }
            if (is_refund) --refunds;
            if (!is_refund) callers_.insert(receipt.parent_receipt_id);
            places_.emplace(receipt.receipt_id, Place{span_id_of(receipt.receipt_id), time_of(receipt.at)});
            chosen_.push_back(&receipt);
        }
    }

    // --- The transaction ---

    void root() {
        Span span;
        span.span_id = root_;
        if (transaction_.caller) span.parent_span_id = &transaction_.caller->span_id;
        const auto name =
            "transaction " + plain(transaction_.facts ? transaction_.facts->method_name : "", 64);
        span.name = std::string_view(name).substr(0, name.find_last_not_of(' ') + 1);
        span.kind = chosen_.empty() ? Kind::internal : Kind::client;
        const auto began = first_time();
        span.start_nanosec = began;
        span.end_nanosec = std::max(began, last_time());
        span.attributes.text("near.tx_hash", transaction_.tx_hash);
        describe_transaction(span.attributes);
        const auto error = describe_end(span.attributes);
        span.is_error = !error.empty();
        span.error = error;
        spans_.add(kChainService, span);
    }

    std::uint64_t first_time() const {
        const auto included = transaction_.tree ? time_of(transaction_.tree->included_at) : 0;
        if (times_.empty()) return included;
        return included > 0 ? std::min(included, times_.front()) : times_.front();
    }

    std::uint64_t last_time() const {
        std::uint64_t last = transaction_.tree ? time_of(transaction_.tree->included_at) : 0;
        for (const auto* receipt : chosen_) last = std::max(last, time_of(receipt->at));
        return transaction_.tree ? last : times_.back();
    }

    void describe_transaction(Attributes& attributes) const {
        const auto* facts = transaction_.facts;
        attributes.text("near.signer_id", facts ? facts->signer_id : transaction_.sender_id);
        if (facts)
            attributes.text("near.receiver_id", facts->receiver_id)
                .foreign("near.method_name", facts->method_name);
        const auto* tree = transaction_.tree;
        if (!tree) return;
        attributes.text("near.user_id", tree->user.id);
        if (tree->included_at) attributes.number("near.block_height", tree->included_at->height);
        if (tree->verdict) attributes.text("near.verdict", chain::verdict_name(*tree->verdict));
        if (tree->near_status) attributes.text("near.status", tree->near_status->name());
        if (tree->effect) attributes.text("near.effect", chain::effect_name(*tree->effect));
        attributes.text("near.root_cause", tree->root_cause)
            .number("near.receipts", tree->receipts.size())
            .number("near.failed_receipts", tree->failed_receipts)
            .number("near.gas_burnt", tree->gas_burnt)
            .text("near.tokens_burnt", base::to_string(tree->tokens_burnt));
        if (left_out_ > 0) attributes.number("near.receipts_left_out", left_out_);
    }

    // Words of the error; empty: it ended well, or has not ended.
    std::string describe_end(Attributes& attributes) const {
        if (!transaction_.steps.empty()) {
            const auto& last = transaction_.steps.back();
            attributes.text("near.stage", chain::stage_name(last.stage));
            if (is_bad_end(last.stage)) return describe_bad_end(last, attributes);
        }
        const auto* tree = transaction_.tree;
        if (!tree) return {};
        if (tree->transaction_failed) {
            attributes.text("error.type", tree->transaction_failure.error_class);
            return error_words(tree->transaction_failure.error_class, tree->transaction_failure.error_text);
        }
        if (!tree->verdict || is_good(*tree->verdict)) return {};
        const auto deciding = tree->deciding_class();
        attributes.text("error.type", deciding);
        return error_words(std::string(chain::verdict_name(*tree->verdict)), deciding);
    }

    std::string describe_bad_end(const Step& end, Attributes& attributes) const {
        const auto stage = std::string(chain::stage_name(end.stage));
        const auto reason = plain(transaction_.reason);
        attributes.text("error.type", stage)
            .text("near.reason", reason)
            .text("near.evidence", plain(end.evidence, kLongestEvidence));
        return error_words(stage, reason);
    }

    // --- Its stages ---

    void stages() {
        const auto& steps = transaction_.steps;
        for (std::size_t i = 0; i + 1 < steps.size(); ++i)
            if (has_span(steps[i].stage)) stage(steps[i], steps[i + 1], i);
    }

    void stage(const Step& step, const Step& next, std::size_t number) {
        Span span;
        const auto name = std::string(chain::stage_name(step.stage));
        span.span_id = span_id_of(transaction_.tx_hash + ":" + name + ":" + std::to_string(number));
        span.parent_span_id = &root_;
        span.name = name;
        span.start_nanosec = times_[number];
        span.end_nanosec = times_[number + 1];
        span.attributes.text("near.tx_hash", transaction_.tx_hash).text("near.stage", name);
        if (step.height) span.attributes.number("near.block_height", *step.height);
        std::string error;
        if (is_bad_end(next.stage)) error = describe_bad_end(next, span.attributes);
        if (step.stage == chain::Stage::included && next.stage == chain::Stage::pending) error = "retracted";
        span.is_error = !error.empty();
        span.error = error;
        spans_.add(kChainService, span);
    }

    // --- Its receipts ---

    void receipt(const JudgedReceipt& receipt) {
        const auto& place = places_.at(receipt.receipt_id);
        const auto parent = parent_of(receipt);
        Span span;
        span.span_id = place.span_id;
        span.parent_span_id = &parent.span_id;
        const auto name = plain(receipt.method_name.empty() ? "receipt" : receipt.method_name, 64);
        span.name = name;
        span.kind = kind_of(receipt);
        // Parents are executed first. A block whose time is not known has none.
        span.start_nanosec = parent.executed > 0 ? std::min(parent.executed, place.executed) : place.executed;
        span.end_nanosec = place.executed;
        describe(receipt, span.attributes);
        for (const auto& id : receipt.awaits) {
            const auto awaited = places_.find(id);
            if (awaited != places_.end() && span.awaited.size() < kMostLinks)
                span.awaited.push_back(awaited->second.span_id);
        }
        std::string error;
        if (receipt.failed()) error = error_words(receipt.failure.error_class, receipt.failure.error_text);
        span.is_error = receipt.failed();
        span.error = error;
        const bool is_call = std::find(receipt.action_names.begin(), receipt.action_names.end(),
                                       kFunctionCall) != receipt.action_names.end();
        spans_.add(is_call ? services_.of(receipt.receiver_id) : kChainService, span);
    }

    Place parent_of(const JudgedReceipt& receipt) const {
        const auto found = places_.find(receipt.parent_receipt_id);
        if (found != places_.end()) return found->second;
        return {root_, receipt.parent_receipt_id.empty() && receipt.attached
                           ? time_of(transaction_.tree->included_at)
                           : 0};
    }

    // Service graphs draw an edge from a client to a server below it.
    Kind kind_of(const JudgedReceipt& receipt) const {
        if (receipt.is_from_system()) return Kind::internal;
        return callers_.contains(receipt.receipt_id) ? Kind::client : Kind::server;
    }

    void describe(const JudgedReceipt& receipt, Attributes& attributes) const {
        attributes.text("near.tx_hash", transaction_.tx_hash)
            .text("near.receipt_id", receipt.receipt_id)
            .text("near.predecessor_id", receipt.predecessor_id)
            .text("near.receiver_id", receipt.receiver_id)
            .foreign("near.method_name", receipt.method_name);
        if (receipt.role) attributes.text("near.role", chain::role_name(*receipt.role));
        attributes.text("near.status", receipt.status_name())
            .number("near.block_height", receipt.at->height)
            .number("near.gas_burnt", receipt.gas_burnt)
            .text("near.tokens_burnt", base::to_string(receipt.tokens_burnt));
        if (receipt.deposit > 0) attributes.text("near.deposit", base::to_string(receipt.deposit));
        if (receipt.failed()) {
            attributes.text("error.type", receipt.failure.error_class);
            if (receipt.handling != chain::Handling::undecided && !receipt.is_from_system())
                attributes.flag("near.handled", receipt.handling == chain::Handling::handled);
        }
        const auto given = transaction_.arguments.find(receipt.receipt_id);
        if (given != transaction_.arguments.end()) attributes.foreign("near.arguments", given->second);
    }

    const Transaction& transaction_;
    ServiceNames& services_;
    SpanId root_;
    Spans spans_;
    std::vector<const JudgedReceipt*> chosen_;  // parents before their children
    std::unordered_map<std::string_view, Place> places_;
    std::unordered_set<std::string_view> callers_;  // receipts that made others, which are no refunds
    std::vector<std::uint64_t> times_;              // of the steps
    std::uint64_t left_out_ = 0;
};

}  // namespace

TraceId trace_id_of(const Transaction& transaction) {
    return transaction.caller ? transaction.caller->trace_id : trace_id_of(transaction.tx_hash);
}

Trace trace_of(const Transaction& transaction, ServiceNames& services) {
    return Tracing(transaction, services).trace();
}

}  // namespace receiptd::trace
