#include "chain/wire/transaction.hpp"

#include "chain/wire/base64.hpp"
#include "chain/wire/delegate.hpp"

namespace receiptd::chain::wire {

namespace {

// V0 starts with the length of the signer's name (2..64, so byte 1 is 0); V1 with the byte 1 and
// then that length.
TransactionVersion read_version(Reader& reader) {
    if (reader.remaining() < 2) {
        reader.fail("version", "needs 2 bytes, " + std::to_string(reader.remaining()) + " left",
                    reader.offset());
        return TransactionVersion::v0;
    }
    if (reader.peek(1) == 0) return TransactionVersion::v0;
    if (reader.peek(0) != 1)
        reader.fail("version", "neither V0 nor V1: starts with " + std::to_string(reader.peek(0)), 0);
    reader.u8("version");
    return TransactionVersion::v1;
}

std::size_t nonce_mode_size(TransactionVersion version) { return version == TransactionVersion::v1 ? 1 : 0; }

Transaction read_transaction(Reader& reader, bool with_signature, UnknownPolicy unknown) {
    Transaction transaction;
    transaction.version = read_version(reader);
    const bool v1 = transaction.version == TransactionVersion::v1;
    transaction.signer_id = read_account_id(reader, "signer_id");
    transaction.public_key = PublicKey::read(reader, "public_key");
    if (v1)
        transaction.nonce = read_transaction_nonce(reader, "nonce");
    else
        transaction.nonce.nonce = reader.u64("nonce");
    transaction.receiver_id = read_account_id(reader, "receiver_id");
    transaction.block_hash = reader.hash("block_hash");
    ActionContext context;
    if (unknown == UnknownPolicy::keep) {
        context.tail = nonce_mode_size(transaction.version);
        if (with_signature) *context.tail += 1 + signature_size(transaction.public_key.type());
    }
    transaction.actions = read_actions(reader, context);
    if (v1) transaction.nonce_mode = static_cast<NonceMode>(reader.variant("nonce_mode", 2));
    return transaction;
}

void write_transaction(Writer& writer, const Transaction& transaction) {
    const bool v1 = transaction.version == TransactionVersion::v1;
    if (v1) writer.u8(1);
    writer.string(transaction.signer_id);
    transaction.public_key.write(writer);
    if (v1)
        write_transaction_nonce(writer, transaction.nonce);
    else
        writer.u64(transaction.nonce.nonce);
    writer.string(transaction.receiver_id);
    writer.hash(transaction.block_hash);
    write_actions(writer, transaction.actions);
    if (v1) writer.u8(static_cast<std::uint8_t>(transaction.nonce_mode));
}

}  // namespace

BorshResult<Transaction> decode_transaction(ByteView bytes, UnknownPolicy unknown) {
    Reader reader(bytes);
    Transaction transaction = read_transaction(reader, false, unknown);
    return reader.finish(std::move(transaction));
}

BorshResult<SignedTransaction> decode_signed_transaction(ByteView bytes, UnknownPolicy unknown) {
    Reader reader(bytes);
    SignedTransaction transaction;
    transaction.transaction = read_transaction(reader, true, unknown);
    transaction.signature = Signature::read(reader, "signature");
    return reader.finish(std::move(transaction));
}

BorshResult<SignedTransaction> decode_signed_transaction_base64(std::string_view text,
                                                                UnknownPolicy unknown) {
    const auto bytes = base64_decode(text);
    if (!bytes) return BorshError{"", "not base64", 0};
    return decode_signed_transaction(*bytes, unknown);
}

Bytes encode(const Transaction& transaction) {
    Writer writer;
    write_transaction(writer, transaction);
    return writer.take();
}

Bytes encode(const SignedTransaction& transaction) {
    Writer writer;
    write_transaction(writer, transaction.transaction);
    transaction.signature.write(writer);
    return writer.take();
}

CryptoHash transaction_hash(const Transaction& transaction) { return sha256(encode(transaction)); }

SignatureCheck check_signature(const SignedTransaction& transaction) {
    return chain::check_signature(transaction.signature, transaction_hash(transaction.transaction).view(),
                                  transaction.transaction.public_key);
}

bool has_unknown_actions(const Transaction& transaction) {
    const auto& actions = transaction.actions;
    return !actions.empty() && std::holds_alternative<UnknownActions>(actions.back().value);
}

}  // namespace receiptd::chain::wire
