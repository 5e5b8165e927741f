// `receiptd rejudge`: history by the rules of this program. Works on the database; a daemon may run
// meanwhile.
#include "app/commands.hpp"
#include "app/progress.hpp"
#include "app/store_for_command.hpp"
#include "app/wait_for.hpp"
#include "chain/tree/rules.hpp"
#include "storage/rejudge.hpp"

#include <algorithm>
#include <iostream>
#include <limits>

namespace receiptd::app {
namespace {

// One database transaction each: a daemon's adoption of orphans waits for it.
constexpr base::Height kHeightsAtOnce = 20;

base::HeightSet chosen(const storage::StoredHeights& stored, std::optional<base::Height> from,
                       std::optional<base::Height> to) {
    if (!from && !to) return stored.judged_before;
    return stored.all.within({from.value_or(0), to.value_or(std::numeric_limits<base::Height>::max() - 1)});
}

void print(const base::HeightSet& heights, const storage::Rejudged& done) {
    std::cout << "judged " << done.trees << " trees of " << heights.size() << " heights again by rules "
              << chain::kRulesVersion << '\n';
    for (const auto& [change, count] : done.verdicts)
        std::cout << "  " << count << " verdicts: " << (change.first.empty() ? "none" : change.first)
                  << " -> " << change.second << '\n';
    std::cout << "  " << done.roles << " roles changed; " << done.findings_added << " findings added, "
              << done.findings_removed << " removed\n";
    if (done.left > 0)
        std::cout << "  " << done.left
                  << " trees left as they are: not all of their receipts are stored any more, or the "
                     "database does not "
                     "take what they give now (log)\n";
}

}  // namespace

int rejudge(const config::Settings& settings, std::optional<base::Height> from,
            std::optional<base::Height> to) {
    update_schema(settings, "");
    StoreForCommand<storage::Rejudging> database(settings);
    const auto heights = chosen(wait_for(database.store().heights()), from, to);
    const base::SystemClock clock;
    Progress progress(heights.size(), clock);
    storage::Rejudged done;
    base::Height judged = 0;
    for (const auto& range : heights.ranges())
        for (auto at = range.from; at <= range.to; at += kHeightsAtOnce) {
            const base::HeightRange slice{at, std::min(range.to, at + kHeightsAtOnce - 1)};
            done.add(wait_for(database.store().rejudge(slice)));
            progress.show(judged += slice.size(), 0);
        }
    print(heights, done);
    return kOk;
}

}  // namespace receiptd::app
