// Rows in PostgreSQL's COPY binary format, written field by field; read field by field where that is needed.
//
// A row is the number of its fields, then for each its length (-1: NULL) and its bytes, as the column's
// type receives them; all numbers big-endian. Every text is written with its length, so an upstream's text
// cannot break out of its field. Texts are valid UTF-8 already (the decoders refuse the rest); NUL, which
// PostgreSQL cannot store, becomes U+2400. Numbers above what their column holds (no chain has them) are
// written as the column's largest.
#pragma once

#include "base/u128.hpp"
#include "chain/json/model.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace receiptd::chain {

// The bytes before the first row and after the last row of a COPY.
std::string_view copy_header();
std::string_view copy_trailer();

// A timestamptz: microseconds since 2000-01-01 UTC, cut.
class RowTime {
public:
    explicit RowTime(std::uint64_t nanosec_since_1970);
    std::int64_t microseconds() const { return microseconds_; }
    std::uint64_t nanosec_since_1970() const;

private:
    std::int64_t microseconds_;
};

// A field's name is its column's type: PostgreSQL converts nothing.
class CopyWriter {
public:
    // Begins a row behind what `out` holds.
    explicit CopyWriter(std::string& out);

    void null();
    void text(std::string_view value);  // also json
    void text_or_null(std::string_view value) { value.empty() ? null() : text(value); }
    void bytes(std::string_view value);  // bytea
    void boolean(bool value);
    void smallint(std::int16_t value);
    void integer(std::uint64_t value);  // int
    void integer_or_null(std::optional<std::uint64_t> value) { value ? integer(*value) : null(); }
    void bigint(std::uint64_t value);
    void bigint_or_null(std::optional<std::uint64_t> value) { value ? bigint(*value) : null(); }
    void numeric(base::u128 value);  // exact
    void numeric_or_null(std::optional<base::u128> value) { value ? numeric(*value) : null(); }
    void time(RowTime value);  // timestamptz

    // A text put together: begin_pieces(), any number of piece(), end_pieces().
    void begin_pieces();
    void piece(std::string_view part);
    void end_pieces();

    // text[]; NULL for an empty one.
    void texts(std::span<const Text> values);
    void data_ids(std::span<const DataReceiver> values);

    void end_row();

private:
    void begin_array(std::size_t elements);
    void element(std::string_view value);

    std::string& out_;
    std::size_t row_;        // where the row begins
    std::size_t piece_ = 0;  // where a text in pieces begins
    std::uint16_t fields_ = 0;
};

// Walks over rows as CopyWriter wrote them, without header and trailer.
class CopyReader {
public:
    explicit CopyReader(std::string_view rows) : rest_(rows) {}

    // True: at a row of fields() fields. False: at the end, or the rest is no row (then rest() is not empty).
    bool next_row();
    std::size_t fields() const { return fields_; }
    // The bytes of the row's next field; nullopt: NULL, or what follows is no field.
    std::optional<std::string_view> field();
    std::string_view rest() const { return rest_; }

private:
    std::string_view rest_;
    std::size_t fields_ = 0;
};

// A big-endian number of sizeof(T) bytes at the start of `bytes`, which holds at least so many.
template <class T>
T big_endian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return static_cast<T>(value);
}

}  // namespace receiptd::chain
