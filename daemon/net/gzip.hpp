// Reads gzip (RFC 1952), whole texts.
#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace receiptd::net {

enum class GunzipFault { too_large, malformed };

// Takes at most eight members. Never makes more than `limit` bytes, and no buffer larger than that or than
// what the compressed text can hold. The result has 64 bytes of spare capacity (chain/document.hpp).
base::Result<std::string, GunzipFault> gunzip(std::string_view compressed, std::uint64_t limit);

// The size that the trailer states for the (last) member, modulo 2^32; 0 if the text is no gzip.
std::uint64_t stated_size(std::string_view compressed);

}  // namespace receiptd::net
