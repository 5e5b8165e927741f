#include "chain/tree/rules.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace receiptd::chain {

namespace {

// Data edges have no cycle on an honest chain; on another one a ring stays undecided.
class Handlings {
public:
    explicit Handlings(std::vector<Failure>& failures) : failures_(failures), states_(failures.size()) {
        for (std::size_t i = 0; i < failures.size(); ++i) at_.emplace(failures[i].finding.receipt_id, i);
    }

    void decide() {
        for (std::size_t i = 0; i < failures_.size(); ++i) decide(i);
    }

private:
    enum class State : std::uint8_t { open, entered, done };

    // A failure after those that await it; a stack, as a chain of them may be long.
    void decide(std::size_t start) {
        stack_.push_back(start);
        while (!stack_.empty()) {
            const auto i = stack_.back();
            if (states_[i] == State::open && failures_[i].handling == Handling::undecided) {
                states_[i] = State::entered;
                for (const auto& awaiter : failures_[i].awaiters)
                    if (const auto* failed = failure_of(awaiter))
                        if (const auto next = index_of(*failed); states_[next] == State::open)
                            stack_.push_back(next);
                continue;
            }
            stack_.pop_back();
            if (states_[i] == State::entered) failures_[i].handling = handling(failures_[i]);
            states_[i] = State::done;
        }
    }

    Handling handling(const Failure& failure) const {
        if (!failure.body_known) return Handling::undecided;
        if (failure.awaiters.empty()) return Handling::unhandled;
        bool open = false;
        for (const auto& awaiter : failure.awaiters) {
            if (awaiter.end == Awaiter::End::succeeded) continue;
            const auto* failed = failure_of(awaiter);
            if (failed && failed->handling == Handling::unhandled) return Handling::unhandled;
            open = open || !failed || failed->handling == Handling::undecided;
        }
        return open ? Handling::undecided : Handling::handled;
    }

    const Failure* failure_of(const Awaiter& awaiter) const {
        if (awaiter.end != Awaiter::End::failed) return nullptr;
        const auto found = at_.find(awaiter.receipt_id);
        return found == at_.end() ? nullptr : &failures_[found->second];
    }

    std::size_t index_of(const Failure& failure) const {
        return static_cast<std::size_t>(&failure - failures_.data());
    }

    std::vector<Failure>& failures_;
    std::unordered_map<std::string_view, std::size_t> at_;
    std::vector<State> states_;
    std::vector<std::size_t> stack_;
};

bool is_of_initial(const Failure& failure) {
    return failure.finding.receipt_id.empty() || failure.finding.role == Role::initial;
}

bool is_earlier(const Finding& a, const Finding& b) {
    return std::tie(a.at.height, a.receipt_id) < std::tie(b.at.height, b.receipt_id);
}

}  // namespace

void Awaiter::ended(bool failed, std::string_view by) {
    if (!failed) {
        if (end == End::open) end = End::succeeded;
    } else if (end != End::failed || by < receipt_id) {
        end = End::failed;
        receipt_id = by;
    }
}

Text handling_name(Handling handling) {
    switch (handling) {
        case Handling::handled: return "handled";
        case Handling::unhandled: return "unhandled";
        case Handling::undecided: return "undecided";
    }
    return {};
}

void decide_handling(std::vector<Failure>& failures, bool all_executed) {
    Handlings(failures).decide();
    for (auto& failure : failures) {
        if (all_executed && failure.handling == Handling::undecided) failure.handling = Handling::unhandled;
        if (failure.handling != Handling::undecided)
            failure.finding.handled = failure.handling == Handling::handled;
    }
}

std::optional<Verdict> verdict_of(const std::vector<Failure>& failures, Missing missing,
                                  bool initial_succeeded) {
    bool callback = false;
    bool other = false;
    bool undecided = false;
    for (const auto& failure : failures) {
        if (is_of_initial(failure)) return Verdict::failed;
        const bool unhandled = failure.handling == Handling::unhandled;
        undecided = undecided || failure.handling == Handling::undecided;
        if (unhandled) (failure.finding.role == Role::callback ? callback : other) = true;
    }
    if (callback && initial_succeeded) return Verdict::callback_failed;
    if (missing == Missing::receipts || undecided) return std::nullopt;
    if (other) return Verdict::receipt_failed;
    return failures.empty() ? Verdict::succeeded : Verdict::succeeded_with_handled_failure;
}

bool gives(const Failure& failure, Verdict verdict) {
    const bool handled = failure.handling == Handling::handled;
    switch (verdict) {
        case Verdict::succeeded: return false;
        case Verdict::failed: return is_of_initial(failure);
        case Verdict::callback_failed: return failure.finding.role == Role::callback && !handled;
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
    return first;
}

}  // namespace receiptd::chain
