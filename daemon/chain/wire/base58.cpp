#include "chain/wire/base58.hpp"

#include <algorithm>
#include <array>

namespace receiptd::chain {

namespace {

// Numbers are handled five digits (58^5 < 2^30) or 32 bits at a time, so that one step of long
// division or multiplication fits 64 bits.
constexpr std::string_view kBase58Alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
constexpr std::size_t kGroupDigits = 5;
constexpr std::uint32_t kGroupBase = 58u * 58 * 58 * 58 * 58;
constexpr std::uint8_t kForeign = 255;

constexpr std::array<std::uint8_t, 256> make_digit_values() {
    std::array<std::uint8_t, 256> values{};
    for (auto& value : values) value = kForeign;
    for (std::size_t i = 0; i < kBase58Alphabet.size(); ++i)
        values[static_cast<unsigned char>(kBase58Alphabet[i])] = static_cast<std::uint8_t>(i);
    return values;
}
constexpr auto kDigitValues = make_digit_values();

// Scratch words: on the stack for everything up to a signature, on the heap for ML-DSA.
class Words {
public:
    explicit Words(std::size_t count) : count_(count) {
        if (count > inline_.size()) heap_.resize(count);
    }
    std::uint32_t& operator[](std::size_t i) { return heap_.empty() ? inline_[i] : heap_[i]; }
    std::uint32_t* data() { return heap_.empty() ? inline_.data() : heap_.data(); }
    std::size_t size() const { return count_; }

private:
    std::size_t count_;
    std::array<std::uint32_t, 32> inline_{};
    std::vector<std::uint32_t> heap_;
};

// Divides the big-endian number by 58^5 in place and returns the remainder.
std::uint32_t divide_by_group(std::span<std::uint32_t> number) {
    std::uint64_t remainder = 0;
    for (std::uint32_t& word : number) {
        const std::uint64_t value = (remainder << 32) | word;
        word = static_cast<std::uint32_t>(value / kGroupBase);
        remainder = value % kGroupBase;
    }
    return static_cast<std::uint32_t>(remainder);
}

void load_big_endian(ByteView bytes, Words& words) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const std::size_t from_end = bytes.size() - 1 - i;
        words[words.size() - 1 - from_end / 4] |= std::uint32_t{bytes[i]} << (8 * (from_end % 4));
    }
}

// Appends the digits of one group; `full` keeps its leading zeros.
void append_group(std::string& text, std::uint32_t group, bool full) {
    std::array<char, kGroupDigits> digits;
    std::size_t used = 0;
    while (used < kGroupDigits && (full || group != 0)) {
        digits[used++] = kBase58Alphabet[group % 58];
        group /= 58;
    }
    while (used > 0) text.push_back(digits[--used]);
}

// Reads the digits into `words` (least significant first); returns how many words are in use, or
// nullopt at a foreign character. `words` must be zero and large enough.
std::optional<std::size_t> load_digits(std::string_view digits, Words& words) {
    std::size_t used = 0;
    std::size_t position = 0;
    std::size_t group_size = digits.size() % kGroupDigits;
    if (group_size == 0) group_size = kGroupDigits;
    while (position < digits.size()) {
        std::uint64_t carry = 0;
        std::uint64_t factor = 1;
        for (std::size_t i = 0; i < group_size; ++i) {
            const std::uint8_t digit = kDigitValues[static_cast<unsigned char>(digits[position + i])];
            if (digit == kForeign) return std::nullopt;
            carry = carry * 58 + digit;
            factor *= 58;
        }
        for (std::size_t i = 0; i < used; ++i) {
            const std::uint64_t value = words[i] * factor + carry;
            words[i] = static_cast<std::uint32_t>(value);
            carry = value >> 32;
        }
        if (carry != 0) words[used++] = static_cast<std::uint32_t>(carry);
        position += group_size;
        group_size = kGroupDigits;
    }
    return used;
}

std::size_t count_leading(std::string_view text, char c) {
    return std::min(text.find_first_not_of(c), text.size());
}

// Words that hold `digits` base58 digits: log2(58) < 5.86 bits each.
std::size_t words_for(std::size_t digits) { return digits * 586 / 3200 + 2; }

std::size_t significant_bytes(Words& words, std::size_t used) {
    if (used == 0) return 0;
    std::size_t bytes = used * 4;
    for (std::uint32_t top = words[used - 1]; (top >> 24) == 0; top <<= 8) --bytes;
    return bytes;
}

void store_big_endian(Words& words, std::span<std::uint8_t> out) {
    for (std::size_t i = 0; i < out.size(); ++i)
        out[out.size() - 1 - i] = static_cast<std::uint8_t>(words[i / 4] >> (8 * (i % 4)));
}

}  // namespace

std::string base58_encode(ByteView bytes) {
    const auto first = std::find_if(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte != 0; });
    const auto zeros = static_cast<std::size_t>(first - bytes.begin());
    Words words((bytes.size() - zeros + 3) / 4);
    load_big_endian(bytes.subspan(zeros), words);

    Words groups(words.size() + words.size() / 8 + 2);
    std::size_t group_count = 0;
    std::span<std::uint32_t> number(words.data(), words.size());
    while (!number.empty()) {
        groups[group_count++] = divide_by_group(number);
        while (!number.empty() && number.front() == 0) number = number.subspan(1);
    }

    std::string text;
    text.reserve(zeros + group_count * kGroupDigits);
    text.append(zeros, kBase58Alphabet.front());
    for (std::size_t i = group_count; i > 0; --i) append_group(text, groups[i - 1], i != group_count);
    return text;
}

std::optional<Bytes> base58_decode(std::string_view text) {
    if (text.size() > kMaxBase58Text) return std::nullopt;
    const std::size_t zeros = count_leading(text, kBase58Alphabet.front());
    Words words(words_for(text.size() - zeros));
    const auto used = load_digits(text.substr(zeros), words);
    if (!used) return std::nullopt;
    Bytes bytes(zeros + significant_bytes(words, *used));
    store_big_endian(words, std::span(bytes).subspan(zeros));
    return bytes;
}

bool base58_decode_exact(std::string_view text, std::span<std::uint8_t> out) {
    if (text.size() > kMaxBase58Text || text.size() > out.size() * 2) return false;
    const std::size_t zeros = count_leading(text, kBase58Alphabet.front());
    Words words(words_for(text.size() - zeros));
    const auto used = load_digits(text.substr(zeros), words);
    if (!used || zeros + significant_bytes(words, *used) != out.size()) return false;
    std::fill_n(out.begin(), zeros, std::uint8_t{0});
    store_big_endian(words, out.subspan(zeros));
    return true;
}

}  // namespace receiptd::chain
