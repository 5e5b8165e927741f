// The gateway's interface to a live chain: it takes transactions and has a state to look at. A recording has
// neither, so the methods that need them do not exist there.
#pragma once

#include "chain/wire/bytes.hpp"
#include "chain/wire/hash.hpp"
#include "chain/wire/keys.hpp"
#include "chain/wire/transaction.hpp"
#include "sandbox/gateway/chain.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace receiptd::sandbox {

// A call of a contract's method that changes nothing.
struct ViewCallResult {
    chain::Bytes value;
    std::vector<std::string> logs;
    std::string error;  // not empty: the soft error of rpc.md §6.1
};

// Why there is no light-client proof (rpc.md §9).
enum class NoProof { unknown, not_confirmed };

struct TransactionOfReceipt {
    std::string transaction_hash;
    std::string sender_account_id;
};

struct LightClientRequest {
    bool is_transaction = true;
    std::string id;  // transaction hash or receipt id
    Height light_client_head = 0;
};

// A block that is not on the chain, made of one that is: it has another parent, and hence a hash of its own.
struct Forgery {
    Height like = 0;    // of the block it is made of
    Height height = 0;  // its own; where it differs from `like` it has no new chunks
    Height prev_height = 0;
    std::string prev_hash;
    std::int64_t days = 0;  // later than the block it is made of
};
struct ForgedBlock {
    std::string hash;  // follows from the header, as a true one's does
    std::string block;
};

class LiveChain : public Chain {
public:
    using Json = nlohmann::json;

    // --- Transactions ---
    // nullopt: would be accepted now. Else the InvalidTxError as JSON (rpc.md §5.5), judged on
    // the state after the block at `at`, the newest that the host knows, in nearcore's order.
    virtual std::optional<Json> validate(const chain::wire::SignedTransaction& transaction,
                                         Height at) const = 0;
    // Puts the transaction into the mempool, valid or not: an invalid one is dropped there silently, as a
    // node does. The same bytes twice count once.
    virtual void submit(const chain::wire::SignedTransaction& transaction) = 0;
    // Whether the transaction with this hash is in a block up to `at` (then an InvalidNonce is no error,
    // rpc.md §5.1).
    virtual bool is_on_chain(std::string_view hash, Height at) const = 0;
    // As Chain::transaction would find it, without making its JSON. none: not in a block up to `tip`.
    virtual ExecutionLevel execution_level(std::string_view hash, Height tip) const = 0;

    // --- State at the end of the block at `at`; nullopt: not there ---
    virtual std::optional<Json> view_account(std::string_view account_id, Height at) const = 0;
    virtual std::optional<Json> view_access_key(std::string_view account_id, const chain::PublicKey& key,
                                                Height at) const = 0;  // {nonce, permission}
    // nullopt: no gas key.
    virtual std::optional<std::vector<std::uint64_t>> gas_key_nonces(std::string_view account_id,
                                                                     const chain::PublicKey& key,
                                                                     Height at) const = 0;
    virtual Json view_access_key_list(std::string_view account_id,
                                      Height at) const = 0;  // [{public_key, access_key}]
    virtual std::optional<Json> view_code(std::string_view account_id, Height at) const = 0;
    // The code of a global contract: {code_base64, hash}.
    virtual std::optional<Json> view_global_code(const chain::wire::GlobalContractId& contract,
                                                 Height at) const = 0;
    virtual Json view_state(std::string_view account_id, std::string_view prefix,
                            Height at) const = 0;  // values
    virtual ViewCallResult call_function(std::string_view account_id, std::string_view method_name,
                                         const chain::Bytes& args, Height at) const = 0;

    // --- Blocks ---
    virtual Json validators(Height at) const = 0;
    virtual Json protocol_config(Height at) const = 0;
    virtual Json genesis_config() const = 0;
    // [{type: "account_touched"|…, account_id}]
    virtual Json changes_in_block(Height height) const = 0;
    virtual double congestion_level(std::string_view chunk_hash) const = 0;
    virtual std::variant<Json, NoProof> light_client_proof(const LightClientRequest& request) const = 0;
    // The newest block that a light client which trusts the block at `last` can check, when `tip` is the
    // newest block; nullopt: there is none above it.
    virtual std::optional<Json> next_light_client_block(Height last, Height tip) const = 0;
    virtual std::optional<TransactionOfReceipt> transaction_of_receipt(std::string_view receipt_id) const = 0;
    virtual Height epoch_start(Height height) const = 0;
    virtual std::uint64_t shard_of_account(std::string_view account_id) const = 0;

    // --- Lies: the same forgery gives the same bytes ---
    virtual ForgedBlock forge(const Forgery& forgery) const = 0;
    virtual std::string forged_whole_block(const Forgery& forgery) const = 0;
};

}  // namespace receiptd::sandbox
