// The true fate of a transaction, judged from the simulation's own facts (product.md "Words"): a monitor's
// verdicts are compared with it.
//
// Rules, for a tree whose receipts have all been executed but for refunds and payouts:
//  1. Refunds and payouts (predecessor `system`) are not looked at, whatever became of them.
//  2. A receipt is awaited by the receipts whose input_data_ids hold one of the data ids of its
//     output_data_receivers. A promise that was returned (SuccessReceiptId) has its maker's receivers, so
//     that it is the one that is awaited.
//  3. A failed receipt is handled if it is awaited and every receipt that awaits it succeeded. Joint promises
//  and
//     several receivers need nothing more: each awaits by a data id of its own. A failed callback (a receipt
//     with input_data_ids) is not handled, whoever awaits it.
//  4. NEAR's own word is the outcome at the end of the result chain: from the transaction along
//     SuccessReceiptId.
//  5. The verdict is the first that applies:
//       failed                         the transaction itself or its initial receipt failed, or NEAR's word
//                                      is a failure and no callback failed
//       callback_failed                a callback failed
//       receipt_failed                 another receipt failed, not handled
//       succeeded_with_handled_failure some receipt failed, all of them handled
//       succeeded
//  6. The receipt that carries out a Delegate action awaits nothing from the inner call it makes, so
//     an inner call that fails is a receipt that failed unhandled: receipt_failed (or callback_failed
//     further down), though the initial receipt, the relayer's part, succeeded.
//  7. A handled failure was told if one of those that handled it logged, returned a value other than null, or
//  made
//     a receipt of its own; else it was swallowed.
//  8. The root cause of a failure is the first failure on the way back: from a receipt to the first one among
//  those
//     whose data it awaited that failed, else to what led to one of these, else to what led to its parent.
//  9. What ends the result chain of a call of rlp_execute, on an account named by an Ethereum address, is the
//     wallet's answer. If its "success" is false, the owner's wish was not done: receipt_failed, unless an
//     earlier rule applies. The receipt that failed, if there is one, is the one that the answering callback
//     awaited; else the wallet refused, and says why.
// Receipts made by a returned promise are judged on their own: the callback that made the promise succeeded.
#pragma once

#include "sandbox/ledger/forest.hpp"

namespace receiptd::sandbox {

enum class Verdict : std::uint8_t {
    succeeded,
    failed,
    callback_failed,
    receipt_failed,
    succeeded_with_handled_failure,
};
const char* to_string(Verdict verdict);

// A call of ft_resolve_transfer says that the receiver kept that much of what was sent.
struct TokenFlow {
    std::size_t node = 0;
    u128 kept = 0;
    u128 returned = 0;
};

struct FailedReceipt {
    std::size_t node = 0;
    bool handled = false;
    std::vector<std::size_t> handled_by;    // nodes
    std::optional<TokenFlow> flow;          // what came back because of it
    bool told = false;                      // one who handled it logged, returned something or went on
    std::optional<std::size_t> root_cause;  // the node whose failure led to it first
};

struct WalletRefusal {
    std::size_t asked = 0;  // the node of rlp_execute
    std::string error;
};

struct Judgement {
    Verdict verdict = Verdict::succeeded;
    bool near_failed = false;
    std::size_t near_end = ReceiptNode::kTransaction;  // the node whose outcome is NEAR's word
    std::optional<WalletRefusal> wallet;
    std::vector<TokenFlow> flows;
    std::vector<FailedReceipt> failed;  // without refunds and payouts, in the tree's order
};

// nullopt: not completed at `tip`.
std::optional<Judgement> judge(const TransactionTree& tree, Height tip);

}  // namespace receiptd::sandbox
