// Ids of traces and spans, which anybody finds from a hash, and the header by which a caller's trace goes on.
// Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace receiptd::trace {

using TraceId = std::array<std::uint8_t, 16>;
using SpanId = std::array<std::uint8_t, 8>;

// The first 16 bytes of a transaction's hash, the first 8 of a receipt's id. What is no 32 bytes in base58
// gives the first bytes of its SHA-256.
TraceId trace_id_of(std::string_view tx_hash);
SpanId span_id_of(std::string_view id);

// Lower case hexadecimal.
std::string to_hex(const TraceId& id);
std::string to_hex(const SpanId& id);

// The caller's span, of the header traceparent (https://www.w3.org/TR/trace-context, version 00).
struct Caller {
    TraceId trace_id{};
    SpanId span_id{};
};
// nullopt: it is none. Later versions are read as the recommendation says: what is known of them.
std::optional<Caller> parse_traceparent(std::string_view header);

}  // namespace receiptd::trace
