// The watched transactions and the time when each must be looked at again. An entry is small, so 100,000 of
// them fit in memory. The rest is in the database. Pure.
#pragma once

#include "base/clock.hpp"
#include "base/height_set.hpp"
#include "chain/tree/lifecycle.hpp"
#include "storage/watch_store.hpp"
#include "watch/review.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace receiptd::watch {

class WatchIndex {
public:
    explicit WatchIndex(chain::StuckRules stuck) : stuck_(stuck) {}

    // Takes a watch as it is stored. A watch that has ended is forgotten, except if it ended without a tree:
    // the chain can still take that back as long as a block may include the transaction. What has touched it
    // meanwhile is kept.
    void set(const storage::Watch& watch, const chain::LifecycleRules& rules, base::SteadyTime now);
    void erase(const std::string& tx_hash);
    bool contains(const std::string& tx_hash) const { return watches_.contains(tx_hash); }
    // A block above `height` may include one of them.
    bool waits_above(chain::BlockHeight height) const {
        return !waiting_.empty() && waiting_.rbegin()->first > height;
    }
    // Whether a block of that height may include the open one.
    bool may_be_in(const std::string& tx_hash, chain::BlockHeight height) const;
    // Touches what a block at these heights includes that was not final yet.
    void touch_early(const base::HeightSet& heights);
    bool empty() const { return watches_.empty() && lost_.empty(); }
    std::size_t size() const { return watches_.size(); }
    std::size_t stuck() const { return stuck_count_; }
    // The time since when it is known to be in its stage; nullopt: it is not watched.
    std::optional<base::SteadyTime> in_stage_since(const std::string& tx_hash) const;

    // Whether the watch ended without a tree and a block may still include the transaction.
    bool is_lost(const std::string& tx_hash) const { return lost_.contains(tx_hash); }
    void forget_lost(chain::BlockHeight final_height);

    // Something may have happened to it; false: it is not watched. A lost one is touched by its inclusion.
    bool touch(const std::string& tx_hash);
    // The watch is reviewed after all watches that have new events.
    void touch_later(const std::string& tx_hash) { later_.insert(tx_hash); }
    void touch_all();
    bool is_touched(const std::string& tx_hash) const { return touched_.contains(tx_hash); }
    bool has_touched() const { return !touched_.empty() || !later_.empty(); }
    std::size_t touched() const { return touched_.size() + later_.size(); }
    std::vector<std::string> take_touched(std::size_t limit);

    // Returns watches that are due by the clock, that are stuck now, or whose last possible height is final
    // now. They come again only after `again_after`, unless set() says otherwise.
    struct Now {
        base::WallTime wall{};
        base::SteadyTime steady{};
        chain::BlockHeight final_height = 0;
        std::optional<base::SteadyTime> at_head_since{};  // before that nothing is stuck
    };
    std::vector<std::string> take_due(const Now& now, base::Duration again_after, std::size_t limit);

private:
    struct Entry {
        base::WallTime check_at{};
        base::SteadyTime in_stage_since{};
        std::optional<base::Duration> patience{};  // until it is stuck; nullopt: it is, or never will be
        base::SteadyTime stuck_again_at{};         // it is not looked at for being stuck before that
        chain::BlockHeight ends_at = 0;            // as long as it waits for inclusion
        chain::Stage stage = chain::Stage::accepted;
        bool stuck = false;
        bool waits = false;               // for inclusion in a final block
        bool awaited = false;             // and no rule asks for it, which would have seen it in its block
        chain::BlockHeight early_at = 0;  // included there, in a block that was not final yet; 0: in none
        bool is_due = false;  // its last height was final when it was due last: only the clock counts now
    };

    static bool is_stuck_now(const Entry& entry, const Now& now);
    void forget_open(const std::string& tx_hash);
    void join(const std::string& tx_hash, const Entry& entry);   // waiting_ and early_
    void leave(const std::string& tx_hash, const Entry& entry);  // the same

    chain::StuckRules stuck_;
    std::unordered_map<std::string, Entry> watches_;
    std::unordered_map<std::string, chain::BlockHeight> lost_;  // until that height is final
    std::map<chain::BlockHeight, std::size_t> waiting_;         // their number by `ends_at`
    std::set<std::pair<chain::BlockHeight, std::string>> early_;
    std::unordered_set<std::string> touched_;
    std::unordered_set<std::string> later_;
    std::size_t stuck_count_ = 0;
};

}  // namespace receiptd::watch
