// Transactions as bytes: decoding, encoding, hash and signature (encoding.md §4).
#pragma once

#include "chain/wire/actions.hpp"
#include "chain/wire/borsh.hpp"
#include "chain/wire/hash.hpp"
#include "chain/wire/keys.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::chain::wire {

enum class TransactionVersion : std::uint8_t { v0 = 0, v1 = 1 };

// Whether the nonce must be above the access key's, or exactly the next one.
enum class NonceMode : std::uint8_t { monotonic = 0, strict = 1 };

struct Transaction {
    TransactionVersion version = TransactionVersion::v0;
    std::string signer_id;
    PublicKey public_key;
    TransactionNonce nonce;  // V0: without an index
    std::string receiver_id;
    CryptoHash block_hash;
    std::vector<Action> actions;
    NonceMode nonce_mode = NonceMode::monotonic;  // V1 only
    friend bool operator==(const Transaction&, const Transaction&) = default;
};

struct SignedTransaction {
    Transaction transaction;
    Signature signature;
    friend bool operator==(const SignedTransaction&, const SignedTransaction&) = default;
};

// Handling of an action with an unknown index. `keep`: it and all after it stay raw as one UnknownActions,
// since the rest after the list has a known size (the nonce mode of V1 and a signature of the public key's
// type), so that hash and signature check still work. Inside a delegate action that is not so, and an unknown
// action is always an error.
enum class UnknownPolicy : std::uint8_t { keep, refuse };

// encode(decode(x)) == x for every x that decodes.
BorshResult<Transaction> decode_transaction(ByteView bytes, UnknownPolicy unknown = UnknownPolicy::keep);
BorshResult<SignedTransaction> decode_signed_transaction(ByteView bytes,
                                                         UnknownPolicy unknown = UnknownPolicy::keep);
// `signed_tx_base64`, as send_tx takes it.
BorshResult<SignedTransaction> decode_signed_transaction_base64(std::string_view text,
                                                                UnknownPolicy unknown = UnknownPolicy::keep);

Bytes encode(const Transaction& transaction);
Bytes encode(const SignedTransaction& transaction);

// SHA-256 of the unsigned bytes: the transaction's id, and the signed message.
CryptoHash transaction_hash(const Transaction& transaction);
SignatureCheck check_signature(const SignedTransaction& transaction);

bool has_unknown_actions(const Transaction& transaction);

}  // namespace receiptd::chain::wire
