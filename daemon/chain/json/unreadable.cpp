#include "chain/json/unreadable.hpp"

#include "chain/json/decode_reader.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace receiptd::chain {

std::string UnreadablePart::shape() const {
    std::string shape;
    for (const char c : path + ": " + reason)
        if (c < '0' || c > '9') shape += c;
    return shape;
}

namespace decoding {
namespace {

struct Segment {
    Text name;              // of a member; empty: an index
    std::size_t index = 0;  // of an element
    std::size_t end = 0;    // of its text in that of the path

    bool is(Text other) const { return name == other; }
    bool is_index() const { return name.empty(); }
};
using Path = std::vector<Segment>;

// Names that are known to the decoders have no dot and no bracket.
Path segments_of(const Text whole) {
    Path path;
    for (Text text = whole; !text.empty();) {
        if (text.front() == '.') text.remove_prefix(1);
        Segment segment;
        auto end = std::min(text.find_first_of(".[", 1), text.size());
        if (text.front() == '[') {
            end = std::min(text.find(']') + 1, text.size());
            std::from_chars(text.data() + 1, text.data() + end, segment.index);
        } else {
            segment.name = text.substr(0, end);
        }
        text.remove_prefix(end);
        segment.end = whole.size() - text.size();
        path.push_back(segment);
        if (end == 0) break;
    }
    return path;
}

template <std::size_t N>
bool is_among(Text name, const std::array<Text, N>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr std::array kReceiptLists{Text("receipts"), Text("local_receipts"), Text("instant_receipts")};
constexpr std::array kOtherLists{Text("transactions"), Text("receipt_execution_outcomes"),
                                 Text("receipts_outcome")};
// Members that may be absent, and whose absence says no more than that they are not known.
constexpr std::array kMayBeAbsent{Text("proof"), Text("tx_hash"), Text("signature")};
constexpr std::array kOfChunkHeader{Text("gas_used"), Text("gas_limit"), Text("balance_burnt"),
                                    Text("encoded_length")};

constexpr std::size_t kLongestPlain = 100;

enum class Remedy : std::uint8_t { none, keep_as_unreadable, null, leave_out };

// Not of one that a chunk lists: a data receipt of an unknown kind would be nothing, and nobody would know.
bool is_body_of_executed(const Path& path, std::size_t at) {
    return path[at].is("receipt") && at >= 1 && path[at - 1].is("receipt");
}

// The remedy where the fault is in the value at this place of the path.
Remedy remedy_at(const Path& path, std::size_t at) {
    const auto& here = path[at];
    const bool is_last = at + 1 == path.size();
    const bool tried = !is_last && path[at + 1].is(kUnreadable);
    if (here.is_index()) {
        if (at == 0) return Remedy::none;
        const auto list = path[at - 1].name;
        if (list == "actions" && !tried) return Remedy::keep_as_unreadable;
        const bool is_row = is_among(list, kReceiptLists) || is_among(list, kOtherLists);
        return is_row ? Remedy::leave_out : Remedy::none;
    }
    if (!tried && (here.is("status") || is_body_of_executed(path, at))) return Remedy::keep_as_unreadable;
    if (at == 0) return Remedy::none;
    const auto& parent = path[at - 1];
    if (here.is("outcome") && parent.is_index() && at >= 2 && path[at - 2].is("transactions"))
        return Remedy::null;
    if (!is_last) return here.is("proof") ? Remedy::null : Remedy::none;
    if (is_among(here.name, kMayBeAbsent) || here.is("author")) return Remedy::null;
    if (parent.is("header") && here.is("chunks_included")) return Remedy::null;
    const bool in_chunk_header =
        parent.is("header") || (parent.is_index() && at >= 2 && path[at - 2].is("chunks"));
    return in_chunk_header && is_among(here.name, kOfChunkHeader) ? Remedy::null : Remedy::none;
}

// Where the value at the end of the path stands; empty: nowhere.
Text find_value(Document& document, const Path& path, std::size_t length) {
    Text found;
    const auto read = [&](Reader& reader, ondemand::object& root) {
        Value value;
        if (root.find_field_unordered(path.front().name).get(value)) return false;
        for (std::size_t i = 1; i < length; ++i) {
            const auto& step = path[i];
            if (step.is_index() ? value.get_array().at(step.index).get(value)
                                : value.get_object().find_field_unordered(step.name).get(value))
                return false;
        }
        decode(reader, value, Verbatim{found});
        return false;
    };
    parse(document.json(), document.capacity(), document, read);
    return found;
}

// Names inside of the part may be anything.
bool is_plain(Text text) {
    return text.size() <= kLongestPlain && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '.' || c == '[' || c == ']';
           });
}

UnreadablePart part_of(const DecodeError& fault, std::size_t end, Remedy remedy) {
    Text rest = Text(fault.path).substr(end);
    if (!rest.empty() && rest.front() == '.') rest.remove_prefix(1);
    const bool is_named = !rest.empty() && is_plain(rest);
    return {fault.path.substr(0, end), (is_named ? std::string(rest) + ": " : "") + fault.reason,
            remedy == Remedy::leave_out};
}

}  // namespace

std::string new_mark() {
    std::random_device random;
    std::string mark = "\"left out ";
    for (int i = 0; i < 4; ++i) mark += std::to_string(random());
    return mark + '"';
}

std::optional<WithoutPart> without_part(Document& document, const DecodeError& fault, Text mark) {
    const auto path = segments_of(fault.path);
    for (auto length = path.size(); length > 0; --length) {
        const auto remedy = remedy_at(path, length - 1);
        if (remedy == Remedy::none) continue;
        const auto value = find_value(document, path, length);
        if (value.empty() || (remedy == Remedy::null && value == "null")) continue;
        const auto text = document.json();
        const auto at = static_cast<std::size_t>(value.data() - text.data());
        const std::string put = remedy == Remedy::null ? "null"
                                : remedy == Remedy::leave_out
                                    ? std::string(mark)
                                    : "{\"" + std::string(kUnreadable) + "\":" + std::string(value) + '}';
        std::string json;
        json.reserve(text.size() + put.size() + kJsonPadding);
        json.append(text.substr(0, at)).append(put).append(text.substr(at + value.size()));
        return WithoutPart{std::move(json), part_of(fault, path[length - 1].end, remedy)};
    }
    return std::nullopt;
}

}  // namespace decoding
}  // namespace receiptd::chain
