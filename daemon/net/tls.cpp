#include "net/tls.hpp"

#include <boost/asio/ip/address.hpp>

#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>

namespace receiptd::net {

namespace asio = boost::asio;

asio::ssl::context make_client_context(const std::string& ca_file, boost::system::error_code& error) {
    asio::ssl::context context(asio::ssl::context::tls_client);
    SSL_CTX* raw = context.native_handle();
    SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION);
    SSL_CTX_set_verify(raw, SSL_VERIFY_PEER, nullptr);
    static constexpr std::array<unsigned char, 9> kAlpn = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
    SSL_CTX_set_alpn_protos(raw, kAlpn.data(), kAlpn.size());
    if (ca_file.empty())
        context.set_default_verify_paths(error);
    else
        context.load_verify_file(ca_file, error);
    return context;
}

bool expect_host(SSL* session, const std::string& host) {
    boost::system::error_code not_an_address;
    asio::ip::make_address(host, not_an_address);
    if (!not_an_address) return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host.c_str()) == 1;
    SSL_set_hostflags(session, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    return SSL_set1_host(session, host.c_str()) == 1 &&
           SSL_ctrl(session, SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                    const_cast<char*>(host.c_str())) == 1;
}

std::string handshake_problem(SSL* session, const boost::system::error_code& error) {
    const long verdict = SSL_get_verify_result(session);
    if (verdict == X509_V_OK) return error.message();
    return std::string("certificate refused: ") + X509_verify_cert_error_string(verdict);
}

}  // namespace receiptd::net
