// Which receipts ran lately. The chain executes none twice, but a service may tell an outcome in a later
// block, too. Ids are kept as 96 bits of their text. If there are more than `most`, the lowest eighth is
// forgotten: one of them that is told again is an orphan, and is dealt with where it is stored
// (storage/told_again.hpp).
#pragma once

#include "base/height_set.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace receiptd::chain {

class ExecutedIds {
public:
    // Mainnet has a third of that within kSeamReach heights.
    static constexpr std::size_t kMost = 1'000'000;
    explicit ExecutedIds(std::size_t most = kMost) : most_(most) {}

    // False: it ran at most kSeamReach heights below. Else it is taken down as executed here.
    bool executes(std::string_view id, base::Height at);
    std::size_t size() const { return heights_.size(); }

private:
    using Key = std::array<std::uint32_t, 3>;
    struct Hash {
        using is_avalanching = void;
        std::size_t operator()(const Key& key) const { return std::uint64_t{key[0]} << 32 | key[1]; }
    };
    using Height = std::uint32_t;  // its lower half: there are many of these
    static Key key_of(std::string_view id);
    void forget(base::Height now);
    // Forgets what ran so many heights below, or more.
    void forget_from(base::Height distance, base::Height now);

    std::size_t most_;
    boost::unordered_flat_map<Key, Height, Hash> heights_;
    base::Height forgotten_at_ = 0;
};

}  // namespace receiptd::chain
