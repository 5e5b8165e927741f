#include "chain/json/decode_reader.hpp"

#include "chain/json/decode_text.hpp"

#include <charconv>
#include <limits>

namespace receiptd::chain::decoding {

namespace {

constexpr std::uint64_t kMaxBigint = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kMaxInt = std::numeric_limits<std::int32_t>::max();

constexpr std::size_t kLarge = std::size_t{4} << 20;  // documents of this size are rare
bool is_punctuation(char c) { return c == ',' || c == ':' || c == '[' || c == ']' || c == '{' || c == '}'; }

bool unsigned_number(Reader& reader, Text token, std::uint64_t limit, const char* too_large,
                     std::uint64_t& out) {
    if (!is_json_number(token)) return reader.fail("not a number");
    if (token.front() == '-') return reader.fail("negative");
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), out);
    if (end != token.data() + token.size()) return reader.fail("not an integer");
    if (error != std::errc{} || out > limit) return reader.fail(too_large);
    return true;
}

}  // namespace

ondemand::parser& thread_parser(std::size_t document_size) {
    thread_local ondemand::parser parser(kMaxDocument);
    if (parser.capacity() > kLarge && document_size <= kLarge) parser = ondemand::parser(kMaxDocument);
    // In powers of two, so that a slightly larger document does not mean new memory each time. Too
    // large or out of memory: iterate() says so.
    if (parser.capacity() < document_size && document_size <= kMaxDocument) {
        [[maybe_unused]] const auto error = parser.allocate(std::bit_ceil(document_size));
    }
    return parser;
}

// A token has a byte or more: few texts are long enough to be looked through.
bool has_too_many_tokens(Text text) {
    if (text.size() <= kMostTokens) return false;
    std::size_t tokens = 0;
    bool in_string = false, in_scalar = false;
    for (const char* at = text.data(); at != text.data() + text.size(); ++at) {
        if (in_string && *at == '\\') {
            if (++at == text.data() + text.size()) break;
        } else if (*at == '"') {
            in_string = !in_string;
            in_scalar = false;
            tokens += in_string ? 1 : 0;
        } else if (!in_string) {
            const bool of_scalar = !is_punctuation(*at) && !is_space(*at);
            tokens += is_punctuation(*at) || (of_scalar && !in_scalar) ? 1 : 0;
            in_scalar = of_scalar;
        }
    }
    return tokens > kMostTokens;
}

bool Reader::fail(Text reason) {
    error_.path.clear();
    error_.reason = reason;
    return false;
}

bool Reader::fail_at(Text member, Text reason) {
    fail(reason);
    return within(member);
}

bool Reader::broken(simdjson::error_code error) {
    fail("broken JSON: ");
    error_.reason += simdjson::error_message(error);
    return false;
}

bool Reader::within(Text member) {
    constexpr std::size_t kLongestName = 64;  // the names of a hostile document are not ours
    std::string path(member.substr(0, kLongestName));
    if (!error_.path.empty() && error_.path.front() != '[') path += '.';
    error_.path.insert(0, path);
    return false;
}

bool Reader::within(std::size_t index) {
    std::string path = "[" + std::to_string(index) + "]";
    if (!error_.path.empty() && error_.path.front() != '[') path += '.';
    error_.path.insert(0, path);
    return false;
}

bool Reader::key_of(ondemand::field& member, Text& key) {
    const char* start = member.key().raw();
    const char* end = start;
    while (*end != '"' && *end != '\\') ++end;
    if (*end == '\\') return escaped_key(start, key);
    key = Text(start, static_cast<std::size_t>(end - start));
    return true;
}

bool Reader::escaped_key(const char* start, Text& key) {
    const char* end = start;
    while (*end != '"') end += *end == '\\' ? 2 : 1;
    return unescaped(Text(start, static_cast<std::size_t>(end - start)), key);
}

bool Reader::unescaped(Text raw, Text& text) {
    if (!may_make(raw.size())) return false;
    auto* out = static_cast<char*>(arena_.allocate(raw.size()));
    const char* end = unescape(raw, out);
    if (end == nullptr) return fail("unknown escape in a string");
    text = Text(out, static_cast<std::size_t>(end - out));
    return true;
}

bool Reader::string(Value value, Text& text, bool& plain) {
    const Text token = token_of(value);
    ondemand::raw_json_string consumed;
    if (token.empty() || token.front() != '"') return fail("not a string");
    if (const auto error = value.get_raw_json_string().get(consumed)) return broken(error);
    if (token.size() < 2 || token.back() != '"') return fail("broken string");
    text = token.substr(1, token.size() - 2);
    plain = std::memchr(text.data(), '\\', text.size()) == nullptr;
    return plain || unescaped(text, text);
}

bool Reader::is_left_out(Value element) {
    if (mark_.empty() || first_of(element) != '"' || token_of(element) != mark_) return false;
    ++left_out_;
    return true;
}

bool Reader::pass_over(Value value) {
    if (strict_) return check(value);
    if (first_of(value) != '"') return true;  // the iterator skips what was not read
    ondemand::raw_json_string consumed;
    const auto error = value.get_raw_json_string().get(consumed);
    return !error || broken(error);
}

bool Reader::check(Value value) {
    const bool outer = std::exchange(strict_, true);
    const char first = first_of(value);
    bool good = false;
    if (first == '{') {
        good = object(value);
    } else if (first == '[') {
        good = array(value, [this](Value element) { return check(element); });
    } else if (first == '"') {
        Text ignored;
        good = decode(*this, value, ignored);
    } else {
        const Text token = token_of(value);
        good = token == "null" || token == "true" || token == "false" || is_json_number(token) ||
               fail("not a JSON value");
    }
    strict_ = outer;
    return good;
}

bool Reader::span(Value value, const char* start, Text& json) {
    const char* end = nullptr;
    if (const auto error = value.current_location().get(end)) return broken(error);
    if (end <= start) {  // numbers, true, false and null are not consumed by reading them
        json = token_of(value);
        return true;
    }
    while (is_space(end[-1])) --end;
    json = Text(start, static_cast<std::size_t>(end - start));
    return true;
}

bool decode(Reader& reader, Value value, Text& out) {
    bool plain = false;
    return reader.string(value, out, plain);
}

bool bigint(Reader& reader, Text token, std::uint64_t& out) {
    return unsigned_number(reader, token, kMaxBigint, "beyond bigint", out);
}

bool decode(Reader& reader, Value value, std::uint64_t& out) { return bigint(reader, token_of(value), out); }

bool decode(Reader& reader, Value value, std::uint32_t& out) {
    std::uint64_t wide = 0;
    if (!unsigned_number(reader, token_of(value), kMaxInt, "beyond int", wide)) return false;
    out = static_cast<std::uint32_t>(wide);
    return true;
}

bool decode(Reader& reader, Value value, u128& out) {
    Text digits = token_of(value);
    if (first_of(value) == '"') {
        if (!decode(reader, value, digits)) return false;
    } else if (!is_json_number(digits)) {
        return reader.fail("neither a decimal string nor a number");
    }
    const auto amount = parse_balance(digits);
    if (!amount) return reader.fail("not a decimal number of 128 bits");
    out = *amount;
    return true;
}

bool decode(Reader& reader, Value value, bool& out) {
    const Text token = token_of(value);
    out = token == "true";
    return out || token == "false" || reader.fail("not a boolean");
}

bool decode(Reader& reader, Value value, Hash out) {
    bool plain = false;
    if (!reader.string(value, out.text, plain)) return false;
    return (plain && looks_like_hash(out.text)) || reader.fail("not a hash");
}

bool decode(Reader& reader, Value value, Hashes out) {
    out.list = reader.list<Text>();
    return reader.array(value, [&](Value element) {
        return reader.append(out.list, [&](Text& hash) { return decode(reader, element, Hash{hash}); });
    });
}

bool decode(Reader& reader, Value value, Account out) {
    // An account id has no character that JSON would escape.
    bool plain = false;
    if (!reader.string(value, out.text, plain)) return false;
    return (plain && out.text.size() >= 2 && out.text.size() <= 64) || reader.fail("not an account id");
}

bool decode(Reader& reader, Value value, Scalar out) {
    const char first = first_of(value);
    if (first == '"') return decode(reader, value, out.text);
    if (first == '{' || first == '[') return reader.fail("not a string or number");
    out.text = token_of(value);
    return reader.check(value);
}

bool decode(Reader& reader, Value value, Verbatim out) {
    return reader.verbatim(value, out.json, [&](Value whole) { return reader.check(whole); });
}

}  // namespace receiptd::chain::decoding
