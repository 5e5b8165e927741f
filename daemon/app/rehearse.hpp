// The rules of a configuration on stored history, for `receiptd rules test` and POST /v1/rules/test.
#pragma once

#include "base/height_set.hpp"
#include "base/task.hpp"
#include "config/settings.hpp"
#include "storage/alert_rule_store.hpp"
#include "storage/rehearsal.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace receiptd::app {

// Bounds of a trial through the API: the answer comes within api::ApiOptions::trial_patience.
inline constexpr storage::Rehearsal::Limits kServedRehearsal{10'000, std::chrono::seconds(20)};
inline storage::DatabaseOptions served_rehearsal(storage::DatabaseOptions options) {
    options.question_timeout = std::chrono::seconds(10);
    return options;
}

// `only`: that rule; empty: all. nullopt: the configuration has no such rule. The accounts of a list without
// a file are those of the database. The settings are read before the first wait; the others outlive it.
base::Task<std::optional<storage::Rehearsed>> rehearse(const config::Settings& settings,
                                                       storage::AlertRuleStore& stored,
                                                       storage::Rehearsal& rehearsal, std::string only,
                                                       base::HeightRange heights);

}  // namespace receiptd::app
