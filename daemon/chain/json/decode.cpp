#include "chain/json/decode.hpp"

#include "chain/json/decode_parts.hpp"

namespace receiptd::chain {

namespace {

// An error that is longer than any of nodes comes here (rpc/received.hpp): its name is said.
template <class T>
bool read_answer(decoding::Reader& reader, decoding::ondemand::object& root, T& out) {
    RpcErrorObject error;
    bool has_result = false;
    const auto result = [&](decoding::Value value) {
        has_result = true;
        return decode(reader, value, out);
    };
    const bool read =
        reader.object(root, decoding::required("result", result), decoding::optional("error", error));
    const auto name =
        error.name.empty() || error.cause.empty() ? error.name + error.cause : error.name + " " + error.cause;
    if (read || has_result || name.empty()) return read;
    return reader.fail("an error in place of a result: " + name);
}

template <class T>
DecodeResult<T> decode_text(std::string json, bool enveloped) {
    Decoded<T> decoded{std::make_unique<Document>(std::move(json)), T{}};
    Document& document = *decoded.document;
    auto error = decoding::parse(document.json(), document.capacity(), document,
                                 [&](decoding::Reader& reader, decoding::ondemand::object& root) {
                                     if (!enveloped) return members(reader, root, decoded.value);
                                     return read_answer(reader, root, decoded.value);
                                 });
    decoding::thread_parser(0);  // the index of a large document goes at once
    if (error) return std::move(*error);
    return decoded;
}

}  // namespace

DecodeResult<Block> decode_block(std::string json) { return decode_text<Block>(std::move(json), false); }

DecodeResult<Chunk> decode_chunk(std::string json) { return decode_text<Chunk>(std::move(json), false); }

DecodeResult<TransactionStatus> decode_transaction_status(std::string json) {
    return decode_text<TransactionStatus>(std::move(json), false);
}

DecodeResult<Receipt> decode_receipt(std::string json) {
    return decode_text<Receipt>(std::move(json), false);
}

DecodeResult<WholeBlock> decode_whole_block(std::string json) {
    return decode_text<WholeBlock>(std::move(json), false);
}

DecodeResult<Block> decode_block_answer(std::string envelope) {
    return decode_text<Block>(std::move(envelope), true);
}

DecodeResult<Chunk> decode_chunk_answer(std::string envelope) {
    return decode_text<Chunk>(std::move(envelope), true);
}

DecodeResult<WholeBlock> decode_whole_block_answer(std::string envelope) {
    return decode_text<WholeBlock>(std::move(envelope), true);
}

DecodeResult<TransactionStatus> decode_transaction_status_answer(std::string envelope) {
    return decode_text<TransactionStatus>(std::move(envelope), true);
}

DecodeResult<Receipt> decode_receipt_answer(std::string envelope) {
    return decode_text<Receipt>(std::move(envelope), true);
}

}  // namespace receiptd::chain
