// The alerts that a transaction makes. They are sent and counted once it is committed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace receiptd::storage {

struct Told {
    bool is_due = false;  // there may be deliveries to send
    // Alerts that a rule matched, by kind and by endpoint. An endpoint "": nobody takes the rule.
    std::map<std::pair<std::string, std::string>, std::uint64_t> matched = {};

    Told& operator+=(const Told& other) {
        is_due |= other.is_due;
        for (const auto& [labels, alerts] : other.matched) matched[labels] += alerts;
        return *this;
    }
};

}  // namespace receiptd::storage
