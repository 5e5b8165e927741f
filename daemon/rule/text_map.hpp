// Hash tables by text that are asked with views.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace receiptd::rule {

struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

template <class Value>
using TextMap = boost::unordered_flat_map<std::string, Value, TextHash, std::equal_to<>>;

}  // namespace receiptd::rule
