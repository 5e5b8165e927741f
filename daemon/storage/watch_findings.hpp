// Findings about watches: those that end without a tree or are stuck, and ends that turned out not to be.
#pragma once

#include "storage/pqxx_shim.hpp"
#include "storage/rule_book.hpp"
#include "storage/told.hpp"
#include "storage/watch_store.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::storage {

// A watch as its row was before an update.
struct WatchBefore {
    chain::Stage stage = chain::Stage::accepted;
    bool stuck = false;
    std::string sender_id;
    std::optional<chain::BlockHeight> valid_until;
    std::string reason;
    std::string evidence_json;  // empty: none
    chain::BlockHeight watched_since = 0;
    std::string early_block_hash;
    // Whether the watch is still the one that the update was made for.
    bool fits(const WatchUpdate& update) const {
        return stage == update.from && watched_since == update.judged_with.value_or(watched_since) &&
               early_block_hash == update.judged_early;
    }
};

struct AppliedUpdate {
    const WatchUpdate* update;
    WatchBefore before;
    bool leaves_stage() const { return update->state.stage != before.stage; }
    bool becomes_stuck() const { return update->stuck == true && (!before.stuck || leaves_stage()); }
    chain::Certainty certainty_of(const chain::WatchState& state) const {
        const auto& validity = update->validity;
        return chain::certainty(state, validity ? std::optional(validity->valid_until) : before.valid_until);
    }
    // Once the transition is made.
    chain::Certainty certainty_of(const chain::Transition& transition, bool confirmed) const {
        auto state = update->state;
        state.stage = transition.to;
        state.confirmed = confirmed;
        if (transition.final == false)
            state.early.emplace();
        else
            state.early.reset();
        return certainty_of(state);
    }
};

// An end that was told does not hold: a block includes the transaction.
inline bool takes_back(const chain::Transition& step) {
    return chain::is_end(step.from) && !(chain::is_end(step.to) && step.to != chain::Stage::final);
}

// One for all: they were made at about one time.
base::WallTime alerts_sent_since(const std::vector<AppliedUpdate>& applied);

// `now`: microseconds.
std::vector<chain::Finding> findings_of(const std::vector<AppliedUpdate>& applied, std::int64_t now);
struct WrittenFindings {
    std::vector<std::pair<std::string, std::string>> added;  // kind and error_class of those that were new
    Told told;
};
WrittenFindings write_findings(pqxx::transaction_base& tx, RuleBook& rules,
                               const std::vector<chain::Finding>& findings, base::WallTime sent_since);

// A host's text as PostgreSQL takes it: nothing may keep the rest from being stored, or a question from
// being answered later.
std::string storable_json(const std::string& json);
std::string storable_text(std::string text);

}  // namespace receiptd::storage
