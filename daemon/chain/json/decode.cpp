#include "chain/json/decode.hpp"

#include "chain/json/decode_parts.hpp"

namespace receiptd::chain {

namespace {

template <class T>
DecodeResult<T> decode_text(std::string json, bool enveloped) {
    Decoded<T> decoded{std::make_unique<Document>(std::move(json)), T{}};
    Document& document = *decoded.document;
    auto error = decoding::parse(document.json(), document.capacity(), document,
                                 [&](decoding::Reader& reader, decoding::ondemand::object& root) {
                                     if (!enveloped) return members(reader, root, decoded.value);
                                     return reader.object(root, decoding::required("result", decoded.value));
                                 });
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

DecodeResult<TransactionStatus> decode_transaction_status_answer(std::string envelope) {
    return decode_text<TransactionStatus>(std::move(envelope), true);
}

DecodeResult<Receipt> decode_receipt_answer(std::string envelope) {
    return decode_text<Receipt>(std::move(envelope), true);
}

}  // namespace receiptd::chain
