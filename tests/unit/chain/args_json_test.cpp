#include "chain/rows/args_json.hpp"

#include "chain/wire/base64.hpp"
#include "unit/chain/copy_reader.hpp"

#include <gtest/gtest.h>

namespace receiptd::chain {
namespace {

Action function_call(Text args) {
    Action action;
    action.kind = ActionKind::function_call;
    action.args = args;
    return action;
}

// The string behind the n-th `"args"` of the text.
Text args_in(Text json, int n = 0) {
    std::size_t at = 0;
    for (int i = 0; i <= n; ++i) at = json.find("\"args\"", at) + 6;
    const auto begin = json.find('"', at) + 1;
    return json.substr(begin, json.find('"', begin) - begin);
}

std::string stored_args(const std::string& json, const List<Action>& actions) {
    std::string out;
    CopyWriter row(out);
    write_actions(row, json, actions);
    row.end_row();
    return test::read_copy(out, {"actions"}).at(0).at(0).value_or("NULL");
}

std::string call_json(const std::string& args_member) {
    return "[{\"FunctionCall\":{\"method_name\":\"m\"," + args_member + ",\"gas\":1,\"deposit\":\"0\"}}]";
}

std::string base64(std::string_view text) { return base64_encode(bytes_of(text)); }

std::string stored_call(std::string_view args) {
    const auto json = call_json("\"args\":\"" + base64(args) + "\"");
    return stored_args(json, {function_call(args_in(json))});
}

TEST(ArgsJson, JsonArgumentsBecomeReadable) {
    EXPECT_EQ(stored_call(R"({"receiver_id":"a.near","msg":"{\"x\":\"1\\n\"}"})"),
              call_json(R"("args_json":{"receiver_id":"a.near","msg":"{\"x\":\"1\\n\"}"})"));
    EXPECT_EQ(stored_call(" [1,\n\t2] "), call_json("\"args_json\": [1,\n\t2] "));
    EXPECT_EQ(stored_call("\"text\""), call_json("\"args_json\":\"text\""));
    EXPECT_EQ(stored_call("{\"amount\":340282366920938463463374607431768211455}"),
              call_json("\"args_json\":{\"amount\":340282366920938463463374607431768211455}"));
}

TEST(ArgsJson, OtherArgumentsStayAsTheyCame) {
    for (const std::string& args :
         {std::string(), std::string("\0\1\2", 3), std::string("{\"a\":1"), std::string("{} x"),
          std::string(R"({"a":"\u0000"})"), std::string(R"({"a":"\ud83d\ude00"})"),
          std::string("{\"a\":\"\xff\"}"), std::string("\xef\xbb\xbf{}")})
        EXPECT_EQ(stored_call(args), call_json("\"args\":\"" + base64(args) + "\"")) << args;
}

TEST(ArgsJson, ArgumentsThatAreNoBase64StayAsTheyCame) {
    const auto json = call_json("\"args\":\"e30\"");
    EXPECT_EQ(stored_args(json, {function_call(args_in(json))}), json);
}

TEST(ArgsJson, WhiteSpaceAroundTheMemberIsTakenAlong) {
    const auto json = call_json("\n  \"args\" :\t\"e30=\"");
    EXPECT_EQ(stored_args(json, {function_call(args_in(json))}), call_json("\n  \"args_json\":{}"));
}

TEST(ArgsJson, AnArgumentThatWasUnescapedElsewhereStaysAsItCame) {
    const std::string elsewhere = "e30=";
    const auto json = call_json("\"args\":\"e30\\u003d\"");
    EXPECT_EQ(stored_args(json, {function_call(elsewhere)}), json);
}

TEST(ArgsJson, OnlyTheMemberNamedArgsIsReplaced) {
    const std::string json = call_json("\"other\":\"e30=\"");
    const auto at = json.find("e30=");
    EXPECT_EQ(stored_args(json, {function_call(Text(json).substr(at, 4))}), json);
}

TEST(ArgsJson, EveryCallOfABatchAndInsideADelegateIsRewritten) {
    const std::string json =
        R"(["CreateAccount",{"FunctionCall":{"args":"e30=","gas":1}},{"Transfer":{"deposit":"1"}},)"
        R"({"Delegate":{"delegate_action":{"actions":[{"FunctionCall":{"args":"/w==","gas":2}},)"
        R"({"FunctionCall":{"args":"W10=","gas":3}}]}}}])";
    Action delegate;
    delegate.kind = ActionKind::delegate;
    delegate.delegate_actions = {function_call(args_in(json, 1)), function_call(args_in(json, 2))};
    EXPECT_EQ(stored_args(json, {Action{}, function_call(args_in(json)), Action{}, delegate}),
              R"(["CreateAccount",{"FunctionCall":{"args_json":{},"gas":1}},{"Transfer":{"deposit":"1"}},)"
              R"({"Delegate":{"delegate_action":{"actions":[{"FunctionCall":{"args":"/w==","gas":2}},)"
              R"({"FunctionCall":{"args_json":[],"gas":3}}]}}}])");
}

TEST(ArgsJson, BrokenJsonIsNotHandedToPostgresql) {
    EXPECT_EQ(stored_args("[{\"Transfer\":{\"deposit\":nope}}]", {}), "NULL");
}

TEST(ArgsJson, WhatPostgresqlCannotTakeApartIsStoredAsItsPicture) {
    const std::string key = R"([{"AddKey":{"method_names":["a\u0000b","\ud83d"]}},)";
    const auto with_args = [&](const std::string& member) {
        return key + R"({"FunctionCall":{"method_name":"\u0000",)" + member + "}}]";
    };
    const auto json = with_args("\"args\":\"" + base64("[1]") + "\"");
    auto stored = with_args("\"args_json\":[1]");
    for (const auto& [escape, picture] :
         {std::pair("\\u0000", "\\u2400"), std::pair("\\u0000", "\\u2400"), std::pair("\\ud83d", "\\ufffd")})
        stored.replace(stored.find(escape), 6, picture);
    EXPECT_EQ(stored_args(json, {function_call(args_in(json))}), stored);
}

}  // namespace
}  // namespace receiptd::chain
