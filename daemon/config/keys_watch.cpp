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
     .help = "A watched transaction is stuck if no block has included it for this long. One alert is sent "
             "for each stage in which a transaction is stuck. It is no longer stuck when it advances.",
     .min = kShortest,
     .max = kLongestDelay},
    {.section = "watching",
     .name = "stuck_after_included",
     .type = Type::duration,
     .at = setting<&Settings::stuck_after, &StuckAfter::included>(),
     .help = "A watched transaction is stuck if its initial receipt has not been executed for this long "
             "after its inclusion.",
     .min = kShortest,
     .max = kLongestDelay},
    {.section = "watching",
     .name = "stuck_after_executing",
     .type = Type::duration,
     .at = setting<&Settings::stuck_after, &StuckAfter::executing>(),
     .help = "A watched transaction is stuck if the other receipts, except refunds, take longer than this. A "
             "promise that yields waits up to 200 blocks.",
     .min = kShortest,
     .max = kLongestDelay},
    {.section = "watching",
     .name = "stuck_after_completed",
     .type = Type::duration,
     .at = setting<&Settings::stuck_after, &StuckAfter::completed>(),
     .help = "A watched transaction is stuck if its refunds take longer than this.",
     .min = kShortest,
     .max = kLongestDelay},
    {.section = "watching",
     .name = "forwarding_failed_after",
     .type = Type::duration,
     .at = setting<&Settings::forwarding_failed_after>(),
     .help = "A submitted transaction ends as `forwarding_failed` if no host has received it for this long.",
     .min = kShortest,
     .max = kLongestDelay},
    {.section = "watching",
     .name = "validity_blocks",
     .type = Type::integer,
     .at = setting<&Settings::validity_blocks>(),
     .help =
         "How many heights a transaction can wait for its inclusion: `transaction_validity_period` of "
         "the network. A watched transaction that no host knows after that many heights ends as "
         "`unknown`. If a host reports a value below 1,000 or above 10,000,000, receiptd accepts it only "
         "if it equals this key, or, below 1,000, on networks other than mainnet and testnet, if the other "
         "host reports the same.",
     .min = 1,
     .max = 10'000'000},

    {.section = "watch",
     .name = "name",
     .type = Type::name,
     .at = watch_rule<&WatchRule::name>(),
     .help = "Name of the rule in `watches.rule`. Must be unique.",
     .required = true,
     .example = "\"payments\""},
    {.section = "watch",
     .name = "signer",
     .type = Type::glob,
     .at = watch_rule<&WatchRule::signer>(),
     .help = "The account that signs the transaction, or for which a relayer signs it. `*` matches any text, "
             "`?` any single character.",
     .example = "\"*.alice.near\""},
    {.section = "watch",
     .name = "receiver",
     .type = Type::glob,
     .at = watch_rule<&WatchRule::receiver>(),
     .help = "The receiver of the transaction.",
     .example = "\"app.near\""},
    {.section = "watch",
     .name = "method",
     .type = Type::glob,
     .at = watch_rule<&WatchRule::method>(),
     .help = "The method of one of the function calls, also of those inside a Delegate action.",
     .example = "\"ft_transfer*\""},

    {.section = "expected",
     .name = "name",
     .type = Type::name,
     .at = expected_failure<&ExpectedFailure::name>(),
     .help = "Name of the rule in `expected_failures.name`. Must be unique.",
     .required = true,
     .example = "\"slippage\""},
    {.section = "expected",
     .name = "contract",
     .type = Type::glob,
     .at = expected_failure<&ExpectedFailure::contract>(),
     .help = "The contract that fails. `*` matches any text, `?` any single character.",
     .example = "\"dex.near\""},
    {.section = "expected",
     .name = "method",
     .type = Type::glob,
     .at = expected_failure<&ExpectedFailure::method>(),
     .help = "The method that was called, or the name of the first action.",
     .example = "\"ft_on_transfer\""},
    {.section = "expected",
     .name = "error_class",
     .type = Type::glob,
     .at = expected_failure<&ExpectedFailure::error_class>(),
     .help = "The class of the error, as in `findings.error_class`.",
     .example = "\"contract_panic\""},
};

}  // namespace

std::span<const Key> watch_keys() { return kWatchKeys; }

}  // namespace receiptd::config
