#include "chain/wire/base64.hpp"

#include <array>
#include <cstring>

namespace receiptd::chain {

namespace {

constexpr std::string_view kBase64Alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
// A value above every 24-bit group: any foreign character makes the group's sum at least this.
constexpr std::uint32_t kForeignBits = 1u << 24;

using CharacterTable = std::array<std::uint32_t, 256>;

// Each character's bits, already shifted to their place in the group of four.
constexpr CharacterTable make_table(unsigned shift) {
    CharacterTable table{};
    for (auto& value : table) value = kForeignBits;
    for (std::uint32_t i = 0; i < kBase64Alphabet.size(); ++i)
        table[static_cast<unsigned char>(kBase64Alphabet[i])] = i << shift;
    return table;
}
constexpr CharacterTable kFirst = make_table(18);
constexpr CharacterTable kSecond = make_table(12);
constexpr CharacterTable kThird = make_table(6);
constexpr CharacterTable kFourth = make_table(0);

// Twelve bits -> two characters.
constexpr std::array<std::array<char, 2>, 4096> make_pairs() {
    std::array<std::array<char, 2>, 4096> pairs{};
    for (std::size_t i = 0; i < pairs.size(); ++i)
        pairs[i] = {kBase64Alphabet[i >> 6], kBase64Alphabet[i & 63]};
    return pairs;
}
constexpr auto kPairs = make_pairs();

std::uint32_t group_at(const unsigned char* in) {
    return kFirst[in[0]] | kSecond[in[1]] | kThird[in[2]] | kFourth[in[3]];
}

std::optional<std::size_t> decoded_size(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    std::size_t size = text.size() / 4 * 3;
    if (text.ends_with('=')) --size;
    if (text.ends_with("==")) --size;
    return size;
}

// The last group, of `bytes` = 1 or 2 bytes: its unused bits must be zero.
bool decode_tail(const unsigned char* in, std::size_t bytes, std::uint8_t* out) {
    const std::uint32_t third = bytes == 2 ? kThird[in[2]] : 0;
    const std::uint32_t group = kFirst[in[0]] | kSecond[in[1]] | third;
    if (group >= kForeignBits) return false;
    if ((group & (bytes == 2 ? 0xffu : 0xffffu)) != 0) return false;
    out[0] = static_cast<std::uint8_t>(group >> 16);
    if (bytes == 2) out[1] = static_cast<std::uint8_t>(group >> 8);
    return true;
}

// `size` is decoded_size(text).
bool decode(std::string_view text, std::size_t size, std::uint8_t* out) {
    const auto* in = reinterpret_cast<const unsigned char*>(text.data());
    std::uint32_t foreign = 0;
    for (std::size_t full = size / 3; full > 0; --full, in += 4, out += 3) {
        const std::uint32_t group = group_at(in);
        foreign |= group;
        out[0] = static_cast<std::uint8_t>(group >> 16);
        out[1] = static_cast<std::uint8_t>(group >> 8);
        out[2] = static_cast<std::uint8_t>(group);
    }
    if (foreign >= kForeignBits) return false;
    return size % 3 == 0 || decode_tail(in, size % 3, out);
}

}  // namespace

std::string base64_encode(ByteView bytes) {
    std::string text((bytes.size() + 2) / 3 * 4, '=');
    char* out = text.data();
    std::size_t i = 0;
    for (; i + 3 <= bytes.size(); i += 3, out += 4) {
        const std::uint32_t group =
            std::uint32_t{bytes[i]} << 16 | std::uint32_t{bytes[i + 1]} << 8 | bytes[i + 2];
        std::memcpy(out, kPairs[group >> 12].data(), 2);
        std::memcpy(out + 2, kPairs[group & 4095].data(), 2);
    }
    const std::size_t rest = bytes.size() - i;
    if (rest == 0) return text;
    const std::uint32_t second = rest == 2 ? bytes[i + 1] : 0u;
    const std::uint32_t group = std::uint32_t{bytes[i]} << 16 | second << 8;
    std::memcpy(out, kPairs[group >> 12].data(), 2);
    if (rest == 2) out[2] = kBase64Alphabet[group >> 6 & 63];
    return text;
}

std::optional<Bytes> base64_decode(std::string_view text) {
    const auto size = decoded_size(text);
    if (!size) return std::nullopt;
    Bytes bytes(*size);
    if (!decode(text, *size, bytes.data())) return std::nullopt;
    return bytes;
}

bool base64_decode_into(std::string_view text, std::string& out) {
    const auto size = decoded_size(text);
    if (size) {
        out.resize(*size);
        if (decode(text, *size, reinterpret_cast<std::uint8_t*>(out.data()))) return true;
    }
    out.clear();
    return false;
}

}  // namespace receiptd::chain
