#include "sandbox/run/control_reply.hpp"

#include "sandbox/gateway/json_text.hpp"

#include "sandbox/gateway/json_text.hpp"

#include <algorithm>

namespace receiptd::sandbox::control {

namespace {

const char* title_of(int status) {
    switch (status) {
        case 404: return "Not Found";
        case 405: return "Method Not Allowed";
        case 409: return "Conflict";
        case 503: return "Service Unavailable";
        default: return "Bad Request";
    }
}

net::ServerReply made(int status, const char* content_type, const Json& body) {
    net::ServerReply reply;
    reply.status = status;
    reply.headers = {{"Content-Type", content_type}};
    // The body may repeat a client's text, which may hold invalid UTF-8.
    reply.body = body.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    return reply;
}

}  // namespace

net::ServerReply answer(const Json& body) { return made(200, "application/json", body); }

net::ServerReply problem(int status, const std::string& detail) {
    return made(
        status, "application/problem+json",
        {{"type", "about:blank"}, {"title", title_of(status)}, {"status", status}, {"detail", detail}});
}

Fields Fields::of_body(const net::ServerRequest& request) {
    if (request.body.empty()) return Fields(Json::object());
    if (json_text::is_too_deep(request.body)) throw Problem(400, "the body is nested too deeply");
    Json body = Json::parse(request.body, nullptr, false);
    if (body.is_discarded()) throw Problem(400, "the body is not JSON");
    if (!body.is_object()) throw Problem(400, "the body must be a JSON object");
    return Fields(std::move(body));
}

const Json* Fields::find(const char* name) {
    known_.emplace_back(name);
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
}

std::uint64_t Fields::number(const char* name, std::uint64_t standard, std::uint64_t least,
                             std::uint64_t most) {
    const Json* value = find(name);
    if (!value) return standard;
    if (!value->is_number_unsigned() || value->get<std::uint64_t>() < least ||
        value->get<std::uint64_t>() > most)
        throw Problem(400, std::string(name) + " must be a whole number from " + std::to_string(least) +
                               " to " + std::to_string(most) + ", not " + value->dump());
    return value->get<std::uint64_t>();
}

std::uint64_t Fields::required_number(const char* name) {
    const Json* value = find(name);
    if (!value || !value->is_number_unsigned())
        throw Problem(400, std::string(name) + " is needed, as a whole number");
    return value->get<std::uint64_t>();
}

double Fields::fraction(const char* name, double standard) {
    const Json* value = find(name);
    if (!value) return standard;
    if (!value->is_number() || value->get<double>() < 0 || value->get<double>() > 1)
        throw Problem(400, std::string(name) + " must be a number from 0 to 1, not " + value->dump());
    return value->get<double>();
}

std::string Fields::required_text(const char* name) {
    const Json* value = find(name);
    if (!value || !value->is_string()) throw Problem(400, std::string(name) + " is needed, as a string");
    return value->get<std::string>();
}

std::string Fields::text(const char* name, const std::string& standard) {
    const Json* value = find(name);
    if (!value) return standard;
    if (!value->is_string())
        throw Problem(400, std::string(name) + " must be a string, not " + value->dump());
    return value->get<std::string>();
}

const Json& Fields::any(const char* name) {
    static const Json kNull;
    const Json* value = find(name);
    return value ? *value : kNull;
}

void Fields::expect_no_others() const {
    for (const auto& [name, value] : object_.items()) {
        if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
        std::string names;
        for (const auto& each : known_) names.append(names.empty() ? "" : ", ").append(each);
        throw Problem(400, "unknown member `" + name + "`; " +
                               (names.empty() ? "there are none here" : "there are: " + names));
    }
}

std::uint64_t query_height(const net::ServerRequest& request, const char* name, std::uint64_t standard) {
    const auto text = request.query_parameter(name);
    if (text.empty()) return standard;
    const auto height = json_text::number(text);
    if (!height) throw Problem(400, std::string(name) + " must be a height, not \"" + text + "\"");
    return *height;
}

}  // namespace receiptd::sandbox::control
