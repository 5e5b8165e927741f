#include "net/smtp.hpp"

#include "base/offload.hpp"
#include "net_loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace receiptd::net {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// A mail server with the lines that it was told, and its answers.
struct Protocol {
    std::vector<std::string> commands;
    std::string text;
    std::string refuse;  // the command that is refused
    bool offers_tls = false;
};

base::Task<std::string> read_until(tcp::socket& socket, std::string& buffer, std::string end) {
    const auto size =
        co_await asio::async_read_until(socket, asio::dynamic_buffer(buffer), end, asio::use_awaitable);
    auto text = buffer.substr(0, size - end.size());
    buffer.erase(0, size);
    co_return text;
}

std::string reply_to(const std::string& command, const Protocol& protocol) {
    const auto word = command.substr(0, 4);
    if (word == protocol.refuse) return "550 no such person\r\n";
    if (word == "EHLO")
        return protocol.offers_tls ? "250-x\r\n250 STARTTLS\r\n" : "250-x\r\n250 AUTH PLAIN\r\n";
    if (word == "AUTH") return "334 \r\n";
    if (word == "STAR") return "454 not now\r\n";
    if (word == "DATA") return "354 go on\r\n";
    if (word == "QUIT") return "221 bye\r\n";
    const bool is_answer_to_auth = word != "MAIL" && word != "RCPT";
    return is_answer_to_auth ? "235 welcome\r\n" : "250 ok\r\n";
}

base::Task<void> serve_mail(tcp::socket& socket, Protocol& protocol) {
    std::string buffer;
    co_await write_text(socket, "220 x ESMTP\r\n");
    for (;;) {
        auto command = co_await read_until(socket, buffer, "\r\n");
        auto reply = reply_to(command, protocol);
        const bool is_data = reply.starts_with("354");
        const bool is_over = reply.starts_with("221");
        protocol.commands.push_back(std::move(command));
        co_await write_text(socket, std::move(reply));
        if (is_over) co_return;
        if (!is_data) continue;
        protocol.text = co_await read_until(socket, buffer, "\r\n.\r\n");
        co_await write_text(socket, "250 taken\r\n");
    }
}

class Smtp : public ::testing::Test {
protected:
    std::string send(Protocol& protocol, SmtpOptions options = {}) {
        const auto script = [&](tcp::socket& socket, std::size_t) { return serve_mail(socket, protocol); };
        ScriptedServer server(io_, script);
        options.url = "smtp://127.0.0.1:" + std::to_string(server.port());
        Mail mail{"receiptd@example.org", {"a@example.org", "b@example.org"}, "Subject: x\r\n\r\n.dot\r\n"};
        auto job = [options = std::move(options), mail = std::move(mail)] {
            return send_mail(options, mail);
        };
        return run_on(io_, base::offload(threads_, std::move(job)));
    }

    asio::io_context io_{1};
    asio::thread_pool threads_{1};
};

SmtpOptions plain() {
    SmtpOptions options;
    options.needs_tls = false;
    return options;
}

TEST_F(Smtp, SendsAMailToEachRecipient) {
    Protocol protocol;
    EXPECT_EQ(send(protocol, plain()), "");
    ASSERT_GE(protocol.commands.size(), 5u);
    EXPECT_THAT(protocol.commands[1], HasSubstr("MAIL FROM:<receiptd@example.org>"));
    EXPECT_EQ(protocol.commands[2], "RCPT TO:<a@example.org>");
    EXPECT_EQ(protocol.commands[3], "RCPT TO:<b@example.org>");
    EXPECT_EQ(protocol.text, "Subject: x\r\n\r\n..dot") << "a dot at the start of a line is doubled";
}

TEST_F(Smtp, SaysWhatTheServerRefused) {
    Protocol protocol;
    protocol.refuse = "RCPT";
    EXPECT_THAT(send(protocol, plain()), HasSubstr("(SMTP 550)"));
    EXPECT_EQ(protocol.text, "");
}

TEST_F(Smtp, LogsInAndNeverTellsThePassword) {
    Protocol protocol;
    auto options = plain();
    options.user = "robot";
    options.password = base::Secret("hunter2-hunter2");
    EXPECT_EQ(send(protocol, options), "");
    EXPECT_THAT(protocol.commands[1], HasSubstr("AUTH PLAIN"));
    Protocol refusing;
    refusing.refuse = "AUTH";
    EXPECT_THAT(send(refusing, options), Not(HasSubstr("hunter2")));
    EXPECT_NE(send(refusing, options), "");
}

TEST_F(Smtp, WithoutTlsNothingIsTold) {
    SmtpOptions options;
    options.user = "robot";
    options.password = base::Secret("hunter2");
    Protocol without;
    EXPECT_NE(send(without, options), "");
    Protocol refusing;
    refusing.offers_tls = true;
    EXPECT_NE(send(refusing, options), "");
    for (const auto& protocol : {without, refusing})
        for (const auto& command : protocol.commands) {
            EXPECT_THAT(command, Not(HasSubstr("AUTH")));
            EXPECT_THAT(command, Not(HasSubstr("MAIL")));
        }
}

TEST_F(Smtp, ConnectsToAllowedAddressesOnly) {
    Protocol protocol;
    auto options = plain();
    options.address_filter = not_public;
    EXPECT_EQ(send(protocol, options), "address refused: 127.0.0.1 is loopback");
    EXPECT_TRUE(protocol.commands.empty());
}

}  // namespace
}  // namespace receiptd::net
