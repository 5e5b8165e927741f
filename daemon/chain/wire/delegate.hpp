// Meta-transactions (NEP-366; V2 with gas-key nonces): the signed message, and the form that a relayer
// receives (encoding.md §4.5).
#pragma once

#include "chain/wire/actions.hpp"
#include "chain/wire/borsh.hpp"

#include <string_view>

namespace receiptd::chain::wire {

// NEP-461 prefixes of the signed bytes: 2^30 + the number of the NEP.
inline constexpr std::uint32_t kDelegatePrefix = 1073742190;
inline constexpr std::uint32_t kDelegateV2Prefix = 1073742435;

Bytes encode(const DelegateAction& action);
Bytes encode(const DelegateActionV2& action);  // with its version byte 0
Bytes encode(const SignedDelegate& delegate);
Bytes encode(const SignedDelegateV2& delegate);

// The bytes whose SHA-256 the sender signs.
Bytes signed_message(const DelegateAction& action);
Bytes signed_message(const DelegateActionV2& action);

template <class NonceType>
CryptoHash delegate_hash(const BasicDelegateAction<NonceType>& action) {
    return sha256(signed_message(action));
}
template <class NonceType>
SignatureCheck check_delegate(const BasicSignedDelegate<NonceType>& delegate) {
    return check_signature(delegate.signature, delegate_hash(delegate.delegate_action).view(),
                           delegate.delegate_action.public_key);
}

BorshResult<SignedDelegate> decode_signed_delegate(ByteView bytes);
BorshResult<SignedDelegate> decode_signed_delegate_base64(std::string_view text);
BorshResult<SignedDelegateV2> decode_signed_delegate_v2(ByteView bytes);
BorshResult<SignedDelegateV2> decode_signed_delegate_v2_base64(std::string_view text);

// Parts of a transaction's bytes.
SignedDelegate read_signed_delegate(Reader& reader);
SignedDelegateV2 read_signed_delegate_v2(Reader& reader);
void write_signed_delegate(Writer& writer, const SignedDelegate& delegate);
void write_signed_delegate(Writer& writer, const SignedDelegateV2& delegate);

TransactionNonce read_transaction_nonce(Reader& reader, const char* what);
void write_transaction_nonce(Writer& writer, const TransactionNonce& nonce);

}  // namespace receiptd::chain::wire
