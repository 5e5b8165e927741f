// Users of a repeated recording are others in each round, as a chain's users come and go while its contracts
// and relayers stay: an account that one recorded block names, and seldom, gets names of the same length and
// form.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace receiptd::sandbox {

using Accounts = std::unordered_set<std::string_view>;  // views into the recorded texts

// Finds them in the blocks of a round.
Accounts passers_by(const std::vector<std::string_view>& recorded);

// The characters of a name that change from round to round.
struct NameGroup {
    static constexpr std::size_t kMost = 7;
    std::size_t offset = 0;
    std::uint8_t size = 0;  // 0: the name stays
    std::uint8_t base = 0;  // 16 or 36: digits, then letters
};
NameGroup name_group(std::string_view account_id);

// The k-th names: those of other rounds, and of other accounts, differ as long as their groups have room.
class NameShift {
public:
    explicit NameShift(std::int64_t k);
    // Writes to `name` what becomes of the group at `recorded`.
    void apply(const NameGroup& group, const char* recorded, char* name) const;

private:
    using Digits = std::array<std::uint8_t, NameGroup::kMost>;  // the most significant first
    Digits of_base_16_, of_base_36_;
};

}  // namespace receiptd::sandbox
