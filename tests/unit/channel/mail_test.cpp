#include "channel/mail.hpp"

#include "bodies.hpp"
#include "channel/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sodium/utils.h>

#include <regex>

namespace receiptd::channel {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const base::WallTime kNoon{std::chrono::seconds(1'772'366'400)};

Settings mail_settings() {
    Settings settings;
    settings.kind = Kind::email;
    settings.from = "receiptd@example.org";
    settings.to = {"a@example.org", "b@example.net"};
    return settings;
}

std::string decoded(const std::string& base64) {
    std::string bytes(base64.size(), '\0');
    std::size_t length = 0;
    EXPECT_EQ(sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), base64.data(),
                                base64.size(), "\r\n", &length, nullptr, sodium_base64_VARIANT_ORIGINAL),
              0);
    bytes.resize(length);
    return bytes;
}

struct Parts {
    std::string head, text, subject;
};

Parts parts_of(const std::string& mail) {
    const auto end = mail.find("\r\n\r\n");
    Parts parts{mail.substr(0, end + 2), decoded(mail.substr(end + 4)), {}};
    const std::regex word(R"(=\?UTF-8\?B\?([^?]+)\?=)");
    for (std::sregex_iterator it(parts.head.begin(), parts.head.end(), word), none; it != none; ++it)
        parts.subject += decoded((*it)[1]);
    return parts;
}

std::string mail_about(const Json& alert, const std::string& id = "failed_receipt:8Fh") {
    return mail(mail_settings(), id, alert.dump(), kNoon);
}

TEST(Mail, HasTheHeadersOfAMail) {
    const auto [head, text, subject] = parts_of(mail_about(testing::finding("no such pool")));
    EXPECT_THAT(head,
                StartsWith("From: <receiptd@example.org>\r\nTo: <a@example.org>,\r\n <b@example.net>\r\n"));
    EXPECT_THAT(head, HasSubstr("\r\nDate: Sun, 01 Mar 2026 12:00:00 +0000\r\n"));
    EXPECT_THAT(head, HasSubstr("\r\nMessage-ID: <failed-receipt-8Fh@example.org>\r\n"));
    EXPECT_THAT(head, Not(HasSubstr("References")));
    EXPECT_EQ(subject, "on_transfer of app.near failed: contract_panic: no such pool");
    EXPECT_THAT(text, StartsWith(subject + "\n\ncontract: app.near\n"));
    EXPECT_THAT(text, HasSubstr("\npage: https://receiptd.example.org/tx/F8X\n"));
}

TEST(Mail, MailsOfAGroupReferToIt) {
    EXPECT_THAT(mail_about(testing::group("group.digest"), "digest:1"),
                HasSubstr("\r\nReferences: <group-17@example.org>\r\n"));
}

TEST(Mail, TextOfTheChainAddsNoHeader) {
    const auto mail =
        mail_about(testing::finding(testing::kHostile + testing::emoji()), "x:\r\nBcc: a@evil.example");
    const auto [head, text, subject] = parts_of(mail);
    EXPECT_THAT(head, Not(HasSubstr("\nBcc")));
    EXPECT_THAT(head, HasSubstr("Message-ID: <x---Bcc--a-evil-example@example.org>\r\n"));
    EXPECT_THAT(subject, HasSubstr("@everyone <!channel>"));
    EXPECT_LE(units(subject), 200u);
    EXPECT_LE(units(text), 33'000u);
    std::size_t from = 0;
    for (auto end = mail.find("\r\n"); end != std::string::npos; end = mail.find("\r\n", from)) {
        EXPECT_LE(end - from, 76u) << mail.substr(from, end - from);
        from = end + 2;
    }
    EXPECT_EQ(from, mail.size()) << "each line ends";
    EXPECT_TRUE(std::all_of(mail.begin(), mail.end(),
                            [](char c) { return (c >= ' ' && c < 0x7f) || c == '\r' || c == '\n'; }));
}

}  // namespace
}  // namespace receiptd::channel
