#include "trace/ids.hpp"

#include "chain/wire/hash.hpp"
#include "chain/wire/hex.hpp"

#include <algorithm>

namespace receiptd::trace {

namespace {

constexpr std::size_t kTraceparent = 55;  // "00-" 32 digits "-" 16 digits "-" 2 digits

template <std::size_t Size>
std::array<std::uint8_t, Size> first_bytes(std::string_view id) {
    const auto hash = chain::CryptoHash::parse(id).value_or(chain::sha256(chain::bytes_of(id)));
    std::array<std::uint8_t, Size> bytes{};
    std::copy_n(hash.bytes.begin(), Size, bytes.begin());
    return bytes;
}

bool is_lower_hex(std::string_view text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// False: it has other characters, or is all zero, which is no id.
template <std::size_t Size>
bool read_id(std::string_view digits, std::array<std::uint8_t, Size>& id) {
    if (!is_lower_hex(digits)) return false;
    const auto bytes = chain::hex_decode(digits);
    if (!bytes || bytes->size() != Size) return false;
    std::copy(bytes->begin(), bytes->end(), id.begin());
    return std::any_of(id.begin(), id.end(), [](std::uint8_t byte) { return byte != 0; });
}

}  // namespace

TraceId trace_id_of(std::string_view tx_hash) { return first_bytes<16>(tx_hash); }

SpanId span_id_of(std::string_view id) { return first_bytes<8>(id); }

std::string to_hex(const TraceId& id) { return chain::hex_encode(id); }

std::string to_hex(const SpanId& id) { return chain::hex_encode(id); }

std::optional<Caller> parse_traceparent(std::string_view header) {
    if (header.size() < kTraceparent || header[2] != '-' || header[35] != '-' || header[52] != '-')
        return std::nullopt;
    const auto version = header.substr(0, 2);
    const auto flags = header.substr(53, 2);
    if (!is_lower_hex(version) || version == "ff" || !is_lower_hex(flags)) return std::nullopt;
    const bool has_more = header.size() > kTraceparent;
    if (has_more && (version == "00" || header[kTraceparent] != '-')) return std::nullopt;
    Caller caller;
    if (!read_id(header.substr(3, 32), caller.trace_id) || !read_id(header.substr(36, 16), caller.span_id))
        return std::nullopt;
    return caller;
}

}  // namespace receiptd::trace
