#include "sandbox/replay/id_shift.hpp"

#include "base/u128.hpp"
#include "chain/wire/base58.hpp"
#include "sandbox/replay/digits.hpp"

namespace receiptd::sandbox {

namespace {

constexpr Alphabet kBase58("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz");
constexpr unsigned kBase = 58;

// Coprime to the modulus, and in golden ratio to it: any number of multiples are spread evenly.
constexpr std::int64_t kStride = 1'364'609'262'169;
constexpr std::int64_t kUnstride = 1'326'112'232'681;  // kStride * kUnstride is 1, modulo 58^7

constexpr std::size_t kSpreadOffset = 2;
constexpr std::size_t kMiddleOffset = 18;

std::int64_t times(std::int64_t a, std::int64_t b) {
    const auto product = static_cast<base::u128>(a) * static_cast<base::u128>(b);
    return static_cast<std::int64_t>(product % static_cast<base::u128>(kShiftModulus));
}

std::int64_t group_value(std::string_view id) {
    const auto offset = shift_offset(id);
    std::int64_t value = 0;
    for (std::size_t i = 0; i < kShiftDigits; ++i) value = value * kBase + kBase58.value_of(id[offset + i]);
    return value;
}

bool is_hash_with_group_of(char filler, std::string_view id) {
    std::string filled(id);
    filled.replace(kSpreadOffset, kShiftDigits, kShiftDigits, filler);
    return is_hash_text(filled);
}

}  // namespace

IdShift::IdShift(std::int64_t k) {
    const auto added = times(((k % kShiftModulus) + kShiftModulus) % kShiftModulus, kStride);
    digits_ = digits_of<kShiftDigits>(static_cast<std::uint64_t>(added), kBase);
}

void IdShift::apply(const char* recorded, char* group) const {
    add_digits(kBase58, kBase, digits_.data(), kShiftDigits, recorded, group);
}

bool is_shiftable(std::string_view id) { return (id.size() == 43 || id.size() == 44) && is_hash_text(id); }

// Hashes next to the largest and the smallest of their length leave no room in front.
std::size_t shift_offset(std::string_view id) {
    const bool room = is_hash_with_group_of('1', id) && is_hash_with_group_of('z', id);
    return room ? kSpreadOffset : kMiddleOffset;
}

std::string shifted(std::string_view id, std::int64_t k) {
    std::string result(id);
    const auto offset = shift_offset(id);
    IdShift(k).apply(id.data() + offset, result.data() + offset);
    return result;
}

std::string sibling_key(std::string_view id) {
    std::string key(id);
    if (is_shiftable(id)) key.erase(shift_offset(id), kShiftDigits);
    return key;
}

std::int64_t shift_between(std::string_view recorded, std::string_view sibling) {
    if (recorded == sibling) return 0;
    return times((group_value(sibling) - group_value(recorded) + kShiftModulus) % kShiftModulus, kUnstride);
}

bool is_hash_text(std::string_view text) {
    std::array<std::uint8_t, 32> hash{};
    return text.size() <= 44 && chain::base58_decode_exact(text, hash);
}

}  // namespace receiptd::sandbox
