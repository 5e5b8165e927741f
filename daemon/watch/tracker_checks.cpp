// The tracker's questions to the hosts, and their times.
#include "base/checked.hpp"
#include "base/log.hpp"
#include "base/sleep.hpp"
#include "chain/wire/account_id.hpp"
#include "metrics/registry.hpp"
#include "watch/preflight.hpp"
#include "watch/tracker.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::watch {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kCheckedAtOnce = 500;
constexpr unsigned kAskedAtOnce = 16;
constexpr base::Duration kCheckLost = 60s;  // a check that came to nothing is made again then
constexpr base::Duration kNoAnswer = 10s;   // then the same is asked again
constexpr auto kHeightComesWithin = 20s;
constexpr auto kHeightRetry = 200ms;

constexpr std::size_t kMostRanges = 8;

// "96-150, 160"
std::string in_words(const base::HeightSet& heights) {
    std::string words;
    const auto ranges = heights.ranges();
    for (std::size_t i = 0; i < std::min(ranges.size(), kMostRanges); ++i) {
        words += (words.empty() ? "" : ", ") + std::to_string(ranges[i].from);
        if (ranges[i].size() > 1) words += "-" + std::to_string(ranges[i].to);
    }
    if (ranges.size() > kMostRanges) words += ", and more up to " + std::to_string(ranges.back().to);
    return words;
}

}  // namespace

base::Task<void> Tracker::check_due() {
    base::asio::steady_timer timer(executor_);
    while (true) {
        checked_at_ = clock_.steady();
        note_head();
        const WatchIndex::Now now{clock_.wall(), clock_.steady(), chain_.agreed_height(), at_head_since_};
        auto due = index_.take_due(now, kCheckLost, kCheckedAtOnce);
        const bool more = due.size() == kCheckedAtOnce;
        if (!due.empty()) {
            auto page = co_await load(std::move(due));
            page = co_await judge(cpu_, std::move(page), rules_now());
            plan(page);
            co_await write(std::move(page));
        }
        if (!more) co_await base::sleep_on(timer, settings_.tick);
    }
}

void Tracker::note_head() {
    if (chain_.is_at_head && !chain_.is_at_head())
        at_head_since_.reset();
    else if (!at_head_since_)
        at_head_since_ = clock_.steady();
    index_.forget_lost(chain_.agreed_height());
}

// When each is looked at again, and which are asked for.
void Tracker::plan(Page& page) {
    const auto rules = rules_now();
    std::map<std::string, chain::WatchState> states;
    for (const auto& update : page.updates) states[update.tx_hash] = update.state;
    for (std::size_t i = 0; i < page.watches.size(); ++i) {
        auto& watch = page.watches[i];
        auto as_updated = watch;
        if (const auto state = states.find(watch.tx_hash); state != states.end())
            as_updated.state = state->second;
        if (chain::is_end(as_updated.state.stage)) continue;
        const auto check = plan_check(as_updated, page.sights[i], rules);
        watch.next_check_at = check.next;
        if (check.asks() && asking_.insert(watch.tx_hash).second) to_ask_.push_back(watch.tx_hash);
    }
    if (!to_ask_.empty()) moved_.notify_all();
}

base::Task<void> Tracker::ask_queued() {
    base::TaskGroup workers(executor_);
    while (!workers.failed()) {
        while (!to_ask_.empty() && workers.running() < kAskedAtOnce) {
            workers.spawn(ask(std::move(to_ask_.front())));
            to_ask_.pop_front();
        }
        co_await moved_.wait();
    }
    co_await workers.join();
}

base::Task<void> Tracker::ask(std::string tx_hash) {
    std::vector<std::string> one{tx_hash};
    auto page = co_await load(std::move(one));
    const bool open = !page.watches.empty() && !chain::is_end(page.watches[0].state.stage);
    const auto check = !open ? Check{} : plan_check(page.watches[0], page.sights[0], rules_now());
    if (check.asks()) {
        auto asked = co_await ask(page.watches[0], page.sights[0], check);
        co_await conclude(tx_hash, std::move(asked));
    }
    asking_.erase(tx_hash);
    moved_.notify_all();
}

base::Task<Tracker::Asked> Tracker::ask(const storage::Watch& watch, Sight sight, Check check) {
    Asked asked;
    if (!co_await has_its_block(watch, asked)) co_return asked;
    chain::NotIncludedUpTo seen;
    auto& conclusive = asked.conclusive;
    bool key_is_told = true;
    if (check.key) key_is_told = co_await ask_sender(watch, seen);
    const auto final_height = chain_.final_height().value_or(0);
    seen.height = known_to_all_hosts();
    // Above a gap the hosts' word has to do.
    if (const auto looked = sight_of(watch).looked_up_to; sight.looked_up_to && looked)
        seen.height = std::max(seen.height, std::min(*looked, chain_.agreed_height()));
    // When no block may include it any more, the key says only why.
    conclusive = key_is_told || seen.height >= chain::last_height(watch.transaction, settings_.lifecycle);
    bool included = false;
    auto word = WatchUpstream::Word::denied;
    // A block from before it was watched may have it: its own inclusion uses its nonce, too.
    if (check.tree || (conclusive && would_end(watch, seen))) {
        series_.tx_requests.Increment();
        auto answer = co_await upstream_.tree(watch.tx_hash, watch.sender_id, final_height);
        if (auto* known = std::get_if<WatchUpstream::Known>(&answer)) {
            included = known->seen.included_at.has_value();
            conclusive = conclusive && included;
            // A host tells either of two outcomes under one hash (chain-model.md §2).
            if (known->seen.is_invalid) {
                word = WatchUpstream::Word::none;
                seen.asked += (seen.asked.empty() ? "" : "; ") + known->host + ": invalid in a block, " +
                              known->seen.reason;
            }
            if (known->found && chain_.keep && !sight.tree_is_stored)
                co_await chain_.keep(std::move(*known->found));
            asked.observations.emplace_back(std::move(known->seen));
            asked.witness = Witness{known->host, final_height};
        } else if (auto* unknown = std::get_if<WatchUpstream::NotKnown>(&answer)) {
            seen.asked += (seen.asked.empty() ? "" : "; ") + unknown->asked;
            word = unknown->word;
        } else {
            conclusive = false;
        }
    }
    if (conclusive && (!included || word != WatchUpstream::Word::denied))
        conclusive = co_await weigh(watch, word, seen);
    if (conclusive && (!included || !seen.missing.empty())) asked.observations.emplace_back(std::move(seen));
    co_return asked;
}

base::Task<bool> Tracker::has_its_block(const storage::Watch& watch, Asked& asked) {
    const auto& transaction = watch.transaction;
    const auto told = transaction.block_hash_height;
    const auto agreed = chain_.agreed_height();
    if (!told || !transaction.valid_until || agreed == 0) co_return true;
    const auto block = co_await chain_.stored_block(transaction.block_hash);
    if (block && (block->height == *told || block->height > agreed)) co_return true;
    if (block) {
        const auto good_for = *transaction.valid_until - std::min(*told, *transaction.valid_until);
        asked.validity = {block->height, base::saturated_add(block->height, good_for)};
        log::warn("a host told another height of a block hash than the chain has",
                  {{"tx_hash", watch.tx_hash}, {"told", *told}, {"height", block->height}});
        co_return false;
    }
    if (!refuses_block(transaction.objection)) co_return true;
    // A host that lags refuses a block that it does not know yet, and then the other one alone has told its
    // height: looked at is every height that it can have.
    const auto newest = base::saturated_add(chain::newest_block_hash(transaction), kHostsLag);
    const auto oldest = transaction.watched_since - std::min(transaction.watched_since, kHostsLag);
    const base::HeightRange possible{std::min(*told, oldest), std::max(*told, newest)};
    if (possible.to > agreed || !chain_.missing_in(possible).empty()) co_return true;
    asked.observations.emplace_back(chain::BlockHashLost{agreed});
    co_return false;
}

// Above a gap of the tables the word of hosts counts that still hold the blocks of that time.
base::Task<bool> Tracker::weigh(const storage::Watch& watch, WatchUpstream::Word word,
                                chain::NotIncludedUpTo& seen) {
    const auto not_stored = heights_not_stored(watch, word, seen.height);
    if (not_stored.empty()) co_return true;
    auto unproven = seen;
    unproven.missing = in_words(not_stored);
    if (!would_end(watch, seen) && !would_end(watch, unproven)) co_return true;
    const auto held = co_await hosts_hold(not_stored);
    if (!held) co_return false;
    if (*held && word == WatchUpstream::Word::denied) co_return true;
    // Heights that can still be stored tell more. Heights that no host holds have one chance, those that the
    // follower does not want have none.
    const auto& may_be_stored = *held ? chain_.gaps_in : chain_.untried_in;
    const base::HeightRange range{*not_stored.first(), *not_stored.last()};
    if (chain_.stores && !may_be_stored(range).empty()) co_return false;
    seen = std::move(unproven);
    co_return true;
}

base::Task<std::optional<bool>> Tracker::hosts_hold(base::HeightSet heights) {
    auto ranges = heights.ranges();
    if (ranges.size() > kMostRanges) ranges = {{ranges.front().from, ranges.back().to}};
    for (const auto& range : ranges) {
        const auto held = co_await upstream_.holds_blocks(range);
        if (!held || !*held) co_return held;
    }
    co_return true;
}

base::HeightSet Tracker::heights_not_stored(const storage::Watch& watch, WatchUpstream::Word word,
                                            chain::BlockHeight up_to) const {
    auto from = watch.transaction.watched_since;
    // The chunk may be older than the watch, though not than its block hash.
    if (const auto height = watch.transaction.block_hash_height;
        height && word == WatchUpstream::Word::in_a_chunk)
        from = std::min(from, *height + 1);
    const auto to = std::min(up_to, chain::last_height(watch.transaction, settings_.lifecycle));
    if (to < from) return {};
    const base::HeightRange range{from, to};
    return chain_.stores ? chain_.missing_in(range) : base::HeightSet(range);
}

chain::BlockHeight Tracker::known_to_all_hosts() const {
    const auto agreed = chain_.agreed_height();
    return agreed > kHostsLag ? agreed - kHostsLag : 0;
}

bool Tracker::would_end(const storage::Watch& watch, const chain::NotIncludedUpTo& seen) const {
    auto state = watch.state;
    chain::step(state, watch.transaction, seen, settings_.lifecycle);
    const bool takes_back = watch.state.early && !state.early;
    return takes_back || chain::is_end(state.stage);
}

// Reads the tables once more: their present state takes precedence over the hosts' answers.
base::Task<void> Tracker::conclude(std::string tx_hash, Asked asked) {
    std::vector<std::string> one{tx_hash};
    auto page = co_await load(std::move(one));
    if (page.watches.empty()) co_return;
    const auto rules = rules_now();
    page = co_await judge(cpu_, std::move(page), rules);
    if (page.updates.empty()) {
        auto& watch = page.watches[0];
        // That it was not included is concluded from the tables.
        if (page.is_unreadable(tx_hash))
            std::erase_if(asked.observations, [](const chain::Observation& observation) {
                return std::holds_alternative<chain::NotIncludedUpTo>(observation);
            });
        auto update = review(watch, asked.observations, rules.seen_by(page.sights[0]),
                             page.sights[0].in_stage_since, asked.witness);
        if (!update) update = storage::update_of(watch);
        update->validity = asked.validity;
        update->more_checks = asked.conclusive ? 1 : 0;
        update->next_check_at =
            asked.conclusive ? plan_check(watch, page.sights[0], rules).next : rules.now + kNoAnswer;
        page.updates.push_back(std::move(*update));
    }
    co_await write(std::move(page));
}

base::Task<bool> Tracker::ask_sender(const storage::Watch& watch, chain::NotIncludedUpTo& seen) {
    series_.sender_requests.Increment();
    WatchUpstream::SenderQuestion question;
    question.account_id = watch.sender_id;
    question.public_key = watch.public_key;
    question.nonce_index = watch.transaction.nonce_index;
    question.own_nonce = *watch.transaction.nonce;
    auto sender = co_await upstream_.sender(std::move(question));
    if (!sender) co_return false;
    // Some hosts name no height for an account or key that does not exist.
    if (sender->height == 0) sender->height = known_to_all_hosts();
    if (!co_await wait_for_height(watch, sender->height)) co_return false;
    seen.key_nonce = sender->nonce;
    seen.key_height = sender->height;
    // A state init may bring the key, with a nonce below those that AddKey gives (chain-model.md §6.7).
    if (!chain::is_universal_account(watch.sender_id)) seen.key_missing_at = sender->key_missing_at;
    seen.has_no_account = sender->has_no_account;
    seen.asked = sender->hosts;
    if (sender->has_no_account)
        seen.asked += ": the account does not exist";
    else if (!sender->nonce)
        seen.asked += ": the access key does not exist";
    co_return true;
}

// Waits until every block up to there was looked through, here or by all hosts.
base::Task<bool> Tracker::wait_for_height(const storage::Watch& watch, chain::BlockHeight height) {
    base::asio::steady_timer timer(executor_);
    const auto give_up_at = clock_.steady() + kHeightComesWithin;
    while (clock_.steady() < give_up_at) {
        const auto sight = sight_of(watch);
        const bool looked_through = sight.looked_up_to && *sight.looked_up_to >= height;
        if (looked_through || known_to_all_hosts() >= height) co_return true;
        co_await base::sleep_on(timer, kHeightRetry);
    }
    co_return false;
}

}  // namespace receiptd::watch
