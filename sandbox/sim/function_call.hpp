// Runs one function call of a receipt (nearcore's function_call.rs).
#pragma once

#include "sandbox/sim/apply.hpp"
#include "sandbox/sim/call_error.hpp"
#include "sandbox/sim/call_host.hpp"
#include "sandbox/sim/state_update.hpp"

namespace receiptd::sandbox::sim {

// The references must outlive the call.
struct FunctionCallFrame {
    const Receipt& receipt;
    const ActionReceipt& body;
    const wire::FunctionCall& call;
    const BlockContext& block;
    const std::vector<PromiseResult>& promise_results;
    const ShardQueues& queues;
    const Contracts& contracts;
    StateUpdate& state;
    CryptoHash action_hash{};
    bool is_last_action = false;
};

struct FunctionCallResult {
    std::optional<CallError> error;
    Gas gas_burnt = 0;
    Gas gas_used = 0;  // gas_burnt, and the gas of the new receipts
    std::vector<std::string> logs;
    // Set only if the call succeeded:
    ReturnData return_data;
    std::vector<Receipt> new_receipts;  // without ids: first the promises' receipts, then resumes
};

// On success the account's balance and storage are changed in `frame.state`; on failure whatever
// changed there is to be dropped.
FunctionCallResult call_function(const FunctionCallFrame& frame);

// Looks up what `code_hash` stands for and calls it; nullopt: the call succeeded.
std::optional<CallError> run_contract(const Contracts& contracts, const std::optional<CryptoHash>& code_hash,
                                      const std::string& method_name, CallHost& host);

}  // namespace receiptd::sandbox::sim
