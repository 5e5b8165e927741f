// A progress line on a terminal; nothing where standard error is not one (log lines tell there).
#pragma once

#include "base/clock.hpp"
#include "base/height_set.hpp"

#include <string>

namespace receiptd::app {

class Progress {
public:
    // `total`: heights to do in all.
    Progress(base::Height total, const base::Clock& clock);
    ~Progress();  // ends the line

    bool visible() const { return visible_; }
    void show(base::Height done, base::Height unavailable);

private:
    base::Height total_;
    const base::Clock& clock_;
    base::SteadyTime started_at_;
    bool visible_;
};

// "[#####.....]  52.0 %  520/1000 blocks  61.3/s  eta 8s  2 unavailable"
std::string progress_line(base::Height done, base::Height total, base::Height unavailable,
                          base::Duration elapsed);

}  // namespace receiptd::app
