// A tree as spans: who is whose child, what awaits what, from when to when, and what failed.
#include "trace/tree_trace.hpp"

#include "trace/otlp.hpp"
#include "unit/chain/tree_story.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <string>

namespace receiptd::trace {
namespace {

using chain::testing::Story;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

constexpr std::uint64_t kSecond = 1'000'000'000;

Json attributes_of(const Json& object) {
    Json found = Json::object();
    for (const auto& each : object.at("attributes"))
        found[each.at("key").get<std::string>()] = each.at("value").front();
    return found;
}

// The spans by id, with their attributes taken apart and their service.
std::map<std::string, Json> spans_in(const Trace& trace) {
    std::map<std::string, Json> spans;
    const auto body = Json::parse(to_request({trace.resource_spans}));
    for (const auto& resource : body.at("resourceSpans"))
        for (auto span : resource.at("scopeSpans").at(0).at("spans")) {
            span["is"] = attributes_of(span);
            span["service"] = attributes_of(resource.at("resource")).at("service.name");
            spans.emplace(span.at("spanId").get<std::string>(), span);
        }
    EXPECT_EQ(spans.size(), trace.spans) << "two spans have one id";
    return spans;
}

std::string id_of(const std::string& receipt) { return to_hex(span_id_of(receipt)); }

class TreeTrace : public ::testing::Test {
protected:
    Trace make(const chain::Judgement& tree) {
        transaction.tx_hash = "TX";
        transaction.network = "testnet";
        transaction.facts = &facts;
        transaction.tree = &tree;
        return trace_of(transaction, services);
    }
    std::map<std::string, Json> spans(const chain::Judgement& tree) { return spans_in(make(tree)); }
    std::map<std::string, Json> spans(const Story& story) {
        const auto tree = story.judge();
        return spans(tree);
    }

    chain::TransactionFacts facts{"TX", "alice", "app", 0, {}, "swap"};
    Transaction transaction;
    ServiceNames services{kMostServices};
};

// r0 calls token, whose promise fails, and a callback that succeeds looks on.
Story looked_on() {
    Story story;
    story.receipt("r0", "alice", "app").action_names = {"FunctionCall"};
    story.ok("r0", {"call", "back"});
    auto& call = story.receipt("call", "app", "token", {}, {"d"});
    call.method_name = "ft_transfer";
    call.action_names = {"FunctionCall"};
    story.fails("call", {"gas"});
    auto& back = story.receipt("back", "app", "app", {"d"});
    back.method_name = "on_done";
    back.action_names = {"FunctionCall"};
    story.ok("back");
    story.receipt("gas", "system", "alice");
    story.ok("gas");
    return story;
}

TEST_F(TreeTrace, NestsReceiptsByWhoMadeThem) {
    auto all = spans(looked_on());
    ASSERT_EQ(all.size(), 5u);
    EXPECT_FALSE(all[id_of("TX")].contains("parentSpanId"));
    EXPECT_EQ(all[id_of("r0")]["parentSpanId"], id_of("TX"));
    EXPECT_EQ(all[id_of("call")]["parentSpanId"], id_of("r0"));
    EXPECT_EQ(all[id_of("back")]["parentSpanId"], id_of("r0"));
    EXPECT_EQ(all[id_of("gas")]["parentSpanId"], id_of("call"));
    for (const auto& [id, span] : all) {
        EXPECT_EQ(span["traceId"], to_hex(trace_id_of("TX")));
        EXPECT_EQ(span["is"]["near.tx_hash"], "TX");
    }
}

TEST_F(TreeTrace, LinksACallbackToWhatItAwaited) {
    auto all = spans(looked_on());
    ASSERT_EQ(all[id_of("back")]["links"].size(), 1u);
    EXPECT_EQ(all[id_of("back")]["links"][0]["spanId"], id_of("call"));
    EXPECT_EQ(all[id_of("back")]["links"][0]["traceId"], to_hex(trace_id_of("TX")));
    EXPECT_FALSE(all[id_of("call")].contains("links"));
}

// The transaction in block 101 at 101 µs, r0 in 102, call in 103, back in 104, gas in 105.
TEST_F(TreeTrace, LastsFromTheBlockThatMadeAReceiptToTheOneThatExecutedIt) {
    auto all = spans(looked_on());
    const auto times = [&](const std::string& id) {
        return all[id_of(id)]["startTimeUnixNano"].get<std::string>() + "-" +
               all[id_of(id)]["endTimeUnixNano"].get<std::string>();
    };
    EXPECT_EQ(times("r0"), "101000-102000");
    EXPECT_EQ(times("call"), "102000-103000");
    EXPECT_EQ(times("back"), "102000-104000");
    EXPECT_EQ(times("gas"), "103000-105000");
    EXPECT_EQ(times("TX"), "101000-105000");
}

TEST_F(TreeTrace, MarksFailuresWithClassAndText) {
    auto all = spans(looked_on());
    EXPECT_EQ(all[id_of("call")]["status"], Json({{"code", 2}, {"message", "contract_panic: no"}}));
    EXPECT_EQ(all[id_of("call")]["is"]["error.type"], "contract_panic");
    EXPECT_EQ(all[id_of("call")]["is"]["near.handled"], true);
    EXPECT_FALSE(all[id_of("back")].contains("status"));
    EXPECT_FALSE(all[id_of("TX")].contains("status")) << "the failure was handled";
    EXPECT_EQ(all[id_of("TX")]["is"]["near.verdict"], "succeeded_with_handled_failure");
}

TEST_F(TreeTrace, OfACallbackThatFailedIsAnErrorAsAWhole) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.ok("r0", {"call", "back"});
    story.receipt("call", "app", "token", {}, {"d"});
    story.ok("call");
    story.receipt("back", "app", "app", {"d"});
    story.fails("back");
    auto all = spans(story);
    EXPECT_EQ(all[id_of("TX")]["status"]["message"], "callback_failed: contract_panic");
    EXPECT_EQ(all[id_of("TX")]["is"]["near.verdict"], "callback_failed");
}

TEST_F(TreeTrace, OfATransactionThatFailedAtOnceIsOneSpan) {
    chain::Judgement tree;
    tree.included = tree.completed = tree.transaction_failed = true;
    tree.verdict = chain::Verdict::failed;
    tree.transaction_failure = {"invalid_nonce", "too low"};
    tree.included_at = chain::ExecutedAt{7, 7 * kSecond};
    auto all = spans(tree);
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[id_of("TX")]["status"]["message"], "invalid_nonce: too low");
}

TEST_F(TreeTrace, HasTheContractForAServiceAndTheChainForTheRest) {
    auto all = spans(looked_on());
    EXPECT_EQ(all[id_of("call")]["service"], "token");
    EXPECT_EQ(all[id_of("back")]["service"], "app");
    EXPECT_EQ(all[id_of("gas")]["service"], "near");
    EXPECT_EQ(all[id_of("TX")]["service"], "near");
    EXPECT_EQ(all[id_of("r0")]["kind"], 3) << "it calls others";
    EXPECT_EQ(all[id_of("back")]["kind"], 2);
    EXPECT_EQ(all[id_of("call")]["kind"], 2) << "a refund is no call";
    EXPECT_EQ(all[id_of("gas")]["kind"], 1);
}

TEST_F(TreeTrace, HasOnlySoManyServices) {
    services = ServiceNames(1);
    auto all = spans(looked_on());
    EXPECT_EQ(all[id_of("r0")]["service"], "app");
    EXPECT_EQ(all[id_of("call")]["service"], "other contracts");
    EXPECT_EQ(all[id_of("back")]["service"], "app");
}

TEST_F(TreeTrace, GoesOnUnderTheCallersTraceId) {
    transaction.caller = parse_traceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    auto all = spans(looked_on());
    EXPECT_EQ(all[id_of("TX")]["parentSpanId"], "00f067aa0ba902b7");
    for (const auto& [id, span] : all) {
        EXPECT_EQ(span["traceId"], "4bf92f3577b34da6a3ce929d0e0e4736");
        EXPECT_EQ(span["is"]["near.tx_hash"], "TX") << "found from the hash";
    }
    EXPECT_EQ(all[id_of("back")]["links"][0]["traceId"], "4bf92f3577b34da6a3ce929d0e0e4736");
}

TEST_F(TreeTrace, ShowsTheStagesOfAWatchedTransaction) {
    transaction.steps = {{chain::Stage::accepted, 40'000},
                         {chain::Stage::pending, 60'000},
                         {chain::Stage::included, 101'000, 101},
                         {chain::Stage::executing, 102'000, 102},
                         {chain::Stage::final, 105'000, 105}};
    const auto tree = looked_on().judge();
    std::map<std::string, std::string> stages;
    for (const auto& [id, span] : spans(tree))
        if (span["is"].contains("near.stage") && id != id_of("TX"))
            stages[span["name"]] = span["startTimeUnixNano"].get<std::string>() + "-" +
                                   span["endTimeUnixNano"].get<std::string>() + " " +
                                   span["parentSpanId"].get<std::string>();
    const std::map<std::string, std::string> expected = {{"accepted", "40000-60000 " + id_of("TX")},
                                                         {"pending", "60000-101000 " + id_of("TX")},
                                                         {"included", "101000-102000 " + id_of("TX")}};
    EXPECT_EQ(stages, expected);
    EXPECT_EQ(spans(tree)[id_of("TX")]["startTimeUnixNano"], "40000");
}

TEST_F(TreeTrace, HasNoStageAfterWhatFollowedIt) {
    transaction.steps = {{chain::Stage::accepted, 40'000},
                         {chain::Stage::pending, 900'000},  // learned when it was in a block already
                         {chain::Stage::included, 101'000, 101},
                         {chain::Stage::executing, 102'000, 102}};
    for (const auto& [id, span] : spans(looked_on()))
        if (span["name"] == "pending") {
            EXPECT_EQ(span["startTimeUnixNano"], "101000");
            EXPECT_EQ(span["endTimeUnixNano"], "101000");
        }
}

TEST_F(TreeTrace, OfABadEndSaysWhyAndByWhat) {
    transaction.tx_hash = "TX";
    transaction.sender_id = "alice";
    transaction.reason = "expired";
    transaction.steps = {{chain::Stage::accepted, 1'000},
                         {chain::Stage::pending, 2'000},
                         {chain::Stage::expired, 9'000, {}, R"({"valid_until":"7"})"}};
    auto all = spans_in(trace_of(transaction, services));
    ASSERT_EQ(all.size(), 3u);
    const auto& root = all[id_of("TX")];
    EXPECT_EQ(root["status"]["message"], "expired: expired");
    EXPECT_EQ(root["is"]["near.reason"], "expired");
    EXPECT_EQ(root["is"]["near.evidence"], R"({"valid_until":"7"})");
    EXPECT_EQ(root["is"]["near.signer_id"], "alice");
    EXPECT_EQ(root["endTimeUnixNano"], "9000");
    for (const auto& [id, span] : all) EXPECT_EQ(span.contains("status"), span["name"] != "accepted");
}

TEST_F(TreeTrace, OfAnInclusionThatWasTakenBackHasASpanForEach) {
    transaction.steps = {{chain::Stage::accepted, 1'000}, {chain::Stage::pending, 2'000},
                         {chain::Stage::included, 3'000}, {chain::Stage::pending, 4'000},
                         {chain::Stage::included, 5'000}, {chain::Stage::executing, 6'000}};
    std::multiset<std::string> names;
    for (const auto& [id, span] : spans(looked_on()))
        if (span["is"].contains("near.stage")) names.insert(span["name"]);
    EXPECT_EQ(names.count("included"), 2u);
    EXPECT_EQ(names.count("pending"), 2u);
}

TEST_F(TreeTrace, OfALaterExecutionHasASpanOfItsOwnForTheTransaction) {
    const auto tree = looked_on().judge();
    const auto first = spans(tree);
    transaction.is_later_execution = true;
    const auto later = spans(tree);
    EXPECT_TRUE(first.contains(id_of("TX")));
    EXPECT_FALSE(later.contains(id_of("TX")));
    EXPECT_EQ(later.begin()->second["traceId"], first.begin()->second["traceId"]);
}

TEST_F(TreeTrace, HasNoSpanOfWhatIsNotExecuted) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.ok("r0", {"call"});
    story.receipt("call", "app", "token");
    EXPECT_FALSE(spans(story).contains(id_of("call")));
}

TEST_F(TreeTrace, OfNothingKnownIsEmpty) {
    transaction.tx_hash = "TX";
    const auto trace = trace_of(transaction, services);
    EXPECT_EQ(trace.resource_spans, "");
    EXPECT_EQ(to_request({trace.resource_spans}), R"({"resourceSpans":[]})");
}

TEST_F(TreeTrace, CutsTextsOfOthersAndMakesThemPlain) {
    auto story = looked_on();
    for (auto& part : story.parts)
        if (auto* outcome = std::get_if<chain::OutcomeFacts>(&part); outcome && outcome->id == "call")
            outcome->failure.error_text =
                "see https://evil.example \xe2\x80\xae\"}]\n\xff" + std::string(9'000, 'x');
    const auto trace = make(story.judge());
    const auto message = spans_in(trace)[id_of("call")]["status"]["message"].get<std::string>();
    EXPECT_LE(message.size(), kLongestText);
    EXPECT_THAT(message, Not(HasSubstr("://")));
    EXPECT_THAT(message, Not(HasSubstr("\n")));
    EXPECT_THAT(message, Not(HasSubstr("\xe2\x80\xae")));
    EXPECT_THAT(message, HasSubstr("\"}]"));
    EXPECT_THAT(message, ::testing::EndsWith("…"));
}

TEST_F(TreeTrace, HasArgumentsOnlyWhereTheyAreGiven) {
    const auto tree = looked_on().judge();
    EXPECT_FALSE(spans(tree)[id_of("call")]["is"].contains("near.arguments"));
    transaction.arguments = {{"call", R"({"amount":"1"})"}};
    EXPECT_EQ(spans(tree)[id_of("call")]["is"]["near.arguments"], R"({"amount":"1"})");
}

TEST_F(TreeTrace, OfALargeTreeLeavesRefundsOutFirstAndSaysSo) {
    chain::Judgement tree;
    tree.included_at = chain::ExecutedAt{1, kSecond};
    for (std::size_t i = 0; i < kMostReceipts + 10; ++i) {
        chain::JudgedReceipt receipt;
        receipt.receipt_id = "r" + std::to_string(i);
        receipt.predecessor_id = i % 2 == 0 ? "system" : "app";
        receipt.executed = true;
        receipt.at = chain::ExecutedAt{2, 2 * kSecond};
        tree.receipts.push_back(receipt);
    }
    auto all = spans(tree);
    EXPECT_EQ(all.size(), kMostReceipts + 1);
    EXPECT_EQ(all[id_of("TX")]["is"]["near.receipts_left_out"], "10");
    EXPECT_TRUE(all.contains(id_of("r" + std::to_string(kMostReceipts + 9)))) << "no refund";
}

// Whatever the tree is like: parents and links are in the trace, times are in order, and ids are unique.
class AnyTree : public ::testing::TestWithParam<unsigned> {};

TEST_P(AnyTree, IsWhole) {
    std::mt19937 random(GetParam());
    const auto tree = chain::testing::random_story(random).judge();
    ServiceNames services(kMostServices);
    Transaction transaction;
    transaction.tx_hash = "TX";
    transaction.tree = &tree;
    const auto first = trace_of(transaction, services);
    EXPECT_EQ(first.resource_spans, trace_of(transaction, services).resource_spans);
    const auto all = spans_in(first);
    for (const auto& [id, span] : all) {
        EXPECT_TRUE(id == id_of("TX") || all.contains(span.at("parentSpanId")));
        for (const auto& link : span.value("links", Json::array())) EXPECT_TRUE(all.contains(link["spanId"]));
        EXPECT_LE(std::stoull(span["startTimeUnixNano"].get<std::string>()),
                  std::stoull(span["endTimeUnixNano"].get<std::string>()));
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, AnyTree, ::testing::Range(0u, 200u));

}  // namespace
}  // namespace receiptd::trace
