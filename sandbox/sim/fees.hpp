// The chain's own fees (chain/fees.hpp), under the sandbox's names.
#pragma once

#include "chain/wire/fees.hpp"
#include "sandbox/sim/model.hpp"

namespace receiptd::sandbox::sim {

using wire::action_exec_fee;
using wire::action_send_fee;
using wire::data_receipt_base_fee;
using wire::data_receipt_byte_fee;
using wire::prepaid_gas;
using wire::prepaid_send_fees;
using wire::purchased_gas;
using wire::receipt_exec_fee;
using wire::receipt_send_fee;
using wire::total_deposit;
using wire::transaction_cost;
using wire::TransactionCost;

}  // namespace receiptd::sandbox::sim
