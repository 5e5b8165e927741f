// Spans as OTLP/HTTP has them in JSON (opentelemetry-proto, ExportTraceServiceRequest): ids in lower case
// hexadecimal, integers of 64 bits as decimal strings, enums as numbers. Pure.
#pragma once

#include "trace/ids.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace receiptd::trace {

enum class Kind : std::uint8_t { internal = 1, server = 2, client = 3 };

inline constexpr std::size_t kLongestText = 512;  // bytes of a text of others, in UTF-8

// A text of others, cut and plain: one line, nothing hidden in it, and no address that a reader's program
// makes a link of.
std::string plain(std::string_view text, std::size_t most = kLongestText);

// Key and value pairs.
class Attributes {
public:
    // A text that is ours, or of the characters of an id.
    Attributes& text(std::string_view key, std::string_view value);
    Attributes& foreign(std::string_view key, std::string_view value) { return text(key, plain(value)); }
    Attributes& number(std::string_view key, std::uint64_t value);
    Attributes& flag(std::string_view key, bool value);
    const std::string& members() const { return members_; }

private:
    void open(std::string_view key);
    std::string members_;
};

struct Span {
    SpanId span_id{};
    const SpanId* parent_span_id = nullptr;
    std::string_view name;
    Kind kind = Kind::internal;
    std::uint64_t start_nanosec = 0;
    std::uint64_t end_nanosec = 0;
    Attributes attributes{};
    std::vector<SpanId> awaited{};  // linked
    bool is_error = false;
    std::string_view error{};
};

// The spans of one trace, by service.
class Spans {
public:
    Spans(const TraceId& trace_id, std::string network)
        : trace_id_(to_hex(trace_id)), network_(std::move(network)) {}

    void add(std::string_view service, const Span& span);
    std::size_t size() const { return size_; }
    // Objects ResourceSpans with commas between them, in the order in which the services came.
    std::string to_resource_spans() const;

private:
    std::string trace_id_, network_;
    std::vector<std::pair<std::string, std::string>> services_;
    std::size_t size_ = 0;
};

// The body of a request: resource spans of one trace or of several.
std::string to_request(const std::vector<std::string>& resource_spans);

}  // namespace receiptd::trace
