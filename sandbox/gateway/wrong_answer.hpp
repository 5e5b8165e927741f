// Answers that look right and are not true, for Fault::wrong; and those of Fault::without_receipts.
#pragma once

#include "sandbox/gateway/faults.hpp"
#include "sandbox/gateway/rpc_answer.hpp"
#include "sandbox/gateway/rpc_context.hpp"

namespace receiptd::sandbox {

struct RpcRequest;

// Answers in place of the call, which is not made. Where the answer should be for another block and the
// request names none, it is the true answer.
RpcAnswer wrong_answer(const WrongAnswer& wrong, const RpcContext& context, const RpcRequest& call);

// The answer without the bodies of receipts: a transaction lacks all, or keeps each n-th; a receipt is
// denied. Other answers stay.
RpcAnswer without_receipts(RpcAnswer answer, const RpcRequest& call, const Trouble& trouble);

}  // namespace receiptd::sandbox
