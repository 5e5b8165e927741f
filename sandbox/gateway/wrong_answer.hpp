// Answers that look right and are not true, for Fault::wrong.
#pragma once

#include "sandbox/gateway/faults.hpp"
#include "sandbox/gateway/rpc_answer.hpp"
#include "sandbox/gateway/rpc_context.hpp"

namespace receiptd::sandbox {

struct RpcRequest;

// Answers in place of the call, which is not made. Where the answer should be for another block and the
// request names none, it is the true answer.
RpcAnswer wrong_answer(const WrongAnswer& wrong, const RpcContext& context, const RpcRequest& call);

}  // namespace receiptd::sandbox
