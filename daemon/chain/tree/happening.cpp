#include "chain/tree/happening.hpp"

#include "base/nul.hpp"
#include "chain/tree/effect.hpp"
#include "chain/tree/token_moves.hpp"

#include <array>
#include <utility>

namespace receiptd::chain {

Text cause_name(TransferCause cause) {
    switch (cause) {
        case TransferCause::transfer: return "transfer";
        case TransferCause::refund: return "refund";
        case TransferCause::returned: return "returned";
    }
    return {};
}

Gathering::Gathering(const Interest* interest, const ReceiptOutline& receipt,
                     std::function<ActionFacts()> actions, std::vector<Happening>& found)
    : interest_(interest), receipt_(receipt), read_actions_(std::move(actions)), found_(found) {
    if (interest != nullptr) kinds_ = interest->kinds();
}

// Where the user or the signer is not known, everybody may be meant.
bool Gathering::asked(HappeningKind kind) {
    if ((kinds_ & bit(kind)) == 0) return false;
    if (!by_role_) {
        const bool open = !receipt_.user_id || receipt_.signer_id == kSystemAccount;
        const bool may_have_others = open && !receipt_.tx_hash.empty();
        const std::array accounts = {receipt_.predecessor_id, receipt_.receiver_id, receipt_.signer_id,
                                     receipt_.payer_id, receipt_.user_id.value_or(Text())};
        by_role_ = may_have_others ? kinds_ : interest_->kinds_for(accounts);
    }
    return (*by_role_ & bit(kind)) != 0;
}

bool Gathering::asked(HappeningKind kind, Text account_id) {
    if (asked(kind)) return true;
    return (interest_->kinds_for(std::array{account_id}) & bit(kind)) != 0;
}

const std::shared_ptr<const DoneReceipt>& Gathering::done() {
    if (done_) return done_;
    auto facts = read_actions_();
    keys_ = std::move(facts.keys);
    DoneReceipt done;
    done.receipt_id = receipt_.receipt_id;
    done.tx_hash = receipt_.tx_hash;
    done.user_id = receipt_.user_id;
    done.signer_id = receipt_.signer_id;
    done.predecessor_id = receipt_.predecessor_id;
    done.receiver_id = receipt_.receiver_id;
    done.role = receipt_.role;
    done.method_name = base::without_nul(receipt_.method_name);
    done.args_json = std::move(facts.args_json);
    for (const auto& name : facts.names) done.action_names.push_back(base::without_nul(name));
    done.deposit = receipt_.deposit;
    done.gas_burnt = receipt_.gas_burnt;
    done.at = {receipt_.at.height, receipt_.at.timestamp_nanosec / 1'000 * 1'000};
    done_ = std::make_shared<const DoneReceipt>(std::move(done));
    return done_;
}

void Gathering::transfer(std::string place, Transferred&& side) {
    auto id = "transfer:" + done()->receipt_id + ":" + std::move(place) + (side.incoming ? ":in:" : ":out:") +
              side.account_id;
    found_.push_back({std::move(id), done(), std::move(side)});
}

void Gathering::both_sides(const std::string& place, Text from, Text to, Transferred&& side) {
    if (!from.empty() && asked(HappeningKind::transfer, from)) {
        auto out = side;
        out.account_id = from;
        out.other_id = to;
        transfer(place, std::move(out));
    }
    if (!to.empty() && asked(HappeningKind::transfer, to)) {
        side.account_id = to;
        side.other_id = from;
        side.incoming = true;
        transfer(place, std::move(side));
    }
}

void Gathering::event(std::size_t index, const ContractEvent& event) {
    if (kinds_ == 0) return;
    const auto log = std::to_string(index);
    if (asked(HappeningKind::event))
        found_.push_back({"event:" + std::string(receipt_.receipt_id) + ":" + log, done(),
                          Emitted{base::without_nul(event.standard), base::without_nul(event.event),
                                  std::string(event.data)}});
    if ((kinds_ & bit(HappeningKind::transfer)) == 0) return;
    const bool gives_back = is_token_callback(receipt_.method_name);
    for (const auto& move : token_moves(event)) {
        Transferred side;
        side.token_id = receipt_.receiver_id;
        side.of_many = base::without_nul(move.token);
        side.amount = move.amount;
        if (gives_back && !move.from.empty() && !move.to.empty()) side.cause = TransferCause::returned;
        both_sides(log + "." + std::to_string(move.position), move.from, move.to, std::move(side));
    }
}

// Before its parent is known, what `system` sends may be a payout; most is a refund.
void Gathering::actions() {
    if (receipt_.deposit > 0 && receipt_.predecessor_id != receipt_.receiver_id &&
        asked(HappeningKind::transfer)) {
        const bool from_system = receipt_.predecessor_id == kSystemAccount;
        Transferred side;
        side.token_id = kNear;
        side.amount = receipt_.deposit;
        const bool is_refund = from_system && receipt_.role != Role::payout;
        if (is_refund) {  // whoever gives it back never had it: it does not leave that account
            side.cause = TransferCause::refund;
            side.account_id = receipt_.receiver_id;
            side.other_id = receipt_.payer_id;
            side.incoming = true;
            transfer(std::string(kNear), std::move(side));
        } else {
            both_sides(std::string(kNear), from_system ? receipt_.payer_id : receipt_.predecessor_id,
                       receipt_.receiver_id, std::move(side));
        }
    }
    if (receipt_.adds_keys && asked(HappeningKind::key_added)) {
        const auto& where = done();
        for (auto& key : keys_)
            found_.push_back({"key_added:" + where->receipt_id + ":" + std::to_string(key.action_index),
                              where, std::move(key)});
    }
    if (asked(HappeningKind::success))
        found_.push_back({"absence:" + done()->receipt_id, done(), Succeeded()});
}

}  // namespace receiptd::chain
