#include "storage/stop_signal.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <limits>
#include <system_error>

namespace receiptd::storage {
namespace {

bool is_readable(int descriptor, std::chrono::milliseconds within) {
    pollfd stop{descriptor, POLLIN, 0};
    const auto most =
        std::min<std::chrono::milliseconds::rep>(within.count(), std::numeric_limits<int>::max());
    return poll(&stop, 1, static_cast<int>(most)) > 0;
}

}  // namespace

StopSignal::StopSignal() : descriptor_(eventfd(0, EFD_CLOEXEC)) {
    if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

StopSignal::~StopSignal() { close(descriptor_); }

void StopSignal::request() { eventfd_write(descriptor_, 1); }

bool StopSignal::requested() const { return is_readable(descriptor_, std::chrono::milliseconds(0)); }

bool StopSignal::wait_for(base::Duration delay) const {
    const auto until = std::chrono::steady_clock::now() + delay;
    for (;;) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        if (left.count() <= 0) return requested();
        if (is_readable(descriptor_, left)) return true;
    }
}

}  // namespace receiptd::storage
