// Sends e-mail by SMTP: one connection for each, with verified TLS.
#pragma once

#include "base/secret.hpp"
#include "net/address_guard.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace receiptd::net {

struct SmtpOptions {
    std::string url;   // smtp://host:port, which is made secure by STARTTLS, or smtps://host:port
    std::string user;  // empty: without a login
    base::Secret password;
    bool needs_tls = true;  // else smtp:// stays as it is
    std::chrono::milliseconds connect_timeout{5'000};
    std::chrono::milliseconds answer_timeout{15'000};
    AddressFilter address_filter;  // as HttpClientOptions has it
    std::string ca_file;           // in place of the system roots
};

struct Mail {
    std::string from;             // "local@domain"
    std::vector<std::string> to;  // none gets it if the server refuses one of them
    std::string text;             // RFC 5322
};

// Blocks. Empty: the server has taken it. Else why not, for people: never the password, nor the text.
std::string send_mail(const SmtpOptions& options, const Mail& mail);

}  // namespace receiptd::net
