#include "app/check_draft.hpp"

#include "config/load_rules.hpp"

namespace receiptd::app {

api::CheckedDraft check_draft(const std::string& toml) {
    const auto loaded = config::load_rules_text(toml, "draft", config::ListFiles::left_alone);
    api::CheckedDraft checked;
    checked.is_good = loaded.ok();
    for (const auto& rule : loaded.settings.rules)
        if (!rule.name.empty()) checked.rules.push_back(rule.name);
    for (const auto& problem : loaded.problems)
        checked.faults.push_back(
            {problem.severity == config::Severity::warning, problem.line, problem.column, problem.message});
    return checked;
}

}  // namespace receiptd::app
