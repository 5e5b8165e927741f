// `receiptd verify-webhook`: a request as its receiver verifies it. Needs no configuration and no database.
#include "alert/verify.hpp"
#include "app/commands.hpp"
#include "app/print_json.hpp"
#include "config/parse.hpp"
#include "config/read_secret.hpp"

#include <fstream>
#include <iostream>
#include <iterator>
#include <string_view>
#include <utility>

namespace receiptd::app {
namespace {

constexpr std::size_t kLongestBody = 1 << 20;  // those of receiptd have less than 128 KiB
constexpr std::size_t kLongestHeaders = 64 << 10;

void add_headers(std::vector<net::Header>& headers, std::string_view lines) {
    for (auto& [name, value] : config::header_lines(lines))
        headers.push_back({std::move(name), std::move(value)});
}

// Up to `most` bytes and one more.
std::string text_of(std::istream& stream, std::size_t most) {
    std::string text(most + 1, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(stream.gcount()));
    return text;
}

bool read_headers(const std::string& path, std::vector<net::Header>& headers) {
    std::ifstream file(path, std::ios::binary);
    const auto text = text_of(file, kLongestHeaders);
    if (!file.is_open() || text.size() > kLongestHeaders) return false;
    add_headers(headers, text);
    return true;
}

int print(const base::Result<alert::Verified, alert::Unverified>& verified, bool as_json) {
    if (as_json) {
        nlohmann::ordered_json answer;
        answer["verified"] = verified.has_value();
        answer["type"] = verified ? nlohmann::ordered_json(verified->type) : nlohmann::ordered_json();
        answer["because"] =
            verified ? nlohmann::ordered_json() : nlohmann::ordered_json(verified.error().because);
        print_json(answer);
    } else if (verified) {
        std::cout << verified->type << '\n';
    } else {
        std::cerr << verified.error().because << '\n';
    }
    return verified ? kOk : kFailed;
}

// nullopt after saying why.
std::optional<alert::Signer> signer_of(const VerifyWebhook& command) {
    config::SecretPlace place;
    place.env = command.secret_env;
    place.file = command.secret_file;
    const auto secret = config::read_secret(place, {}, config::process_environment());
    if (!secret) {
        std::cerr << "the secret: " << secret.error().text << '\n';
        return std::nullopt;
    }
    if (const auto fault = config::webhook_secret_fault(secret->secret.reveal())) {
        std::cerr << "the secret " << *fault << '\n';
        return std::nullopt;
    }
    return alert::Signer::from(secret->secret);
}

}  // namespace

int verify_webhook(const VerifyWebhook& command) {
    const auto signer = signer_of(command);
    if (!signer) return kUsage;
    std::vector<net::Header> headers;
    for (const auto& header : command.headers) add_headers(headers, header);
    if (!command.headers_file.empty() && !read_headers(command.headers_file, headers)) {
        std::cerr << "cannot read the headers: no file of at most 64 KiB is there\n";
        return kUsage;
    }
    const auto body = text_of(std::cin, kLongestBody);
    if (body.size() > kLongestBody) {
        const alert::Unverified too_long{"the body has more than 1 MiB: no message of receiptd is that long"};
        return print(too_long, command.as_json);
    }
    const auto now = command.any_age ? std::nullopt : std::optional(base::SystemClock().wall());
    return print(alert::verify(*signer, headers, body, now), command.as_json);
}

}  // namespace receiptd::app
