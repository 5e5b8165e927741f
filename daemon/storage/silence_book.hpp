// The silences that count now. One for each process.
#pragma once

#include "storage/pqxx_shim.hpp"
#include "storm/silence.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace receiptd::storage {

class SilenceBook {
public:
    using Silences = std::shared_ptr<const std::vector<storm::Silence>>;

    // `changes`: alert_rule_state.silences, as the transaction sees it.
    Silences current(pqxx::transaction_base& tx, std::int64_t changes);

private:
    std::mutex mutex_;
    std::int64_t known_ = -1;
    Silences silences_ = std::make_shared<const std::vector<storm::Silence>>();
};

}  // namespace receiptd::storage
