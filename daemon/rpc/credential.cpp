#include "rpc/credential.hpp"

#include "base/scrubber.hpp"

namespace receiptd::rpc {

void Credential::apply(net::HttpRequest& request) const {
    if (key.empty() || has_api_key(request.target)) return;
    if (form == config::AuthForm::bearer) {
        request.headers.push_back({"Authorization", "Bearer " + key.reveal()});
        return;
    }
    request.target += request.target.find('?') == std::string::npos ? '?' : '&';
    request.target += "apiKey=" + base::percent_encoded(key.reveal());
}

bool has_api_key(std::string_view target) {
    return target.find("?apiKey=") != std::string_view::npos ||
           target.find("&apiKey=") != std::string_view::npos;
}

}  // namespace receiptd::rpc
