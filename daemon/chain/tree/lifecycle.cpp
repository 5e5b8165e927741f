#include "chain/tree/lifecycle.hpp"

#include "base/checked.hpp"

#include <algorithm>
#include <array>

namespace receiptd::chain {

namespace {

constexpr std::array<std::pair<Stage, Text>, 11> kStages{{
    {Stage::accepted, "accepted"},
    {Stage::pending, "pending"},
    {Stage::included, "included"},
    {Stage::executing, "executing"},
    {Stage::completed, "completed"},
    {Stage::final, "final"},
    {Stage::rejected, "rejected"},
    {Stage::forwarding_failed, "forwarding_failed"},
    {Stage::dropped, "dropped"},
    {Stage::expired, "expired"},
    {Stage::unknown, "unknown"},
}};

constexpr BlockHeight kHeadAboveFinal = 10;

bool is_in_no_block(Stage stage) { return stage == Stage::accepted || stage == Stage::pending; }

std::string inclusion_id(const std::string& tx_hash, const std::string& block_hash) {
    return tx_hash + ":" + block_hash;
}

class Step {
public:
    Step(WatchState& state, const WatchedTransaction& transaction, const LifecycleRules& rules)
        : state_(state), transaction_(transaction), rules_(rules) {}

    void operator()(const NoObjection& seen) {
        if (state_.stage == Stage::accepted) move(Stage::pending, {}, Evidence().text("host", seen.host));
    }

    void operator()(const Refused& seen) {
        if (!is_in_no_block(state_.stage)) return;
        state_.reason = seen.error_class;
        move(Stage::rejected, {}, Evidence().text("host", seen.host).json("error", seen.error_json));
    }

    void operator()(const BlockHashLost& seen) {
        if (!is_in_no_block(state_.stage) || !transaction_.block_hash_height) return;
        state_.reason = reason::kInvalidChain;
        move(Stage::rejected, {},
             Evidence()
                 .json("objection", transaction_.objection)
                 .text("block_hash", transaction_.block_hash)
                 .number("block_hash_height", *transaction_.block_hash_height)
                 .number("agreed_height", seen.agreed_height));
    }

    void operator()(const NoRoute& seen) {
        if (state_.stage != Stage::accepted) return;
        state_.reason = reason::kNoRoute;
        move(Stage::forwarding_failed, {}, Evidence().text("detail", seen.detail));
    }

    void operator()(const SeenEarly& seen) {
        if (!is_in_no_block(state_.stage)) return;
        state_.early = seen.inclusion;
        tell_of_early(Stage::included, Evidence().text("host", seen.host));
        transitions.back().final = false;
    }

    void operator()(const EarlyBlockLost&) {
        if (state_.early) retract();
    }

    // A tree proves inclusion whatever was believed before: an end without a tree is taken back only
    // by the chain itself.
    void operator()(const TreeSeen& seen) {
        if (!seen.included_at || state_.stage == Stage::final) return;
        if (seen.is_invalid && rules_.looked_through < last_height_of(*seen.included_at)) {
            if (state_.early) retract();
            return;
        }
        if (state_.early && state_.early->at.height == seen.included_at->height)
            confirm(*seen.included_at);
        else if (state_.early)
            retract();
        state_.without_effect = seen.is_invalid || (seen.settled_at && !seen.initial_at);
        state_.confirmed = seen.confirmed;
        reach(Stage::included, seen.included_at, corrects());
        reach(Stage::executing, seen.initial_at, {});
        // A host may have told another one before.
        if (seen.verdict) {
            state_.verdict = seen.verdict;
            state_.reason = seen.reason;
        } else if ((seen.reason == kReceiptsMissing || seen.reason == kOutcomesMissing) && !state_.verdict) {
            state_.reason = seen.reason;
        }
        Evidence tree;
        tree.number("receipts", seen.receipts).number("failed_receipts", seen.failed_receipts);
        if (seen.verdict) tree.text("verdict", verdict_name(*seen.verdict));
        if (!seen.reason.empty()) tree.text("error_class", seen.reason);
        if (!seen.decided_by.empty()) tree.text("decided_by", seen.decided_by.front());
        reach(Stage::completed, seen.completed_at, tree);
        reach(Stage::final, seen.settled_at, tree);
    }

    void operator()(const NotIncludedUpTo& seen) {
        const bool may_be_missing = !seen.missing.empty() && seen.height < last_height(transaction_, rules_);
        if (state_.early && seen.height >= state_.early->at.height && !may_be_missing) retract();
        if (!is_in_no_block(state_.stage)) return;
        if (!seen.missing.empty()) return without_heights(seen);
        if (transaction_.nonce && seen.key_nonce && *seen.key_nonce >= *transaction_.nonce)
            return superseded(seen);
        if (transaction_.nonce && seen.key_missing_at > 0 &&
            *transaction_.nonce <= base::saturated_multiply(seen.key_missing_at, protocol::kNoncesOfAHeight))
            return without_key(seen);
        if (transaction_.valid_until && seen.height >= *transaction_.valid_until) return expired(seen);
        if (!transaction_.valid_until && seen.height >= last_height(transaction_, rules_)) never_seen(seen);
    }

    std::vector<Transition> transitions;

private:
    void move(Stage to, std::optional<ExecutedAt> at, const Evidence& evidence) {
        transitions.push_back({state_.stage, to, at, evidence.to_json()});
        if (to == Stage::included) transitions.back().final = true;
        state_.stage = to;
    }

    // `evidence` of what is said of the block.
    void tell_of_early(Stage to, Evidence evidence) {
        const auto& block = state_.early.value();
        evidence.text("block_hash", block.block_hash).number("block_height", block.at.height);
        move(to, block.at, evidence);
        transitions.back().inclusion_id = inclusion_id(transaction_.tx_hash, block.block_hash);
    }

    void confirm(const ExecutedAt& at) {
        tell_of_early(Stage::included, {});
        transitions.back().at = at;
        state_.early.reset();
    }

    void retract() {
        const auto& block = state_.early.value();
        transitions.push_back(retraction(
            transaction_.tx_hash, block.block_hash,
            Evidence().text("block_hash", block.block_hash).number("block_height", block.at.height)));
        state_.stage = Stage::pending;
        state_.early.reset();
    }

    void reach(Stage stage, const std::optional<ExecutedAt>& at, const Evidence& evidence) {
        if (at && (state_.stage < stage || is_end(state_.stage))) move(stage, at, evidence);
    }

    // The end that was told, if one was.
    Evidence corrects() {
        Evidence told;
        if (!is_end(state_.stage)) return told;
        const auto end = Evidence().text("stage", stage_name(state_.stage)).text("reason", state_.reason);
        state_.reason.clear();
        return told.json("corrects", end.to_json());
    }

    // Its block hash is of a block below the one that included it.
    BlockHeight last_height_of(const ExecutedAt& included_at) const {
        return transaction_.valid_until.value_or(
            base::saturated_add(included_at.height, rules_.validity_blocks));
    }

    static Evidence looked(const NotIncludedUpTo& seen) {
        Evidence evidence;
        evidence.number("not_included_up_to", seen.height);
        if (!seen.asked.empty()) evidence.text("asked", seen.asked);
        return evidence;
    }

    void superseded(const NotIncludedUpTo& seen) {
        state_.reason = reason::kSuperseded;
        auto evidence = looked(seen);
        evidence.number("nonce", *transaction_.nonce).number("access_key_nonce", *seen.key_nonce);
        if (seen.key_height) evidence.number("access_key_height", *seen.key_height);
        move(Stage::dropped, {}, evidence);
    }

    void without_key(const NotIncludedUpTo& seen) {
        state_.reason = seen.has_no_account ? reason::kAccountRemoved : reason::kKeyRemoved;
        move(Stage::dropped, {},
             looked(seen)
                 .number("nonce", *transaction_.nonce)
                 .number(seen.has_no_account ? "account_missing_at" : "access_key_missing_at",
                         seen.key_missing_at));
    }

    void expired(const NotIncludedUpTo& seen) {
        state_.reason = reason::kExpired;
        auto evidence = looked(seen);
        evidence.number("valid_until", *transaction_.valid_until);
        if (const auto height = transaction_.block_hash_height)
            evidence.text("block_hash", transaction_.block_hash)
                .number("block_hash_height", *height)
                .number("validity_blocks", *transaction_.valid_until - *height - 1);
        if (!transaction_.objection.empty()) evidence.json("objection", transaction_.objection);
        move(Stage::expired, {}, evidence);
    }

    // It may be in one of these blocks: a used nonce, or a key that is gone, proves nothing then.
    void without_heights(const NotIncludedUpTo& seen) {
        if (seen.height < last_height(transaction_, rules_)) return;
        state_.reason = reason::kHeightsMissing;
        auto evidence = looked(seen).text("missing_heights", seen.missing);
        if (transaction_.valid_until) evidence.number("valid_until", *transaction_.valid_until);
        if (transaction_.nonce) evidence.number("nonce", *transaction_.nonce);
        if (seen.key_nonce) evidence.number("access_key_nonce", *seen.key_nonce);
        move(Stage::unknown, {}, evidence);
    }

    void never_seen(const NotIncludedUpTo& seen) {
        state_.reason = reason::kNeverSeen;
        move(Stage::unknown, {}, looked(seen).number("watched_since", transaction_.watched_since));
    }

    WatchState& state_;
    const WatchedTransaction& transaction_;
    const LifecycleRules& rules_;
};

}  // namespace

Text stage_name(Stage stage) {
    for (const auto& [each, name] : kStages)
        if (each == stage) return name;
    return {};
}

std::optional<Stage> parse_stage(Text name) {
    for (const auto& [stage, text] : kStages)
        if (text == name) return stage;
    return std::nullopt;
}

bool is_end(Stage stage) { return stage >= Stage::final; }

Transition retraction(const std::string& tx_hash, const std::string& block_hash, const Evidence& evidence) {
    Transition back{Stage::included, Stage::pending, std::nullopt, evidence.to_json()};
    back.inclusion_id = inclusion_id(tx_hash, block_hash);
    return back;
}

TreeSeen tree_seen(const Judgement& judgement) {
    TreeSeen seen;
    seen.included_at = judgement.included_at;
    if (judgement.initial_succeeded) seen.initial_at = judgement.initial_at;
    seen.completed_at = judgement.completed_at;
    seen.settled_at = judgement.settled_at;
    seen.verdict = judgement.verdict;
    if (seen.verdict)
        seen.reason = judgement.deciding_class();
    else if (judgement.undecided)
        seen.reason = kReceiptsMissing;
    seen.receipts = judgement.receipts.size();
    seen.failed_receipts = judgement.failed_receipts;
    // A gas key that cannot pay the deposit has paid for gas, and its nonce is used (chain-model.md §2).
    seen.is_invalid = judgement.transaction_failed && judgement.gas_burnt == 0;
    seen.decided_by = judgement.decided_by;
    return seen;
}

TreeSeen tree_seen_so_far(const Judgement& judgement) {
    auto seen = tree_seen(judgement);
    if (seen.verdict || !judgement.undecided) return seen;
    seen.completed_at.reset();
    seen.settled_at.reset();
    return seen;
}

BlockHeight newest_block_hash(const WatchedTransaction& transaction) {
    return base::saturated_add(transaction.watched_since, kHeadAboveFinal);
}

BlockHeight last_height(const WatchedTransaction& transaction, const LifecycleRules& rules) {
    if (transaction.valid_until) return *transaction.valid_until;
    // One that nobody has looked for yet ends never.
    if (transaction.watched_since == 0) return std::numeric_limits<BlockHeight>::max();
    const auto newest = newest_block_hash(transaction);
    return base::saturated_add(base::saturated_add(newest, rules.validity_blocks), BlockHeight{1});
}

std::vector<Transition> step(WatchState& state, const WatchedTransaction& transaction,
                             const Observation& observation, const LifecycleRules& rules) {
    Step step(state, transaction, rules);
    std::visit(step, observation);
    return std::move(step.transitions);
}

bool waits_for_inclusion(const WatchState& state) { return is_in_no_block(state.stage) || state.early; }

std::optional<bool> is_final_inclusion(const WatchState& state) {
    const bool is_in_a_block = state.stage >= Stage::included && state.stage <= Stage::final;
    return is_in_a_block ? std::optional(!state.early) : std::nullopt;
}

Certainty certainty(const WatchState& state, std::optional<BlockHeight> valid_until) {
    const auto confirmed = state.confirmed;
    switch (state.stage) {
        case Stage::accepted:
        case Stage::pending:
        case Stage::forwarding_failed: return {false, valid_until, {}};
        case Stage::unknown: return {false, {}, {}};  // it may be executed
        case Stage::included:
            if (state.early) return {false, valid_until, {}};
            return {true, {}, {}};
        case Stage::executing:
        case Stage::completed: return {confirmed, {}, {}};
        case Stage::final:
            if (!state.without_effect || !confirmed) return {confirmed, {}, {}};
            return {true, BlockHeight{0}, {}};
        case Stage::rejected:
        case Stage::dropped:
        case Stage::expired: return {true, BlockHeight{0}, {}};
    }
    return {};
}

std::optional<std::chrono::seconds> stuck_after(Stage stage, const StuckRules& rules) {
    switch (stage) {
        case Stage::accepted:
        case Stage::pending: return rules.pending;
        case Stage::included: return rules.included;
        case Stage::executing: return rules.executing;
        case Stage::completed: return rules.completed;
        default: return std::nullopt;
    }
}

}  // namespace receiptd::chain
