// The end of all waiting for the database: a flag, and a descriptor for those who wait by poll().
#pragma once

#include "base/clock.hpp"

namespace receiptd::storage {

class StopSignal {
public:
    StopSignal();  // throws std::system_error: no descriptor is left
    ~StopSignal();
    StopSignal(const StopSignal&) = delete;
    StopSignal& operator=(const StopSignal&) = delete;

    void request();
    bool requested() const;
    // True when stop was requested before the time was over.
    bool wait_for(base::Duration delay) const;
    // Readable from the request on.
    int descriptor() const { return descriptor_; }

private:
    int descriptor_;
};

}  // namespace receiptd::storage
