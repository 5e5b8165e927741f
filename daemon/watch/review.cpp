#include "watch/review.hpp"

#include "base/backoff.hpp"
#include "chain/wire/account_id.hpp"
#include "storage/stored_tree.hpp"

#include <algorithm>
#include <chrono>

namespace receiptd::watch {
namespace {

using namespace std::chrono_literals;

constexpr base::BackoffPolicy kAskAgain{1s, 60s, 1.6, 0.0};
constexpr base::BackoffPolicy kKeyAgain{5s, 60s, 1.6, 0.0};
constexpr base::BackoffPolicy kOlderAgain{30s, 600s, 10.0, 0.0};
constexpr unsigned kAskedIfOlder = 2;
constexpr base::Duration kLookAgain = 60s;   // at the tables alone
constexpr base::Duration kWaitAgain = 600s;  // for a block to include it
constexpr base::Duration kTakenIn = 1s;
constexpr base::Duration kRuleBlock = 30s;  // the block that made a rule match is committed by then
constexpr base::Duration kKeyAfter = 5s;    // of a submission: most are included by then

std::string with_witness(const std::string& evidence, const Witness& witness) {
    return chain::Evidence()
        .members_of(evidence)
        .text("host", witness.host)
        .number("final_height", witness.final_height)
        .to_json();
}

// It stays stuck until it moves, whatever a restart makes of the time that it has waited.
bool is_stuck(const storage::Watch& watch, const ReviewRules& rules, base::SteadyTime in_stage_since) {
    const auto patience = chain::stuck_after(watch.state.stage, rules.stuck);
    return watch.stuck ||
           (patience && has_waited_longer(*patience, in_stage_since, rules.at_head_since, rules.steady_now));
}

// The person who asked for the watch may have named another account than the signer.
void correct_sender(storage::WatchUpdate& update, const storage::Watch& watch, const chain::TreeSeen& seen) {
    if (seen.included_at && seen.signer_id != watch.sender_id && chain::is_valid_account_id(seen.signer_id))
        update.sender_id = seen.signer_id;
}

Check check_tree(const storage::Watch& watch, const Sight& sight, const ReviewRules& rules) {
    Check check;
    check.tree = !sight.tree_is_stored;
    check.next = rules.now + (check.tree ? base::backoff_delay(kAskAgain, watch.checks + 1, 0) : kLookAgain);
    return check;
}

// Its final block decides, where that is stored with its transactions.
Check check_early(const storage::Watch& watch, const Sight& sight, const ReviewRules& rules) {
    Check check;
    check.tree = !sight.looked_up_to || *sight.looked_up_to >= watch.state.early->at.height ||
                 *sight.looked_up_to + kHostsLag < sight.final_height;
    check.next = rules.now + (check.tree ? base::backoff_delay(kAskAgain, watch.checks + 1, 0) : kLookAgain);
    return check;
}

bool has_key(const storage::Watch& watch) { return watch.transaction.nonce && !watch.public_key.empty(); }

bool is_late(const storage::Watch& watch, const ReviewRules& rules) {
    return rules.now >= watch.created_at + kKeyAfter;
}

Check check_unseen(const storage::Watch& watch, const ReviewRules& rules) {
    Check check;
    check.tree = true;
    check.key = has_key(watch) && is_late(watch, rules);
    check.next = rules.now + base::backoff_delay(kAskAgain, watch.checks + 1, 0);
    return check;
}

}  // namespace

chain::TreeSeen seen_of(const std::string& tx_hash, const storage::StoredTree& tree) {
    const auto judgement = storage::tree_of(tx_hash, tree).judge();
    auto seen = tree.ended_undecided ? chain::tree_seen(judgement) : chain::tree_seen_so_far(judgement);
    seen.confirmed = tree.confirmed;
    if (!seen.included_at) seen.included_at = tree.listed_at;
    if (tree.transaction) seen.signer_id = tree.transaction->signer_id;
    return seen;
}

bool has_waited_longer(base::Duration patience, base::SteadyTime in_stage_since,
                       const std::optional<base::SteadyTime>& at_head_since, base::SteadyTime now) {
    return at_head_since && now >= std::max(in_stage_since, *at_head_since) + patience;
}

std::optional<storage::WatchUpdate> review(const storage::Watch& watch,
                                           const std::vector<chain::Observation>& observations,
                                           const ReviewRules& rules, base::SteadyTime in_stage_since,
                                           const std::optional<Witness>& witness) {
    auto update = storage::update_of(watch);
    update.judged_with = watch.transaction.watched_since;
    for (const auto& observation : observations) {
        auto made = chain::step(update.state, watch.transaction, observation, rules.lifecycle);
        update.transitions.insert(update.transitions.end(), made.begin(), made.end());
        if (const auto* seen = std::get_if<chain::TreeSeen>(&observation))
            correct_sender(update, watch, *seen);
    }
    if (witness)
        for (auto& transition : update.transitions)
            transition.evidence = with_witness(transition.evidence, *witness);
    update.alerts_sent_since = rules.alerts_sent_since;
    const bool moved = update.state.stage != watch.state.stage;
    const bool stuck = !moved && is_stuck(watch, rules, in_stage_since);
    if (stuck != watch.stuck) update.stuck = stuck;
    const bool same_reason = update.state.reason == watch.state.reason;
    if (update.transitions.empty() && !update.stuck && update.sender_id.empty() && same_reason)
        return std::nullopt;
    return update;
}

void apply(storage::Watch& watch, const storage::WatchUpdate& update, base::WallTime now) {
    if (update.state.stage != watch.state.stage) watch.stage_since = now;
    watch.state = update.state;
    if (update.validity) {
        watch.transaction.block_hash_height = update.validity->block_hash_height;
        watch.transaction.valid_until = update.validity->valid_until;
    }
    watch.certainty = chain::certainty(watch.state, watch.transaction.valid_until);
    if (!update.sender_id.empty()) watch.sender_id = update.sender_id;
    if (update.objection) watch.transaction.objection = *update.objection;
    if (update.stuck) watch.stuck = *update.stuck;
    if (update.next_check_at) watch.next_check_at = *update.next_check_at;
    if (update.watched_since && watch.transaction.watched_since == 0)
        watch.transaction.watched_since = *update.watched_since;
    watch.checks += update.more_checks;
}

Check plan_check(const storage::Watch& watch, const Sight& sight, const ReviewRules& rules) {
    if (watch.state.early) return check_early(watch, sight, rules);
    if (watch.state.stage >= chain::Stage::included) return check_tree(watch, sight, rules);
    // Since when it is looked for is written first: its window is counted from there.
    if (watch.transaction.watched_since == 0) return {.next = rules.now + kTakenIn};
    const auto committed_by = watch.created_at + kRuleBlock;
    if (watch.origin == storage::WatchOrigin::rule && rules.now < committed_by) return {.next = committed_by};
    if (!sight.looked_up_to || *sight.looked_up_to + kHostsLag < sight.final_height)
        return check_unseen(watch, rules);
    Check check;
    check.next = rules.now + kWaitAgain;
    const bool over = *sight.looked_up_to >= chain::last_height(watch.transaction, rules.lifecycle);
    // A block from before it was watched may have it, and a host that lags does not know it yet. Most that
    // are handed in come soon after a host took them.
    const bool is_handed_in =
        watch.origin == storage::WatchOrigin::submission && watch.state.stage != chain::Stage::accepted;
    const bool may_be_older = watch.checks < kAskedIfOlder && watch.origin != storage::WatchOrigin::rule &&
                              (!is_handed_in || is_late(watch, rules));
    check.tree = over || may_be_older;
    if (over) {  // why it never came is worth a question
        check.next = rules.now + base::backoff_delay(kAskAgain, watch.checks + 1, 0);
        check.key = has_key(watch);
        return check;
    }
    if (may_be_older) check.next = rules.now + base::backoff_delay(kOlderAgain, watch.checks + 1, 0);
    if (!has_key(watch)) return check;
    check.next = rules.now + base::backoff_delay(kKeyAgain, watch.checks + 1, 0);
    check.key = is_late(watch, rules);
    return check;
}

}  // namespace receiptd::watch
