// The client's side of TLS: who is trusted, and under which name the other side must be known.
#pragma once

#include "net/url.hpp"

#include <boost/asio/ssl/context.hpp>

#include <string>

namespace receiptd::net {

// TLS 1.2 or later, certificates verified against the system's roots or against `ca_file` alone.
// An error leaves a context that trusts nobody.
boost::asio::ssl::context make_client_context(const std::string& ca_file, boost::system::error_code& error);

// Names the host we speak to: in the handshake (SNI) and for the check of the certificate.
// False if OpenSSL refuses the name.
bool expect_host(SSL* session, const std::string& host);

// Why the handshake failed, for people: the verification's verdict if that was it.
std::string handshake_problem(SSL* session, const boost::system::error_code& error);

}  // namespace receiptd::net
