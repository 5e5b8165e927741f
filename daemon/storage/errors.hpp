// Failures of work on the database that is not tried again.
#pragma once

#include <stdexcept>

namespace receiptd::storage {

struct StorageStopped : std::runtime_error {
    StorageStopped() : std::runtime_error("storage: stopped") {}
};

// A fault that waiting does not cure: wrong rights, wrong schema, full disk is NOT one of them.
struct StorageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The answer took longer than people wait; the text is for them.
struct StorageTimeout : StorageError {
    using StorageError::StorageError;
};

}  // namespace receiptd::storage
