// Maps and sets of ids, flat: one block of memory each.
#pragma once

#include "chain/json/id_text.hpp"

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <string_view>

namespace receiptd::chain {

// The keys are views into a document.
template <class T>
using IdMap = boost::unordered_flat_map<std::string_view, T, IdHash, IdEqual>;
using IdSet = boost::unordered_flat_set<std::string_view, IdHash, IdEqual>;

}  // namespace receiptd::chain
