#include "sandbox/ledger/submissions.hpp"

namespace receiptd::sandbox {

const char* to_string(Fate fate) {
    switch (fate) {
        case Fate::pending: return "pending";
        case Fate::included: return "included";
        case Fate::rejected: return "rejected";
        case Fate::forwarding_failed: return "forwarding_failed";
        case Fate::expired: return "expired";
        case Fate::dropped: return "dropped";
    }
    return "";
}

Submission& Submissions::add(TransactionPtr transaction, Height accepted_height) {
    if (Submission* known = find(transaction->hash)) return *known;
    Submission& made = all_.emplace_back();
    made.accepted_height = accepted_height;
    made.fate_height = accepted_height;
    by_hash_.emplace(transaction->hash, &made);
    made.transaction = std::move(transaction);
    return made;
}

void Submissions::forget_while(const std::function<bool(const Submission&)>& is_over) {
    while (!all_.empty() && is_over(all_.front())) {
        by_hash_.erase(all_.front().transaction->hash);
        all_.pop_front();
    }
}

Submission* Submissions::find(const CryptoHash& hash) {
    const auto found = by_hash_.find(hash);
    return found == by_hash_.end() ? nullptr : found->second;
}

const Submission* Submissions::find(const CryptoHash& hash) const {
    const auto found = by_hash_.find(hash);
    return found == by_hash_.end() ? nullptr : found->second;
}

}  // namespace receiptd::sandbox
