#include "config/binding.hpp"
#include "config/key_tables.hpp"

namespace receiptd::config {

namespace {

using namespace binding;

constexpr Key kRuleKeys[] = {
    {.section = "rule",
     .name = "name",
     .type = Type::name,
     .at = entry<&Settings::rules, &AlertRule::name>(),
     .help = "Name of the rule in `endpoint.rules` and in alerts. Must be unique; `default` is taken.",
     .required = true,
     .reloadable = true,
     .example = "\"payments\""},
    {.section = "rule",
     .name = "kind",
     .type = Type::names,
     .at = entry<&Settings::rules, &AlertRule::kinds>(),
     .help = "What the rule is about: one kind, or a list of kinds.",
     .required = true,
     .reloadable = true,
     .example = "[\"end\", \"finding\"]"},

    {.section = "list",
     .name = "name",
     .type = Type::name,
     .at = entry<&Settings::lists, &AccountList::name>(),
     .help = "Name of the list. Must be unique.",
     .required = true,
     .reloadable = true,
     .example = "\"treasury\""},
    {.section = "list",
     .name = "file",
     .type = Type::file,
     .at = entry<&Settings::lists, &AccountList::file>(),
     .help = "File with one account id per line; `#` starts a comment. At most 100,000 accounts; all lists "
             "together "
             "at most 1,000,000. Without a file only the API, or another daemon on the same database, fills "
             "the list.",
     .reloadable = true,
     .example = "\"treasury.txt\""},
};

}  // namespace

std::span<const Key> rule_keys() { return kRuleKeys; }

}  // namespace receiptd::config
