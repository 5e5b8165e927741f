#include "config/binding.hpp"
#include "config/key_tables.hpp"

namespace receiptd::config {

namespace {

using namespace binding;

constexpr double kShortest = 1'000;
constexpr double kLongestDelay = 7.0 * 86'400'000;

constexpr Key kWatchKeys[] = {
    {.section = "watching",
     .name = "stuck_after_pending",
     .type = Type::duration,
     .at = setting<&Settings::stuck_after, &StuckAfter::pending>(),
     .help = "A watched transaction that no block has included for so long is stuck. Being stuck is told "
             "once for each stage and ends when it moves.",
     .min = kShortest,
     .max = kLongestDelay},
    {.section = "watching",
     .name = "stuck_after_included",
     .type = Type::duration,
     .at = setting<&Settings::stuck_after, &StuckAfter::included>(),
     .help = "… whose initial receipt is not executed.",
     .min = kShortest,
     .max = kLongestDelay},
    {.section = "watching",
     .name = "stuck_after_executing",
     .type = Type::duration,
     .at = setting<&Settings::stuck_after, &StuckAfter::executing>(),
     .help = "… whose other receipts are not. A promise that yields waits for 200 blocks.",
     .min = kShortest,
     .max = kLongestDelay},
    {.section = "watching",
     .name = "stuck_after_completed",
     .type = Type::duration,
     .at = setting<&Settings::stuck_after, &StuckAfter::completed>(),
     .help = "… whose refunds are not.",
     .min = kShortest,
     .max = kLongestDelay},
    {.section = "watching",
     .name = "validity_blocks",
     .type = Type::integer,
     .at = setting<&Settings::validity_blocks>(),
     .help =
         "How many heights a transaction can wait to be included: `transaction_validity_period` of the "
         "network. One that nobody knows after that many ends `unknown`. Hosts that tell less than 1,000 or "
         "more than 10,000,000 are believed if it is this number.",
     .min = 1,
     .max = 10'000'000},

    {.section = "watch",
     .name = "name",
     .type = Type::name,
     .at = watch_rule<&WatchRule::name>(),
     .help = "What `watches.rule` calls it. Unique.",
     .required = true,
     .example = "\"payments\""},
    {.section = "watch",
     .name = "signer",
     .type = Type::glob,
     .at = watch_rule<&WatchRule::signer>(),
     .help = "Who signs, or for whom a relayer signs: `*` is any text, `?` any one character.",
     .example = "\"*.alice.near\""},
    {.section = "watch",
     .name = "receiver",
     .type = Type::glob,
     .at = watch_rule<&WatchRule::receiver>(),
     .help = "Whom the transaction goes to.",
     .example = "\"app.near\""},
    {.section = "watch",
     .name = "method",
     .type = Type::glob,
     .at = watch_rule<&WatchRule::method>(),
     .help = "What one of its function calls calls; calls inside a Delegate action count.",
     .example = "\"ft_transfer*\""},

    {.section = "expected",
     .name = "name",
     .type = Type::name,
     .at = expected_failure<&ExpectedFailure::name>(),
     .help = "What `expected_failures.name` calls it. Unique.",
     .required = true,
     .example = "\"slippage\""},
    {.section = "expected",
     .name = "contract",
     .type = Type::glob,
     .at = expected_failure<&ExpectedFailure::contract>(),
     .help = "Who fails: `*` is any text, `?` any one character.",
     .example = "\"dex.near\""},
    {.section = "expected",
     .name = "method",
     .type = Type::glob,
     .at = expected_failure<&ExpectedFailure::method>(),
     .help = "What was called, or the name of the first action.",
     .example = "\"ft_on_transfer\""},
    {.section = "expected",
     .name = "error_class",
     .type = Type::glob,
     .at = expected_failure<&ExpectedFailure::error_class>(),
     .help = "Why it fails, as `findings.error_class` has it.",
     .example = "\"contract_panic\""},
};

}  // namespace

std::span<const Key> watch_keys() { return kWatchKeys; }

}  // namespace receiptd::config
