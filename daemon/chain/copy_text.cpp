#include "chain/copy_text.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>

namespace receiptd::chain {

namespace {

static_assert(std::endian::native == std::endian::little, "first_special() counts from the low byte");

constexpr std::uint64_t kOnes = 0x0101010101010101u;
constexpr std::uint64_t kHighBits = 0x8080808080808080u;

constexpr std::uint64_t zero_bytes(std::uint64_t word) { return (word - kOnes) & ~word & kHighBits; }

// Marks the bytes of `word` that may need an escape; exact up to and including the lowest mark,
// but for some control characters that are fine as they are.
template <bool kInArray>
std::uint64_t special_bytes(std::uint64_t word) {
    std::uint64_t marks = (word - kOnes * 0x10) & ~word & kHighBits;
    marks |= zero_bytes(word ^ (kOnes * '\\'));
    if constexpr (kInArray) marks |= zero_bytes(word ^ (kOnes * '"'));
    return marks;
}

std::uint64_t load_word(const char* from) {
    std::uint64_t word;
    std::memcpy(&word, from, sizeof word);
    return word;
}

// In an array the quote and the backslash are escaped for the array, then each backslash for COPY.
template <bool kInArray>
std::string_view escape_of(char c) {
    switch (c) {
        case '\0': return "\u2400";
        case '\t': return "\\t";
        case '\n': return "\\n";
        case '\r': return "\\r";
        case '\\': return kInArray ? "\\\\\\\\" : "\\\\";
        case '"': return kInArray ? "\\\\\"" : "";
        default: return "";
    }
}
constexpr std::size_t kLongestEscape = 4;

// The first byte that may need an escape, or `end`.
template <bool kInArray>
const char* first_special(const char* from, const char* end) {
    for (; end - from >= 8; from += 8)
        if (const auto marks = special_bytes<kInArray>(load_word(from)))
            return from + std::countr_zero(marks) / 8;
    if (from == end) return end;
    auto last = kOnes * 'x';  // what is left, filled up with what needs no escape
    std::memcpy(&last, from, static_cast<std::size_t>(end - from));
    const auto marks = special_bytes<kInArray>(last);
    return marks == 0 ? end : from + std::countr_zero(marks) / 8;
}

template <bool kInArray>
char* copy_character(char c, char* to) {
    const auto escape = escape_of<kInArray>(c);
    if (escape.empty()) {
        *to = c;
        return to + 1;
    }
    std::memcpy(to, escape.data(), escape.size());
    return to + escape.size();
}

// Escapes [from, end) into `to`, which has room for kLongestEscape bytes a character.
template <bool kInArray>
char* copy_escaped(const char* from, const char* end, char* to) {
    while (end - from >= 8) {
        const auto word = load_word(from);
        std::memcpy(to, &word, sizeof word);
        const auto marks = special_bytes<kInArray>(word);
        if (marks == 0) {
            from += 8;
            to += 8;
            continue;
        }
        const auto clean = std::countr_zero(marks) / 8;
        to = copy_character<kInArray>(from[clean], to + clean);
        from += clean + 1;
    }
    for (; from != end; ++from) to = copy_character<kInArray>(*from, to);
    return to;
}

template <bool kInArray>
void append_escaped(std::string& out, std::string_view value) {
    const char* const end = value.data() + value.size();
    const char* from = first_special<kInArray>(value.data(), end);
    out.append(value.data(), static_cast<std::size_t>(from - value.data()));
    constexpr std::size_t kPart = 2048;
    char buffer[kPart * kLongestEscape];
    while (from != end) {
        const char* const part_end = from + std::min(kPart, static_cast<std::size_t>(end - from));
        const char* const written = copy_escaped<kInArray>(from, part_end, buffer);
        out.append(buffer, static_cast<std::size_t>(written - buffer));
        from = part_end;
    }
}

void append_decimal(std::string& out, std::uint64_t value) {
    char digits[20];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    out.append(digits, static_cast<std::size_t>(end - digits));
}

char* put_digits(char* to, std::uint64_t value, int count) {
    for (int i = count; i-- > 0; value /= 10) to[i] = static_cast<char>('0' + value % 10);
    return to + count;
}

}  // namespace

// Days to civil date: H. Hinnant, "chrono-compatible low-level date algorithms".
TimestampText::TimestampText(std::uint64_t nanosec_since_1970) {
    const std::uint64_t seconds = nanosec_since_1970 / 1'000'000'000;
    const std::uint64_t days = seconds / 86400 + 719468;  // since 0000-03-01
    const std::uint64_t era = days / 146097;
    const std::uint64_t day_of_era = days % 146097;
    const std::uint64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    const std::uint64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const std::uint64_t shifted_month = (5 * day_of_year + 2) / 153;  // 0 = March
    const std::uint64_t month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
    const std::uint64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);

    char* to = put_digits(text_.data(), year, 4);
    *to++ = '-';
    to = put_digits(to, month, 2);
    *to++ = '-';
    to = put_digits(to, day_of_year - (153 * shifted_month + 2) / 5 + 1, 2);
    *to++ = ' ';
    to = put_digits(to, seconds / 3600 % 24, 2);
    *to++ = ':';
    to = put_digits(to, seconds / 60 % 60, 2);
    *to++ = ':';
    to = put_digits(to, seconds % 60, 2);
    *to++ = '.';
    to = put_digits(to, nanosec_since_1970 / 1000 % 1'000'000, 6);
    std::memcpy(to, "+00", 3);
}

void CopyWriter::text(std::string_view value) {
    append_escaped<false>(out_, value);
    out_.push_back('\t');
}

void CopyWriter::piece(std::string_view part) { append_escaped<false>(out_, part); }

void CopyWriter::integer(std::uint64_t value) {
    bigint(std::min<std::uint64_t>(value, std::numeric_limits<std::int32_t>::max()));
}

void CopyWriter::bigint(std::uint64_t value) {
    append_decimal(out_, std::min<std::uint64_t>(value, std::numeric_limits<std::int64_t>::max()));
    out_.push_back('\t');
}

void CopyWriter::numeric(base::u128 value) {
    constexpr std::uint64_t kTenTo19 = 10'000'000'000'000'000'000u;
    if (value <= std::numeric_limits<std::uint64_t>::max()) {
        append_decimal(out_, static_cast<std::uint64_t>(value));
    } else {  // at most 39 digits: the first one alone, where there are so many
        const auto upper = value / kTenTo19;
        char lower[19];
        put_digits(lower, static_cast<std::uint64_t>(value % kTenTo19), 19);
        if (upper >= kTenTo19) out_.push_back(static_cast<char>('0' + static_cast<int>(upper / kTenTo19)));
        if (upper >= kTenTo19) {
            char middle[19];
            put_digits(middle, static_cast<std::uint64_t>(upper % kTenTo19), 19);
            out_.append(middle, sizeof middle);
        } else {
            append_decimal(out_, static_cast<std::uint64_t>(upper));
        }
        out_.append(lower, sizeof lower);
    }
    out_.push_back('\t');
}

void CopyWriter::element(std::string_view value) {
    if (out_.back() != '{') out_.push_back(',');
    out_.push_back('"');
    append_escaped<true>(out_, value);
    out_.push_back('"');
}

void CopyWriter::end_array() { out_.append("}\t", 2); }

void CopyWriter::texts(const std::vector<Text>& values) {
    if (values.empty()) return null();
    begin_array();
    for (const auto value : values) element(value);
    end_array();
}

void CopyWriter::data_ids(const std::vector<DataReceiver>& values) {
    if (values.empty()) return null();
    begin_array();
    for (const auto& value : values) element(value.data_id);
    end_array();
}

}  // namespace receiptd::chain
