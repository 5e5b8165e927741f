// Accounts that are others in each round of a repeated recording. A chain's users come and go, while its
// contracts and relayers stay: an account that one recorded block names, and seldom, has another name of the
// same length and form in each round.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace receiptd::sandbox {

// Views into the recorded texts.
using Accounts = std::unordered_set<std::string_view>;

// Finds them in the blocks of a round.
Accounts passers_by(const std::vector<std::string_view>& recorded);

inline constexpr std::size_t kMostOfName = 7;

// The characters of a name that change from round to round.
struct NameGroup {
    std::size_t offset = 0;
    std::uint8_t size = 0;  // at most kMostOfName; 0: the name stays
    std::uint8_t base = 0;  // 16 or 36: digits, then letters
};
NameGroup name_group(std::string_view account_id);

// The changes of round k. Other rounds, and other accounts of one round, get other names, as long as their
// groups have room.
class NameShift {
public:
    explicit NameShift(std::int64_t k) : k_(k) {}
    // Writes to `name` what becomes of the group at `recorded`.
    void apply(const NameGroup& group, const char* recorded, char* name);

private:
    using Digits = std::string;  // values, the most significant first
    const Digits& digits(const NameGroup& group);

    std::int64_t k_;
    std::map<std::pair<std::uint8_t, std::uint8_t>, Digits> digits_;  // by base and size
};

}  // namespace receiptd::sandbox
