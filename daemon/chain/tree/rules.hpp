// The rules that turn a tree's failures into verdicts (docs/verdicts.md). Pure; whoever has a tree collects
// its failures: judge.cpp from a tree's parts, live_trees.cpp while blocks go by.
//
//  1. Failures of refunds and payouts never count: they are not among these.
//  2. A failed receipt is handled if it is awaited, and each receipt that awaits it succeeded. A failed
//  callback
//     is never handled, whoever looked on: the second half of its contract's work did not run; neither is
//     what only it awaited.
//  3. The verdict is the first that applies: `failed`, the transaction or its initial receipt failed, or NEAR
//     says failure (the end of the result chain failed) and no callback failed; `callback_failed`, a callback
//     failed; `receipt_failed`, another receipt failed and it is not handled, or the wallet of an
//     ETH-implicit account says that what its owner signed was not done; `succeeded_with_handled_failure`,
//     all that failed is handled; `succeeded`.
//  4. Nobody awaits the inner call of a Delegate action: its failure is a receipt_failed, though
//     the relayer's part succeeded (chain-model.md §6.3).
//  5. Of several failures that give the verdict the earliest decides, at one height the smallest receipt id.
//  A
//     wallet's refusal is decided by the failure that it answers for, or by itself where nothing failed.
#pragma once

#include "chain/tree/finding.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::chain {

// Stands beside each result that is stored (transaction_results.judged_by). Add 1 whenever a tree may get
// another role, verdict, effect or finding than before: `receiptd rejudge` then makes history agree.
inline constexpr std::int16_t kRulesVersion = 6;

// Whether somebody took care of a failure. `undecided`: not all that await it are executed, or known.
enum class Handling : std::uint8_t { handled, unhandled, undecided };
Text handling_name(Handling handling);

// How the receipt ended that awaits some data.
struct Awaiter {
    enum class End : std::uint8_t { open, succeeded, failed };
    std::string data_id;
    End end = End::open;     // open, too: no receipt that awaits this data is known
    std::string receipt_id;  // of the one that ended so

    // One receipt awaits a data id. Where a dishonest host tells of several, a failed one counts first, of
    // several that ended alike the one with the smallest id.
    void ended(bool failed, std::string_view by);
};

struct Failure {
    Finding finding;  // receipt_id empty: the transaction itself failed
    std::vector<Awaiter> awaiters;
    bool body_known = true;        // else nobody can tell who awaits it
    bool on_result_chain = false;  // then NEAR says failure because of it
    Handling handling = Handling::undecided;

    // Its finding does not change any more.
    bool is_decided() const {
        return handling == Handling::unhandled || (handling == Handling::handled && finding.effect);
    }
};

// Decides what can be decided. `all_known`: all receipts of the tree are known and executed: what none of
// them awaits is awaited by none.
void decide_handling(std::vector<Failure>& failures, bool all_known);

// The parts of a tree that may still be executed.
enum class Missing : std::uint8_t { receipts, refunds, nothing };

// The wallet of an ETH-implicit account, asked by kWalletMethod on the result chain, says at the chain's end
// that it did not do what its owner signed.
using Refusal = std::optional<std::string>;  // why

// nullopt: what is missing may change it. What is given stays, whatever arrives.
std::optional<Verdict> verdict_of(const std::vector<Failure>& failures, Missing missing,
                                  bool initial_succeeded, const Refusal& refusal);

// Whether the failure is one of those that give the verdict.
bool gives(const Failure& failure, Verdict verdict);
// The failure that decides (rule 5); nullptr: none does.
const Failure* deciding(const std::vector<Failure>& failures, Verdict verdict);
// Its class, or that of the refusal. Empty: nothing failed.
FailureClass deciding_class(const std::vector<Failure>& failures, Verdict verdict, const Refusal& refusal);
// Its finding, where no receipt failed: nothing else tells of it. `asked`: that of the receipt which called
// kWalletMethod.
std::optional<Finding> refusal_finding(const std::vector<Failure>& failures, const Refusal& refusal,
                                       const Finding* asked);
// `executed`: that of the yielded receipt, which succeeded or failed when it was told of the time-out.
Finding timeout_finding(Finding executed, bool succeeded);
// The receipt that the deciding one's failure goes back to. Empty: no receipt failed.
std::string root_cause(const std::vector<Failure>& failures, Verdict verdict);

}  // namespace receiptd::chain
