#include "made_up.hpp"
#include "rule/evaluate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace receiptd::rule {
namespace {

using testing::definition;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Random rules and subjects over few words, so that many match.
class Chance {
public:
    explicit Chance(std::uint64_t seed) : engine_(seed) {}

    bool one_in(unsigned count) { return below(count) == 0; }
    std::size_t below(std::size_t count) {
        return std::uniform_int_distribution<std::size_t>(0, count - 1)(engine_);
    }
    template <class Words>
    auto of(const Words& words) {
        return words[below(std::size(words))];
    }

    std::string account() {
        constexpr const char* kAccounts[] = {"a.near", "b.near", "x.a.near", "y.x.a.near",
                                             "near",   "a.b",    "system"};
        return of(kAccounts);
    }
    std::string pattern() {
        constexpr const char* kPatterns[] = {"*.near", "*.a.near", "*.x.a.near", "a*",    "*",
                                             "?.near", "@one",     "@two",       "@none", "*a.near"};
        return one_in(2) ? account() : of(kPatterns);
    }
    std::string patterns() {
        const auto first = pattern();
        const auto second = pattern();
        if (one_in(2) || first == second) return '"' + first + '"';
        return "[\"" + first + "\",\"" + second + "\"]";
    }
    std::string table(std::size_t depth) {
        std::string members;
        const auto add = [&](const std::string& member) { members += (members.empty() ? "" : ",") + member; };
        for (const char* role : {"signer", "user", "receiver", "account"})
            if (one_in(4)) add('"' + std::string(role) + "\":" + patterns());
        if (one_in(2)) add(R"("method":"m)" + std::to_string(below(3)) + '"');
        if (one_in(5)) add(R"("deposit_at_least":)" + std::to_string(below(4)));
        if (one_in(5)) add(R"("where":{"args":"to","is":)" + patterns() + "}");
        if (depth > 0 && one_in(3)) add(R"("any":[)" + table(depth - 1) + "," + table(depth - 1) + "]");
        if (depth > 0 && one_in(4)) add(R"("all":[)" + table(depth - 1) + "]");
        if (depth > 0 && one_in(3)) add(R"("not":)" + table(depth - 1));
        if (members.empty()) add(R"("receiver":)" + patterns());
        return "{" + members + "}";
    }
    Definition rule(std::size_t number) {
        constexpr const char* kKinds[] = {R"("event")",   R"("transfer")",        R"(["transfer","event"])",
                                          R"("finding")", R"(["finding","end"])", R"("key_added")"};
        return definition(R"({"name":"r)" + std::to_string(number) + R"(","kind":)" + of(kKinds) + "," +
                          table(3).substr(1));
    }

private:
    std::mt19937_64 engine_;
};

// Owns what the subject looks at.
struct Happened {
    explicit Happened(Chance& chance)
        : texts{chance.account(),
                chance.one_in(2) ? "" : chance.account(),
                chance.account(),
                chance.account(),
                chance.account(),
                "m" + std::to_string(chance.below(3)),
                R"({"to":")" + chance.account() + "\"}"} {
        constexpr Kind kSome[] = {Kind::event, Kind::transfer, Kind::failed_receipt, Kind::stage,
                                  Kind::key_added};
        subject.kind = chance.of(kSome);
        subject.signer_id = texts[0];
        subject.user_id = texts[1];
        subject.predecessor_id = texts[2];
        subject.receiver_id = texts[3];
        subject.account_id = texts[4];
        subject.method_name = texts[5];
        subject.args_json = texts[6];
        if (!chance.one_in(3)) subject.deposit = chance.below(4);
        subject.cause = chance.one_in(3) ? "refund" : "transfer";
        subject.stage = chance.one_in(3) ? "final" : "completed";
    }
    std::string texts[7];
    Subject subject;
};

Lists two_lists() { return Lists({{"one", {"a.near", "b.near"}}, {"two", {"y.x.a.near"}}}); }

std::vector<RuleIndex> one_by_one(std::span<const Definition> rules, const Lists& lists,
                                  const Subject& subject) {
    std::vector<RuleIndex> matching;
    for (RuleIndex i = 0; i < rules.size(); ++i) {
        Evaluation evaluation(subject, lists);
        if ((rules[i].kinds & bit(subject.kind)) != 0 && evaluation.holds(*rules[i].condition))
            matching.push_back(i);
    }
    return matching;
}

TEST(RuleSets, FindWhatEachRuleAloneWouldMatch) {
    std::size_t found = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        Chance chance(seed);
        std::vector<Definition> rules;
        for (std::size_t i = 0; i < 30; ++i) rules.push_back(chance.rule(i));
        auto lists = two_lists();
        RuleSet set(rules, lists);
        for (int round = 0; round < 150; ++round) {
            if (chance.one_in(20)) {
                const auto account = chance.account();
                lists = chance.one_in(2) ? lists.with("none", account) : lists.without("one", account);
                set = set.with_lists(lists);
            }
            const Happened happened(chance);
            const auto& subject = happened.subject;
            const auto expected = one_by_one(rules, lists, subject);
            ASSERT_EQ(set.match(subject), expected) << "seed " << seed;
            found += expected.size();
            const auto gate =
                set.may_match(subject.kind, {subject.signer_id, subject.user_id, subject.predecessor_id,
                                             subject.receiver_id, subject.account_id});
            ASSERT_TRUE(gate || expected.empty()) << "seed " << seed;
        }
    }
    EXPECT_GT(found, 1'000u);  // else nothing was compared
}

// A rule for one of the customers of a contract.
Definition customer_rule(Chance& chance, std::size_t number) {
    constexpr const char* kTests[] = {R"("data":"[*].to","is":)", R"("args":"to","is":)",
                                      R"("data":"[*]","has":{"at":"to","is":)",
                                      R"("data":"[*].to","is_not":)"};
    const std::string test = chance.of(kTests);
    auto where = "{" + test + chance.patterns() + (test.find("has") == std::string::npos ? "}" : "}}");
    if (chance.one_in(4)) where = "[" + where + R"(,{"data":"[*].n","is":["7","x.a.near"]}])";
    const auto members = R"("name":"c)" + std::to_string(number) + R"(","kind":"event","where":)" + where;
    return definition("{" + members + (chance.one_in(3) ? "}" : R"(,"receiver":"a.near"})"));
}

TEST(RuleSets, FindTheRulesOfEachOfManyCustomersOfOneContract) {
    std::size_t found = 0;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        Chance chance(seed);
        std::vector<Definition> rules;
        for (std::size_t i = 0; i < 400; ++i) rules.push_back(customer_rule(chance, i));
        const auto lists = two_lists();
        const RuleSet set(rules, lists);
        for (int round = 0; round < 100; ++round) {
            Happened happened(chance);
            const auto data = R"([{"to":")" + chance.account() + R"("},{"to":")" + chance.account() +
                              R"(","n":)" + std::to_string(chance.below(9)) + "}]";
            happened.subject.kind = Kind::event;
            happened.subject.data_json = data;
            const auto expected = one_by_one(rules, lists, happened.subject);
            ASSERT_EQ(set.match(happened.subject), expected) << "seed " << seed;
            found += expected.size();
        }
    }
    EXPECT_GT(found, 4'000u);  // else nothing was compared
}

TEST(RuleSets, FindRulesByOtherWordsThanAccounts) {
    const RuleSet set(
        {definition(R"({"name":"e","kind":"event","event":["ft_burn","ft_mint"]})"),
         definition(R"({"name":"m","kind":["event","finding"],"method":"exit"})"),
         definition(R"({"name":"c","kind":"finding","error_class":"gas_exceeded"})"),
         definition(R"({"name":"t","kind":"transfer","token":"usdt.near","amount_at_least":"5"})"),
         definition(R"({"name":"x","kind":"event","any":[{"event":"a"},{"receiver":"a.near"}]})")},
        Lists());
    EXPECT_THAT(set.match_names({.kind = Kind::event, .method_name = "exit", .event = "ft_mint"}),
                ElementsAre("e", "m"));
    EXPECT_THAT(set.match_names({.kind = Kind::stuck, .method_name = "exit", .error_class = "gas_exceeded"}),
                ElementsAre("m", "c"));
    EXPECT_THAT(
        set.match_names({.kind = Kind::transfer, .token_id = "usdt.near", .cause = "transfer", .amount = 5}),
        ElementsAre("t"));
    EXPECT_THAT(set.match_names({.kind = Kind::event, .receiver_id = "a.near"}), ElementsAre("x"));
    EXPECT_THAT(set.match_names({.kind = Kind::event, .event = "a"}), ElementsAre("x"));
    EXPECT_EQ(set.kinds_for({"whoever.near"}), set.kinds());
}

TEST(RuleSets, NameTheRulesInTheirOrder) {
    const RuleSet set({definition(R"({"name":"all","kind":"finding"})"),
                       definition(R"({"name":"none","kind":"finding","receiver":"x.near"})"),
                       definition(R"({"name":"mine","kind":"finding","receiver":["a.near","*.near"]})")},
                      Lists());
    EXPECT_THAT(set.match({.kind = Kind::stuck, .signer_id = "a.near", .receiver_id = "a.near"}),
                ElementsAre(0, 2));
    EXPECT_THAT(set.match_names({.kind = Kind::stuck, .receiver_id = "a.near"}), ElementsAre("all", "mine"));
    EXPECT_THAT(set.match({.kind = Kind::event, .receiver_id = "a.near"}), IsEmpty());
    EXPECT_THAT(RuleSet().match({.kind = Kind::event}), IsEmpty());
}

TEST(RuleSets, TellBeforehandWhichKindsAnAccountConcerns) {
    const RuleSet set({definition(R"({"name":"a","kind":"event","receiver":"a.near"})"),
                       definition(R"({"name":"b","kind":"transfer","account":"@hot"})"),
                       definition(R"({"name":"c","kind":"key_added","account":"*.a.near"})")},
                      testing::one_list("hot", {"h.near"}));
    EXPECT_EQ(set.kinds_for({"a.near", "", "z.near"}), bit(Kind::event));
    EXPECT_EQ(set.kinds_for({"h.near"}), bit(Kind::transfer));
    EXPECT_EQ(set.kinds_for({"x.y.a.near"}), bit(Kind::key_added));
    EXPECT_EQ(set.kinds_for({"z.near"}), 0u);
    EXPECT_TRUE(set.may_match(Kind::event, {"a.near"}));
    EXPECT_FALSE(set.may_match(Kind::transfer, {"a.near"}));
    EXPECT_EQ(set.kinds(), bit(Kind::event) | bit(Kind::transfer) | bit(Kind::key_added));
}

TEST(RuleSets, ARuleThatAnyAccountSatisfiesKeepsItsKindOpen) {
    const RuleSet set({definition(R"({"name":"a","kind":"event","event":"ft_burn"})")}, Lists());
    EXPECT_TRUE(set.may_match(Kind::event, {"whoever.near"}));
    EXPECT_FALSE(set.may_match(Kind::transfer, {"whoever.near"}));
}

}  // namespace
}  // namespace receiptd::rule
