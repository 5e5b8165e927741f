// The parts of the simulated chain: receipts and outcomes (chain-model.md §2-4). Transactions and actions are
// those of chain/transaction.hpp.
#pragma once

#include "base/height_set.hpp"
#include "base/u128.hpp"
#include "chain/wire/bytes.hpp"
#include "chain/wire/hash.hpp"
#include "chain/wire/keys.hpp"
#include "chain/wire/transaction.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace receiptd::sandbox::sim {

using base::Height;
using base::u128;
using chain::Bytes;
using chain::CryptoHash;
using chain::PublicKey;
using Gas = std::uint64_t;
using Json = nlohmann::json;
namespace wire = chain::wire;

inline constexpr const char* kSystemAccount = "system";

struct DataReceiver {
    CryptoHash data_id;
    std::string receiver_id;
};

struct ActionReceipt {
    std::string signer_id;
    PublicKey signer_public_key;
    u128 gas_price = 0;  // price at which the gas was bought
    std::vector<DataReceiver> output_data_receivers;
    std::vector<CryptoHash> input_data_ids;
    std::vector<wire::Action> actions;
    bool is_promise_yield = false;
    bool is_of_contract = false;  // made by a function call: another variant in Borsh, the same JSON
};

struct DataReceipt {
    CryptoHash data_id;
    std::optional<Bytes> data;  // nullopt: the promise failed, or the yield timed out
    bool is_promise_resume = false;
};

// Carries a global contract to one shard, which sends it on to the next. It has no outcome.
struct GlobalContractReceipt {
    wire::GlobalContractId contract;
    std::uint64_t target_shard = 0;
    std::vector<std::uint64_t> already_delivered_shards;  // ascending
    Bytes code;
    std::uint64_t nonce = 0;  // counts the deployments of this contract
};

struct Receipt {
    CryptoHash receipt_id;
    std::string predecessor_id;
    std::string receiver_id;
    std::variant<ActionReceipt, DataReceipt, GlobalContractReceipt> body;
};

// A TxExecutionError as JSON: {"ActionError":{"index":…,"kind":…}} or {"InvalidTxError":…}
// (rpc.md §5.5).
class Failure {
public:
    explicit Failure(Json error);
    const Json& error() const { return *error_; }

private:
    std::shared_ptr<const Json> error_;
};
struct SuccessValue {
    Bytes value;
};
struct SuccessReceiptId {
    CryptoHash receipt_id;
};
using Status = std::variant<Failure, SuccessValue, SuccessReceiptId>;

// The contract that an action ran: its code's hash, or the global contract that the account uses.
struct LocalCode {
    CryptoHash hash;
    friend bool operator==(const LocalCode&, const LocalCode&) = default;
};
using RunContract = std::variant<LocalCode, wire::GlobalContractId>;

struct Outcome {
    CryptoHash id;  // transaction hash or receipt id
    std::string executor_id;
    Status status = SuccessValue{};
    std::vector<std::string> logs;
    std::vector<CryptoHash> receipt_ids;
    Gas gas_burnt = 0;
    u128 tokens_burnt = 0;
    u128 keys_burnt = 0;  // a part of these: what deleted gas keys held; no answer tells it
    // By action; nullopt inside: none ran. Not there: the protocol does not tell it, or a transaction's.
    std::optional<std::vector<std::optional<RunContract>>> contracts;
};

}  // namespace receiptd::sandbox::sim
