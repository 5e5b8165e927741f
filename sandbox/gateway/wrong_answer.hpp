// Answers that look right and are not true, for Fault::wrong.
#pragma once

#include "sandbox/gateway/faults.hpp"
#include "sandbox/gateway/rpc_answer.hpp"
#include "sandbox/gateway/rpc_context.hpp"

namespace receiptd::sandbox {

struct RpcRequest;

// In place of the call, which is not made. Where another block is to be answered for and the request is
// about none, the truth.
RpcAnswer wrong_answer(const WrongAnswer& wrong, const RpcContext& context, const RpcRequest& call);

}  // namespace receiptd::sandbox
