// The envelope of JSON-RPC answers and their errors: rpc.md §1, providers.md §5.1.
#include "chain/json/decode_parts.hpp"

#include <charconv>

namespace receiptd::chain {

namespace decoding {

namespace {

// A reader of text that any gateway may have made: whatever it is, it is kept.
auto kept(Reader& reader, std::string& out) {
    return [&reader, &out](Value value) {
        Text text;
        const char first = first_of(value);
        const bool nested = first == '{' || first == '[';
        if (nested ? !decode(reader, value, Verbatim{text}) : !decode(reader, value, Scalar{text}))
            return false;
        out = text;
        return true;
    };
}

auto kept_json(Reader& reader, std::string& out) {
    return [&reader, &out](Value value) {
        Text text;
        if (!decode(reader, value, Verbatim{text})) return false;
        out = text;
        return true;
    };
}

}  // namespace

bool decode(Reader& reader, Value value, RpcErrorObject& out) {
    // Outside of JSON-RPC an error is often a mere text.
    if (first_of(value) != '{') return kept(reader, out.message)(value);
    std::string code;
    const auto cause = [&](Value part) {
        if (first_of(part) != '{') return kept(reader, out.cause)(part);
        return reader.object(part, optional("name", kept(reader, out.cause)),
                             optional("info", kept_json(reader, out.info_json)));
    };
    const bool read =
        reader.object(value, optional("name", kept(reader, out.name)), optional("cause", cause),
                      optional("code", kept(reader, code)), optional("message", kept(reader, out.message)),
                      optional("data", kept_json(reader, out.data_json)),
                      optional("InvalidTransaction", kept_json(reader, out.invalid_transaction_json)));
    if (out.cause.empty() && !out.invalid_transaction_json.empty()) out.cause = "INVALID_TRANSACTION";
    std::from_chars(code.data(), code.data() + code.size(), out.code);  // 0 if it is no integer
    return read;
}

namespace {

bool read_result(Reader& reader, Value value, bool& null, Envelope& out) {
    null = token_of(value) == "null";
    if (first_of(value) == '{') {
        std::string height;
        const bool read = reader.object(value, optional("error", kept(reader, out.soft_error)),
                                        optional("block_height", kept(reader, height)));
        std::from_chars(height.data(), height.data() + height.size(), out.soft_error_height);
        return read;
    }
    if (first_of(value) == '[') return reader.array(value, [](Value) { return true; });
    return reader.check(value);
}

bool read_members(Reader& reader, ondemand::object& object, Envelope& out) {
    std::optional<bool> null_result;
    bool has_error = false;
    const auto result = [&](Value value) { return read_result(reader, value, null_result.emplace(), out); };
    const auto error = [&](Value value) {
        has_error = true;
        return decode(reader, value, out.error);
    };
    if (!reader.object(object, nullable("result", result), optional("error", error))) return false;
    if (!has_error && !null_result) return reader.fail("neither result nor error");
    out.kind = has_error      ? Envelope::Kind::error
               : *null_result ? Envelope::Kind::null_result
                              : Envelope::Kind::result;
    return true;
}

}  // namespace

}  // namespace decoding

base::Result<Envelope, DecodeError> read_envelope(const std::string& body) {
    const bool padded = body.capacity() - body.size() >= kJsonPadding;
    Document arena(padded ? std::string() : body);
    const Text text = padded ? Text(body) : arena.json();
    Envelope envelope;
    auto error = decoding::parse(text, padded ? body.capacity() : arena.capacity(), arena,
                                 [&](decoding::Reader& reader, decoding::ondemand::object& root) {
                                     return decoding::read_members(reader, root, envelope);
                                 });
    if (error) return std::move(*error);
    return envelope;
}

}  // namespace receiptd::chain
