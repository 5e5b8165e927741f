// The rules and lists that count now, compiled. One for each process.
#pragma once

#include "rule/rule_set.hpp"
#include "storage/pqxx_shim.hpp"
#include "storage/rule_interest.hpp"

#include <cstdint>
#include <memory>
#include <mutex>

namespace receiptd::storage {

class RuleBook {
public:
    // As the transaction sees them: what another daemon has committed by now is known here.
    rule::RuleSet current(pqxx::transaction_base& tx);
    // The same for those who make rows. It stays the same object as long as nothing has changed.
    std::shared_ptr<const RuleInterest> interest(pqxx::transaction_base& tx);
    // As it was when somebody asked within a transaction last.
    std::shared_ptr<const RuleInterest> interest() const;

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
    std::shared_ptr<const RuleInterest> interest_ = std::make_shared<const RuleInterest>(rules_);
};

}  // namespace receiptd::storage
