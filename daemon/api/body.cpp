#include "api/body.hpp"

#include "base/coroutine.hpp"
#include "base/offload.hpp"
#include "chain/json/json_check.hpp"
#include "trace/ids.hpp"
#include "watch/metadata.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace receiptd::api {

using nlohmann::json;

namespace {

constexpr std::size_t kShortBody = 4 << 10;

// RFC 6901: ~ and / are escaped.
std::string pointer_to(const std::string& at, std::string_view name) {
    std::string pointer = at + "/";
    for (const char c : name) {
        if (c == '~')
            pointer += "~0";
        else if (c == '/')
            pointer += "~1";
        else
            pointer += c;
    }
    return pointer;
}

}  // namespace

Problem bad_body(std::string pointer, std::string detail) {
    Problem problem;
    problem.status = 400;
    problem.detail = std::move(detail);
    problem.pointer = std::move(pointer);
    return problem;
}

namespace {

base::Result<json, Problem> parse(const std::string& body) {
    if (body.empty()) return bad_body("", "the body is empty; JSON is expected");
    // Deeply nested JSON takes long to destroy.
    if (body.size() > kShortBody && !chain::check_json(body).valid)
        return bad_body("", "the body is no JSON, or nested more than 1024 levels");
    try {
        return base::Result<json, Problem>(boost::system::in_place_value, json::parse(body));
    } catch (const json::parse_error& error) {
        return bad_body("", "the body is no JSON: error at byte " + std::to_string(error.byte));
    } catch (const json::out_of_range&) {
        return bad_body("", "the body holds a number that is too large");
    }
}

base::Task<base::Result<json, Problem>> parse_here(std::string body) { co_return parse(body); }

}  // namespace

base::Task<base::Result<json, Problem>> parse_body(base::asio::thread_pool& cpu, std::string body) {
    if (body.size() <= kShortBody) return parse_here(std::move(body));
    return base::offload(cpu, [body = std::move(body)] { return parse(body); });
}

base::Result<std::string, Problem> text_member(const json& object, const std::string& at,
                                               std::string_view name) {
    const auto found = object.find(name);
    if (found == object.end()) return std::string();
    if (!found->is_string()) return bad_body(pointer_to(at, name), std::string(name) + " must be a string");
    auto text = found->get<std::string>();
    if (text.find('\0') != std::string::npos)
        return bad_body(pointer_to(at, name), std::string(name) + " must not hold a NUL character");
    return text;
}

base::Result<std::string, Problem> metadata_member(const json& object, const std::string& at) {
    const auto found = object.find("metadata");
    if (found == object.end()) return std::string();
    auto text = watch::metadata_text(*found);
    if (!text) return bad_body(at + "/metadata", "metadata " + text.error().text);
    return std::move(*text);
}

std::optional<Problem> unknown_member(const json& object, const std::string& at,
                                      std::initializer_list<std::string_view> known) {
    for (const auto& [name, value] : object.items()) {
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        std::string names;
        for (const auto each : known) names.append(names.empty() ? "" : ", ").append(each);
        return bad_body(pointer_to(at, name), "no such member here; there are: " + names);
    }
    return std::nullopt;
}

std::string traceparent_of(const net::ServerRequest& request) {
    constexpr std::size_t kLongestTraceparent = 512;
    const auto header = request.header("traceparent");
    if (header.size() > kLongestTraceparent || !trace::parse_traceparent(header)) return {};
    return std::string(header);
}

}  // namespace receiptd::api
