// Ground truth as JSON: every transaction's true stages, tree and verdict (verdict.hpp has the rules).
//
// {"tx_hash", "signer_id", "user_id": on whose behalf it was signed,
//  "claimed_user_id": null | whom it names, who did not sign (yet), "receiver_id", "nonce", "by_ledger",
//  "stage": "pending" | "included" | "completed" | "final" | "rejected" | "forwarding_failed" | "expired" |
//           "dropped",
//  "reason": null | "superseded" | "balance" | "invalid",   of a dropped one
//  "evidence": null | {"InvalidTxError": …} | {"access_key_nonce": …, …},
//  "heights": {"accepted", "included", "executed", "completed", "refunded", "final", "ended"},  null: not yet
//  "verdict": null | …, "near_status": null | "success" | "failure", "near_status_receipt_id": null | …,
//  "method_name", "net_deposit", "gas_refunded", "deposit_refunded", "tokens_lost": in yoctoNEAR,
//  "effect": null | "refunded" | "refunded_in_part" | "told" | "swallowed" | "tokens_lost",
//  "tokens_returned": [{"receipt_id", "effect", "kept", "returned"}],
//  "burnt_tokens": [{"receipt_id", "role", "amount", "dust", "error"}],  not as a fee;
//                    dust: gas of an account that the tree deleted
//  "yields_timed_out": [{"receipt_id", "handled": whether the yielded receipt succeeded}],
//  "failed_receipts": [{"receipt_id", "role", "handled", "handled_by": […], "effect", "root_cause": null | …,
//                       "error"}],
//  "tree": [{"receipt_id", "role", "parent", "predecessor_id", "receiver_id", "created_height",
//            "executed_height", "shard_id", "status", "error", "receipt_ids", "gas_burnt", "tokens_burnt"}],
//  "again": [the same of each further execution of the hash]}  absent where there is none
//
// heights: `accepted` is the newest block when it was handed in; `executed` that of the initial
// receipt; `completed` of the last receipt that is no refund or payout; `refunded` of the last of
// all; `final` the first block whose last_final_block has all of them below or at it; `ended` of a
// transaction without a tree, the block that should have had it.
// `tree` is depth first by receipt_ids; `status` is "pending", "failure", "success_value" or
// "success_receipt_id", as of `tip`.
#pragma once

#include "sandbox/ledger/shard_layout.hpp"
#include "sandbox/ledger/submissions.hpp"
#include "sandbox/ledger/verdict.hpp"

namespace receiptd::sandbox {

// `tree`: null if it was never included; `final_height`: nullopt if it is not final yet; `newest_layout`
// tells where a receipt would run that has not run yet.
Json truth_json(const Submission& submission, const TransactionTree* tree, Height tip,
                std::optional<Height> final_height, const ShardLayout& newest_layout);

}  // namespace receiptd::sandbox
