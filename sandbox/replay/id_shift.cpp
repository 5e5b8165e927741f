#include "sandbox/replay/id_shift.hpp"

#include "chain/base58.hpp"

namespace receiptd::sandbox {

namespace {

constexpr std::string_view kAlphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
constexpr std::uint8_t kNoDigit = 0xff;
constexpr unsigned kBase = 58;

constexpr std::array<std::uint8_t, 256> make_digits() {
    std::array<std::uint8_t, 256> digits{};
    for (auto& digit : digits) digit = kNoDigit;
    for (std::size_t i = 0; i < kAlphabet.size(); ++i)
        digits[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
    return digits;
}
constexpr auto kDigits = make_digits();

std::uint8_t digit_of(char c) { return kDigits[static_cast<unsigned char>(c)]; }

std::int64_t group_value(std::string_view id) {
    std::int64_t value = 0;
    for (std::size_t i = 0; i < kShiftDigits; ++i) value = value * kBase + digit_of(id[kShiftOffset + i]);
    return value;
}

}  // namespace

IdShift::IdShift(std::int64_t k) {
    std::int64_t rest = ((k % kShiftModulus) + kShiftModulus) % kShiftModulus;
    for (std::size_t i = kShiftDigits; i-- > 0; rest /= kBase)
        digits_[i] = static_cast<std::uint8_t>(rest % kBase);
}

void IdShift::apply(char* group) const {
    unsigned carry = 0;
    for (std::size_t i = kShiftDigits; i-- > 0;) {
        unsigned sum = digit_of(group[i]) + digits_[i] + carry;
        carry = sum >= kBase ? 1 : 0;
        if (carry) sum -= kBase;
        group[i] = kAlphabet[sum];
    }
}

bool is_shiftable(std::string_view id) { return (id.size() == 43 || id.size() == 44) && is_hash_text(id); }

std::string shifted(std::string_view id, std::int64_t k) {
    std::string result(id);
    IdShift(k).apply(result.data() + kShiftOffset);
    return result;
}

std::string sibling_key(std::string_view id) {
    std::string key(id);
    if (key.size() > kShiftOffset + kShiftDigits) key.erase(kShiftOffset, kShiftDigits);
    return key;
}

std::int64_t shift_between(std::string_view recorded, std::string_view sibling) {
    if (recorded == sibling) return 0;
    return (group_value(sibling) - group_value(recorded) + kShiftModulus) % kShiftModulus;
}

bool is_hash_text(std::string_view text) {
    std::array<std::uint8_t, 32> hash{};
    return text.size() <= 44 && chain::base58_decode_exact(text, hash);
}

}  // namespace receiptd::sandbox
