// New ids from recorded ones: the k-th sibling of a base58 hash has the same length and the same
// characters but for a group of seven, to which k times a large constant is added (base 58, modulo 58^7).
//
// For a given id that is a bijection in k, so repeating a recording gives ids that never collide
// with each other, and a sibling can be traced back to its recorded id. The group begins with the third
// character and the constant is large, so that siblings lie far from each other, as hashes do: indexes
// are filled at random places. The two characters before it stay, hence the value mostly stays a 32-byte
// one; where it would not, the group is one in the middle.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace receiptd::sandbox {

inline constexpr std::size_t kShiftDigits = 7;
inline constexpr std::int64_t kShiftModulus = 2'207'984'167'552;  // 58^7

// k, ready to be added many times.
class IdShift {
public:
    explicit IdShift(std::int64_t k);
    // Writes for the seven characters at `recorded` those of the k-th sibling to `group`.
    void apply(const char* recorded, char* group) const;

private:
    std::array<std::uint8_t, kShiftDigits> digits_{};  // most significant first
};

// True for what can be shifted: base58 text of a 32-byte hash without leading zero bytes.
bool is_shiftable(std::string_view id);
// Offset of the group inside an id that can be shifted; the same for all siblings.
std::size_t shift_offset(std::string_view id);
std::string shifted(std::string_view id, std::int64_t k);

// The id without its middle group: the same for all siblings.
std::string sibling_key(std::string_view id);
// The k in [0, 58^7) with shifted(recorded, k) == sibling; both have the same sibling_key.
std::int64_t shift_between(std::string_view recorded, std::string_view sibling);

// True if `text` is base58 of exactly 32 bytes.
bool is_hash_text(std::string_view text);

}  // namespace receiptd::sandbox
