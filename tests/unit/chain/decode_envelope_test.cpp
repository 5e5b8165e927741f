#include "decode_fixtures.hpp"

#include <gmock/gmock.h>

namespace receiptd::chain {
namespace {

using testing::Changed;
using testing::error_of;
using testing::fixture;

Envelope envelope_of(const std::string& body) {
    auto envelope = read_envelope(body);
    EXPECT_TRUE(envelope) << body << "\n" << error_of(envelope);
    return envelope ? std::move(*envelope) : Envelope{};
}

TEST(ReadEnvelope, TellsAResultFromAnError) {
    EXPECT_EQ(envelope_of(fixture("block/answer.json")).kind, Envelope::Kind::result);
    EXPECT_EQ(envelope_of(fixture("error/structured.json")).kind, Envelope::Kind::error);
    EXPECT_EQ(envelope_of(fixture("error/null_result.json")).kind, Envelope::Kind::null_result);
    for (const std::string result : {"7", "\"hash\"", "[1,2]", "[]", "{}", "true"}) {
        EXPECT_EQ(envelope_of("{\"result\":" + result + "}").kind, Envelope::Kind::result) << result;
    }
}

TEST(ReadEnvelope, ReadsAStructuredError) {
    const RpcErrorObject error = envelope_of(fixture("error/structured.json")).error;
    EXPECT_EQ(error.name, "HANDLER_ERROR");
    EXPECT_EQ(error.cause, "UNKNOWN_CHUNK");
    EXPECT_EQ(error.info_json.substr(0, 15), "{\"chunk_hash\":\"");
    EXPECT_EQ(error.code, -32000);
    EXPECT_EQ(error.message, "Server error");
    EXPECT_EQ(error.data_json, R"("DB \n")");
}

TEST(ReadEnvelope, ReadsErrorsOfOldAndForeignServers) {
    const RpcErrorObject old = envelope_of(fixture("error/old.json")).error;
    EXPECT_EQ(old.name, "");
    EXPECT_EQ(old.cause, "");
    EXPECT_EQ(old.info_json, "");
    EXPECT_EQ(old.data_json,
              R"({"TxExecutionError":{"InvalidTxError":{"InvalidNonce":{"tx_nonce":5,"ak_nonce":7}}}})");
    EXPECT_EQ(envelope_of(fixture("error/text.json")).error.message, "origin_not_allowed");
    EXPECT_EQ(envelope_of(R"({"error":429})").error.message, "429");
    EXPECT_EQ(envelope_of(R"({"error":["a"]})").error.message, R"(["a"])");
    const RpcErrorObject odd =
        envelope_of(R"({"error":{"code":"-32005","message":{"a":1},"cause":"LIMIT","name":7,"data":null}})")
            .error;
    EXPECT_EQ(odd.code, -32005);
    EXPECT_EQ(odd.message, R"({"a":1})");
    EXPECT_EQ(odd.cause, "LIMIT");
    EXPECT_EQ(odd.name, "7");
    EXPECT_EQ(odd.data_json, "");
    EXPECT_EQ(envelope_of(R"({"error":{}})").error.code, 0);
    EXPECT_EQ(envelope_of(R"({"error":{"code":1.5e99}})").kind, Envelope::Kind::error);
}

TEST(ReadEnvelope, ReadsTheGatewaysOwnShapeOfAnInvalidTransaction) {
    const auto bare =
        envelope_of(R"({"error":{"InvalidTransaction":{"InvalidNonce":{"tx_nonce":5,"ak_nonce":7}}}})").error;
    EXPECT_EQ(bare.cause, "INVALID_TRANSACTION");
    EXPECT_EQ(bare.invalid_transaction_json, R"({"InvalidNonce":{"tx_nonce":5,"ak_nonce":7}})");
    const auto expired = envelope_of(R"({"error":{"InvalidTransaction":{"Expired":null}}})").error;
    EXPECT_EQ(expired.invalid_transaction_json, R"({"Expired":null})");
    const auto both =
        envelope_of(
            R"({"error":{"cause":{"name":"INVALID_TRANSACTION"},"InvalidTransaction":{"Expired":null}}})")
            .error;
    EXPECT_EQ(both.cause, "INVALID_TRANSACTION");
}

TEST(ReadEnvelope, OfTwoMembersTheNonNullOneWins) {
    EXPECT_EQ(envelope_of(fixture("error/both.json")).kind, Envelope::Kind::result);
    EXPECT_EQ(envelope_of(R"({"result":null,"error":{"code":1}})").kind, Envelope::Kind::error);
    EXPECT_EQ(envelope_of(R"({"error":{"code":1},"result":null})").kind, Envelope::Kind::error);
    EXPECT_EQ(envelope_of(R"({"error":null,"result":null})").kind, Envelope::Kind::null_result);
}

TEST(ReadEnvelope, TheIdDoesNotMatter) {
    for (const std::string id : {"null", "\"other\"", "17", "{\"result\":null}", "[]"}) {
        EXPECT_EQ(envelope_of("{\"id\":" + id + ",\"result\":{}}").kind, Envelope::Kind::result) << id;
    }
}

TEST(ReadEnvelope, FindsTheSoftErrorOfAQuery) {
    EXPECT_EQ(envelope_of(fixture("error/soft.json")).soft_error, "access key does not exist while viewing");
    EXPECT_EQ(envelope_of(R"({"result":{"logs":[{"error":"inner"}]}})").soft_error, "");
    EXPECT_EQ(envelope_of(R"({"result":{"error":null}})").soft_error, "");
}

TEST(ReadEnvelope, OtherAnswersAreErrors) {
    EXPECT_EQ(error_of(read_envelope("{}")), "neither result nor error");
    EXPECT_EQ(error_of(read_envelope(R"({"error":null})")), "neither result nor error");
    EXPECT_EQ(error_of(read_envelope(R"({"message":"rate limit"})")), "neither result nor error");
    EXPECT_EQ(error_of(read_envelope("null")), "not an object");
    EXPECT_EQ(error_of(read_envelope("[]")), "not an object");
    EXPECT_EQ(error_of(read_envelope("\"Internal data error\"")), "not an object");
    for (const std::string body :
         {"", " ", "<html></html>", "{", "{\"result\":1", "{\"result\":1}}", "{\"result\":1} x",
          "{\"result\":tru}", "{\"result\":}", "{result:1}", "{\"result\":1,}"}) {
        EXPECT_FALSE(read_envelope(body)) << body;
    }
}

TEST(ReadEnvelope, WorksWithAndWithoutSpareCapacity) {
    std::string padded;
    padded.reserve(4096);
    padded = fixture("error/structured.json");
    std::string tight = fixture("error/structured.json");
    tight.shrink_to_fit();
    EXPECT_EQ(envelope_of(padded).error.cause, envelope_of(tight).error.cause);
}

TEST(DecodeQuery, ReadsAnAccessKey) {
    const auto key = decode_view_access_key(
        R"({"nonce":85,"permission":{"FunctionCall":{"allowance":null,"receiver_id":"a.near","method_names":[]}},"block_height":19884918,"block_hash":"h"})");
    ASSERT_TRUE(key) << error_of(key);
    EXPECT_EQ(key->nonce, 85);
    EXPECT_EQ(key->permission_json,
              R"({"FunctionCall":{"allowance":null,"receiver_id":"a.near","method_names":[]}})");
    EXPECT_EQ(key->block_height, 19884918);
}

TEST(DecodeQuery, ReadsAListOfAccessKeys) {
    const auto keys = decode_view_access_key_list(
        R"({"keys":[{"public_key":"ed25519:a","access_key":{"nonce":1,"permission":"FullAccess"}},
            {"public_key":"ed25519:b","access_key":{"nonce":2,"permission":{"GasKeyFullAccess":{"balance":"1","num_nonces":4}}}}],
            "block_height":1,"block_hash":"h"})");
    ASSERT_TRUE(keys) << error_of(keys);
    ASSERT_EQ(keys->size(), 2);
    EXPECT_EQ((*keys)[0].public_key, "ed25519:a");
    EXPECT_EQ((*keys)[0].permission_json, "\"FullAccess\"");
    EXPECT_EQ((*keys)[1].nonce, 2);
    EXPECT_EQ((*keys)[1].block_height, 0);
}

TEST(DecodeQuery, ReadsTheBytesAndLogsOfACall) {
    const auto call = decode_call_function(
        R"({"result":[34,0,255,34],"logs":["one","two\n"],"block_height":17817336,"block_hash":"h"})");
    ASSERT_TRUE(call) << error_of(call);
    EXPECT_EQ(call->result, std::string("\"\0\xFF\"", 4));
    EXPECT_EQ(call->logs, (std::vector<std::string>{"one", "two\n"}));
    EXPECT_TRUE(
        decode_call_function(R"({"result":{"result":[],"logs":[],"block_height":1,"block_hash":"h"}})"));
}

TEST(DecodeQuery, SaysWhatIsWrong) {
    EXPECT_EQ(
        error_of(decode_call_function(R"({"result":[1,256],"logs":[],"block_height":1,"block_hash":"h"})")),
        "result[1]: not a byte");
    EXPECT_EQ(error_of(decode_view_access_key(R"({"nonce":1})")), "permission: missing");
    EXPECT_EQ(error_of(decode_view_access_key(R"({"nonce":1,"permission":{"a":}})")).substr(0, 12),
              "permission.a");
    EXPECT_EQ(
        error_of(decode_view_access_key(R"({"error":"access key ed25519:x does not exist while viewing"})")),
        "error: access key ed25519:x does not exist while viewing");
    EXPECT_EQ(error_of(decode_view_access_key_list("[]")), "not an object");
}

}  // namespace
}  // namespace receiptd::chain
