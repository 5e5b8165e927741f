// A set of block heights as disjoint inclusive ranges: covered, wanted or missing heights. Text form:
// PostgreSQL's int8multirange, "{[1,4),[9,10)}".
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::base {

using Height = std::uint64_t;

struct HeightRange {
    Height from = 0;
    Height to = 0;  // inclusive; from <= to
    Height size() const { return to - from + 1; }
    bool contains(Height height) const { return from <= height && height <= to; }
    friend bool operator==(const HeightRange&, const HeightRange&) = default;
};

inline Height below(Height height, Height distance) { return height > distance ? height - distance : 0; }

inline constexpr Height kTopHeight = std::numeric_limits<std::int64_t>::max() - 1;  // bigint's, for SQL
inline constexpr HeightRange kAllHeights{0, kTopHeight};

class HeightSet {
public:
    HeightSet() = default;
    explicit HeightSet(HeightRange range) { add(range); }

    void add(HeightRange range);
    void add(Height height) { add({height, height}); }
    void add(const HeightSet& other);
    void subtract(HeightRange range);
    void subtract(const HeightSet& other);

    bool contains(Height height) const;
    bool empty() const { return ranges_.empty(); }
    Height size() const;  // number of heights
    std::optional<Height> first() const;
    std::optional<Height> last() const;
    // The lowest height >= from that is not in the set.
    Height first_missing(Height from) const;
    std::vector<HeightRange> ranges() const;
    // The part of this set inside `range`, or inside another set.
    HeightSet within(HeightRange range) const;
    HeightSet within(const HeightSet& other) const;

    std::string to_multirange() const;
    static std::optional<HeightSet> parse_multirange(std::string_view text);

    friend bool operator==(const HeightSet&, const HeightSet&) = default;

private:
    std::map<Height, Height> ranges_;  // from -> to (inclusive), disjoint and not adjacent
};

}  // namespace receiptd::base
