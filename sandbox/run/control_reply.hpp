// Answers of the control API: JSON, and errors as problem+json (RFC 9457) that say what is wrong.
#pragma once

#include "net/http_server.hpp"

#include <nlohmann/json.hpp>

#include <stdexcept>
#include <string>

namespace receiptd::sandbox::control {

using Json = nlohmann::json;

net::ServerReply answer(const Json& body);

// The fault of a request; caught where requests are answered, and nowhere else.
class Problem : public std::runtime_error {
public:
    Problem(int status, const std::string& detail) : std::runtime_error(detail), status_(status) {}
    int status() const { return status_; }

private:
    int status_;
};

net::ServerReply problem(int status, const std::string& detail);

// The members of a request's JSON body, or of its query. Throws Problem 400.
class Fields {
public:
    // An empty body is an empty object.
    static Fields of_body(const net::ServerRequest& request);

    std::uint64_t number(const char* name, std::uint64_t standard, std::uint64_t least, std::uint64_t most);
    std::uint64_t required_number(const char* name);
    double fraction(const char* name, double standard);  // from 0 to 1
    std::string required_text(const char* name);
    std::string text(const char* name, const std::string& standard);
    const Json& any(const char* name);  // null if absent
    // Members that nobody has asked for are mistakes.
    void expect_no_others() const;

private:
    explicit Fields(Json object) : object_(std::move(object)) {}
    const Json* find(const char* name);

    Json object_;
    std::vector<std::string> known_;
};

// Reads a height from the query; `standard` if absent.
std::uint64_t query_height(const net::ServerRequest& request, const char* name, std::uint64_t standard);

}  // namespace receiptd::sandbox::control
