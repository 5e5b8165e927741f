// `query` and its structured kin (rpc.md §6).
#include "sandbox/gateway/vm_error.hpp"
#include "unit/sandbox_gateway/live_host.hpp"

namespace receiptd::sandbox {
namespace {

using namespace test;

class Query : public LiveHost {
protected:
    static json of(const char* type, json more = json::object()) {
        json params{{"request_type", type}, {"finality", "final"}, {"account_id", "alice.sandbox"}};
        params.update(more);
        return params;
    }
    static json bare(json params) {
        params.erase("request_type");
        return params;
    }
    static json call_of(const char* account, const char* method, const char* args = "") {
        return of("call_function", {{"account_id", account}, {"method_name", method}, {"args_base64", args}});
    }
};

TEST_F(Query, TellsTheBlockItLookedAt) {
    const json account = result("query", of("view_account"));
    EXPECT_EQ(account["block_height"], 118);
    EXPECT_EQ(account["block_hash"], FakeChain::hash_of(118));
    EXPECT_EQ(account["amount"], "118");
    EXPECT_EQ(result("query", of("view_account", {{"finality", "optimistic"}}))["block_height"], 120);
    EXPECT_EQ(result("query", of("view_account", {{"finality", "near-final"}}))["block_height"], 119);
    EXPECT_EQ(result("query", of("view_account", {{"block_id", 110}}))["block_height"], 110);
    EXPECT_EQ(result("query", of("view_account", {{"block_id", FakeChain::hash_of(111)}}))["block_height"],
              111);
}

TEST_F(Query, GivesMoreThanAHundredKeysInPagesOnly) {
    const auto many = [&](const json& more) {
        json params{{"account_id", "c.sandbox"}};
        params.update(more);
        return of("view_access_key_list", params);
    };
    error("query", many(json::object()), "TOO_MANY_ACCESS_KEYS");
    const json first = result("query", many({{"limit", 200}}));
    EXPECT_EQ(first["keys"].size(), 100u);
    EXPECT_EQ(first["last_key"], "key-99");
    const json rest = result("query", many({{"after_key", first["last_key"]}}));
    EXPECT_EQ(rest["keys"].size(), 1u);
    EXPECT_FALSE(rest.contains("last_key"));
}

TEST_F(Query, GivesKeysCodeAndCalls) {
    EXPECT_EQ(result("query", of("view_access_key", {{"public_key", key_of(7).to_string()}}))["nonce"], 5);
    EXPECT_EQ(result("query", of("view_access_key_list"))["keys"].size(), 1u);
    EXPECT_EQ(result("query", of("view_code", {{"account_id", "c.sandbox"}}))["hash"], hash_text(9));
    const json called = result("query", call_of("c.sandbox", "echo", "AQI="));
    EXPECT_EQ(called["result"], (json{1, 2}));
    EXPECT_EQ(called["logs"], (json{"called"}));
}

TEST_F(Query, GivesGasKeysAndGlobalContracts) {
    EXPECT_EQ(result("query", of("view_gas_key_nonces", {{"public_key", key_of(6).to_string()}}))["nonces"],
              (json{4, 5, 6}));
    const json params = of("view_global_contract_code_by_account_id", {{"account_id", "c.sandbox"}});
    EXPECT_EQ(result("query", params)["hash"], hash_text(9));
}

TEST_F(Query, GivesStatePageByPage) {
    const json params = of("view_state", {{"account_id", "c.sandbox"}, {"prefix_base64", "YQ=="}});
    EXPECT_EQ(result("query", params)["values"].size(), 3u);
    EXPECT_FALSE(result("query", params).contains("last_key"));
    json page = params;
    page.update({{"limit", 2}});
    EXPECT_EQ(result("query", page)["last_key"], "YTI=");
    page["after_key_base64"] = "YTI=";
    EXPECT_EQ(result("query", page)["values"][0]["key"], "YTM=");
    EXPECT_TRUE(result("query", page)["last_key"].is_null());
    chain_.value_base64 = std::string(40'000, 'A');
    error("query", params, "TOO_LARGE_CONTRACT_STATE");
}

TEST_F(Query, TellsTwoFailuresAsResults) {
    const auto key = key_of(8).to_string();
    const json missing = result("query", of("view_access_key", {{"public_key", key}}));
    EXPECT_EQ(missing["error"], "access key " + key + " does not exist while viewing");
    EXPECT_EQ(missing["logs"], json::array());
    EXPECT_EQ(missing["block_height"], 118);
    const json failed = result("query", call_of("c.sandbox", "fail"));
    EXPECT_NE(failed["error"].get<std::string>().find("GuestPanic"), std::string::npos);
    EXPECT_EQ(failed["logs"], (json{"before"}));
    EXPECT_NE(
        result("query", call_of("alice.sandbox", "x"))["error"].get<std::string>().find("CodeDoesNotExist"),
        std::string::npos);
}

TEST_F(Query, TellsTheOthersAsErrorsWithTheBlock) {
    const json unknown =
        error("query", of("view_account", {{"account_id", "nobody.sandbox"}}), "UNKNOWN_ACCOUNT");
    EXPECT_EQ(unknown["cause"]["info"], (json{{"requested_account_id", "nobody.sandbox"},
                                              {"block_height", 118},
                                              {"block_hash", FakeChain::hash_of(118)}}));
    EXPECT_EQ(unknown["data"], "account nobody.sandbox does not exist while viewing");
    error("query", call_of("nobody.sandbox", "x"), "UNKNOWN_ACCOUNT");
    error("query", of("view_code"), "NO_CONTRACT_CODE");
    error("query", of("view_gas_key_nonces", {{"public_key", key_of(7).to_string()}}), "UNKNOWN_GAS_KEY");
    const json code = of("view_global_contract_code", {{"code_hash", hash_text(9)}});
    EXPECT_EQ(error("query", code, "NO_GLOBAL_CONTRACT_CODE")["cause"]["info"]["identifier"],
              (json{{"hash", hash_text(9)}}));
}

TEST_F(Query, HasStructuredErrorsUnderTheNamesOfItsOwn) {
    const json key = bare(of("view_access_key", {{"public_key", key_of(8).to_string()}}));
    EXPECT_EQ(error("EXPERIMENTAL_view_access_key", key, "UNKNOWN_ACCESS_KEY")["cause"]["info"]["public_key"],
              key_of(8).to_string());
    const json failed =
        error("EXPERIMENTAL_call_function", bare(call_of("c.sandbox", "fail")), "CONTRACT_EXECUTION_ERROR");
    EXPECT_EQ(failed["cause"]["info"]["vm_error"],
              (json{{"HostError", {{"GuestPanic", {{"panic_msg", "no \"way\""}}}}}}));
    EXPECT_EQ(result("EXPERIMENTAL_view_account", bare(of("view_account")))["amount"], "118");
    EXPECT_EQ(result("EXPERIMENTAL_view_access_key_list", bare(of("view_access_key_list")))["keys"].size(),
              1u);
}

TEST_F(Query, SaysWhichBlocksItHasNoMore) {
    options_.retention_blocks = 5;  // 116 to 120
    const json collected = error("query", of("view_account", {{"block_id", 110}}), "GARBAGE_COLLECTED_BLOCK");
    EXPECT_EQ(collected["cause"]["info"],
              (json{{"block_height", 110}, {"block_hash", FakeChain::hash_of(110)}}));
    const json skipped = error("query", of("view_account", {{"block_id", 113}}), "UNKNOWN_BLOCK", 422);
    EXPECT_EQ(skipped["cause"]["info"], (json{{"block_reference", {{"block_id", 113}}}}));
    const auto words_of = [&](Height height) {
        return error("block", {{"block_id", height}}, "UNKNOWN_BLOCK", 422)["data"];
    };
    EXPECT_EQ(words_of(110), "DB Not Found Error: BLOCK: " + FakeChain::hash_of(110) + " \n Cause: Unknown");
    EXPECT_EQ(words_of(113), "DB Not Found Error: BLOCK HEIGHT: 113 \n Cause: Unknown");
    error("query", of("view_account", {{"block_id", 121}}), "UNKNOWN_BLOCK");
    error("query", of("view_account", {{"block_id", hash_text(3)}}), "UNKNOWN_BLOCK");
}

TEST_F(Query, TakesTheOldPathForm) {
    const auto ask_path = [&](const std::string& path, const std::string& data = "") {
        return result("query", json::array({path, data}));
    };
    EXPECT_EQ(ask_path("account/alice.sandbox")["block_height"], 120);
    EXPECT_EQ(ask_path("access_key/alice.sandbox")["keys"].size(), 1u);
    EXPECT_EQ(ask_path("access_key/alice.sandbox/" + key_of(7).to_string())["nonce"], 5);
    EXPECT_EQ(ask_path("code/c.sandbox")["hash"], hash_text(9));
    EXPECT_EQ(ask_path("contract/c.sandbox", "2g")["values"].size(), 3u) << "keys that start with a";
    EXPECT_EQ(ask_path("call/c.sandbox/echo", "2g")["result"], (json{97}));
    for (const auto* path :
         {"account", "account/A!", "access_key/alice.sandbox/nokey", "call/c.sandbox", "fire/a.b"})
        error("query", json::array({path, ""}), "PARSE_ERROR", 400);
    error("query", json::array({"account/alice.sandbox", "0OIl"}), "PARSE_ERROR", 400);
    error("query", json::array({"account/alice.sandbox"}), "PARSE_ERROR", 400);
}

TEST_F(Query, RefusesWhatItCannotRead) {
    json nowhere = of("view_account");
    nowhere.erase("finality");
    json nobody = of("view_account");
    nobody.erase("account_id");
    for (const json& params :
         {nowhere, nobody, of("view_fire"), of("view_account", {{"account_id", "A"}}),
          of("view_account", {{"account_id", 7}}), of("view_access_key", {{"public_key", "x"}}),
          of("view_state"), call_of("c.sandbox", "echo", "!"), json(), json("x")})
        error("query", params, "PARSE_ERROR", 400);
    EXPECT_EQ(error("query", nobody, "PARSE_ERROR", 400)["data"],
              "Failed parsing args: missing field `account_id`");
}

TEST(FunctionCallError, TakesTheTextApart) {
    EXPECT_EQ(function_call_error("wasm execution failed with error: MethodResolveError(MethodNotFound)"),
              (json{{"MethodResolveError", "MethodNotFound"}}));
    EXPECT_EQ(
        function_call_error(
            "wasm execution failed with error: CompilationError(CodeDoesNotExist { account_id: \"a.b\" })"),
        (json{{"CompilationError", {{"CodeDoesNotExist", {{"account_id", "a.b"}}}}}}));
    EXPECT_EQ(function_call_error("Exceeded the prepaid gas."),
              (json{{"ExecutionError", "Exceeded the prepaid gas."}}));
    for (const auto* text : {"", "HostError", "HostError(", "HostError()", "HostError(X { y: \" })"})
        EXPECT_TRUE(function_call_error(text).is_object()) << text;
}

}  // namespace
}  // namespace receiptd::sandbox
