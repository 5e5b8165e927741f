#include "chain/tree/rules.hpp"

#include "chain/tree/wallet.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace receiptd::chain {

namespace {

Handling handling_of(const Failure& failure) {
    if (failure.finding.role == Role::callback) return Handling::unhandled;
    if (!failure.body_known) return Handling::undecided;
    if (failure.awaiters.empty()) return Handling::unhandled;
    bool open = false;
    for (const auto& awaiter : failure.awaiters) {
        if (awaiter.end == Awaiter::End::failed) return Handling::unhandled;
        open = open || awaiter.end == Awaiter::End::open;
    }
    return open ? Handling::undecided : Handling::handled;
}

// Each once: a receipt may await another by several data ids.
std::vector<std::string> receipts_of(const std::vector<Awaiter>& awaiters) {
    std::vector<std::string> ids;
    for (const auto& awaiter : awaiters) ids.push_back(awaiter.receipt_id);
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return ids;
}

bool is_of_initial(const Failure& failure) {
    return failure.finding.receipt_id.empty() || failure.finding.role == Role::initial;
}

bool is_earlier(const Finding& a, const Finding& b) {
    return std::tie(a.at.height, a.receipt_id) < std::tie(b.at.height, b.receipt_id);
}

}  // namespace

void Awaiter::ended(bool failed, std::string_view by) {
    const auto now = failed ? End::failed : End::succeeded;
    if (now < end || (now == end && by >= receipt_id)) return;
    end = now;
    receipt_id = by;
}

Text handling_name(Handling handling) {
    switch (handling) {
        case Handling::handled: return "handled";
        case Handling::unhandled: return "unhandled";
        case Handling::undecided: return "undecided";
    }
    return {};
}

void decide_handling(std::vector<Failure>& failures, bool all_known) {
    for (auto& failure : failures) {
        if (failure.handling == Handling::undecided) failure.handling = handling_of(failure);
        if (all_known && failure.handling == Handling::undecided) failure.handling = Handling::unhandled;
        if (failure.handling == Handling::undecided) continue;
        failure.finding.handled = failure.handling == Handling::handled;
        if (!*failure.finding.handled) failure.finding.effect.reset();
        if (failure.handling == Handling::handled && failure.finding.handled_by.empty())
            failure.finding.handled_by = receipts_of(failure.awaiters);
    }
}

std::optional<Verdict> verdict_of(const std::vector<Failure>& failures, Missing missing,
                                  bool initial_succeeded, const Refusal& refusal) {
    bool callback = false;
    bool near_says_failure = false;
    bool unhandled = false;
    bool undecided = false;
    bool may_be_callback = false;
    for (const auto& failure : failures) {
        if (is_of_initial(failure)) return Verdict::failed;
        may_be_callback = may_be_callback || !failure.body_known;
        callback = callback || failure.finding.role == Role::callback;
        near_says_failure = near_says_failure || failure.on_result_chain;
        unhandled = unhandled || failure.handling == Handling::unhandled;
        undecided = undecided || failure.handling == Handling::undecided;
    }
    if (callback && initial_succeeded) return Verdict::callback_failed;
    if (missing == Missing::receipts) return std::nullopt;
    if (may_be_callback) return std::nullopt;
    if (near_says_failure) return Verdict::failed;
    if (undecided) return std::nullopt;
    if (unhandled || refusal) return Verdict::receipt_failed;
    return failures.empty() ? Verdict::succeeded : Verdict::succeeded_with_handled_failure;
}

bool gives(const Failure& failure, Verdict verdict) {
    const bool handled = failure.handling == Handling::handled;
    switch (verdict) {
        case Verdict::succeeded: return false;
        case Verdict::failed: return is_of_initial(failure) || failure.on_result_chain;
        case Verdict::callback_failed: return failure.finding.role == Role::callback;
        case Verdict::receipt_failed: return !handled;
        case Verdict::succeeded_with_handled_failure: return handled;
    }
    return false;
}

const Failure* deciding(const std::vector<Failure>& failures, Verdict verdict) {
    const Failure* first = nullptr;
    for (const auto& failure : failures)
        if (gives(failure, verdict) && (!first || is_earlier(failure.finding, first->finding)))
            first = &failure;
    if (first || verdict != Verdict::receipt_failed) return first;
    for (const auto& failure : failures)
        if (!first || is_earlier(failure.finding, first->finding)) first = &failure;
    return first;
}

FailureClass deciding_class(const std::vector<Failure>& failures, Verdict verdict, const Refusal& refusal) {
    if (const auto* failure = deciding(failures, verdict)) return failure->finding.failure;
    return refusal ? FailureClass{std::string(kWalletRefused), *refusal} : FailureClass{};
}

std::optional<Finding> refusal_finding(const std::vector<Failure>& failures, const Refusal& refusal,
                                       const Finding* asked) {
    if (!refusal || !asked || !failures.empty()) return std::nullopt;
    auto finding = *asked;
    finding.kind = kind::kWalletRefused;
    finding.handled = false;
    finding.failure = {std::string(kWalletRefused), *refusal};
    return finding;
}

Finding timeout_finding(Finding executed, bool succeeded) {
    executed.kind = kind::kYieldTimedOut;
    executed.handled = succeeded;
    executed.failure = {std::string(kind::kYieldTimedOut), {}};
    return executed;
}

std::string root_cause(const std::vector<Failure>& failures, Verdict verdict) {
    const auto* failure = deciding(failures, verdict);
    if (!failure) return {};
    const auto& finding = failure->finding;
    return finding.root_cause.empty() ? finding.receipt_id : finding.root_cause;
}

}  // namespace receiptd::chain
