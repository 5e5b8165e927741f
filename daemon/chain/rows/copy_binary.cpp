#include "chain/rows/copy_binary.hpp"

#include "base/nul.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

namespace receiptd::chain {

namespace {

using namespace std::string_view_literals;

constexpr std::int32_t kNull = -1;
constexpr std::uint32_t kTextOid = 25;                                       // pg_type.dat: text
constexpr std::int64_t kMicrosecondsTo2000 = 10'957LL * 86'400 * 1'000'000;  // since 1970
constexpr std::uint64_t kNumericBase = 10'000;                               // of a digit of a numeric
constexpr std::size_t kMostNumericDigits = 10;                               // of 128 bits
constexpr std::size_t kNumericHeader = 4;                                    // numbers before the digits

static_assert(std::endian::native == std::endian::little);

template <class T>
T swapped(T value) {
    if constexpr (sizeof(T) == 2) return static_cast<T>(__builtin_bswap16(static_cast<std::uint16_t>(value)));
    if constexpr (sizeof(T) == 4) return static_cast<T>(__builtin_bswap32(static_cast<std::uint32_t>(value)));
    if constexpr (sizeof(T) == 8) return static_cast<T>(__builtin_bswap64(static_cast<std::uint64_t>(value)));
}

template <class... T>
void append(std::string& out, T... values) {
    std::array<char, (sizeof(T) + ...)> bytes;
    char* to = bytes.data();
    const auto put = [&to](auto value) {
        value = swapped(value);
        std::memcpy(to, &value, sizeof value);
        to += sizeof value;
    };
    (put(values), ...);
    out.append(bytes.data(), bytes.size());
}

void set_length(std::string& out, std::size_t at) {
    const auto length = swapped(static_cast<std::int32_t>(out.size() - at - sizeof(std::int32_t)));
    std::memcpy(out.data() + at, &length, sizeof length);
}

// A field of megabytes gets its room at once: growing to twice the size would take three times of it for a
// moment.
void make_room(std::string& out, std::size_t bytes) {
    constexpr std::size_t kLarge = std::size_t{1} << 20;
    constexpr std::size_t kOtherFields = 64 << 10;
    if (bytes >= kLarge) out.reserve(out.size() + bytes + kOtherFields);
}

// Digits of base 10,000, the least first.
struct NumericDigits {
    std::array<std::int16_t, kMostNumericDigits> digits{};
    std::size_t count = 0;

    explicit NumericDigits(base::u128 value) {
        constexpr std::uint64_t kFourDigits = kNumericBase * kNumericBase * kNumericBase * kNumericBase;
        while (value > std::numeric_limits<std::uint64_t>::max()) {
            auto part = static_cast<std::uint64_t>(value % kFourDigits);
            value /= kFourDigits;
            for (int i = 0; i < 4; ++i, part /= kNumericBase) push(part % kNumericBase);
        }
        for (auto rest = static_cast<std::uint64_t>(value); rest > 0; rest /= kNumericBase)
            push(rest % kNumericBase);
    }

private:
    void push(std::uint64_t digit) { digits[count++] = static_cast<std::int16_t>(digit); }
};

}  // namespace

std::string_view copy_header() { return "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0"sv; }

std::string_view copy_trailer() { return "\377\377"sv; }

RowTime::RowTime(std::uint64_t nanosec_since_1970)
    : microseconds_(static_cast<std::int64_t>(nanosec_since_1970 / 1000) - kMicrosecondsTo2000) {}

std::uint64_t RowTime::nanosec_since_1970() const {
    return static_cast<std::uint64_t>(microseconds_ + kMicrosecondsTo2000) * 1000;
}

CopyWriter::CopyWriter(std::string& out) : out_(out), row_(out.size()) { append(out_, fields_); }

void CopyWriter::end_row() {
    const auto fields = swapped(fields_);
    std::memcpy(out_.data() + row_, &fields, sizeof fields);
}

void CopyWriter::null() {
    append(out_, kNull);
    ++fields_;
}

void CopyWriter::text(std::string_view value) {
    make_room(out_, value.size());
    const auto at = out_.size();
    append(out_, static_cast<std::int32_t>(value.size()));
    base::append_without_nul(out_, value);
    if (out_.size() - at != sizeof(std::int32_t) + value.size()) set_length(out_, at);
    ++fields_;
}

void CopyWriter::bytes(std::string_view value) {
    append(out_, static_cast<std::int32_t>(value.size()));
    out_.append(value);
    ++fields_;
}

void CopyWriter::boolean(bool value) {
    append(out_, std::int32_t{1});
    out_.push_back(value ? '\1' : '\0');
    ++fields_;
}

void CopyWriter::smallint(std::int16_t value) {
    append(out_, std::int32_t{2}, value);
    ++fields_;
}

void CopyWriter::integer(std::uint64_t value) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::int32_t>::max();
    append(out_, std::int32_t{4}, static_cast<std::int32_t>(std::min(value, kMost)));
    ++fields_;
}

void CopyWriter::bigint(std::uint64_t value) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
    append(out_, std::int32_t{8}, static_cast<std::int64_t>(std::min(value, kMost)));
    ++fields_;
}

// The number of digits, the weight of the first, the sign (0: positive) and the decimal places.
void CopyWriter::numeric(base::u128 value) {
    const NumericDigits number(value);
    const auto count = number.count;
    const auto weight = static_cast<std::int16_t>(count == 0 ? 0 : count - 1);
    append(out_, static_cast<std::int32_t>((kNumericHeader + count) * sizeof(std::int16_t)),
           static_cast<std::int16_t>(count), weight, std::int32_t{0});
    for (auto i = count; i-- > 0;) append(out_, number.digits[i]);
    ++fields_;
}

void CopyWriter::time(RowTime value) {
    append(out_, std::int32_t{8}, value.microseconds());
    ++fields_;
}

void CopyWriter::begin_pieces() {
    piece_ = out_.size();
    append(out_, std::int32_t{0});
}

void CopyWriter::piece(std::string_view part) {
    make_room(out_, part.size());
    base::append_without_nul(out_, part);
}

void CopyWriter::end_pieces() {
    set_length(out_, piece_);
    ++fields_;
}

// One dimension from 1, no NULL in it.
void CopyWriter::begin_array(std::size_t elements) {
    begin_pieces();
    append(out_, std::int32_t{1}, std::int32_t{0}, kTextOid, static_cast<std::int32_t>(elements),
           std::int32_t{1});
}

void CopyWriter::element(std::string_view value) {
    const auto at = out_.size();
    append(out_, std::int32_t{0});
    base::append_without_nul(out_, value);
    set_length(out_, at);
}

void CopyWriter::texts(std::span<const Text> values) {
    if (values.empty()) return null();
    begin_array(values.size());
    std::size_t bytes = values.size() * sizeof(std::int32_t);
    for (const auto value : values) bytes += value.size();
    make_room(out_, bytes);
    for (const auto value : values) element(value);
    end_pieces();
}

void CopyWriter::data_ids(std::span<const DataReceiver> values) {
    if (values.empty()) return null();
    begin_array(values.size());
    for (const auto& value : values) element(value.data_id);
    end_pieces();
}

bool CopyReader::next_row() {
    if (rest_.size() < sizeof(std::uint16_t)) return false;
    fields_ = big_endian<std::uint16_t>(rest_);
    rest_.remove_prefix(sizeof(std::uint16_t));
    return true;
}

std::optional<std::string_view> CopyReader::field() {
    if (rest_.size() < sizeof(std::int32_t)) return std::nullopt;
    const auto length = big_endian<std::int32_t>(rest_);
    rest_.remove_prefix(sizeof(std::int32_t));
    if (length < 0) return std::nullopt;
    const auto bytes = rest_.substr(0, static_cast<std::size_t>(length));
    rest_.remove_prefix(bytes.size());
    return bytes;
}

}  // namespace receiptd::chain
