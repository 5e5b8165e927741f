// The rules and lists that count now, compiled. One for each process.
#pragma once

#include "rule/rule_set.hpp"
#include "storage/pqxx_shim.hpp"

#include <cstdint>
#include <memory>
#include <mutex>

namespace receiptd::storage {

class RuleBook {
public:
    // As the transaction sees them: what another daemon has committed by now is known here.
    rule::RuleSet current(pqxx::transaction_base& tx);
    // As they were when somebody called current() last.
    rule::RuleSet latest() const;

private:
    struct Changes {
        std::int64_t rules = -1;
        std::int64_t lists = -1;
        friend bool operator==(const Changes&, const Changes&) = default;
    };
    void read_rules(pqxx::transaction_base& tx);
    void read_lists(pqxx::transaction_base& tx, std::int64_t now);

    mutable std::mutex mutex_;
    Changes known_;  // as alert_rule_state counts them
    rule::RuleSet rules_{{rule::default_definition()}, {}};
};

}  // namespace receiptd::storage
