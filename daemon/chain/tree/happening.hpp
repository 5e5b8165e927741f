// Events, transfers and added keys: the acts of a successful receipt that alert rules may ask for. Pure.
#pragma once

#include "base/u128.hpp"
#include "chain/json/events.hpp"
#include "chain/tree/facts.hpp"
#include "chain/tree/roles.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace receiptd::chain {

// A set of kinds is their sum.
enum class HappeningKind : std::uint8_t { event = 1, transfer = 2, key_added = 4, success = 8 };
using HappeningKinds = std::uint8_t;
constexpr HappeningKinds bit(HappeningKind kind) { return static_cast<HappeningKinds>(kind); }

// Says what somebody may want to be told of. Immutable, asked by several threads.
class Interest {
public:
    virtual ~Interest() = default;
    // Kinds that are asked for at all.
    virtual HappeningKinds kinds() const = 0;
    // Kinds that may be asked for where these accounts take part: all that are, and perhaps more. Empty
    // accounts are ignored.
    virtual HappeningKinds kinds_for(std::span<const Text> accounts) const = 0;
};

struct DoneReceipt {
    std::string receipt_id;
    std::string tx_hash;                 // empty: not known
    std::optional<std::string> user_id;  // of the transaction (user.hpp); nullopt: not known here
    std::string signer_id;               // of the transaction; kSystemAccount: not known here
    std::string predecessor_id;
    std::string receiver_id;
    std::optional<Role> role;
    std::string method_name;  // of the first function call
    std::string args_json;    // as ActionFacts has them
    std::vector<std::string> action_names;
    u128 deposit = 0;  // as ActionFacts has it
    Gas gas_burnt = 0;
    ExecutedAt at;  // to the microsecond, as rows have it; height 0: not known
    friend bool operator==(const DoneReceipt&, const DoneReceipt&) = default;
};

// NEP-297
struct Emitted {
    std::string standard;
    std::string event;
    std::string data_json;
    friend bool operator==(const Emitted&, const Emitted&) = default;
};

enum class TransferCause : std::uint8_t { transfer, refund, returned };
Text cause_name(TransferCause cause);
inline constexpr Text kNear = "near";

// One side of a transfer: `account_id` got or gave the amount.
struct Transferred {
    std::string account_id;
    std::string other_id;  // the other side; empty: the tokens were made or destroyed
    bool incoming = false;
    std::string token_id;  // kNear, or the token contract
    std::string of_many;   // NEP-245: which of the contract's tokens
    u128 amount = 0;       // as TokenMove has it
    TransferCause cause = TransferCause::transfer;
    friend bool operator==(const Transferred&, const Transferred&) = default;
};

struct Succeeded {
    friend bool operator==(const Succeeded&, const Succeeded&) = default;
};

// Ids are the same whenever and from whatever source the receipt is read: "event:RECEIPT:LOG",
// "transfer:RECEIPT:near:in:ACCOUNT", "transfer:RECEIPT:LOG.POSITION:out:ACCOUNT",
// "key_added:RECEIPT:ACTION".
struct Happening {
    std::string cause_id;
    std::shared_ptr<const DoneReceipt> receipt;  // never null
    std::variant<Emitted, Transferred, AddedKey, Succeeded> what;
};

// A receipt that succeeded, before anybody knows whether it matters. Views.
struct ReceiptOutline {
    Text receipt_id, tx_hash;
    std::optional<Text> user_id;
    Text signer_id;  // of the transaction; kSystemAccount: not known here
    Text predecessor_id, receiver_id, method_name;
    Text payer_id = {};  // of what `system` pays (roles.hpp); empty: not known, or nobody
    std::optional<Role> role;
    u128 deposit = 0;
    bool adds_keys = false;
    Gas gas_burnt = 0;
    ExecutedAt at;
};

// Gathers what one receipt did and somebody asks for.
class Gathering {
public:
    // Without interest nothing is gathered. `actions` is called at most once, and only for what is asked for.
    Gathering(const Interest* interest, const ReceiptOutline& receipt, std::function<ActionFacts()> actions,
              std::vector<Happening>& found);

    // The log at `index`, with the transfers that it tells.
    void event(std::size_t index, const ContractEvent& event);
    // The rest: transfers of NEAR, added keys, and that it succeeded.
    void actions();

private:
    bool asked(HappeningKind kind);
    bool asked(HappeningKind kind, Text account_id);
    const std::shared_ptr<const DoneReceipt>& done();
    void transfer(std::string place, Transferred&& side);
    void both_sides(const std::string& place, Text from, Text to, Transferred&& side);

    const Interest* interest_;
    const ReceiptOutline& receipt_;
    std::function<ActionFacts()> read_actions_;
    std::vector<Happening>& found_;
    HappeningKinds kinds_ = 0;
    std::optional<HappeningKinds> by_role_;
    std::shared_ptr<const DoneReceipt> done_;
    std::vector<AddedKey> keys_;
};

}  // namespace receiptd::chain
