#include "base/height_set.hpp"

#include <algorithm>
#include <charconv>

namespace receiptd::base {

void HeightSet::add(HeightRange range) {
    auto next = ranges_.upper_bound(range.from);
    if (next != ranges_.begin()) {
        auto before = std::prev(next);
        if (before->second + 1 >= range.from) {
            range.from = before->first;
            range.to = std::max(range.to, before->second);
            next = ranges_.erase(before);
        }
    }
    while (next != ranges_.end() && next->first <= range.to + 1) {
        range.to = std::max(range.to, next->second);
        next = ranges_.erase(next);
    }
    ranges_.emplace_hint(next, range.from, range.to);
}

void HeightSet::add(const HeightSet& other) {
    for (const auto& [from, to] : other.ranges_) add({from, to});
}

void HeightSet::subtract(HeightRange range) {
    auto at = ranges_.upper_bound(range.from);
    if (at != ranges_.begin() && std::prev(at)->second >= range.from) --at;
    while (at != ranges_.end() && at->first <= range.to) {
        const auto [from, to] = *at;
        at = ranges_.erase(at);
        if (from < range.from) ranges_.emplace(from, range.from - 1);
        if (to > range.to) at = ranges_.emplace(range.to + 1, to).first;
    }
}

void HeightSet::subtract(const HeightSet& other) {
    for (const auto& [from, to] : other.ranges_) subtract({from, to});
}

bool HeightSet::contains(Height height) const { return first_missing(height) != height; }

Height HeightSet::size() const {
    Height total = 0;
    for (const auto& [from, to] : ranges_) total += to - from + 1;
    return total;
}

std::optional<Height> HeightSet::first() const {
    if (ranges_.empty()) return std::nullopt;
    return ranges_.begin()->first;
}

std::optional<Height> HeightSet::last() const {
    if (ranges_.empty()) return std::nullopt;
    return ranges_.rbegin()->second;
}

Height HeightSet::first_missing(Height from) const {
    const auto after = ranges_.upper_bound(from);
    if (after == ranges_.begin()) return from;
    const auto& [first, last] = *std::prev(after);
    (void)first;
    return last >= from ? last + 1 : from;
}

std::vector<HeightRange> HeightSet::ranges() const {
    std::vector<HeightRange> all;
    all.reserve(ranges_.size());
    for (const auto& [from, to] : ranges_) all.push_back({from, to});
    return all;
}

HeightSet HeightSet::within(HeightRange range) const {
    HeightSet inside;
    for (const auto& [from, to] : ranges_) {
        const Height low = std::max(from, range.from);
        const Height high = std::min(to, range.to);
        if (low <= high) inside.add({low, high});
    }
    return inside;
}

HeightSet HeightSet::within(const HeightSet& other) const {
    HeightSet inside;
    for (const auto& range : other.ranges()) inside.add(within(range));
    return inside;
}

std::string HeightSet::to_multirange() const {
    std::string text = "{";
    for (const auto& [from, to] : ranges_) {
        if (text.size() > 1) text += ',';
        text += '[' + std::to_string(from) + ',' + std::to_string(to + 1) + ')';
    }
    return text + '}';
}

std::optional<HeightSet> HeightSet::parse_multirange(std::string_view text) {
    if (text.size() < 2 || text.front() != '{' || text.back() != '}') return std::nullopt;
    text = text.substr(1, text.size() - 2);
    HeightSet set;
    while (!text.empty()) {
        Height from = 0;
        Height end = 0;
        if (text.front() != '[') return std::nullopt;
        const char* stop = text.data() + text.size();
        auto [comma, from_error] = std::from_chars(text.data() + 1, stop, from);
        if (from_error != std::errc{} || comma == stop || *comma != ',') return std::nullopt;
        auto [close, end_error] = std::from_chars(comma + 1, stop, end);
        if (end_error != std::errc{} || close == stop || *close != ')' || end <= from) return std::nullopt;
        set.add({from, end - 1});
        text.remove_prefix(static_cast<std::size_t>(close + 1 - text.data()));
        if (!text.empty()) {
            if (text.front() != ',') return std::nullopt;
            text.remove_prefix(1);
        }
    }
    return set;
}

}  // namespace receiptd::base
