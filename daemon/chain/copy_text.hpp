// PostgreSQL's COPY text format, written field by field.
//
// Every text is escaped, ids too: what an upstream sends can break out of no field. Texts are valid
// UTF-8 already (the decoders refuse the rest); NUL, which PostgreSQL cannot store, becomes U+2400.
// Numbers above what their column holds (no chain has them) are written as the column's largest.
#pragma once

#include "base/u128.hpp"
#include "chain/model.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::chain {

// "YYYY-MM-DD HH:MM:SS.ffffff+00", truncated to microseconds.
class TimestampText {
public:
    explicit TimestampText(std::uint64_t nanosec_since_1970);
    std::string_view view() const { return {text_.data(), text_.size()}; }

private:
    std::array<char, 29> text_;
};

class CopyWriter {
public:
    explicit CopyWriter(std::string& out) : out_(out) {}

    void null() { out_.append("\\N\t", 3); }
    void text(std::string_view value);
    void text_or_null(std::string_view value) { value.empty() ? null() : text(value); }
    void boolean(bool value) { out_.append(value ? "t\t" : "f\t", 2); }
    void integer(std::uint64_t value);  // int
    void bigint(std::uint64_t value);   // bigint
    void bigint_or_null(std::optional<std::uint64_t> value) { value ? bigint(*value) : null(); }
    void numeric(base::u128 value);  // exact
    void time(const TimestampText& value) { plain(value.view()); }

    // A text put together from pieces: any number of piece(), then end_pieces().
    void piece(std::string_view part);
    void end_pieces() { out_.push_back('\t'); }

    // text[]; every element is quoted.
    void begin_array() { out_.push_back('{'); }
    void element(std::string_view value);
    void end_array();
    // NULL for an empty one.
    void texts(const std::vector<Text>& values);
    void data_ids(const std::vector<DataReceiver>& values);

    void end_row() { out_.back() = '\n'; }  // in place of the last field's tab

private:
    void plain(std::string_view value) {
        out_.append(value);
        out_.push_back('\t');
    }

    std::string& out_;
};

}  // namespace receiptd::chain
