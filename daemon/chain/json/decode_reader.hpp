// The walk over a JSON text that every decode_*.cpp shares: typed reads which, when they fail, say
// where and why. Private to the decoders.
//
// A read returns false on failure; the caller returns false at once, and each level on the way up
// puts its own name in front of the path. So nothing is spent on paths while all goes well.
#pragma once

#include "chain/json/decode.hpp"

#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace receiptd::chain::decoding {

namespace ondemand = simdjson::ondemand;
using Value = ondemand::value;

// Bodies are received up to this size (providers.md §5.1).
inline constexpr std::size_t kMaxDocument = std::size_t{64} << 20;
// Deeper than anything NEAR sends; keeps our recursion, and that of readers of verbatim spans, flat.
inline constexpr int kMaxDepth = 128;
// Bytes of what is made of one answer beside its text. The gas of twelve shards, all spent on logs of no
// letter, pays for 55 MB.
inline constexpr std::size_t kMostMade = kMaxDocument;

// Targets of a read that is more than its C++ type says.
struct Hash {  // 32..44 base58 characters
    Text& text;
};
struct Hashes {
    List<Text>& list;
};
struct Account {  // 2..64 bytes
    Text& text;
};
struct Scalar {  // a string's text, or a number, true or false as written
    Text& text;
};
struct Verbatim {  // any JSON, checked to its last character
    Text& json;
};

enum class Presence : std::uint8_t {
    required,  // absent or null: an error
    expected,  // absent or null: an error, but where the readable parts are wanted
    optional,  // absent or null: the target is left as it is
    nullable,  // absent: left as it is; null is read as a value
};

template <std::size_t N, class Target>
struct Field {
    const char (&literal)[N];
    Presence presence;
    Target target;  // a reference to what is filled, one of the structs above, or bool(Value)

    Text name() const { return Text(literal, N - 1); }
    // Cheaper than comparing views: both length and text are constants.
    bool is(Text key) const { return key.size() == N - 1 && std::memcmp(key.data(), literal, N - 1) == 0; }
};

template <std::size_t N, class Target>
Field<N, Target> required(const char (&name)[N], Target&& target) {
    return {name, Presence::required, std::forward<Target>(target)};
}
template <std::size_t N, class Target>
Field<N, Target> optional(const char (&name)[N], Target&& target) {
    return {name, Presence::optional, std::forward<Target>(target)};
}
template <std::size_t N, class Target>
Field<N, Target> expected(const char (&name)[N], Target&& target) {
    return {name, Presence::expected, std::forward<Target>(target)};
}
template <std::size_t N, class Target>
Field<N, Target> nullable(const char (&name)[N], Target&& target) {
    return {name, Presence::nullable, std::forward<Target>(target)};
}

// JSON's whitespace and no other control character.
inline bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// The value's first token without the whitespace behind it: a whole scalar, or one bracket.
inline Text token_of(Value& value) {
    Text token = value.raw_json_token();
    while (!token.empty() && is_space(token.back())) token.remove_suffix(1);
    return token;
}
// Never empty: behind the last token stands the string's terminating zero.
inline char first_of(Value& value) { return *value.raw_json_token().data(); }

class Reader {
public:
    // `mark`: a text that stands in the place of elements that were left out, with its quotes, as
    // unreadable.hpp has put it there; empty: all parts are wanted.
    explicit Reader(Document& arena, Text mark = {}) : arena_(arena), mark_(mark) {}

    bool is_left_out(Value element);
    std::size_t left_out() const { return left_out_; }

    // Merkle paths are a sixth of a whole block's values. Only their sides are read: no row holds the hashes.
    void pass_over_proofs() { with_proofs_ = false; }
    bool with_proofs() const { return with_proofs_; }
    // If true, only the kind of an action receipt is read, not its members.
    void pass_over_actions(bool pass_over) { with_actions_ = !pass_over; }
    bool with_actions() const { return with_actions_; }
    // To be asked before so many bytes are made: a log of no letter has three as text and sixteen in its
    // list.
    bool may_make(std::size_t bytes) {
        return (made_ += bytes) <= kMostMade || fail("more values than any block has");
    }

    // Reads the fields of an object in one pass; unknown members are passed over.
    template <class... Fields>
    bool object(ondemand::object& object, const Fields&... fields);
    template <class... Fields>
    bool object(Value value, const Fields&... fields) {
        ondemand::object opened;
        return open(value, opened) && object(opened, fields...);
    }
    bool open(Value value, ondemand::object& object) {
        if (first_of(value) != '{') return fail("not an object");
        const auto error = value.get_object().get(object);
        return !error || broken(error);
    }

    // each: bool(Value)
    template <class Each>
    bool array(Value value, Each each);

    // A Rust enum: `"Name"` or `{"Name": payload}`. each: bool(Text name, Value* payload or null)
    template <class Each>
    bool variant(Value value, Each each);

    // Reads a value that is also kept as it stands; everything in it is checked, because it will be
    // written to columns of type json. read: bool(Value)
    template <class Read>
    bool verbatim(Value value, Text& json, Read read) {
        const char* start = value.raw_json_token().data();
        const bool outer = std::exchange(strict_, true);
        if (!read(value)) return false;
        strict_ = outer;
        return span(value, start, json);
    }

    // The same without the check: for what is only read again.
    template <class Read>
    bool as_it_stands(Value value, Text& json, Read read) {
        const char* start = value.raw_json_token().data();
        return read(value) && span(value, start, json);
    }

    // An empty list whose elements will be in the document.
    template <class T>
    List<T> list() {
        return List<T>(InDocument<T>(arena_));
    }
    // Appends an element; read: bool(T&). A long list moves to the heap, as in the document it would leave
    // behind all that it outgrows; lists within lists stay, as nobody would give back their memory.
    template <class T, class Read>
    bool append(List<T>& list, Read read) {
        if (!may_make(list.empty() ? std::max(kFirstBytes, sizeof(T)) : sizeof(T))) return false;
        if (list.empty()) list.reserve(std::max<std::size_t>(1, kFirstBytes / sizeof(T)));
        if (std::is_trivially_destructible_v<T> && list.size() == kMostInDocument)
            list = List<T>(list.begin(), list.end());
        return read(list.emplace_back());
    }

    // Any value, checked to its last character.
    bool check(Value value);
    // The text of a string value; `plain` tells whether it had no escapes.
    bool string(Value value, Text& text, bool& plain);

    // All return false.
    bool fail(Text reason);
    bool fail_at(Text member, Text reason);
    bool broken(simdjson::error_code error);
    bool within(Text member);
    bool within(std::size_t index);

    DecodeError take_error() { return std::move(error_); }

private:
    template <std::size_t N, class Target>
    bool take(Value value, std::uint32_t& seen, std::uint32_t bit, const Field<N, Target>& field);
    bool key_of(ondemand::field& member, Text& key);
    bool escaped_key(const char* start, Text& key);
    bool pass_over(Value value);
    bool span(Value value, const char* start, Text& json);
    bool unescaped(Text raw, Text& text);
    bool descend() { return ++depth_ <= kMaxDepth || fail("nested too deeply"); }
    void ascend() { --depth_; }

    static constexpr std::size_t kFirstBytes = 128;
    static constexpr std::size_t kMostInDocument = 64;

    Document& arena_;
    Text mark_;
    std::size_t left_out_ = 0;  // elements
    DecodeError error_;
    int depth_ = 0;
    bool strict_ = false;  // inside a verbatim span
    bool with_proofs_ = true;
    bool with_actions_ = true;
    std::size_t made_ = 0;
};

bool decode(Reader& reader, Value value, Text& out);
bool decode(Reader& reader, Value value, std::uint64_t& out);  // at most bigint
bool decode(Reader& reader, Value value, std::uint32_t& out);  // at most int
bool decode(Reader& reader, Value value, u128& out);           // a decimal string, or a number
bool decode(Reader& reader, Value value, bool& out);
bool decode(Reader& reader, Value value, Hash out);
bool decode(Reader& reader, Value value, Hashes out);
bool decode(Reader& reader, Value value, Account out);
bool decode(Reader& reader, Value value, Scalar out);
bool decode(Reader& reader, Value value, Verbatim out);

// A number's token, at most bigint.
bool bigint(Reader& reader, Text token, std::uint64_t& out);

// A model, whose file says how to read its members.
template <class T>
    requires requires(Reader& reader, ondemand::object& object, T& model) { members(reader, object, model); }
bool decode(Reader& reader, Value value, T& out) {
    ondemand::object object;
    return reader.open(value, object) && members(reader, object, out);
}

template <class T>
bool decode(Reader& reader, Value value, std::optional<T>& out) {
    return decode(reader, value, out.emplace());
}

template <class T>
bool decode(Reader& reader, Value value, std::vector<T>& out) {
    return reader.array(value, [&](Value element) {
        if (reader.is_left_out(element)) return true;
        return reader.may_make(sizeof(T)) && decode(reader, element, out.emplace_back());
    });
}

template <class T>
bool decode(Reader& reader, Value value, List<T>& out) {
    out = reader.list<T>();
    return reader.array(value, [&](Value element) {
        return reader.append(out, [&](T& each) { return decode(reader, element, each); });
    });
}

template <std::size_t N, class Target>
bool Reader::take(Value value, std::uint32_t& seen, std::uint32_t bit, const Field<N, Target>& field) {
    if ((seen & bit) != 0) return fail("given twice");
    if (field.presence != Presence::nullable && first_of(value) == 'n' && token_of(value) == "null")
        return true;
    seen |= bit;
    if constexpr (std::is_invocable_r_v<bool, Target&, Value>) {
        return field.target(value);
    } else {
        return decode(*this, value, field.target);
    }
}

template <class... Fields>
bool Reader::object(ondemand::object& object, const Fields&... fields) {
    static_assert(sizeof...(Fields) <= 32);
    if (!descend()) return false;
    std::uint32_t seen = 0;
    for (auto item : object) {
        ondemand::field member;
        if (const auto error = std::move(item).get(member)) return broken(error);
        Text key;
        if (!key_of(member, key)) return false;
        Value value = member.value();
        [[maybe_unused]] std::uint32_t bit = 1;
        bool done = false;
        [[maybe_unused]] const auto offer = [&](const auto& field) {
            if (field.is(key)) return done = take(value, seen, bit, field), true;
            bit <<= 1;
            return false;
        };
        const bool known = (offer(fields) || ...);
        if (!(known ? done : pass_over(value))) return within(key);
    }
    ascend();
    [[maybe_unused]] std::uint32_t bit = 1;
    [[maybe_unused]] const auto present = [&](const auto& field) {
        const bool is_needed =
            field.presence == Presence::required || (field.presence == Presence::expected && mark_.empty());
        const bool missing = is_needed && (seen & bit) == 0;
        bit <<= 1;
        return !missing || fail_at(field.name(), "missing");
    };
    return (present(fields) && ...);
}

template <class Each>
bool Reader::array(Value value, Each each) {
    if (first_of(value) != '[') return fail("not an array");
    ondemand::array elements;
    if (const auto error = value.get_array().get(elements)) return broken(error);
    if (!descend()) return false;
    std::size_t index = 0;
    for (auto item : elements) {
        Value element;
        if (const auto error = std::move(item).get(element)) return broken(error);
        if (!each(element)) return within(index);
        ++index;
    }
    ascend();
    return true;
}

template <class Each>
bool Reader::variant(Value value, Each each) {
    if (first_of(value) == '"') {
        Text name;
        return decode(*this, value, name) && each(name, static_cast<Value*>(nullptr));
    }
    if (first_of(value) != '{') return fail("neither a name nor an object");
    ondemand::object object;
    if (!open(value, object) || !descend()) return false;
    bool found = false;
    for (auto item : object) {
        ondemand::field member;
        if (const auto error = std::move(item).get(member)) return broken(error);
        Text key;
        if (!key_of(member, key)) return false;
        if (std::exchange(found, true)) return fail("not an object of one key");
        Value payload = member.value();
        if (!each(key, &payload)) return within(key);
    }
    ascend();
    return found || fail("not an object of one key");
}

// One parser per thread: its index memory is reused, and no view ever points into it.
ondemand::parser& thread_parser(std::size_t document_size);

// simdjson's index has four bytes for each.
inline constexpr std::size_t kMostTokens = std::size_t{16} << 20;
bool has_too_many_tokens(Text text);

// Parses `text`, an object, and hands it to read: bool(Reader&, ondemand::object&). `capacity`
// counts the readable bytes behind text.data(); unescaped strings go to `arena`.
template <class Read>
std::optional<DecodeError> parse(Text text, std::size_t capacity, Document& arena, Read read,
                                 Text mark = {}) try {
    Reader reader(arena, mark);
    ondemand::document json;
    ondemand::object root;
    if (has_too_many_tokens(text)) {
        reader.fail("more tokens than any block has");
    } else if (const auto error =
                   thread_parser(text.size()).iterate(text.data(), text.size(), capacity).get(json)) {
        reader.broken(error);
    } else if (const auto kind = json.get_object().get(root)) {
        kind == simdjson::INCORRECT_TYPE ? reader.fail("not an object") : reader.broken(kind);
    } else if (read(reader, root)) {
        if (json.current_location().error() == simdjson::OUT_OF_BOUNDS) return std::nullopt;
        reader.fail("text behind the end");
    }
    return reader.take_error();
} catch (const std::bad_alloc&) {
    return DecodeError{"", "out of memory"};
}

}  // namespace receiptd::chain::decoding
