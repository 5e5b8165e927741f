// Times of blocks: what no single host may decide of them. Pure.
#pragma once

#include "base/clock.hpp"
#include "chain/rows/rows.hpp"
#include "rpc/source.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::follow {

// The doubt about a block's time, of chain::trust: it is not above its parent's, or more than a day above
// both the newest agreed block's and our clock. Empty: there is no doubt. `parent`: nullopt: not known.
chain::Text doubt_of_time(base::WallTime time, std::optional<base::WallTime> parent, base::WallTime agreed,
                          base::WallTime now);
bool is_ahead(base::WallTime time, base::WallTime of);  // by more than a day

inline base::WallTime time_of(const chain::BlockRef& block) {
    return base::WallTime(base::Duration(block.timestamp_nanosec));
}
std::int64_t day_of(base::WallTime time);  // since 1970, UTC

// The block of that hash as the hosts show it: in a form from which the hash follows, or as two do, or as the
// only one does.
std::optional<chain::BlockRef> shown_alike(const std::vector<rpc::Witness>& witnesses,
                                           const std::string& hash);

class BlockTimes {
public:
    // Two hosts tell it, or the only one that is configured.
    void agree_on(const chain::BlockRef& block);
    // The time of the highest block that was agreed on; 1970: none was.
    base::WallTime agreed() const { return agreed_; }
    // Whether a block of that day may be, as far as the agreed one tells: up to a week later.
    bool is_near_agreed(std::int64_t day) const;

    void stored(const chain::BlockRef& block);
    // The median time of the last eleven stored blocks up to this height; nullopt: none of them is
    // remembered.
    std::optional<base::WallTime> median_at(base::Height height) const;

private:
    base::Height agreed_height_ = 0;
    base::WallTime agreed_{};
    std::map<base::Height, base::WallTime> stored_;  // the highest ones
};

}  // namespace receiptd::follow
