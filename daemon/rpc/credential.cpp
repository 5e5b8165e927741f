#include "rpc/credential.hpp"

#include <cctype>

namespace receiptd::rpc {
namespace {

std::string percent_encode(std::string_view text) {
    constexpr char kHex[] = "0123456789ABCDEF";
    std::string result;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) != 0 || c == '-' || c == '_' || c == '.' || c == '~') {
            result.push_back(c);
        } else {
            result.push_back('%');
            result.push_back(kHex[byte >> 4]);
            result.push_back(kHex[byte & 15]);
        }
    }
    return result;
}

void replace_all(std::string& text, const std::string& what) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 3))
        text.replace(at, what.size(), "***");
}

}  // namespace

void Credential::apply(net::HttpRequest& request) const {
    if (key.empty() || has_api_key(request.target)) return;
    if (form == config::AuthForm::bearer) {
        request.headers.push_back({"Authorization", "Bearer " + key.reveal()});
        return;
    }
    request.target += request.target.find('?') == std::string::npos ? '?' : '&';
    request.target += "apiKey=" + percent_encode(key.reveal());
}

std::string Credential::scrub(std::string text) const {
    if (key.empty()) return text;
    replace_all(text, key.reveal());
    replace_all(text, percent_encode(key.reveal()));
    return text;
}

bool has_api_key(std::string_view target) {
    return target.find("?apiKey=") != std::string_view::npos ||
           target.find("&apiKey=") != std::string_view::npos;
}

}  // namespace receiptd::rpc
