#include "net/proxy.hpp"
#include "net/http_client.hpp"
#include "net_loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::net {
namespace {

using namespace net::testing;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Outcome = base::Result<HttpResponse, TransportError>;

constexpr auto* kAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

class ProxyTest : public ::testing::Test {
protected:
    HttpClientOptions through(std::uint16_t port, const std::string& host, bool tls) {
        HttpClientOptions options;
        options.origin.host = host;
        options.origin.port = tls ? 443 : 80;
        options.origin.tls = tls;
        options.proxy = proxy_of(base::Secret("http://me:s3cret@127.0.0.1:" + std::to_string(port)));
        return options;
    }
    Outcome get(const HttpClientOptions& options) {
        HttpClient client(io_.get_executor(), options);
        return run_on(io_, client.send({}));
    }
    Script asked_and_says(std::string text) {
        return [this, text](tcp::socket& socket, std::size_t) { return hear(socket, asked_, text); };
    }
    static base::Task<void> hear(tcp::socket& socket, std::string& asked, std::string text) {
        asked = co_await read_head(socket);
        co_await write_text(socket, std::move(text));
    }

    asio::io_context io_{1};
    std::string asked_;
};

TEST_F(ProxyTest, GetsTheWholeAddressOfHttpAndTheLogin) {
    ScriptedServer proxy(io_, asked_and_says(kAnswer));
    const Outcome outcome = get(through(proxy.port(), "node.example.org", false));
    ASSERT_TRUE(outcome.has_value()) << outcome.error().text;
    EXPECT_THAT(asked_, StartsWith("GET http://node.example.org:80/ HTTP/1.1\r\nHost: node.example.org\r\n"));
    EXPECT_THAT(asked_, HasSubstr("\r\nProxy-Authorization: Basic bWU6czNjcmV0\r\n"));
}

TEST_F(ProxyTest, RefusalOfATunnelNamesTheProxyAndNoSecret) {
    ScriptedServer proxy(io_, asked_and_says("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n"));
    const Outcome outcome = get(through(proxy.port(), "hooks.example.org", true));
    ASSERT_TRUE(outcome.has_error());
    EXPECT_THAT(asked_,
                StartsWith("CONNECT hooks.example.org:443 HTTP/1.1\r\nHost: hooks.example.org:443\r\n"));
    EXPECT_EQ(outcome.error().fault, TransportFault::connect);
    EXPECT_EQ(outcome.error().text, "https://hooks.example.org:443 through the proxy 127.0.0.1:" +
                                        std::to_string(proxy.port()) + ": proxy: it answers HTTP 407");
}

TEST_F(ProxyTest, AnswerThatIsNoTunnelIsRefused) {
    for (const std::string text : {"HTTP/1.1 200 OK\r\n\r\nmore", "SSH-2.0-OpenSSH_9.2\r\n\r\n",
                                   "HTTP/1.1 2\r\n\r\n", "\r\n\r\n", "HTTP/1.1 200 OK\r\n"}) {
        ScriptedServer proxy(io_, asked_and_says(text));
        const Outcome outcome = get(through(proxy.port(), "hooks.example.org", true));
        ASSERT_TRUE(outcome.has_error()) << text;
        EXPECT_THAT(outcome.error().text, HasSubstr(": proxy: ")) << text;
        EXPECT_THAT(outcome.error().text, Not(HasSubstr("s3cret")));
    }
}

TEST_F(ProxyTest, OriginThatIsARefusedAddressIsNotAskedFor) {
    ScriptedServer proxy(io_, asked_and_says(kAnswer));
    auto options = through(proxy.port(), "169.254.169.254", false);
    options.address_filter = not_public;
    const Outcome outcome = get(options);
    ASSERT_TRUE(outcome.has_error());
    EXPECT_EQ(outcome.error().fault, TransportFault::refused);
    EXPECT_EQ(asked_, "");
    options.origin.host = "node.example.org";  // the proxy, on loopback, is the operator's choice
    EXPECT_TRUE(get(options).has_value());
}

}  // namespace
}  // namespace receiptd::net
