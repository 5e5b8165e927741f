// The API key on its way out, and kept out of everything that people read (gateway.md §5).
#pragma once

#include "base/secret.hpp"
#include "config/settings.hpp"
#include "net/http_client.hpp"

#include <string>
#include <string_view>

namespace receiptd::rpc {

struct Credential {
    base::Secret key;  // empty: keyless
    config::AuthForm form = config::AuthForm::bearer;

    // As header or as query parameter, never both: a target that has an apiKey already stays.
    void apply(net::HttpRequest& request) const;
};

// A target's path and query may hold a key too: true if it has the parameter apiKey.
bool has_api_key(std::string_view target);

}  // namespace receiptd::rpc
