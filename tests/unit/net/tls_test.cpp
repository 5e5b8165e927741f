#include "net/tls.hpp"
#include "base/coroutine.hpp"
#include "net/http_client.hpp"
#include "net_loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace receiptd::net {
namespace {

using namespace net::testing;
using ::testing::HasSubstr;
using Outcome = base::Result<HttpResponse, TransportError>;
using TlsSocket = asio::ssl::stream<tcp::socket>;

struct Identity {
    std::string certificate;  // PEM, signed by itself
    std::string key;          // PEM
};

template <class Write>
std::string as_pem(const Write& write) {
    const std::unique_ptr<BIO, decltype(&BIO_free)> memory(BIO_new(BIO_s_mem()), &BIO_free);
    write(memory.get());
    char* data = nullptr;
    const long size = BIO_get_mem_data(memory.get(), &data);
    return {data, static_cast<std::size_t>(size)};
}

// `names` as OpenSSL writes them: "DNS:example.org", "IP:127.0.0.1". Valid from `from` to `to`,
// seconds from now.
Identity make_identity(const char* names, long from = -60, long to = 3'600) {
    const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
    const std::unique_ptr<X509, decltype(&X509_free)> made(X509_new(), &X509_free);
    X509* certificate = made.get();
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), from);
    X509_gmtime_adj(X509_getm_notAfter(certificate), to);
    X509_set_pubkey(certificate, key.get());
    X509_NAME* name = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("test"), -1,
                               -1, 0);
    X509_set_issuer_name(certificate, name);
    X509_EXTENSION* alternative = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, names);
    X509_add_ext(certificate, alternative, -1);
    X509_EXTENSION_free(alternative);
    X509_sign(certificate, key.get(), EVP_sha256());
    Identity identity;
    identity.certificate = as_pem([&](BIO* out) { PEM_write_bio_X509(out, certificate); });
    identity.key = as_pem(
        [&](BIO* out) { PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr); });
    return identity;
}

asio::ssl::context server_context(const Identity& identity) {
    asio::ssl::context context(asio::ssl::context::tls_server);
    context.use_certificate_chain(asio::buffer(identity.certificate));
    context.use_private_key(asio::buffer(identity.key), asio::ssl::context::pem);
    return context;
}

base::Task<void> serve_tls(tcp::socket& socket, asio::ssl::context& context, std::string& asked_for,
                           std::string body) {
    asio::ssl::stream<tcp::socket&> stream(socket, context);
    co_await stream.async_handshake(asio::ssl::stream_base::server, asio::use_awaitable);
    const char* name = SSL_get_servername(stream.native_handle(), TLSEXT_NAMETYPE_host_name);
    asked_for = name ? name : "";
    for (;;) {
        std::string request;
        co_await asio::async_read_until(stream, asio::dynamic_buffer(request), "\r\n\r\n",
                                        asio::use_awaitable);
        std::string answer =
            "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
        co_await asio::async_write(stream, asio::buffer(answer), asio::use_awaitable);
    }
}

class TlsTest : public ::testing::Test {
protected:
    TlsTest()
        : folder_(std::filesystem::temp_directory_path() / ("receiptd-tls-" + std::to_string(::getpid()))) {
        std::filesystem::create_directories(folder_);
    }
    ~TlsTest() override { std::filesystem::remove_all(folder_); }

    std::string trust(const Identity& identity) {
        const std::filesystem::path file = folder_ / "ca.pem";
        std::ofstream(file) << identity.certificate;
        return file.string();
    }
    Script serving(asio::ssl::context& context) {
        return [this, &context](tcp::socket& socket, std::size_t) {
            return serve_tls(socket, context, asked_for_, body_);
        };
    }
    Outcome get(std::uint16_t port, const std::string& host, const std::string& ca_file) {
        HttpClientOptions options = options_for(port);
        options.origin.tls = true;
        options.origin.host = host;
        options.ca_file = ca_file;
        options.proxy = proxy_;
        HttpClient client(io_.get_executor(), options);
        Outcome first = run_on(io_, client.send({}));
        if (first.has_error()) return first;
        return run_on(io_, client.send({}));  // over the kept connection
    }
    void expect_tls_fault(const Outcome& outcome, const std::string& cause) {
        ASSERT_TRUE(outcome.has_error());
        EXPECT_EQ(outcome.error().fault, TransportFault::tls) << outcome.error().text;
        EXPECT_THAT(outcome.error().text, HasSubstr("https://"));
        EXPECT_THAT(outcome.error().text, HasSubstr(cause));
    }

    asio::io_context io_{1};
    std::filesystem::path folder_;
    std::string asked_for_;
    std::optional<base::Proxy> proxy_;
    std::string body_ = "secure";
};

TEST_F(TlsTest, RightHostWithTrustedCertificatePasses) {
    const Identity identity = make_identity("DNS:localhost");
    asio::ssl::context context = server_context(identity);
    ScriptedServer server(io_, serving(context));
    const Outcome outcome = get(server.port(), "localhost", trust(identity));
    ASSERT_TRUE(outcome.has_value()) << outcome.error().text;
    EXPECT_EQ(outcome->body, "secure");
    EXPECT_EQ(asked_for_, "localhost");
    EXPECT_EQ(server.connections(), 1U);
}

TEST_F(TlsTest, AddressInTheCertificatePassesWithoutANameAskedFor) {
    const Identity identity = make_identity("IP:127.0.0.1");
    asio::ssl::context context = server_context(identity);
    ScriptedServer server(io_, serving(context));
    const Outcome outcome = get(server.port(), "127.0.0.1", trust(identity));
    ASSERT_TRUE(outcome.has_value()) << outcome.error().text;
    EXPECT_EQ(asked_for_, "");
}

// A proxy that makes the tunnel and is its other end, too.
base::Task<void> tunnel_to_tls(tcp::socket& socket, asio::ssl::context& context, std::string& asked_for) {
    co_await read_head(socket);
    co_await write_text(socket, "HTTP/1.1 200 Connection established\r\nProxy-Agent: x\r\n\r\n");
    co_await serve_tls(socket, context, asked_for, "secure");
}

TEST_F(TlsTest, OriginBehindAProxyIsVerifiedByItsOwnName) {
    const Identity identity = make_identity("DNS:hooks.example.org");
    asio::ssl::context context = server_context(identity);
    ScriptedServer proxy(
        io_, [&](tcp::socket& socket, std::size_t) { return tunnel_to_tls(socket, context, asked_for_); });
    proxy_ = base::Proxy{"127.0.0.1", proxy.port(), base::Secret()};
    const Outcome outcome = get(443, "hooks.example.org", trust(identity));
    ASSERT_TRUE(outcome.has_value()) << outcome.error().text;
    EXPECT_EQ(outcome->body, "secure");
    EXPECT_EQ(asked_for_, "hooks.example.org");
    EXPECT_EQ(proxy.connections(), 1U);
    expect_tls_fault(get(443, "other.example.org", trust(identity)), "hostname mismatch");
}

TEST_F(TlsTest, LargeAnswerComesWhole) {
    body_ = std::string(3'000'000, 'x');
    const Identity identity = make_identity("DNS:localhost");
    asio::ssl::context context = server_context(identity);
    ScriptedServer server(io_, serving(context));
    const Outcome outcome = get(server.port(), "localhost", trust(identity));
    ASSERT_TRUE(outcome.has_value()) << outcome.error().text;
    EXPECT_TRUE(outcome->body == body_);
}

TEST_F(TlsTest, CertificateOfAnotherHostIsRefused) {
    const Identity identity = make_identity("DNS:rpc.example.org");
    asio::ssl::context context = server_context(identity);
    ScriptedServer server(io_, serving(context));
    expect_tls_fault(get(server.port(), "localhost", trust(identity)),
                     "certificate refused: hostname mismatch");
    expect_tls_fault(get(server.port(), "127.0.0.1", trust(identity)),
                     "certificate refused: IP address mismatch");
}

TEST_F(TlsTest, CertificateOfAnUnknownAuthorityIsRefused) {
    const Identity identity = make_identity("DNS:localhost");
    asio::ssl::context context = server_context(identity);
    ScriptedServer server(io_, serving(context));
    expect_tls_fault(get(server.port(), "localhost", trust(make_identity("DNS:localhost"))),
                     "certificate refused: self-signed certificate");
    expect_tls_fault(get(server.port(), "localhost", ""), "certificate refused: self-signed certificate");
}

TEST_F(TlsTest, ExpiredCertificateIsRefused) {
    const Identity identity = make_identity("DNS:localhost", -7'200, -3'600);
    asio::ssl::context context = server_context(identity);
    ScriptedServer server(io_, serving(context));
    expect_tls_fault(get(server.port(), "localhost", trust(identity)), "certificate has expired");
}

TEST_F(TlsTest, OldProtocolsAreRefused) {
    const Identity identity = make_identity("DNS:localhost");
    asio::ssl::context context = server_context(identity);
    SSL_CTX_set_max_proto_version(context.native_handle(), TLS1_1_VERSION);
    ScriptedServer server(io_, serving(context));
    expect_tls_fault(get(server.port(), "localhost", trust(identity)), "TLS handshake");
}

TEST_F(TlsTest, PlainServerIsATlsFault) {
    const Script script = [](tcp::socket& socket, std::size_t) {
        return write_text(socket, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
    };
    ScriptedServer plain(io_, script);
    expect_tls_fault(get(plain.port(), "localhost", ""), "TLS handshake");
}

base::Task<void> hold(tcp::socket& socket) { co_await read_all(socket); }

TEST_F(TlsTest, HandshakeThatStandsStillTimesOut) {
    const Script script = [](tcp::socket& socket, std::size_t) { return hold(socket); };
    ScriptedServer server(io_, script);
    HttpClientOptions options = options_for(server.port());
    options.origin.tls = true;
    options.connect_timeout = std::chrono::milliseconds(50);
    HttpClient client(io_.get_executor(), options);
    const Outcome outcome = run_on(io_, client.send({}));
    ASSERT_TRUE(outcome.has_error());
    EXPECT_EQ(outcome.error().fault, TransportFault::timeout) << outcome.error().text;
    EXPECT_THAT(outcome.error().text, HasSubstr("TLS handshake: timed out"));
}

TEST_F(TlsTest, MissingFileOfTrustedCertificatesIsSaid) {
    expect_tls_fault(get(1, "localhost", (folder_ / "absent.pem").string()),
                     "the trusted certificates cannot be loaded");
}

}  // namespace
}  // namespace receiptd::net
