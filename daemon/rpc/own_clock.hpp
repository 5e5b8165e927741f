// The clock of this machine, beside the time that hosts and blocks tell: it may be wrong, and what is sent
// carries it.
#pragma once

#include "rpc/source.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::rpc {

class OwnClock {
public:
    // Call every few seconds. `ahead`: of the newest block, in seconds; nullopt: not at the head.
    void look(const std::vector<UpstreamState>& hosts, std::optional<double> ahead);

    // How far it is ahead of the time that others tell; 0: nobody tells it.
    double seconds() const { return static_cast<double>(off_.count()); }
    // Empty: nothing is known against it.
    std::string in_words() const;

private:
    std::chrono::seconds off_{};
    bool is_far_ = false;
};

}  // namespace receiptd::rpc
