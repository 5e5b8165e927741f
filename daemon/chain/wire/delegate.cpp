#include "chain/wire/delegate.hpp"

#include "chain/wire/base64.hpp"

namespace receiptd::chain::wire {

namespace {

constexpr ActionContext kInsideDelegate{.inside_delegate = true, .tail = std::nullopt};

void read_nonce(Reader& reader, std::uint64_t& nonce) { nonce = reader.u64("nonce"); }
void read_nonce(Reader& reader, TransactionNonce& nonce) { nonce = read_transaction_nonce(reader, "nonce"); }
void write_nonce(Writer& writer, std::uint64_t nonce) { writer.u64(nonce); }
void write_nonce(Writer& writer, const TransactionNonce& nonce) { write_transaction_nonce(writer, nonce); }

// V2 is an enum of versions with one variant.
void read_version(Reader&, const SignedDelegate&) {}
void read_version(Reader& reader, const SignedDelegateV2&) { reader.variant("version", 1); }
void write_version(Writer&, const DelegateAction&) {}
void write_version(Writer& writer, const DelegateActionV2&) { writer.u8(0); }

template <class Nonce>
BasicSignedDelegate<Nonce> read(Reader& reader) {
    BasicSignedDelegate<Nonce> delegate;
    {
        const Reader::Scope scope(reader, "delegate_action");
        read_version(reader, delegate);
        BasicDelegateAction<Nonce>& action = delegate.delegate_action;
        action.sender_id = read_account_id(reader, "sender_id");
        action.receiver_id = read_account_id(reader, "receiver_id");
        action.actions = read_actions(reader, kInsideDelegate);
        read_nonce(reader, action.nonce);
        action.max_block_height = reader.u64("max_block_height");
        action.public_key = PublicKey::read(reader, "public_key");
    }
    delegate.signature = Signature::read(reader, "signature");
    return delegate;
}

template <class Nonce>
void write(Writer& writer, const BasicDelegateAction<Nonce>& action) {
    write_version(writer, action);
    writer.string(action.sender_id);
    writer.string(action.receiver_id);
    write_actions(writer, action.actions);
    write_nonce(writer, action.nonce);
    writer.u64(action.max_block_height);
    action.public_key.write(writer);
}

template <class Nonce>
Bytes encode_action(const BasicDelegateAction<Nonce>& action) {
    Writer writer;
    write(writer, action);
    return writer.take();
}

template <class Nonce>
Bytes encode_signed(const BasicSignedDelegate<Nonce>& delegate) {
    Writer writer;
    write_signed_delegate(writer, delegate);
    return writer.take();
}

template <class Nonce>
Bytes prefixed(std::uint32_t prefix, const BasicDelegateAction<Nonce>& action) {
    Writer writer;
    writer.u32(prefix);
    write(writer, action);
    return writer.take();
}

template <class Nonce>
BorshResult<BasicSignedDelegate<Nonce>> decode(ByteView bytes) {
    Reader reader(bytes);
    auto delegate = read<Nonce>(reader);
    return reader.finish(std::move(delegate));
}

template <class Nonce>
BorshResult<BasicSignedDelegate<Nonce>> decode_base64(std::string_view text) {
    const auto bytes = base64_decode(text);
    if (!bytes) return BorshError{"", "not base64", 0};
    return decode<Nonce>(*bytes);
}

}  // namespace

SignedDelegate read_signed_delegate(Reader& reader) { return read<std::uint64_t>(reader); }
SignedDelegateV2 read_signed_delegate_v2(Reader& reader) { return read<TransactionNonce>(reader); }

void write_signed_delegate(Writer& writer, const SignedDelegate& delegate) {
    write(writer, delegate.delegate_action);
    delegate.signature.write(writer);
}

void write_signed_delegate(Writer& writer, const SignedDelegateV2& delegate) {
    write(writer, delegate.delegate_action);
    delegate.signature.write(writer);
}

Bytes encode(const DelegateAction& action) { return encode_action(action); }
Bytes encode(const DelegateActionV2& action) { return encode_action(action); }
Bytes encode(const SignedDelegate& delegate) { return encode_signed(delegate); }
Bytes encode(const SignedDelegateV2& delegate) { return encode_signed(delegate); }

Bytes signed_message(const DelegateAction& action) { return prefixed(kDelegatePrefix, action); }
Bytes signed_message(const DelegateActionV2& action) { return prefixed(kDelegateV2Prefix, action); }

BorshResult<SignedDelegate> decode_signed_delegate(ByteView bytes) { return decode<std::uint64_t>(bytes); }
BorshResult<SignedDelegate> decode_signed_delegate_base64(std::string_view text) {
    return decode_base64<std::uint64_t>(text);
}
BorshResult<SignedDelegateV2> decode_signed_delegate_v2(ByteView bytes) {
    return decode<TransactionNonce>(bytes);
}
BorshResult<SignedDelegateV2> decode_signed_delegate_v2_base64(std::string_view text) {
    return decode_base64<TransactionNonce>(text);
}

TransactionNonce read_transaction_nonce(Reader& reader, const char* what) {
    const Reader::Scope scope(reader, what);
    TransactionNonce nonce;
    const bool gas_key = reader.variant("kind", 2) == 1;
    nonce.nonce = reader.u64("nonce");
    if (gas_key) nonce.nonce_index = reader.u16("nonce_index");
    return nonce;
}

void write_transaction_nonce(Writer& writer, const TransactionNonce& nonce) {
    writer.u8(nonce.nonce_index ? 1 : 0);
    writer.u64(nonce.nonce);
    if (nonce.nonce_index) writer.u16(*nonce.nonce_index);
}

}  // namespace receiptd::chain::wire
