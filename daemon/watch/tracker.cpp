#include "watch/tracker.hpp"

#include "base/log.hpp"
#include "base/offload.hpp"
#include "base/sleep.hpp"
#include "metrics/registry.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace receiptd::watch {
namespace {

using namespace std::chrono_literals;

constexpr unsigned kFillPage = 2'000;
constexpr unsigned kNewPage = 1'000;
constexpr std::size_t kReviewedAtOnce = 500;
constexpr auto kLookForNew = 1s;
// A row becomes visible somewhat after the time it carries: most at once, those of long transactions later.
constexpr base::Duration kOverlap = 5s;
constexpr base::Duration kLongOverlap = 2min;
constexpr auto kLookFarBack = 30s;
constexpr auto kHeadRetry = 200ms;

double seconds_between(const chain::ExecutedAt& from, const chain::ExecutedAt& to) {
    const auto nanoseconds =
        to.timestamp_nanosec > from.timestamp_nanosec ? to.timestamp_nanosec - from.timestamp_nanosec : 0;
    return static_cast<double>(nanoseconds) / 1e9;
}

bool rests_on(const chain::TreeSeen& seen, const base::HeightSet& heights) {
    const auto is_there = [&](const auto& at) { return at && heights.contains(at->height); };
    return is_there(seen.included_at) || is_there(seen.initial_at) || is_there(seen.completed_at) ||
           is_there(seen.settled_at);
}

}  // namespace

Tracker::Tracker(base::asio::any_io_executor executor, base::asio::thread_pool& cpu,
                 storage::WatchStore& store, WatchUpstream& upstream, metrics::WatchSeries& series,
                 const base::Clock& clock, ChainView chain, TrackerSettings settings)
    : executor_(executor),
      cpu_(cpu),
      store_(store),
      upstream_(upstream),
      series_(series),
      clock_(clock),
      chain_(std::move(chain)),
      settings_(std::move(settings)),
      rules_(settings_.rules),
      index_(settings_.stuck),
      moved_(std::move(executor)) {}

base::Task<void> Tracker::run() {
    forget();
    taken_in_at_ = checked_at_ = clock_.steady();
    running_ = true;
    co_await fill();
    base::TaskGroup loops(executor_);
    loops.spawn(take_in_new());
    loops.spawn(review_touched());
    loops.spawn(check_due());
    loops.spawn(ask_queued());
    while (!ending_ && !loops.failed() && loops.running() > 0)
        co_await base::wait_for(moved_, executor_, kLookForNew);
    loops.cancel();  // one has failed: the others would go on for ever
    co_await loops.join();
    running_ = false;
}

base::SteadyTime Tracker::progressed_at() const {
    const auto looked_at = std::min(taken_in_at_, checked_at_);
    return reviewing_ > 0 ? std::min(looked_at, reviewed_at_) : looked_at;
}

void Tracker::end() {
    ending_ = true;
    moved_.notify_all();
}

// Another daemon may have followed the watches since.
void Tracker::forget() {
    index_ = WatchIndex(settings_.stuck);
    told_.clear();
    early_.clear();
    made_ = wanted_;
    to_ask_.clear();
    asking_.clear();
    at_head_since_.reset();
    reviewing_ = 0;
    filled_ = ending_ = false;
}

base::Task<void> Tracker::fill() {
    others_seen_until_ = clock_.wall();
    WatchPages open = [this](std::string after, unsigned limit) {
        return store_.open_watches(std::move(after), limit);
    };
    co_await fill_from(std::move(open));
    WatchPages lost = [this](std::string after, unsigned limit) {
        return store_.lost_watches(settings_.lifecycle.validity_blocks, std::move(after), limit);
    };
    co_await fill_from(std::move(lost));
    publish();
    filled_ = true;
    if (!index_.empty()) log::info("watching", {{"transactions", index_.size()}});
}

base::Task<void> Tracker::fill_from(WatchPages pages) {
    std::string after;
    while (true) {
        auto page = co_await pages(after, kFillPage);
        taken_in_at_ = checked_at_ = clock_.steady();
        for (const auto& watch : page) {
            index_.set(watch, settings_.lifecycle, clock_.steady());
            index_.touch_later(watch.tx_hash);
        }
        if (page.size() < kFillPage) break;
        after = page.back().tx_hash;
    }
}

base::Task<void> Tracker::take_in_new() {
    base::asio::steady_timer timer(executor_);
    while (true) {
        taken_in_at_ = clock_.steady();
        const auto final_height = chain_.final_height();
        if (!final_height) {
            co_await base::sleep_on(timer, kHeadRetry);
            continue;
        }
        const auto wanted = wanted_;
        co_await store_.make_wanted_watches();
        bool more = true;
        while (more) {
            auto fresh = co_await store_.new_watches(kNewPage);
            more = fresh.size() == kNewPage;
            if (!fresh.empty()) co_await take_in(std::move(fresh), *final_height);
        }
        made_ = wanted;
        co_await take_in_others();
        co_await store_.wait_for_watches(kLookForNew);
    }
}

// Takes in watches added by another daemon on this database: the daemon that commits a block moves its
// watches, whoever added them.
base::Task<void> Tracker::take_in_others() {
    const auto now = clock_.steady();
    const bool far_back = now >= looked_far_back_at_ + kLookFarBack;
    if (far_back) looked_far_back_at_ = now;
    auto since = others_seen_until_ - (far_back ? kLongOverlap : kOverlap);
    std::string after;
    bool more = true;
    while (more) {
        const auto page = co_await store_.watches_since(since, after, kNewPage);
        more = page.size() == kNewPage;
        for (const auto& watch : page) {
            since = watch.created_at;
            after = watch.tx_hash;
            others_seen_until_ = std::max(others_seen_until_, watch.created_at);
            if (index_.contains(watch.tx_hash)) continue;
            index_.set(watch, settings_.lifecycle, clock_.steady());
            index_.touch(watch.tx_hash);
        }
    }
    publish();
    if (index_.has_touched()) moved_.notify_all();
}

base::Task<void> Tracker::take_in(std::vector<storage::Watch> fresh, chain::BlockHeight final_height) {
    std::vector<storage::WatchUpdate> updates;
    for (const auto& watch : fresh) {
        auto update = storage::update_of(watch);
        update.watched_since = final_height;
        updates.push_back(std::move(update));
    }
    co_await store_.update_watches(std::move(updates));
    for (auto& watch : fresh) {
        told_.erase(watch.tx_hash);  // it may begin anew, as its block was of another chain
        early_.erase(watch.tx_hash);
        watch.transaction.watched_since = final_height;
        index_.set(watch, settings_.lifecycle, clock_.steady());
        // Thousands of hashes at once do not hold up what happens on the chain meanwhile.
        index_.touch_later(watch.tx_hash);
    }
    publish();
    moved_.notify_all();
}

bool Tracker::watches(const chain::SignedTransaction& transaction) const {
    const std::string tx_hash(transaction.hash);
    if (index_.contains(tx_hash) || index_.is_lost(tx_hash)) return true;
    return !rules_.empty() && rules_.match(chain::seen_transaction(transaction, {}, false)).has_value();
}

std::vector<chain::WantedWatch> Tracker::wanted(const chain::Sightings& seen) const {
    std::vector<chain::WantedWatch> wanted;
    if (rules_.empty() || seen.history) return wanted;
    for (const auto& transaction : seen.transactions) {
        const auto match = rules_.match(transaction);
        if (!match || index_.contains(transaction.tx_hash)) continue;
        auto& want = wanted.emplace_back();
        want.tx_hash = transaction.tx_hash;
        want.sender_id = transaction.signer_id;
        want.rule = match->rule->name;
        if (match->by_claim) want.claimed_at = transaction.included_at.timestamp_nanosec;
    }
    return wanted;
}

void Tracker::committed(const chain::CommitFacts& facts) {
    settled(facts.decided);
    std::erase_if(early_, [&](const auto& early) { return is_covered(early.second.inclusion.at.height); });
    index_.touch_early(facts.covered);
    if (!wanted(facts.seen).empty()) ++wanted_;
    // There was no watch when these rows were made; a newer watch may concern them.
    if (!facts.seen.collected && !facts.blocks.empty()) index_.touch_all();
    for (const auto& transaction : facts.seen.transactions)
        if (index_.touch(transaction.tx_hash) && !transaction.stored) {
            auto& told = told_[transaction.tx_hash];
            told.included_at = transaction.included_at;
            told.signer_id = transaction.signer_id;
        }
    for (const auto& tx_hash : facts.seen.trees) index_.touch(tx_hash);
    publish();
    moved_.notify_all();
}

// Transactions of that block may not have happened. The store begins the watches of a removed block anew, and
// they are taken in again.
void Tracker::lost(const base::HeightSet& heights) {
    ++losses_;
    std::erase_if(told_, [&](const auto& told) { return rests_on(told.second, heights); });
    index_.touch_all();
    moved_.notify_all();
}

void Tracker::progressed(const std::string& tx_hash, const chain::TreeSeen& seen) {
    if (!index_.touch(tx_hash)) return;
    told_[tx_hash] = seen;
    moved_.notify_all();
}

void Tracker::tree_committed(const std::string& tx_hash, const chain::DecidedCounts& decided) {
    settled(decided);
    if (index_.touch(tx_hash)) moved_.notify_all();
}

base::Task<void> Tracker::review_touched() {
    while (true) {
        while (index_.has_touched()) {
            ++reviewing_;
            reviewed_at_ = clock_.steady();
            auto page = co_await load(index_.take_touched(kReviewedAtOnce));
            page = co_await judge(cpu_, std::move(page), rules_now());
            ask_for_unlisted(page);
            co_await write(std::move(page));
            --reviewing_;
        }
        co_await moved_.wait();
    }
}

// Heights are read first: the trees, which are read later, contain everything covered by then.
base::Task<Tracker::Page> Tracker::load(std::vector<std::string> tx_hashes) {
    Page page;
    page.losses = losses_;
    auto watches = co_await store_.watches(tx_hashes);
    std::set<std::string> gone(tx_hashes.begin(), tx_hashes.end());
    std::vector<std::string> open;
    for (auto& watch : watches) {
        if (watch.state.stage == chain::Stage::final) continue;
        gone.erase(watch.tx_hash);
        open.push_back(watch.tx_hash);
        page.sights.push_back(sight_of(watch));
        page.sights.back().in_stage_since = index_.in_stage_since(watch.tx_hash).value_or(clock_.steady());
        if (const auto told = told_.find(watch.tx_hash); told != told_.end()) page.told.insert(*told);
        if (const auto early = early_.find(watch.tx_hash); early != early_.end())
            page.seen_early.insert(*early);
        page.watches.push_back(std::move(watch));
    }
    for (const auto& tx_hash : gone) {
        index_.erase(tx_hash);
        told_.erase(tx_hash);
        early_.erase(tx_hash);
    }
    if (!open.empty()) page.trees = co_await store_.stored_trees(std::move(open));
    for (const auto& watch : page.watches) co_await look_for_early_block(watch.state, page);
    for (std::size_t i = 0; i < page.watches.size(); ++i) {
        const auto tree = page.trees.find(page.watches[i].tx_hash);
        if (tree == page.trees.end() || !tree->second.listed_at) continue;
        auto& sight = page.sights[i];
        sight.tree_is_stored = chain_.follows_since(tree->second.listed_at->height);
        const auto since_then = sight_of(page.watches[i], tree->second.listed_at).looked_up_to;
        sight.looked_up_to = std::min(sight.looked_up_to, since_then);
    }
    co_return page;
}

Sight Tracker::sight_of(const storage::Watch& watch, std::optional<chain::ExecutedAt> listed_at) const {
    Sight sight;
    sight.final_height = chain_.final_height().value_or(0);
    auto from = watch.transaction.watched_since;
    if (listed_at) from = std::min(from, listed_at->height);
    if (chain_.stores && from > 0) sight.looked_up_to = chain_.covered_up_to(from);
    return sight;
}

base::Task<Tracker::Page> Tracker::judge(base::asio::thread_pool& cpu, Page page, ReviewRules rules) {
    auto work = [page = std::move(page), rules]() mutable {
        for (std::size_t i = 0; i < page.watches.size(); ++i) {
            const auto& watch = page.watches[i];
            if (page.is_unreadable(watch.tx_hash)) continue;
            auto update = review(watch, observations_of(watch, page), rules.seen_by(page.sights[i]),
                                 page.sights[i].in_stage_since);
            if (update) page.updates.push_back(std::move(*update));
        }
        return std::move(page);
    };
    return base::offload(cpu, std::move(work));
}

base::Task<void> Tracker::write(Page page) {
    if (page.losses != losses_) {  // it may rest on a lost block
        for (const auto& watch : page.watches) index_.touch(watch.tx_hash);
        moved_.notify_all();
        co_return;
    }
    std::vector<std::string> refused;
    if (!page.updates.empty()) refused = co_await store_.update_watches(page.updates);
    const std::set<std::string> conflicts(refused.begin(), refused.end());
    std::map<std::string, const storage::WatchUpdate*> updates;
    for (const auto& update : page.updates) updates[update.tx_hash] = &update;
    for (auto& watch : page.watches) {
        if (conflicts.contains(watch.tx_hash)) {
            index_.touch(watch.tx_hash);
            continue;
        }
        if (const auto update = updates.find(watch.tx_hash); update != updates.end()) {
            count(*update->second, page);
            apply(watch, *update->second, clock_.wall());
        }
        index_.set(watch, settings_.lifecycle, clock_.steady());
        if (is_decided_since(watch.state, page)) index_.touch(watch.tx_hash);
        if (watch.state.early || chain::is_final_inclusion(watch.state)) early_.erase(watch.tx_hash);
        if (chain::is_end(watch.state.stage) && !index_.is_touched(watch.tx_hash)) told_.erase(watch.tx_hash);
    }
    publish();
    if (index_.has_touched()) moved_.notify_all();
}

ReviewRules Tracker::rules_now() const {
    ReviewRules rules;
    rules.lifecycle = settings_.lifecycle;
    rules.lifecycle.looked_through = chain_.agreed_height();
    rules.stuck = settings_.stuck;
    rules.now = clock_.wall();
    rules.alerts_sent_since = chain_.alerts_sent_since();
    rules.steady_now = clock_.steady();
    rules.at_head_since = at_head_since_;
    return rules;
}

void Tracker::count(const storage::WatchUpdate& update, const Page& page) {
    std::optional<chain::ExecutedAt> included_at;
    if (const auto tree = page.trees.find(update.tx_hash); tree != page.trees.end())
        included_at = tree->second.listed_at;
    if (const auto told = page.told.find(update.tx_hash); told != page.told.end() && !included_at)
        included_at = told->second.included_at;
    for (const auto& transition : update.transitions)
        if (included_at && transition.at && transition.final != false && !transition.confirms())
            series_.observe_stage(std::string(chain::stage_name(transition.to)),
                                  seconds_between(*included_at, *transition.at));
}

void Tracker::settled(const chain::DecidedCounts& decided) {
    for (const auto& [verdict, times] : decided.verdicts)
        series_.count_verdict(std::string(chain::verdict_name(verdict)), static_cast<double>(times));
    for (const auto& [finding, times] : decided.findings)
        series_.count_finding(finding.first, std::string(chain::error_class_label(finding.second)),
                              static_cast<double>(times));
    for (const auto& [reason, times] : decided.withheld)
        series_.count_withheld(reason, static_cast<double>(times));
}

void Tracker::publish() {
    series_.open.Set(static_cast<double>(index_.size()));
    series_.stuck.Set(static_cast<double>(index_.stuck()));
    series_.to_review.Set(static_cast<double>(index_.touched()));
}

}  // namespace receiptd::watch
