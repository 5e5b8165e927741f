// One record with its values by height.
#pragma once

#include "base/height_set.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace receiptd::sandbox::sim {

// Shared, so that a version is two words and a pointer and nothing is copied on its way from an
// update into the state. nullptr: the record is not there.
template <class T>
using Value = std::shared_ptr<const T>;

template <class T>
class Versions {
public:
    // As it stood after the block at `at`.
    Value<T> at(base::Height at) const {
        if (versions_.empty()) return nullptr;
        if (versions_.back().first <= at) return versions_.back().second;
        const auto after =
            std::upper_bound(versions_.begin(), versions_.end(), at,
                             [](base::Height height, const auto& v) { return height < v.first; });
        return after == versions_.begin() ? nullptr : std::prev(after)->second;
    }
    const Value<T>& newest() const {
        static const Value<T> kNone;
        return versions_.empty() ? kNone : versions_.back().second;
    }
    // Heights never go down; a second value of one height replaces the first.
    void set(base::Height height, Value<T> value) {
        if (!versions_.empty() && versions_.back().first > height)
            throw std::logic_error("a change of the state below its newest height");
        if (!versions_.empty() && versions_.back().first == height)
            versions_.back().second = std::move(value);
        else
            versions_.emplace_back(height, std::move(value));
    }

    void forget_above(base::Height height) {
        while (!versions_.empty() && versions_.back().first > height) versions_.pop_back();
    }
    // Only what at(height) and later ones show stays. False: nothing was there from `height` on, nor changed.
    bool forget_below(base::Height height) {
        const auto after =
            std::upper_bound(versions_.begin(), versions_.end(), height,
                             [](base::Height wanted, const auto& v) { return wanted < v.first; });
        if (after != versions_.begin()) versions_.erase(versions_.begin(), std::prev(after));
        if (versions_.size() == 1 && versions_.front().first < height && !versions_.front().second)
            versions_.clear();
        return !versions_.empty();
    }

private:
    std::vector<std::pair<base::Height, Value<T>>> versions_;
};

}  // namespace receiptd::sandbox::sim
