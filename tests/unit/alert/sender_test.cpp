#include "alert/sender.hpp"
#include "base/coroutine.hpp"
#include "fakes.hpp"
#include "unit/net/net_loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::alert {
namespace {

using namespace net::testing;
using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
constexpr const char* kOther = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

base::Task<void> keep_and_answer(tcp::socket& socket, std::string& head, std::string text) {
    head = co_await read_head(socket);
    co_await write_text(socket, std::move(text));
}

class EndpointSenderTest : public ::testing::Test {
protected:
    // A server that says `text`, and keeps what it was told.
    Script keeps(std::string text) {
        return [this, text = std::move(text)](tcp::socket& socket, std::size_t) {
            return keep_and_answer(socket, head_, text);
        };
    }
    std::vector<config::Endpoint> endpoints(std::uint16_t port, bool allow_private = true) {
        config::Endpoint endpoint;
        endpoint.name = "ops";
        endpoint.url = base::Secret("http://127.0.0.1:" + std::to_string(port) + "/hooks/T0KEN?x=1");
        endpoint.secret = base::Secret(kSecret);
        endpoint.allow_private = allow_private;
        return {endpoint};
    }
    Answer post(EndpointSender& sender) {
        Message message;
        message.endpoint = "ops";
        message.id = "failed_receipt:r1";
        message.body = "{}";
        return run_on(io_, sender.post(std::move(message)));
    }
    Answer ask(std::string text, bool allow_private = true) {
        ScriptedServer server(io_, keeps(std::move(text)));
        EndpointSender sender(io_.get_executor(), endpoints(server.port(), allow_private), clock_);
        return post(sender);
    }

    asio::io_context io_{1};
    alert::testing::FakeClock clock_;  // 1'700'000'000
    std::string head_;
};

TEST_F(EndpointSenderTest, SendsTheHeadersOfStandardWebhooks) {
    const auto answer = ask("HTTP/1.1 204 No Content\r\n\r\n");
    EXPECT_EQ(answer.status, 204) << answer.error;
    EXPECT_THAT(head_, ::testing::StartsWith("POST /hooks/T0KEN?x=1 HTTP/1.1\r\n"));
    EXPECT_THAT(head_, HasSubstr("Content-Type: application/json\r\n"));
    EXPECT_THAT(head_, HasSubstr("webhook-id: failed_receipt:r1\r\n"));
    EXPECT_THAT(head_, HasSubstr("webhook-timestamp: 1700000000\r\n"));
    const auto expected = Signer::from(base::Secret(kSecret))->sign("failed_receipt:r1", 1'700'000'000, "{}");
    EXPECT_THAT(head_, HasSubstr("webhook-signature: " + expected + "\r\n"));
}

TEST_F(EndpointSenderTest, FollowsNoRedirect) {
    const auto answer =
        ask("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n");
    EXPECT_EQ(answer.status, 302);
}

TEST_F(EndpointSenderTest, ReadsRetryAfter) {
    EXPECT_EQ(ask("HTTP/1.1 429 Slow\r\nRetry-After: 30\r\nContent-Length: 0\r\n\r\n").retry_after,
              base::Duration(30s));
    EXPECT_EQ(ask("HTTP/1.1 503 Busy\r\nRetry-After: Tue, 14 Nov 2023 22:14:20 GMT\r\nContent-Length: "
                  "0\r\n\r\n")
                  .retry_after,
              base::Duration(60s));
    EXPECT_EQ(ask("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n").retry_after, std::nullopt);
}

TEST_F(EndpointSenderTest, PrivateAddressIsRefusedAndNoTokenIsTold) {
    const auto answer = ask("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false);
    EXPECT_EQ(answer.status, 0);
    EXPECT_EQ(head_, "");
    EXPECT_THAT(answer.error, HasSubstr("address refused: 127.0.0.1 is loopback"));
    EXPECT_THAT(answer.error, Not(HasSubstr("T0KEN")));
}

TEST_F(EndpointSenderTest, ReloadTakesANewSecret) {
    ScriptedServer server(io_, keeps("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
    auto configured = endpoints(server.port());
    EndpointSender sender(io_.get_executor(), configured, clock_);
    configured[0].secret = base::Secret(kOther);
    sender.reload(configured);
    EXPECT_EQ(post(sender).status, 200);
    const auto expected = Signer::from(base::Secret(kOther))->sign("failed_receipt:r1", 1'700'000'000, "{}");
    EXPECT_THAT(head_, HasSubstr("webhook-signature: " + expected));
}

TEST_F(EndpointSenderTest, WhileSecretsChangeEachRequestHasTheSignatureOfBoth) {
    ScriptedServer server(io_, keeps("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
    auto configured = endpoints(server.port());
    configured[0].previous_secret = base::Secret(kOther);
    EndpointSender sender(io_.get_executor(), configured, clock_);
    EXPECT_EQ(post(sender).status, 200);
    const auto by = [](const char* secret) {
        return Signer::from(base::Secret(secret))->sign("failed_receipt:r1", 1'700'000'000, "{}");
    };
    EXPECT_THAT(head_, HasSubstr("webhook-signature: " + by(kSecret) + " " + by(kOther) + "\r\n"));
}

TEST_F(EndpointSenderTest, SendsTheHeadersOfTheEndpoint) {
    ScriptedServer server(io_, keeps("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
    auto configured = endpoints(server.port());
    configured[0].headers = base::Secret("Authorization: Bearer one\n");
    EndpointSender sender(io_.get_executor(), configured, clock_);
    EXPECT_EQ(post(sender).status, 200);
    EXPECT_THAT(head_, HasSubstr("Authorization: Bearer one\r\n"));
}

TEST_F(EndpointSenderTest, KeepsTheBeginningOfTheAnswer) {
    const auto answer =
        ask("HTTP/1.1 400 No\r\nContent-Length: 5000\r\n\r\nno such team" + std::string(4'988, '.'));
    EXPECT_EQ(answer.status, 400);
    EXPECT_THAT(answer.body, ::testing::StartsWith("no such team"));
    EXPECT_EQ(answer.body.size(), 4'096U);
}

TEST_F(EndpointSenderTest, AnAnswerThatIsTooLongToBeReadIsAnAnswer) {
    ScriptedServer long_page(io_, keeps("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"));
    EndpointSender sender(io_.get_executor(), endpoints(long_page.port()), clock_);
    EXPECT_TRUE(post(sender).accepted());
    const std::string chunk = "20000\r\n" + std::string(0x20000, 'x') + "\r\n";
    ScriptedServer long_refusal(io_, keeps("HTTP/1.1 429 Slow\r\nRetry-After: 7\r\n"
                                           "Transfer-Encoding: chunked\r\n\r\n" +
                                           chunk + "0\r\n\r\n"));
    EndpointSender refused(io_.get_executor(), endpoints(long_refusal.port()), clock_);
    const auto answer = post(refused);
    EXPECT_EQ(answer.status, 429);
    EXPECT_EQ(answer.retry_after, std::chrono::seconds(7));
    EXPECT_THAT(answer.body, HasSubstr("more than 65536 bytes"));
}

TEST_F(EndpointSenderTest, AnAnswerIsKeptWithoutTheSecretsThatItTells) {
    const std::string text = "no /hooks/ABCDEFGHIJKL?x=1 for Bearer one-key, one-key";
    ScriptedServer server(
        io_, keeps("HTTP/1.1 404 No\r\nContent-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text));
    auto configured = endpoints(server.port());
    configured[0].url =
        base::Secret("http://127.0.0.1:" + std::to_string(server.port()) + "/hooks/ABCDEFGHIJKL?x=1");
    configured[0].headers = base::Secret("Authorization: Bearer one-key\n");
    EndpointSender sender(io_.get_executor(), configured, clock_);
    EXPECT_EQ(post(sender).body, "no /hooks/***?x=1 for ***, ***");
}

TEST_F(EndpointSenderTest, AddressesOfAllowedNetworksPassThoughTheyAreNotPublic) {
    ScriptedServer server(io_, keeps("HTTP/1.1 204 No Content\r\n\r\n"));
    auto configured = endpoints(server.port(), false);
    configured[0].allow_networks = {"10.0.0.0/8"};
    EndpointSender refused(io_.get_executor(), configured, clock_);
    EXPECT_THAT(post(refused).error, HasSubstr("address refused: 127.0.0.1 is loopback"));
    configured[0].allow_networks.emplace_back("127.0.0.0/8");
    EndpointSender allowed(io_.get_executor(), configured, clock_);
    EXPECT_EQ(post(allowed).status, 204);
}

TEST_F(EndpointSenderTest, OtherChannelsPostTheirOwnBodyWithoutASignature) {
    ScriptedServer server(io_, keeps("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
    auto configured = endpoints(server.port());
    configured[0].channel.kind = channel::Kind::telegram;
    configured[0].channel.token = base::Secret("12:ab");
    configured[0].secret = base::Secret();
    EndpointSender sender(io_.get_executor(), configured, clock_);
    EXPECT_EQ(post(sender).status, 200);
    EXPECT_THAT(head_, ::testing::StartsWith("POST /hooks/T0KEN/bot12:ab/sendMessage?x=1 HTTP/1.1\r\n"));
    EXPECT_THAT(head_, Not(HasSubstr("webhook-")));
}

TEST_F(EndpointSenderTest, TheWaitThatTelegramAsksForCounts) {
    const std::string text = R"({"ok":false,"parameters":{"retry_after":35}})";
    ScriptedServer server(
        io_, keeps("HTTP/1.1 429 No\r\nContent-Length: " + std::to_string(text.size()) + "\r\n\r\n" + text));
    auto configured = endpoints(server.port());
    configured[0].channel.kind = channel::Kind::telegram;
    EndpointSender sender(io_.get_executor(), configured, clock_);
    EXPECT_EQ(post(sender).retry_after, base::Duration(35s));
}

TEST_F(EndpointSenderTest, ReloadTakesAnotherChannelAndAddress) {
    ScriptedServer server(io_, keeps("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));
    EndpointSender sender(io_.get_executor(), endpoints(1), clock_);
    auto configured = endpoints(server.port());
    configured[0].channel.kind = channel::Kind::alertmanager;
    sender.reload(configured);
    EXPECT_EQ(post(sender).status, 200);
    EXPECT_THAT(head_, ::testing::StartsWith("POST /hooks/T0KEN/api/v2/alerts?x=1 HTTP/1.1\r\n"));
}

TEST_F(EndpointSenderTest, AnEndpointThatCannotBeUsedIsNamed) {
    auto configured = endpoints(1);
    configured[0].secret = base::Secret("hunter2");
    try {
        EndpointSender sender(io_.get_executor(), configured, clock_);
        ADD_FAILURE();
    } catch (const std::runtime_error& e) {
        EXPECT_THAT(e.what(), HasSubstr("ops"));
        EXPECT_THAT(e.what(), Not(HasSubstr("hunter2")));
    }
}

}  // namespace
}  // namespace receiptd::alert
