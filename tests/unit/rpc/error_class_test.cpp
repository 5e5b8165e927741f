#include "rpc/error_class.hpp"

#include "support/recordings.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace receiptd::rpc {
namespace {

using namespace std::chrono_literals;
using enum ErrorClass;

// One answer, classified as the upstream would.
struct Said {
    int status = 200;
    std::string body;
    std::string method = "block";
    std::optional<chain::BlockHeight> height = {};
    std::string retry_after = {};
    std::optional<net::TransportFault> fault = {};
};

constexpr chain::BlockHeight kHeadHeight = 1'000'000;

Verdict judge(const Said& said) {
    HttpObservation seen;
    seen.fault = said.fault;
    seen.status = said.status;
    seen.body = said.body;
    seen.method = said.method;
    seen.height = said.height;
    seen.known_head = kHeadHeight;
    seen.retry_after = said.retry_after;
    seen.now = std::chrono::sys_days(std::chrono::year(2024) / 11 / 6) + 8h;
    std::optional<chain::Envelope> envelope;
    if (!said.fault)
        if (auto read = chain::read_envelope(said.body)) envelope = *read;
    if (envelope) seen.envelope = &*envelope;
    return classify(seen);
}

std::string structured(const std::string& name, const std::string& cause, const std::string& data = "\"x\"") {
    return R"({"jsonrpc":"2.0","error":{"name":")" + name + R"(","cause":{"info":{},"name":")" + cause +
           R"("},"code":-32000,"message":"Server error","data":)" + data + R"(},"id":"1"})";
}

std::string unstructured(int code, const std::string& message, const std::string& data = "") {
    return R"({"jsonrpc":"2.0","error":{"code":)" + std::to_string(code) + R"(,"message":")" + message +
           "\"" + (data.empty() ? "" : R"(,"data":)" + data) + R"(},"id":null})";
}

const std::string kHtml = "<!DOCTYPE html><html><body>Bad gateway</body></html>";

struct Row {
    const char* name;
    Said said;
    ErrorClass error_class;
    std::string reason;
    bool absent = false;
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

class FailureTable : public ::testing::TestWithParam<Row> {};

TEST_P(FailureTable, GivesTheClassAndTheReason) {
    const auto& row = GetParam();
    const auto verdict = judge(row.said);
    EXPECT_STREQ(to_string(verdict.error_class), to_string(row.error_class));
    EXPECT_EQ(verdict.reason, row.reason);
    EXPECT_EQ(verdict.absent, row.absent);
}

// providers.md §5.1, row by row.
INSTANTIATE_TEST_SUITE_P(
    providers, FailureTable,
    ::testing::Values(
        Row{"limit_with_error_text", {429, R"({"error":"slow down"})"}, rate_limited, "rate_limited"},
        Row{"limit_with_message", {429, R"({"message":"API limit"})"}, rate_limited, "rate_limited"},
        Row{"limit_with_envelope", {429, unstructured(-32000, "no")}, rate_limited, "rate_limited"},
        Row{"limit_with_empty_body", {429, ""}, rate_limited, "rate_limited"},
        Row{"limit_with_html", {429, kHtml}, rate_limited, "rate_limited"},
        Row{"limit_as_code_32005", {200, unstructured(-32005, "x")}, rate_limited, "rate_limited"},
        Row{"limit_as_code_32029", {200, unstructured(-32029, "x")}, rate_limited, "rate_limited"},
        Row{"limit_as_code_32097", {200, unstructured(-32097, "x")}, rate_limited, "rate_limited"},
        Row{"limit_as_code_429", {200, unstructured(429, "x")}, rate_limited, "rate_limited"},
        Row{"limit_as_code_minus_429", {200, unstructured(-429, "x")}, rate_limited, "rate_limited"},
        Row{"limit_as_text", {200, unstructured(-32000, "Rate limit reached")}, rate_limited, "rate_limited"},
        Row{"limit_as_compute_units",
            {200, unstructured(-32000, "out of compute units")},
            rate_limited,
            "rate_limited"},
        Row{"limit_as_bare_message",
            {200, R"({"message":"Too Many Requests"})"},
            rate_limited,
            "rate_limited"},
        Row{"code_and_message_only", {200, unstructured(-32000, "oops")}, endpoint_fault, "server_error"},
        Row{"method_not_found",
            {400, structured("REQUEST_VALIDATION_ERROR", "METHOD_NOT_FOUND")},
            endpoint_fault,
            "METHOD_NOT_FOUND"},
        Row{"method_code", {200, unstructured(-32601, "x")}, endpoint_fault, "METHOD_NOT_FOUND"},
        Row{"method_text",
            {200, unstructured(-32000, "method not available on your plan")},
            endpoint_fault,
            "METHOD_NOT_FOUND"},
        Row{"method_forbidden",
            {403, R"({"message":"Method not allowed"})"},
            endpoint_fault,
            "METHOD_NOT_FOUND"},
        Row{"unauthorized_html", {401, kHtml}, endpoint_fault, "unauthorized"},
        Row{"forbidden_html", {403, kHtml}, endpoint_fault, "unauthorized"},
        Row{"origin_not_allowed", {403, R"({"error":"origin_not_allowed"})"}, endpoint_fault, "unauthorized"},
        Row{"server_error_html", {500, kHtml}, endpoint_fault, "http_500"},
        Row{"bad_gateway", {502, kHtml}, endpoint_fault, "http_502"},
        Row{"unavailable", {503, ""}, endpoint_fault, "http_503"},
        Row{"gateway_timeout", {504, ""}, endpoint_fault, "http_504"},
        Row{"cdn", {522, kHtml}, endpoint_fault, "http_522"},
        Row{"timeout_of_tx",
            {408, structured("HANDLER_ERROR", "TIMEOUT_ERROR"), "tx"},
            not_yet,
            "TIMEOUT_ERROR",
            true},
        Row{"timeout_of_a_gateway", {408, "Request Timeout", "tx"}, endpoint_fault, "http_408"},
        Row{"unknown_block_422",
            {422, structured("HANDLER_ERROR", "UNKNOWN_BLOCK"), "block", 5},
            pruned,
            "UNKNOWN_BLOCK",
            true},
        Row{"unknown_block_with_200",
            {200, structured("HANDLER_ERROR", "UNKNOWN_BLOCK"), "block", 5},
            pruned,
            "UNKNOWN_BLOCK",
            true},
        Row{"result_with_any_status", {500, R"({"jsonrpc":"2.0","result":{"a":1}})"}, ok, ""},
        Row{"id_missing", {200, R"({"jsonrpc":"2.0","result":{"a":1}})"}, ok, ""},
        Row{"id_null", {200, R"({"jsonrpc":"2.0","result":{"a":1},"id":null})"}, ok, ""},
        Row{"null_result",
            {200, R"({"jsonrpc":"2.0","result":null,"id":"1"})"},
            endpoint_fault,
            "null_result"},
        Row{"null_result_of_health", {200, R"({"jsonrpc":"2.0","result":null,"id":"1"})", "health"}, ok, ""},
        Row{"result_and_null_error", {200, R"({"jsonrpc":"2.0","result":{"a":1},"error":null})"}, ok, ""},
        Row{"error_and_null_result",
            {200, R"({"jsonrpc":"2.0","result":null,"error":{"code":-32000,"message":"oops"}})"},
            endpoint_fault,
            "server_error"},
        Row{"truncated_json", {200, R"({"jsonrpc":"2.0","resu)"}, endpoint_fault, "malformed"},
        Row{"html_instead_of_json", {200, kHtml}, endpoint_fault, "malformed"},
        Row{"too_large",
            {0, "", "block", {}, "", net::TransportFault::too_large},
            endpoint_fault,
            "too_large"},
        Row{"timeout", {0, "", "block", {}, "", net::TransportFault::timeout}, endpoint_fault, "timeout"},
        Row{"reset",
            {0, "", "block", {}, "", net::TransportFault::reset},
            endpoint_fault,
            "connection_reset"},
        Row{"tls", {0, "", "block", {}, "", net::TransportFault::tls}, endpoint_fault, "tls"},
        Row{"resolve", {0, "", "block", {}, "", net::TransportFault::resolve}, endpoint_fault, "resolve"},
        Row{"connect", {0, "", "block", {}, "", net::TransportFault::connect}, endpoint_fault, "connect"},
        Row{"bad_compression",
            {0, "", "block", {}, "", net::TransportFault::malformed},
            endpoint_fault,
            "malformed"},
        Row{"body_too_large_for_host", {413, "too large"}, endpoint_fault, "http_413"},
        Row{"gone_at_the_origin", {530, kHtml}, endpoint_fault, "http_530"},
        Row{"request_that_took_too_long", {408, "timeout"}, endpoint_fault, "http_408"},
        Row{"unpaid", {402, R"({"message":"quota exceeded"})"}, rate_limited, "payment_required"},
        Row{"unpaid_in_an_answer",
            {200, unstructured(-32000, "Insufficient credits", "null")},
            rate_limited,
            "payment_required"},
        Row{"error_as_a_result",
            {200, R"({"jsonrpc":"2.0","result":{"error":"upstream is down"}})", "block", 5},
            endpoint_fault,
            "error_as_result"},
        Row{"limit_as_result", {200, R"({"result":{"error":"Rate limit"}})"}, rate_limited, "rate_limited"},
        Row{"plain_text_400", {400, "Json deserialize error"}, caller_fault, "http_400"}),
    [](const auto& test) { return std::string(test.param.name); });

// rpc.md §11 and the causes of §4-7.
INSTANTIATE_TEST_SUITE_P(
    decisions, FailureTable,
    ::testing::Values(
        Row{"block_above_head",
            {200, structured("HANDLER_ERROR", "UNKNOWN_BLOCK"), "block", kHeadHeight + 1},
            not_yet,
            "UNKNOWN_BLOCK"},
        Row{"block_by_hash",
            {200, structured("HANDLER_ERROR", "UNKNOWN_BLOCK")},
            endpoint_fault,
            "UNKNOWN_BLOCK",
            true},
        Row{"chunk_right_after_the_block",
            {200, structured("HANDLER_ERROR", "UNKNOWN_CHUNK"), "chunk", kHeadHeight},
            not_yet,
            "UNKNOWN_CHUNK",
            true},
        Row{"chunk_of_old",
            {200, structured("HANDLER_ERROR", "UNKNOWN_CHUNK"), "chunk", 5},
            pruned,
            "UNKNOWN_CHUNK",
            true},
        Row{"garbage_collected",
            {200, structured("HANDLER_ERROR", "GARBAGE_COLLECTED_BLOCK"), "query"},
            pruned,
            "GARBAGE_COLLECTED_BLOCK",
            true},
        Row{"unavailable_shard",
            {200, structured("HANDLER_ERROR", "UNAVAILABLE_SHARD"), "query"},
            pruned,
            "UNAVAILABLE_SHARD",
            true},
        Row{"untracked_shard",
            {200, structured("HANDLER_ERROR", "DOES_NOT_TRACK_SHARD"), "tx"},
            pruned,
            "DOES_NOT_TRACK_SHARD",
            true},
        Row{"timeout_of_send",
            {408, structured("HANDLER_ERROR", "TIMEOUT_ERROR"), "send_tx"},
            not_yet,
            "TIMEOUT_ERROR",
            true},
        Row{"invalid_nonce",
            {200,
             structured("HANDLER_ERROR", "INVALID_TRANSACTION",
                        R"({"TxExecutionError":{"InvalidTxError":{"InvalidNonce":{"tx_nonce":5}}}})"),
             "send_tx"},
            chain_state,
            "INVALID_TRANSACTION"},
        Row{"shard_congested",
            {200,
             structured("HANDLER_ERROR", "INVALID_TRANSACTION",
                        R"({"TxExecutionError":{"InvalidTxError":{"ShardCongested":{"shard_id":1}}}})"),
             "send_tx"},
            not_yet,
            "INVALID_TRANSACTION"},
        Row{"invalid_nonce_in_the_gateways_shape",
            {200, R"({"jsonrpc":"2.0","error":{"InvalidTransaction":{"InvalidNonce":{"tx_nonce":5}}}})",
             "send_tx"},
            chain_state,
            "INVALID_TRANSACTION"},
        Row{"shard_congested_in_the_gateways_shape",
            {200, R"({"jsonrpc":"2.0","error":{"InvalidTransaction":{"ShardCongested":{"shard_id":1}}}})",
             "send_tx"},
            not_yet,
            "INVALID_TRANSACTION"},
        Row{"soft_error_of_query",
            {200,
             R"({"jsonrpc":"2.0","result":{"error":"access key x does not exist while viewing","logs":[],"block_height":1,"block_hash":"1"}})",
             "query"},
            chain_state,
            "query_error"},
        Row{"unknown_transaction",
            {200, structured("HANDLER_ERROR", "UNKNOWN_TRANSACTION"), "tx"},
            chain_state,
            "UNKNOWN_TRANSACTION",
            true},
        Row{"unknown_receipt",
            {200, structured("HANDLER_ERROR", "UNKNOWN_RECEIPT"), "EXPERIMENTAL_receipt"},
            chain_state,
            "UNKNOWN_RECEIPT",
            true},
        Row{"not_synced",
            {200, structured("HANDLER_ERROR", "NOT_SYNCED_YET")},
            endpoint_fault,
            "NOT_SYNCED_YET"},
        Row{"data_of_a_block_that_is_not_there",
            {200, structured("HANDLER_ERROR", "DATA_UNAVAILABLE"), kIndexerBlock, 5},
            pruned,
            "DATA_UNAVAILABLE",
            true},
        Row{"data_of_a_block_that_is_not_applied_yet",
            {200, structured("HANDLER_ERROR", "DATA_UNAVAILABLE"), kIndexerBlock, kHeadHeight},
            not_yet,
            "DATA_UNAVAILABLE",
            true},
        Row{"a_block_with_parts_missing",
            {200, structured("HANDLER_ERROR", "INCOMPLETE_DATA"), kIndexerBlock, 5},
            pruned,
            "INCOMPLETE_DATA",
            true},
        Row{"busy", {200, structured("HANDLER_ERROR", "BUSY")}, rate_limited, "BUSY"},
        Row{"more_keys_than_one_page",
            {200, structured("HANDLER_ERROR", "TOO_MANY_ACCESS_KEYS"), "query"},
            chain_state,
            "TOO_MANY_ACCESS_KEYS"},
        Row{"internal",
            {500, structured("INTERNAL_ERROR", "INTERNAL_ERROR")},
            endpoint_fault,
            "INTERNAL_ERROR"},
        Row{"parse_error",
            {400, structured("REQUEST_VALIDATION_ERROR", "PARSE_ERROR")},
            caller_fault,
            "PARSE_ERROR"},
        Row{"unknown_account",
            {200, structured("HANDLER_ERROR", "UNKNOWN_ACCOUNT"), "query"},
            chain_state,
            "UNKNOWN_ACCOUNT"},
        Row{"cause_of_tomorrow",
            {200, structured("HANDLER_ERROR", "SOMETHING_NEW")},
            endpoint_fault,
            "SOMETHING_NEW"},
        Row{"validation_of_tomorrow",
            {400, structured("REQUEST_VALIDATION_ERROR", "SOMETHING_NEW")},
            caller_fault,
            "SOMETHING_NEW"}),
    [](const auto& test) { return std::string(test.param.name); });

// Errors of nodes that did not name causes yet.
INSTANTIATE_TEST_SUITE_P(
    old_nodes, FailureTable,
    ::testing::Values(
        Row{"block_by_height",
            {200,
             unstructured(-32000, "Server error",
                          R"("DB Not Found Error: BLOCK HEIGHT: 10 \n Cause: Unknown")"),
             "block", 10},
            pruned,
            "UNKNOWN_BLOCK",
            true},
        Row{"chunk_that_is_broken",
            {200,
             unstructured(-32000, "Server error",
                          R"("DB Not Found Error: CHUNK EXTRA: 9xyz \n Cause: Unknown")"),
             "chunk", 10},
            endpoint_fault,
            "server_error"},
        Row{"chunk",
            {200, unstructured(-32000, "Server error", R"("Chunk Missing (unavailable): x")"), "chunk", 10},
            pruned,
            "UNKNOWN_CHUNK",
            true},
        Row{"transaction",
            {200, unstructured(-32000, "Server error", R"("Transaction 9xyz doesn't exist")"), "tx"},
            chain_state,
            "UNKNOWN_TRANSACTION",
            true},
        Row{"timeout",
            {200, unstructured(-32000, "Server error", R"("Timeout")"), "tx"},
            not_yet,
            "TIMEOUT_ERROR",
            true},
        Row{"invalid_transaction",
            {200,
             unstructured(-32000, "Server error", R"({"TxExecutionError":{"InvalidTxError":"Expired"}})"),
             "broadcast_tx_commit"},
            chain_state,
            "INVALID_TRANSACTION"},
        Row{"parse_error", {200, unstructured(-32700, "Parse error")}, caller_fault, "PARSE_ERROR"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(ErrorClass, RefusingTheKeyIsMarkedAndAMissingMethodDoesNotBlameTheHost) {
    EXPECT_TRUE(judge({401, "bad key"}).unauthorized);
    EXPECT_TRUE(judge({403, kHtml}).unauthorized);
    const auto method = judge({403, "method not allowed"});
    EXPECT_TRUE(method.method_missing);
    EXPECT_FALSE(method.unauthorized);
    EXPECT_FALSE(method.blames_host());
}

// nlohmann writes values by recursion, and takes 40 times the memory of a text.
TEST(ErrorClass, ADeepOrLongErrorIsNotReadFurther) {
    const std::string deep = std::string(300'000, '[') + std::string(300'000, ']');
    std::string wide = "[0";
    for (int i = 0; i < 500'000; ++i) wide += ",0";
    for (const auto& inner : {deep, wide + "]"}) {
        const auto error = R"({"TxExecutionError":{"InvalidTxError":)" + inner + "}}";
        const auto verdict =
            judge({200, structured("REQUEST_VALIDATION_ERROR", "INVALID_TRANSACTION", error), "send_tx"});
        EXPECT_EQ(verdict.invalid_transaction_json, "");
        EXPECT_LT(verdict.text.size(), 1'000U);
    }
}

TEST(ErrorClass, WhatAHostDoesNotKnowIsNotItsFault) {
    EXPECT_FALSE(judge({200, structured("HANDLER_ERROR", "UNKNOWN_BLOCK")}).blames_host());
    EXPECT_TRUE(judge({502, kHtml}).blames_host());
}

TEST(ErrorClass, AChunkThatMayStillArriveIsWorthAskingForAgain) {
    EXPECT_TRUE(judge({200, structured("HANDLER_ERROR", "UNKNOWN_CHUNK"), "chunk", kHeadHeight - 1}).again);
    EXPECT_FALSE(judge({200, structured("HANDLER_ERROR", "UNKNOWN_CHUNK"), "chunk", 1}).again);
}

TEST(RecordedErrors, AreAnswersOrMissingObjectsNeverFaultsOfTheHost) {
    for (const auto& file : test::recordings(test::kRecorded / "errors")) {
        const auto text = test::read_file(file);
        const auto name = file.filename().string();
        const auto verdict = judge({200, text, "send_tx", {}});
        EXPECT_FALSE(verdict.blames_host()) << name;
        const bool is_block = text.find("DB Not Found") != std::string::npos;
        EXPECT_EQ(verdict.reason, is_block ? "UNKNOWN_BLOCK" : "INVALID_TRANSACTION") << name;
    }
}

}  // namespace
}  // namespace receiptd::rpc
