// Bodies of requests: JSON with known members, each fault with its place.
#pragma once

#include "api/problem.hpp"
#include "base/result.hpp"
#include "base/task.hpp"
#include "net/http_server.hpp"

#include <nlohmann/json_fwd.hpp>

#include <initializer_list>
#include <string>
#include <string_view>

namespace receiptd::api {

// Long bodies are parsed on `cpu`.
base::Task<base::Result<nlohmann::json, Problem>> parse_body(base::asio::thread_pool& cpu, std::string body);

// 400 at that place of the body; "" is the body as a whole.
Problem bad_body(std::string pointer, std::string detail);

// The member's text; a member that is not there is empty. `at`: where the object stands.
base::Result<std::string, Problem> text_member(const nlohmann::json& object, const std::string& at,
                                               std::string_view name);
// The member "metadata" as it is stored (watch/metadata.hpp); empty: it is not there.
base::Result<std::string, Problem> metadata_member(const nlohmann::json& object, const std::string& at);
// nullopt: it has no other members than these.
std::optional<Problem> unknown_member(const nlohmann::json& object, const std::string& at,
                                      std::initializer_list<std::string_view> known);

// The header traceparent as it came; empty: there is none, or it cannot be read and is as if it were not
// there.
std::string traceparent_of(const net::ServerRequest& request);

}  // namespace receiptd::api
