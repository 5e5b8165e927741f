// Raw bytes and their views, the currency of the encodings in this module.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace receiptd::chain {

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

inline ByteView bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

inline std::string_view text_of(ByteView bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace receiptd::chain
