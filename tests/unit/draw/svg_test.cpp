// The picture as it is written down: marks, links, and texts of people who wish us ill.
#include "draw/svg.hpp"

#include "draw/style.hpp"

#include "made_up.hpp"
#include "unit/chain/tree_story.hpp"
#include "well_formed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace receiptd::draw {
namespace {

using chain::testing::Story;
using ::testing::HasSubstr;
using testing::MadeUp;
using ::testing::Not;
using testing::xml_fault;
using testing::XmlCheck;

chain::TransactionFacts transaction_of(const Story& story) {
    return std::get<chain::TransactionFacts>(story.parts.front());
}

std::string drawn(const Story& story, const SvgOptions& options = {}) {
    return tree_svg("TX", transaction_of(story), story.judge(), options);
}

// A promise fails and its callback, too, under a result that NEAR calls a success.
Story broken() {
    Story story;
    story.receipt("r0", "alice", "app");
    story.ok("r0", {"call", "back"});
    story.receipt("call", "app", "token", {}, {"d"}).method_name = "ft_transfer";
    story.fails("call", {"gas"});
    story.receipt("back", "app", "app", {"d"}).method_name = "on_done";
    story.fails("back");
    story.receipt("gas", "system", "alice");
    story.ok("gas");
    return story;
}

// The element of a receipt with what stands in it.
std::string box_of(const std::string& svg, const std::string& id) {
    const auto at = svg.find("id=\"rt-" + id + "\"");
    if (at == std::string::npos) return {};
    const auto begin = svg.rfind("<g", at);
    return svg.substr(begin, svg.find("</g>\n", at) - begin);
}

TEST(Svg, MarksTheFailuresTheRootCauseAndTheCallback) {
    const auto svg = drawn(broken());
    EXPECT_EQ(xml_fault(svg), "");
    EXPECT_THAT(box_of(svg, "call"), HasSubstr("rt-failed"));
    EXPECT_THAT(box_of(svg, "call"), HasSubstr("ROOT CAUSE"));
    EXPECT_THAT(box_of(svg, "back"), HasSubstr("rt-failed rt-callback"));
    EXPECT_THAT(box_of(svg, "back"), HasSubstr("DECIDES"));
    EXPECT_THAT(box_of(svg, "back"), HasSubstr("CALLBACK"));
    EXPECT_THAT(box_of(svg, "back"), HasSubstr("contract_panic: no"));
    EXPECT_THAT(box_of(svg, "gas"), HasSubstr("rt-quiet"));
    EXPECT_THAT(box_of(svg, "r0"), HasSubstr("RESULT"));
    EXPECT_THAT(box_of(svg, "r0"), HasSubstr("rt-bar"));
    EXPECT_THAT(box_of(svg, "r0"), Not(HasSubstr("rt-failed")));
}

TEST(Svg, DrawsSpawnAndDataEdgesDifferently) {
    const auto svg = drawn(broken());
    EXPECT_THAT(svg, HasSubstr("<g class=\"rt-edge rt-failed-edge\" data-from=\"TX\" data-to=\"r0\">"));
    EXPECT_THAT(svg, HasSubstr("<g class=\"rt-edge rt-failed-edge\" data-from=\"r0\" data-to=\"call\">"));
    EXPECT_THAT(
        svg,
        HasSubstr("<g class=\"rt-edge rt-data-edge rt-failed-edge\" data-from=\"call\" data-to=\"back\">"));
    EXPECT_THAT(svg, HasSubstr("<g class=\"rt-edge rt-quiet-edge\" data-from=\"call\" data-to=\"gas\">"));
}

TEST(Svg, SaysInWordsWhatBrokeWhereAndWhy) {
    const auto svg = drawn(broken());
    EXPECT_THAT(svg, HasSubstr("A callback failed, though NEAR calls this transaction a success."));
    EXPECT_THAT(svg, HasSubstr("The callback on_done of app failed in block 104"));
    EXPECT_THAT(svg, HasSubstr("It began when ft_transfer of token failed in block 103"));
}

TEST(Svg, MarksAFailureThatWasHandled) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.ok("r0", {"call", "back"});
    story.receipt("call", "app", "token", {}, {"d"});
    story.fails("call");
    story.receipt("back", "app", "app", {"d"});
    story.ok("back");
    const auto svg = drawn(story);
    EXPECT_THAT(box_of(svg, "call"), HasSubstr("rt-handled"));
    EXPECT_THAT(box_of(svg, "call"), HasSubstr("HANDLED"));
    EXPECT_THAT(svg, HasSubstr("rt-data-edge rt-handled-edge"));
    EXPECT_THAT(svg, HasSubstr("<g class=\"rt-edge\" data-from=\"r0\" data-to=\"back\">"));
}

TEST(Svg, MarksWhatHasNotRunAndTheResultChain) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.returns("r0", "call", {"call"});
    story.receipt("call", "app", "token");
    const auto svg = drawn(story);
    EXPECT_THAT(box_of(svg, "call"), HasSubstr("rt-pending"));
    EXPECT_THAT(svg, HasSubstr("not run yet"));
    EXPECT_THAT(svg, HasSubstr("rt-result-edge rt-pending-edge\" data-from=\"r0\" data-to=\"call\""));
}

TEST(Svg, MarksATransactionThatMadeNoReceipt) {
    chain::Judgement tree;
    tree.included = tree.transaction_failed = tree.completed = tree.settled = true;
    tree.verdict = chain::Verdict::failed;
    tree.transaction_failure = {"not_enough_balance", "short of 1 NEAR"};
    const auto svg =
        tree_svg("TX", Story().judge().included ? transaction_of(Story()) : chain::TransactionFacts(), tree);
    EXPECT_THAT(box_of(svg, "TX"), HasSubstr("rt-failed"));
    EXPECT_THAT(svg, HasSubstr("It made no receipt: “short of 1 NEAR” (not_enough_balance)"));
}

TEST(Svg, ExplainsTheMarksThatItHasAndNoOthers) {
    const auto explains = [](const std::string& svg, const std::string& words) {
        const auto legend = svg.substr(svg.find("rt-legend"));
        return legend.find(">" + words + "<") != std::string::npos;
    };
    const auto svg = drawn(broken());
    for (const auto* words : {"led to a failure", "result awaited by", "succeeded", "failed", "refund"})
        EXPECT_TRUE(explains(svg, words)) << words;
    for (const auto* words : {"made", "failed, and handled", "not run yet", "result chain"})
        EXPECT_FALSE(explains(svg, words)) << words;
}

TEST(Svg, EndsRightBelowTheExplanations) {
    for (const auto& svg : {drawn(broken()), tree_svg("TX", std::nullopt, chain::Judgement())}) {
        const auto number_after = [&](const std::string& mark, std::size_t from) {
            return std::stoi(svg.substr(svg.find(mark, from) + mark.size()));
        };
        const int height = number_after("height=\"", 0);
        const int last_line = number_after(" y=\"", svg.rfind("<text"));
        EXPECT_GT(height, last_line + 8);
        EXPECT_LT(height, last_line + 40);
    }
}

TEST(Svg, OfNothingKnownIsAPictureToo) {
    const auto svg = tree_svg("TX", std::nullopt, chain::Judgement());
    EXPECT_EQ(xml_fault(svg), "");
    EXPECT_THAT(svg, HasSubstr("The transaction is in no block yet."));
}

TEST(Svg, StandsAloneOrWithinAPage) {
    const auto alone = drawn(broken());
    EXPECT_THAT(alone, HasSubstr("<?xml"));
    EXPECT_THAT(alone, HasSubstr("<style>" + style()));
    EXPECT_THAT(alone, Not(HasSubstr("<a ")));
    SvgOptions options;
    options.within_page = true;
    options.link_prefix = "#receipt-";
    const auto within = drawn(broken(), options);
    EXPECT_THAT(within, Not(HasSubstr("<?xml")));
    EXPECT_THAT(within, Not(HasSubstr("<style")));
    EXPECT_THAT(within, Not(HasSubstr(" style=")));
    EXPECT_THAT(within, HasSubstr("<a href=\"#receipt-call\""));
    EXPECT_EQ(xml_fault(within), "");
}

TEST(Svg, LeavesTheStoryToThePageThatItStandsIn) {
    constexpr const char* kHeadline = "A callback failed, though NEAR calls this transaction a success.";
    constexpr const char* kCause = "The callback on_done of app failed";
    SvgOptions options;
    options.within_page = true;
    const auto within = drawn(broken(), options);
    for (const auto* words : {kHeadline, kCause, "rt-money"}) {
        EXPECT_THAT(drawn(broken()), HasSubstr(words));
        EXPECT_THAT(within, Not(HasSubstr(words)));
    }
    EXPECT_THAT(box_of(within, "call"), HasSubstr("ROOT CAUSE"));
}

TEST(Svg, HasTheSameBytesForTheSameTree) {
    const auto svg = [] {
        const MadeUp made_up(5, 200, 4);
        return tree_svg("TX", made_up.transaction, made_up.tree);
    };
    EXPECT_EQ(svg(), svg());
}

// Everything that people can put on the chain, in every place where their texts stand.
class HostileTexts : public ::testing::TestWithParam<std::string> {};

TEST_P(HostileTexts, LeaveThePictureWellFormedAndRunNothing) {
    auto story = broken();
    auto tree = story.judge();
    auto transaction = transaction_of(story);
    transaction.signer_id = transaction.receiver_id = transaction.method_name = GetParam();
    for (auto& receipt : tree.receipts) {
        receipt.receiver_id = receipt.method_name = GetParam();
        receipt.action_names = {GetParam()};
        receipt.failure.error_class = receipt.failure.error_text = GetParam();
    }
    tree.wallet_refusal = GetParam();
    SvgOptions options;
    options.link_prefix = "#receipt-";
    const auto svg = tree_svg(GetParam(), transaction, tree, options);
    XmlCheck check(svg);
    ASSERT_EQ(check.fault(), "");
    for (const auto& element : check.elements)
        EXPECT_THAT(
            (std::vector<std::string>{"svg", "title", "desc", "style", "g", "a", "rect", "path", "text"}),
            ::testing::Contains(element));
    for (const auto& attribute : check.attributes) EXPECT_FALSE(attribute.starts_with("on")) << attribute;
    // A right-to-left override would turn the line around it; what is not seen would hide in it.
    for (const char* unseen : {"\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x80\x8b", "\xef\xbb\xbf"})
        EXPECT_EQ(svg.find(unseen), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(
    Svg, HostileTexts,
    ::testing::Values("", "<script>alert(1)</script>", "]]>", "--><svg onload=alert(1)>",
                      "\" onclick=\"x\" y=\"", "' href='javascript:x", "&amp;&lt;&#0;&nope;",
                      std::string("a\0b\x01\x1f\x7f", 6),
                      "\xe2\x80\xae"
                      "evil\xe2\x81\xa6\xe2\x80\x8b\xef\xbb\xbf",
                      "\xff\xfe\xc0\x80\xed\xa0\x80\xf8", "\xc3", "\xef\xbf\xbe\xef\xbf\xbf\xf4\x8f\xbf\xbf",
                      "line\nline\r\n\tline", "\xc2\x85\xc2\x9b",
                      "a\xcc\x80\xcc\x81\xcc\x82\xcc\x83\xcc\x84\xcc\x85\xcc\x86", "\xef\xb7\xbd\xef\xb7\xba",
                      "</title><a href=\"javascript:alert(1)\">", "{}</style>", std::string(10'000, 'W')));

TEST(Svg, HasTheWholePanicWhereThePointerRests) {
    Story story;
    story.receipt("r0", "alice", "app");
    story.fails("r0");
    auto tree = story.judge();
    std::string panic;
    for (int i = 0; i < 500; ++i) panic += "word" + std::to_string(i) + " ";
    tree.receipts.front().failure.error_text = panic;
    const auto svg = tree_svg("TX", transaction_of(story), tree);
    EXPECT_THAT(svg, HasSubstr(panic));
    EXPECT_THAT(svg, HasSubstr("…"));
}

}  // namespace
}  // namespace receiptd::draw
