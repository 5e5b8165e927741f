// What happened: rules match subjects.
#pragma once

#include "base/clock.hpp"
#include "base/u128.hpp"
#include "rule/words.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace receiptd::rule {

// One thing that happened. An empty text, a nullopt and an empty set are values that are missing: no
// condition matches them. The views must live as long as the subject is used.
struct Subject {
    Kind kind = Kind::failed_receipt;
    std::string_view cause_id = {};  // of the alert: the same for the same cause
    std::string_view tx_hash = {};
    std::string_view receipt_id = {};
    std::uint64_t block_height = 0;  // 0: no block proves it
    base::WallTime time{};           // of that block, else when it was found

    // Accounts. Of a receipt its own; of a transaction its signer and receiver.
    std::string_view signer_id = {};
    std::string_view user_id = {};  // for whom a relayer sent the transaction; empty: the signer
    std::string_view predecessor_id = {};
    std::string_view receiver_id = {};

    // The receipt has these, else the transaction
    std::string_view method_name = {};  // of the first function call
    std::string_view args_json = {};    // of that call, as it came; empty: they are no JSON
    Actions actions = 0;
    std::optional<base::u128> deposit = {};  // attached by all actions together, yoctoNEAR
    std::optional<std::uint64_t> gas = {};   // burnt, by the receipt or by the whole tree

    // The failure has these, and the tree. Words as the tables have them (docs/verdicts.md).
    std::string_view role = {};
    std::string_view error_class = {};  // of the end of a watch: its reason
    std::string_view error_text = {};
    std::string_view verdict = {};
    std::string_view near_status = {};
    std::string_view effect = {};
    std::optional<bool> handled = {};
    std::optional<bool> expected = {};
    std::optional<bool> conclusive = {};
    std::string_view stage = {};  // of kind stage and latency: the stage that was entered
    // "confirmed" or "retracted": what became of an inclusion that was not final. Empty: it is about the
    // stage.
    std::string_view inclusion = {};

    // Kind event
    std::string_view standard = {};
    std::string_view event = {};
    std::string_view data_json = {};  // as it came; empty: there is none

    // Kind transfer: `account_id` got or gave `amount`.
    std::string_view account_id = {};
    std::string_view direction = {};  // "in" or "out"
    std::string_view token_id = {};   // "near" or the account of the token contract
    std::string_view cause = {};      // "transfer", "refund" or "returned"
    // Smallest units of the token (yoctoNEAR of "near"; pieces, where each is a token of its own). Of kind
    // burnt_tokens and tokens_returned: what was burnt or came back.
    std::optional<base::u128> amount = {};

    // Kind key_added
    std::string_view access = {};  // "full" or "function_call"

    std::chrono::milliseconds took{0};  // of kind latency: since the transaction was known here
};

}  // namespace receiptd::rule
