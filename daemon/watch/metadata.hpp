// Metadata: a small JSON object that somebody gives along with a transaction, to be told with it. Pure.
#pragma once

#include "base/result.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace receiptd::watch {

inline constexpr std::size_t kLongestMetadata = 4'096;  // bytes, as it is stored
inline constexpr std::size_t kDeepestMetadata = 32;     // objects and lists within one another

struct MetadataFault {
    std::string text;  // the end of a sentence: "must ..."
};
// As it is stored: without spaces, members in order of their names.
base::Result<std::string, MetadataFault> metadata_text(const nlohmann::json& value);
base::Result<std::string, MetadataFault> read_metadata(std::string_view json);

// A transaction has one metadata: what is given must be what is stored, if both are there (empty: none).
bool may_have_metadata(const std::string& stored, const std::string& given);

}  // namespace receiptd::watch
