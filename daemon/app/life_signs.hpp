// What the service manager hears of a daemon that runs: that it is ready, how it is, and that it lives.
#pragma once

#include "app/runtime.hpp"
#include "app/service_manager.hpp"

#include <functional>
#include <string>

namespace receiptd::app {

class LifeSigns {
public:
    // The runtime outlives it. `hangs`: whether a part of the daemon stands still that only a restart can
    // help.
    LifeSigns(Runtime& runtime, std::function<bool()> hangs);

    // Says that the daemon is ready; then, until it is cancelled, how it is. Keeps the manager's patience
    // only while the event loop and the CPU pool go on and nothing hangs.
    base::Task<void> run();
    void stop() { manager_.stopping(); }

private:
    std::string status() const;

    Runtime& runtime_;
    std::function<bool()> hangs_;
    ServiceManager manager_;
};

}  // namespace receiptd::app
