// The guard of requests: a request may ask by the name that it calls us by, and by its token.
#pragma once

#include "api/problem.hpp"
#include "base/secret.hpp"

#include <optional>
#include <string>
#include <vector>

namespace receiptd::api {

enum class Access {
    probe,    // anybody, by any name: /livez, /readyz
    metrics,  // as read, but for `Guard::metrics_are_open`
    read,
    write,
};
enum class Body { json, toml, none };  // of a POST

// As the configuration has it now.
struct Guard {
    base::Secret write_token;       // empty: nobody writes
    base::Secret read_token;        // empty: everybody reads
    bool metrics_are_open = false;  // without the read token
    std::vector<std::string>
        hosts;  // names of this server, in small letters, besides localhost and addresses
};

// Why a request is refused whatever its body says; nullopt: it is not. A browser's page of another origin
// cannot write: it cannot send the token's header without asking first (CORS), and nobody answers that
// question.
std::optional<Problem> refusal_of(const net::ServerRequest& request, const Guard& guard, Access access,
                                  Body body);
// It calls us by a name that is not ours.
std::optional<Problem> host_refusal(const net::ServerRequest& request, const Guard& guard);

// Whether the request has this token.
bool has_token(const net::ServerRequest& request, const base::Secret& token);

}  // namespace receiptd::api
