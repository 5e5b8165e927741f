#include "chain/json/decode.hpp"

#include "chain/json/decode_parts.hpp"
#include "chain/json/unreadable.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

// Bounds of reading an answer again without the parts that cannot be read: its bytes, and those of all
// readings.
constexpr std::size_t kLargestReadAgain = std::size_t{16} << 20;
constexpr std::size_t kMostReadAgain = std::size_t{256} << 20;
constexpr std::size_t kMostUnreadable = 1'000;  // parts of one answer

template <class T>
Decoded<T> undecoded(std::string json) {
    return {std::make_unique<Document>(std::move(json)), T{}};
}

template <class T>
std::optional<DecodeError> read_document(Decoded<T>& decoded, bool enveloped, Text mark = {}) {
    Document& document = *decoded.document;
    const auto read = [&](decoding::Reader& reader, decoding::ondemand::object& root) {
        if (!enveloped) return members(reader, root, decoded.value);
        return read_answer(reader, root, decoded.value);
    };
    auto fault = decoding::parse(document.json(), document.capacity(), document, read, mark);
    decoding::thread_parser(0);  // the index of a large document goes at once
    return fault;
}

// Each part that cannot be read is taken out, and the rest is read again. `fault`: the first one.
template <class T>
DecodeResult<T> decode_rest(Decoded<T> decoded, bool enveloped, DecodeError fault) {
    const auto mark = decoding::new_mark();
    std::vector<UnreadablePart> unreadable;
    std::size_t reads = 0;
    while (reads <= kMostReadAgain && unreadable.size() <= kMostUnreadable) {
        reads += decoded.document->json().size();
        decoded.value = T{};
        auto next = read_document(decoded, enveloped, mark);
        if (!next) {
            if (unreadable.empty())
                unreadable.push_back({std::move(fault.path), std::move(fault.reason), false});
            decoded.unreadable = std::move(unreadable);
            return decoded;
        }
        auto without = decoding::without_part(*decoded.document, *next, mark);
        if (!without) break;
        unreadable.push_back(std::move(without->part));
        decoded = undecoded<T>(std::move(without->json));
    }
    return fault;
}

template <class T>
DecodeResult<T> decode_text(std::string json, bool enveloped, Parts parts = Parts::all) {
    auto decoded = undecoded<T>(std::move(json));
    auto fault = read_document(decoded, enveloped);
    if (!fault) return decoded;
    const bool is_large = decoded.document->json().size() > kLargestReadAgain;
    if (parts == Parts::all || fault->path.empty() || is_large) return std::move(*fault);
    return decode_rest(std::move(decoded), enveloped, std::move(*fault));
}

}  // namespace

DecodeResult<Block> decode_block(std::string json, Parts parts) {
    return decode_text<Block>(std::move(json), false, parts);
}

DecodeResult<Chunk> decode_chunk(std::string json, Parts parts) {
    return decode_text<Chunk>(std::move(json), false, parts);
}

DecodeResult<TransactionStatus> decode_transaction_status(std::string json, Parts parts) {
    return decode_text<TransactionStatus>(std::move(json), false, parts);
}

DecodeResult<Receipt> decode_receipt(std::string json) {
    return decode_text<Receipt>(std::move(json), false);
}

DecodeResult<WholeBlock> decode_whole_block(std::string json, Parts parts) {
    return decode_text<WholeBlock>(std::move(json), false, parts);
}

DecodeResult<Block> decode_block_answer(std::string envelope, Parts parts) {
    return decode_text<Block>(std::move(envelope), true, parts);
}

DecodeResult<Chunk> decode_chunk_answer(std::string envelope, Parts parts) {
    return decode_text<Chunk>(std::move(envelope), true, parts);
}

DecodeResult<WholeBlock> decode_whole_block_answer(std::string envelope, Parts parts) {
    return decode_text<WholeBlock>(std::move(envelope), true, parts);
}

DecodeResult<TransactionStatus> decode_transaction_status_answer(std::string envelope, Parts parts) {
    return decode_text<TransactionStatus>(std::move(envelope), true, parts);
}

DecodeResult<Receipt> decode_receipt_answer(std::string envelope) {
    return decode_text<Receipt>(std::move(envelope), true);
}

}  // namespace receiptd::chain
