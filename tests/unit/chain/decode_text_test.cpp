#include "chain/json/decode_text.hpp"

#include "decode_fixtures.hpp"

#include <gmock/gmock.h>

namespace receiptd::chain {
namespace {

using decoding::is_json_number;
using decoding::looks_like_hash;
using decoding::parse_balance;
using testing::Changed;
using testing::error_of;

// The log after it went through the decoder as JSON text, or the error.
std::string log_of(const std::string& raw) {
    const auto decoded = decode_transaction_status(
        Changed("tx_status/full.json").set("/transaction_outcome/outcome/logs", "[\"" + raw + "\"]").text());
    return decoded ? std::string(decoded->value.transaction_outcome->logs[0]) : error_of(decoded);
}

TEST(DecodeStrings, PlainOnesAreViewsIntoTheDocument) {
    const auto decoded = decode_transaction_status(testing::fixture("tx_status/full.json"));
    ASSERT_TRUE(decoded);
    const Text json = decoded->document->json();
    const Text account = decoded->value.transaction->signer_id;
    EXPECT_GE(account.data(), json.data());
    EXPECT_LE(account.data() + account.size(), json.data() + json.size());
}

TEST(DecodeStrings, EscapesAreUndone) {
    EXPECT_EQ(log_of(R"(\"\\\/\b\f\n\r\t)"), "\"\\/\b\f\n\r\t");
    EXPECT_EQ(log_of(R"(a\\)"), "a\\");
    EXPECT_EQ(log_of(R"(\u0041\u00e9\u20AC\uD83D\uDE00)"), "A\u00e9\u20AC\U0001F600");
    EXPECT_EQ(log_of("\u00e9\u20AC\U0001F600"), "\u00e9\u20AC\U0001F600");
    EXPECT_EQ(log_of(""), "");
}

TEST(DecodeStrings, AZeroByteIsText) {
    EXPECT_EQ(log_of(R"(\u0000)"), std::string(1, '\0'));
    EXPECT_EQ(log_of(R"(a\u0000b)"), std::string("a\0b", 3));
}

TEST(DecodeStrings, SurrogatesWithoutPartnerBecomeReplacementCharacters) {
    const std::string replacement = "\uFFFD";
    EXPECT_EQ(log_of(R"(\uD800)"), replacement);
    EXPECT_EQ(log_of(R"(\uDFFF)"), replacement);
    EXPECT_EQ(log_of(R"(\uDE00\uD83D)"), replacement + replacement);
    EXPECT_EQ(log_of(R"(\uD83Dx)"), replacement + "x");
    EXPECT_EQ(log_of(R"(\uD83D\n)"), replacement + "\n");
    EXPECT_EQ(log_of(R"(\uD83D\u0041)"), replacement + "A");
    EXPECT_EQ(log_of(R"(\uD83D\uD83D\uDE00)"), replacement + "\U0001F600");
}

TEST(DecodeStrings, BrokenEscapesAreErrors) {
    const std::string error = "transaction_outcome.outcome.logs[0]: unknown escape in a string";
    for (const std::string raw :
         {R"(\q)", R"(\u12)", R"(\u12G4)", R"(\U0041)", R"(\x41)", R"(\uD83D\u12)", R"(\')"}) {
        EXPECT_EQ(log_of(raw), error) << raw;
    }
}

TEST(DecodeStrings, ControlCharactersAndInvalidUtf8AreErrors) {
    for (const std::string raw :
         {"\n", "\x01", "\x80", "\xC3", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xFF"}) {
        std::string json = testing::fixture("tx_status/full.json");
        json.insert(json.find("plain"), raw);
        const auto decoded = decode_transaction_status(json);
        ASSERT_FALSE(decoded);
        EXPECT_EQ(decoded.error().path, "");
        EXPECT_THAT(decoded.error().reason, ::testing::StartsWith("broken JSON: "));
    }
}

TEST(DecodeText, KnowsTheGrammarOfNumbers) {
    for (const Text good :
         {"0", "-0", "12", "1.5", "-1.50", "1e5", "1E+5", "0.1e-20", "999999999999999999999999"}) {
        EXPECT_TRUE(is_json_number(good)) << good;
    }
    for (const Text bad :
         {"", "-", "01", "1.", ".5", "+1", "1e", "1e+", "0x1", "1 ", "Infinity", "NaN", "--1", "1.5.5"}) {
        EXPECT_FALSE(is_json_number(bad)) << bad;
    }
}

TEST(DecodeText, BalancesAgreeWithTheSlowWay) {
    std::string digits;
    for (int i = 0; i < 41; ++i) {
        digits.insert(digits.begin(), static_cast<char>('1' + i % 9));
        EXPECT_EQ(parse_balance(digits), base::parse_u128(digits)) << digits;
        std::string broken = digits;
        broken[broken.size() / 2] = '/';
        EXPECT_EQ(parse_balance(broken), std::nullopt) << broken;
        broken[broken.size() / 2] = ':';
        EXPECT_EQ(parse_balance(broken), std::nullopt) << broken;
    }
    EXPECT_EQ(parse_balance("0000000000000000000000000000000000000000000000000000000007"), base::u128{7});
}

TEST(DecodeText, AHashIsBase58) {
    EXPECT_TRUE(looks_like_hash(kZeroHash));
    for (const char c : Text("0OIl+/=_- \"\x80")) {
        std::string text(43, 'a');
        text[20] = c;
        EXPECT_FALSE(looks_like_hash(text)) << c;
    }
}

}  // namespace
}  // namespace receiptd::chain
