#include "base/json_numbers.hpp"

#include <algorithm>
#include <cctype>

namespace receiptd::base {
namespace {

constexpr std::string_view kNoJson = "!";

bool is_decimal(char c) { return c >= '0' && c <= '9'; }

class NumberReader {
public:
    explicit NumberReader(std::string_view text) : text_(text) { out_.json.reserve(text.size()); }

    JsonWithoutNumbers read() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '"')
                copy_text();
            else if (c == '-' || is_decimal(c))
                take_number();
            else
                copy(1);
        }
        return std::move(out_);
    }

private:
    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    void copy(std::size_t bytes) {
        out_.json += text_.substr(at_, bytes);
        at_ += bytes;
    }

    bool digits() {
        const auto from = at_;
        while (is_decimal(peek())) ++at_;
        return at_ > from;
    }

    // RFC 8259, section 6.
    bool number() {
        if (peek() == '-') ++at_;
        if (peek() == '0')
            ++at_;
        else if (!digits())
            return false;
        if (peek() == '.' && (++at_, !digits())) return false;
        if (peek() == 'e' || peek() == 'E') {
            ++at_;
            if (peek() == '+' || peek() == '-') ++at_;
            if (!digits()) return false;
        }
        return std::string_view("+-.eE").find(peek()) == std::string_view::npos && !is_decimal(peek());
    }

    void take_number() {
        const auto from = at_;
        if (!number()) {
            out_.json += kNoJson;
            return;
        }
        out_.json += std::to_string(out_.numbers.size());
        out_.numbers.push_back(text_.substr(from, at_ - from));
    }

    // The unit that the escape at `at` stands for; 0: there is none.
    unsigned escaped_unit(std::size_t at) const {
        if (at + 6 > text_.size() || text_[at] != '\\' || text_[at + 1] != 'u') return 0;
        unsigned unit = 0;
        for (const char c : text_.substr(at + 2, 4)) {
            if (!std::isxdigit(static_cast<unsigned char>(c))) return 0;
            const unsigned value =
                is_decimal(c) ? static_cast<unsigned>(c - '0') : static_cast<unsigned>((c | 0x20) - 'a') + 10;
            unit = unit * 16 + value;
        }
        return unit;
    }

    void copy_escape() {
        const auto unit = escaped_unit(at_);
        const auto next = escaped_unit(at_ + 6);
        if (unit >= 0xd800 && unit < 0xdc00 && next >= 0xdc00 && next < 0xe000) return copy(12);
        if (unit < 0xd800 || unit >= 0xe000) return copy(2);
        out_.json += "\\ufffd";
        at_ += 6;
    }

    void copy_text() {
        copy(1);
        while (at_ < text_.size() && text_[at_] != '"') text_[at_] == '\\' ? copy_escape() : copy(1);
        if (at_ < text_.size()) copy(1);
    }

    std::string_view text_;
    std::size_t at_ = 0;
    JsonWithoutNumbers out_;
};

}  // namespace

JsonWithoutNumbers without_numbers(std::string_view text) { return NumberReader(text).read(); }

}  // namespace receiptd::base
