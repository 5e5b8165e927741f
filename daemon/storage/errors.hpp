// Failures of work on the database that is not tried again.
#pragma once

#include <stdexcept>

namespace receiptd::storage {

struct StorageStopped : std::runtime_error {
    StorageStopped() : std::runtime_error("storage: stopped") {}
};

// A fault that waiting does not cure, or that somebody waits for. No daemon's own work ends by what the
// server says, but for a value that it refuses.
struct StorageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// PostgreSQL does not take a value: the fault is in what was to be written, not in the database.
struct StorageRefused : StorageError {
    using StorageError::StorageError;
};

// The answer took longer than people wait; the text is for them.
struct StorageTimeout : StorageError {
    using StorageError::StorageError;
};

}  // namespace receiptd::storage
