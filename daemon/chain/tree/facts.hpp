// Facts from which a tree is judged. Only the functions here make them: from a host's answer, from a whole
// block (the same model), and from the rows of the history. Pure.
#pragma once

#include "base/height_set.hpp"
#include "chain/json/errors.hpp"
#include "chain/json/model.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::chain {

// So many heights from where a run began or ended all receipts are looked at for parents and children that
// another run stored (a yield times out after 200). Those farther apart find each other by the hash of their
// transaction.
inline constexpr BlockHeight kSeamReach = 1200;
// Where trees begin that may go on at this height.
inline base::HeightRange reach_below(BlockHeight height) {
    return {base::below(height, kSeamReach), base::below(height, 1)};
}
// Where trees begin that run in these heights.
inline base::HeightRange with_reach_below(base::HeightRange heights) {
    return {base::below(heights.from, kSeamReach), heights.to};
}
// Where receipts stand that may be parents or children of those in these heights.
inline base::HeightRange with_reach_around(base::HeightRange heights) {
    return {base::below(heights.from, kSeamReach), heights.to + kSeamReach};
}

// Block and time of an execution.
struct ExecutedAt {
    BlockHeight height = 0;
    std::uint64_t timestamp_nanosec = 0;
    friend bool operator==(const ExecutedAt&, const ExecutedAt&) = default;
};

struct DelegateFacts {
    std::string sender_id;  // the user; the relayer signed the transaction
    std::string receiver_id;
    friend bool operator==(const DelegateFacts&, const DelegateFacts&) = default;
};

// "full" or "function_call"; empty: a permission that is not known here.
struct AddedKey {
    std::size_t action_index = 0;
    std::string public_key;
    std::string access;
    friend bool operator==(const AddedKey&, const AddedKey&) = default;
};

struct ActionFacts {
    std::vector<std::string> names;
    std::string method_name;     // of the first function call, else the first action's name
    u128 deposit = 0;            // sum, those inside a Delegate action too; it stops at 2^128 - 1
    std::string beneficiary_id;  // of a DeleteAccount; empty: none
    std::optional<DelegateFacts> delegate;
    std::string args_json;  // of the first function call; empty: they are no JSON (readable_args.hpp)
    // Not those inside a Delegate action: they are added by the receipt that it makes.
    std::vector<AddedKey> keys;
};
ActionFacts action_facts(const List<Action>& actions);
// `json`: a stored array of actions (rows/args_json.hpp). One that cannot be read gives what stands before
// the fault.
ActionFacts stored_action_facts(std::string_view json);

struct ReceiptFacts {
    std::string receipt_id;
    std::string predecessor_id;
    std::string receiver_id;
    std::string signer_id;
    std::string parent_receipt_id;  // as it is stored; empty: the transaction, or not known
    std::string method_name;
    std::vector<std::string> action_names;
    std::vector<std::string> input_data_ids;
    std::vector<std::string> output_data_ids;
    bool is_promise_yield = false;
    std::string beneficiary_id;  // as ActionFacts has it
    u128 deposit = 0;
    std::optional<DelegateFacts> delegate;
    std::string token_args = {};  // JSON, of a callback of the token standards (effect.hpp)

    void take(ActionFacts&& actions);
};
ReceiptFacts receipt_facts(const Receipt& receipt);

struct OutcomeFacts {
    std::string id;  // transaction hash or receipt id
    std::string executor_id;
    StatusKind status = StatusKind::unknown;
    std::vector<std::string> receipt_ids;
    FailureClass failure;  // if status is failure
    Gas gas_burnt = 0;
    u128 tokens_burnt = 0;
    std::optional<ExecutedAt> at;
    std::string returned_id = {};  // the receipt whose result is this one's; empty: none
    std::string value = {};        // a short one, as text; empty: longer, none, or not a value
    std::optional<std::string> wallet_refusal = {};  // see wallet.hpp
    bool speaks = false;                             // see silence.hpp
    u128 gone = 0;                         // tokens that a callback of the token standards burnt (losses.hpp)
    std::optional<ShardId> shard_id = {};  // where it was executed, if that is known
};
OutcomeFacts outcome_facts(const Outcome& outcome, std::optional<ExecutedAt> at);
// OutcomeFacts::value of a value in base64.
std::string short_value(Text base64);
// Sum of all that the actions attach, those inside a Delegate action too; it stops at 2^128 - 1.
u128 deposit_of(const List<Action>& actions);
// ActionFacts::args_json.
std::string called_args(const List<Action>& actions);

// A data receipt that was listed: what a promise ended with.
struct DataFacts {
    std::string data_id;
    bool failed = false;             // no data: the promise failed, or the yield timed out
    bool is_promise_resume = false;  // the end of a yield
};

struct TransactionFacts {
    std::string tx_hash;
    std::string signer_id;
    std::string receiver_id;
    u128 deposit = 0;
    std::optional<DelegateFacts> delegate;
    std::string method_name = {};  // as that of a receipt
    std::vector<std::string> action_names = {};

    // The account that it names as its user (user.hpp); empty: the signer acts on its own behalf.
    std::string named_user() const;
    void take(ActionFacts&& actions);
};
TransactionFacts transaction_facts(const SignedTransaction& transaction);

// The method of the first function call, else the first action's name; empty: there is no action. A view into
// the actions' document.
Text called_method_or_action(const List<Action>& actions);
// The method of the first function call; empty: there is none.
Text called_method(const List<Action>& actions);

// As receipts.status and transactions.status have it.
Text status_name(StatusKind status);
StatusKind parse_status(Text name);

}  // namespace receiptd::chain
