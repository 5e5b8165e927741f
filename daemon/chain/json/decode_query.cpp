// Results of `query`: rpc.md §6.
#include "chain/json/decode_parts.hpp"

namespace receiptd::chain {

namespace decoding {

namespace {

auto owned(Reader& reader, std::string& out) {
    return [&reader, &out](Value value) {
        Text text;
        if (!decode(reader, value, text)) return false;
        out = text;
        return true;
    };
}

auto owned_json(Reader& reader, std::string& out) {
    return [&reader, &out](Value value) {
        Text text;
        if (!decode(reader, value, Verbatim{text})) return false;
        out = text;
        return true;
    };
}

// rpc.md §6.1: failures that come as a result.
auto soft_error(Reader& reader) {
    return optional("error", [&reader](Value value) {
        Text text;
        return decode(reader, value, Scalar{text}) && reader.fail(text);
    });
}

bool members(Reader& reader, ondemand::object& object, AccessKeyView& out) {
    return reader.object(object, soft_error(reader), required("nonce", out.nonce),
                         required("permission", owned_json(reader, out.permission_json)),
                         required("block_height", out.block_height),
                         required("block_hash", owned(reader, out.block_hash)));
}

bool read_listed_key(Reader& reader, Value value, AccessKeyView& out) {
    const auto access_key = [&](Value key) {
        return reader.object(key, required("nonce", out.nonce),
                             required("permission", owned_json(reader, out.permission_json)));
    };
    return reader.object(value, required("public_key", owned(reader, out.public_key)),
                         required("access_key", access_key));
}

bool members(Reader& reader, ondemand::object& object, std::vector<AccessKeyView>& out) {
    const auto keys = [&](Value value) {
        return reader.array(value,
                            [&](Value key) { return read_listed_key(reader, key, out.emplace_back()); });
    };
    return reader.object(object, soft_error(reader), required("keys", keys));
}

bool members(Reader& reader, ondemand::object& object, CallResult& out) {
    const auto bytes = [&](Value value) {
        return reader.array(value, [&](Value element) {
            std::uint64_t byte = 0;
            if (!decode(reader, element, byte)) return false;
            out.result.push_back(static_cast<char>(byte));
            return byte <= 0xFF || reader.fail("not a byte");
        });
    };
    const auto logs = [&](Value value) {
        return reader.array(value, [&](Value log) { return owned(reader, out.logs.emplace_back())(log); });
    };
    return reader.object(object, soft_error(reader), required("result", bytes), required("logs", logs),
                         required("block_height", out.block_height),
                         required("block_hash", owned(reader, out.block_hash)));
}

// Is the object an envelope? Only there `result` is an object itself.
bool is_envelope(Reader& reader, ondemand::object& object, bool& enveloped) {
    return reader.object(object, nullable("result", [&](Value value) {
                             enveloped = first_of(value) == '{';
                             return true;
                         }));
}

template <class T>
base::Result<T, DecodeError> decode_answer(const std::string& json) {
    Document document(json);
    bool enveloped = false;
    T out{};
    auto error =
        parse(document.json(), document.capacity(), document,
              [&](Reader& reader, ondemand::object& root) { return is_envelope(reader, root, enveloped); });
    if (!error) {
        error = parse(
            document.json(), document.capacity(), document, [&](Reader& reader, ondemand::object& root) {
                if (!enveloped) return members(reader, root, out);
                return reader.object(root, required("result", [&](Value value) {
                                         ondemand::object result;
                                         return reader.open(value, result) && members(reader, result, out);
                                     }));
            });
    }
    if (error) return std::move(*error);
    return out;
}

}  // namespace

}  // namespace decoding

base::Result<AccessKeyView, DecodeError> decode_view_access_key(const std::string& result) {
    return decoding::decode_answer<AccessKeyView>(result);
}

base::Result<std::vector<AccessKeyView>, DecodeError> decode_view_access_key_list(const std::string& result) {
    return decoding::decode_answer<std::vector<AccessKeyView>>(result);
}

base::Result<CallResult, DecodeError> decode_call_function(const std::string& result) {
    return decoding::decode_answer<CallResult>(result);
}

}  // namespace receiptd::chain
