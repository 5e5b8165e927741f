#include "trace/otlp.hpp"

#include "base/json_text.hpp"
#include "base/line.hpp"
#include "base/visible.hpp"
#include "channel/text.hpp"

#include <algorithm>

namespace receiptd::trace {

namespace {

constexpr unsigned kError = 2;  // StatusCode

void append_link(std::string& out, const std::string& trace_id, const SpanId& span_id) {
    out += R"({"traceId":")" + trace_id + R"(","spanId":")" + to_hex(span_id) +
           R"(","attributes":[{"key":"near.link","value":{"stringValue":"awaited"}}]})";
}

}  // namespace

std::string plain(std::string_view text, std::size_t most) {
    // A character has four bytes at most, and what is cut off need not be looked at.
    const bool is_longer = text.size() > 4 * most;
    auto clean = base::one_line(base::visible(text.substr(0, 4 * most)));
    clean = channel::inert(std::move(clean));
    if (is_longer) clean += "…";
    return base::shortened(std::move(clean), most);
}

void Attributes::open(std::string_view key) {
    members_ += members_.empty() ? R"({"key":")" : R"(,{"key":")";
    members_.append(key);
    members_ += R"(","value":{")";
}

Attributes& Attributes::text(std::string_view key, std::string_view value) {
    if (value.empty()) return *this;
    open(key);
    members_ += R"(stringValue":)";
    base::append_quoted(members_, value);
    members_ += "}}";
    return *this;
}

Attributes& Attributes::number(std::string_view key, std::uint64_t value) {
    open(key);
    members_ += R"(intValue":")" + std::to_string(value) + R"("}})";
    return *this;
}

Attributes& Attributes::flag(std::string_view key, bool value) {
    open(key);
    members_ += value ? R"(boolValue":true}})" : R"(boolValue":false}})";
    return *this;
}

void Spans::add(std::string_view service, const Span& span) {
    auto found = std::find_if(services_.begin(), services_.end(),
                              [service](const auto& known) { return known.first == service; });
    if (found == services_.end()) found = services_.emplace(found, service, "");
    auto& out = found->second;
    out += out.empty() ? R"({"traceId":")" : R"(,{"traceId":")";
    out += trace_id_ + R"(","spanId":")" + to_hex(span.span_id);
    if (span.parent_span_id) out += R"(","parentSpanId":")" + to_hex(*span.parent_span_id);
    out += R"(","name":)";
    base::append_quoted(out, span.name);
    out += R"(,"kind":)" + std::to_string(static_cast<unsigned>(span.kind)) + R"(,"startTimeUnixNano":")" +
           std::to_string(span.start_nanosec) + R"(","endTimeUnixNano":")" +
           std::to_string(std::max(span.start_nanosec, span.end_nanosec)) + R"(","attributes":[)" +
           span.attributes.members() + "]";
    for (std::size_t i = 0; i < span.awaited.size(); ++i) {
        out += i == 0 ? R"(,"links":[)" : ",";
        append_link(out, trace_id_, span.awaited[i]);
    }
    if (!span.awaited.empty()) out += "]";
    if (span.is_error) {
        out += R"(,"status":{"code":)" + std::to_string(kError) + R"(,"message":)";
        base::append_quoted(out, span.error);
        out += "}";
    }
    out += "}";
    ++size_;
}

std::string Spans::to_resource_spans() const {
    std::string out;
    for (const auto& [service, spans] : services_) {
        const auto of = Attributes().text("service.name", service).text("service.namespace", network_);
        out += out.empty() ? "" : ",";
        out += R"({"resource":{"attributes":[)" + of.members() +
               R"(]},"scopeSpans":[{"scope":{"name":"receiptd"},"spans":[)" + spans + "]}]}";
    }
    return out;
}

std::string to_request(const std::vector<std::string>& resource_spans) {
    std::string body = R"({"resourceSpans":[)";
    for (const auto& some : resource_spans) {
        if (some.empty()) continue;
        if (body.back() != '[') body += ",";
        body += some;
    }
    return body + "]}";
}

}  // namespace receiptd::trace
