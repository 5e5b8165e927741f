#include "sandbox/traffic/traffic.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace receiptd::sandbox {

namespace wire = sim::wire;

namespace {

constexpr sim::u128 kMilliToken = sim::u128{1'000'000'000} * 1'000'000'000'000U;  // 10^21 yocto
constexpr std::array<const char*, 3> kReadyMadeAccounts{"alice.sandbox", "bob.sandbox", "carol.sandbox"};

}  // namespace

Traffic::Traffic(Profile profile, std::uint64_t seed, std::vector<Signer> signers)
    : seed_(seed), proportions_(proportions(profile)), random_(seed) {
    for (Signer& signer : signers) group_of(signer.role).push_back(std::move(signer));
    for (std::size_t i = 0; i < poor_.size(); ++i) funded_.emplace_back(0, i);
    const auto is_other = [this](const Signer& signer) {
        return signer.account_id != accounts_.front().account_id;
    };
    if (accounts_.empty() || std::none_of(accounts_.begin(), accounts_.end(), is_other)) {
        throw std::invalid_argument("traffic needs signers of at least two accounts");
    }
}

std::vector<Signer>& Traffic::group_of(SignerRole role) {
    switch (role) {
        case SignerRole::delegate: return delegates_;
        case SignerRole::relayer: return relayers_;
        case SignerRole::poor: return poor_;
        case SignerRole::account: break;
    }
    return accounts_;
}

std::vector<Planned> Traffic::next(std::size_t count, const ChainFacts& facts) {
    facts_ = facts;
    std::vector<Planned> planned;
    planned.reserve(count);
    while (planned.size() < count && !follow_ups_.empty() && follow_ups_.begin()->first <= facts.height) {
        const FollowUp due = std::move(follow_ups_.extract(follow_ups_.begin()).mapped());
        planned.push_back(follow_up(due));
    }
    while (planned.size() < count) planned.push_back(plan(draw_kind()));
    return planned;
}

Kind Traffic::draw_kind() {
    std::uint64_t part = random_.below(1000);
    std::size_t kind = 0;
    while (part >= proportions_[kind]) part -= proportions_[kind++];
    return static_cast<Kind>(kind);
}

Traffic::Maker Traffic::maker(Kind kind) {
    switch (kind) {
        case Kind::implicit_account: return &Traffic::make_implicit_account;
        case Kind::create_account: return &Traffic::make_create_account;
        case Kind::key_rotation: return &Traffic::make_key_rotation;
        case Kind::token_transfer: return &Traffic::make_token_transfer;
        case Kind::token_kept:
        case Kind::token_refunded:
        case Kind::token_receiver_fails:
        case Kind::token_callback_fails:
        case Kind::token_callback_fails_unseen: return &Traffic::make_token_call;
        case Kind::deep_tree:
        case Kind::joint_promise:
        case Kind::handled_failure:
        case Kind::callback_fails:
        case Kind::detached_failure:
        case Kind::heavy_call:
        case Kind::wide_fan_out: return &Traffic::make_script;
        case Kind::yield_resumed:
        case Kind::yield_timed_out: return &Traffic::make_yield;
        case Kind::delegate:
        case Kind::delegate_inner_fails:
        case Kind::delegate_expired: return &Traffic::make_delegate;
        case Kind::failing_batch: return &Traffic::make_failing_batch;
        case Kind::failing_call: return &Traffic::make_failing_call;
        case Kind::missing_receiver: return &Traffic::make_missing_receiver;
        case Kind::dropped_expired:
        case Kind::dropped_superseded:
        case Kind::dropped_forwarding: return &Traffic::make_dropped;
        case Kind::dropped_balance: return &Traffic::make_dropped_balance;
        case Kind::stale_block_hash: return &Traffic::make_stale_block_hash;
        case Kind::wrong_nonce: return &Traffic::make_wrong_nonce;
        case Kind::eth_wallet: return &Traffic::make_eth_wallet;
        case Kind::gas_key: return &Traffic::make_gas_key;
        case Kind::transfer:
        case Kind::delete_account:  // from here on follow-ups
        case Kind::refill:
        case Kind::wallet_call:
        case Kind::wallet_call_fails:
        case Kind::wallet_refused:
        case Kind::gas_key_spends:
        case Kind::gas_key_removed:
        case Kind::yield_answer: break;
    }
    return &Traffic::make_transfer;
}

Planned Traffic::plan(Kind kind) {
    Draft draft;
    draft.kind = kind;
    draft.signer = &next_account();
    draft.block_hash = facts_.recent_block_hash;
    (this->*maker(kind))(draft);
    return sign(std::move(draft));
}

Planned Traffic::follow_up(const FollowUp& due) {
    Draft draft;
    draft.kind = due.kind;
    draft.block_hash = facts_.recent_block_hash;
    make_follow_up(draft, due);
    return sign(std::move(draft));
}

void Traffic::make_follow_up(Draft& draft, const FollowUp& due) {
    switch (due.kind) {
        case Kind::yield_answer: return answer_yield(draft, due);
        case Kind::refill: return refill(draft, due);
        case Kind::wallet_call:
        case Kind::wallet_call_fails:
        case Kind::wallet_refused: return ask_wallet(draft, due);
        case Kind::gas_key_spends:
        case Kind::gas_key_removed: return use_gas_key(draft, due);
        default: return delete_account(draft, due);
    }
}

Planned Traffic::sign(Draft draft) {
    Planned planned;
    planned.kind = draft.kind;
    planned.drop = std::move(draft.drop);
    wire::Transaction& body = planned.transaction.transaction;
    body.signer_id = draft.signer->account_id;
    body.public_key = draft.signer->key.public_key();
    body.nonce.nonce = draft.nonce ? *draft.nonce : ++draft.signer->nonce;
    body.nonce.nonce_index = draft.nonce_index;
    if (draft.nonce_index) body.version = wire::TransactionVersion::v1;
    body.receiver_id = std::move(draft.receiver_id);
    body.block_hash = draft.block_hash;
    body.actions = std::move(draft.actions);
    planned.transaction.signature = draft.signer->key.sign(wire::transaction_hash(body).view());
    return planned;
}

Signer& Traffic::next_account() { return accounts_[turn_++ % accounts_.size()]; }

std::string Traffic::other_account(const std::string& than) {
    std::size_t index = random_.below(accounts_.size());
    while (accounts_[index].account_id == than) index = (index + 1) % accounts_.size();
    return accounts_[index].account_id;
}

std::string Traffic::any_receiver(const std::string& than) {
    if (random_.below(8) == 0) return kReadyMadeAccounts[random_.below(kReadyMadeAccounts.size())];
    return other_account(than);
}

sim::u128 Traffic::small_deposit() { return random_.between(1, 1000) * kMilliToken; }

std::string Traffic::token_amount() {
    return base::to_string(sim::u128{random_.between(1, 10'000)} * 1'000'000'000'000'000U);
}

void Traffic::schedule(FollowUp follow_up, std::uint64_t least, std::uint64_t most) {
    follow_ups_.emplace(facts_.height + random_.between(least, most), std::move(follow_up));
}

}  // namespace receiptd::sandbox
