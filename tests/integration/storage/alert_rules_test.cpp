// Which endpoints are told of what: rules and lists of all daemons on the database, as they are when a cause
// is committed.
#include "storage/alert_rules.hpp"
#include "rule/definition.hpp"
#include "storage/news.hpp"
#include "storage/pg_alert_rule_store.hpp"
#include "storage/pg_delivery_store.hpp"
#include "storage/pg_outcome_store.hpp"
#include "watch_test_support.hpp"

#include <gmock/gmock.h>

namespace receiptd::test {
namespace {

using storage::Listing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

storage::DeclaredRule rule(const std::string& json) {
    auto read = rule::parse(json);
    if (!read) throw std::invalid_argument(read.error().front().path + " " + read.error().front().text);
    return {read->name, read->json};
}

struct FailedAt {
    std::string id;
    std::string contract = "dex.near";
    std::string handled = "f";
};

class AlertRules : public WatchStoreTest {
protected:
    void SetUp() override {
        WatchStoreTest::SetUp();
        if (!IsSkipped()) second_ = std::make_unique<OpenStore>(database().url());
    }
    void TearDown() override {
        second_.reset();
        WatchStoreTest::TearDown();
    }
    OpenStore& second() { return *second_; }
    std::vector<storage::Contested> declare(OpenStore& daemon, std::vector<storage::DeclaredRule> rules,
                                            std::vector<storage::DeclaredList> lists = {}) {
        storage::DaemonSettings settings;
        settings.place = &daemon == &store() ? "here:1" : "there:2";
        settings.source = "rpc";
        settings.alerts = {std::move(rules), std::move(lists)};
        return await(daemon.database.join(settings));
    }
    void serve(const std::string& endpoint, std::vector<std::string> rules) {
        storage::PgDeliveryStore deliveries(store().database);
        await(deliveries.serve_endpoints({storage::ServedEndpoint{endpoint, std::move(rules)}},
                                         storage::Serving::begins));
    }
    void find(const std::vector<FailedAt>& all) {
        const auto height = next_height_++;
        auto batch = block_batch(height);
        for (const auto& failed : all) {
            chain::Finding finding;
            finding.kind = chain::kind::kFailedReceipt;
            finding.receipt_id = failed.id;
            finding.identify();
            finding.at.timestamp_nanosec = kFirstTime + height % 1000 * 1'000'000'000;
            add_line(batch, Table::findings,
                     {finding.finding_id, finding.kind, "T", "T", failed.id, "promise", failed.handled,
                      failed.contract, "swap", "alice.near", "contract_panic", "no", std::to_string(height),
                      time_text(height)});
            batch.findings.push_back(std::move(finding));
        }
        commit(std::move(batch));
    }
    // Alerts of failed receipts that this process has counted as matched.
    double matched(const std::string& endpoint) {
        const auto text = store().registry.serialize();
        const auto series =
            R"(receiptd_alerts_matched_total{endpoint=")" + endpoint + R"(",kind="failed_receipt"} )";
        const auto at = text.find(series);
        return at == std::string::npos ? 0 : std::stod(text.substr(at + series.size()));
    }
    // "ENDPOINT RECEIPT RULES", a line each.
    std::string queued() {
        return rows(
            "SELECT endpoint || ' ' || split_part(alert_id, ':', 2) || ' ' || array_to_string(rules, ',') "
            "FROM deliveries ORDER BY 1");
    }

private:
    std::unique_ptr<OpenStore> second_;
    base::Height next_height_ = 103;
};

const std::string kDex = R"({"name":"dex","kind":"failed_receipt","receiver":"dex.near"})";
const std::string kAny = R"({"name":"any","kind":"failed_receipt","method":"sw*"})";

TEST_F(AlertRules, EndpointsTakeWhatTheirRulesMatchAndTheDefaultRuleWhatNobodyHandled) {
    declare(store(), {rule(kDex), rule(kAny)});
    serve("dex-team", {"dex"});
    serve("everything", {"any", "dex"});
    serve("on-call", {"default"});
    find({{"A"}, {"B", "other.near"}, {"C", "other.near", "t"}});
    EXPECT_EQ(queued(),
              "dex-team A dex@1\n"
              "everything A any@1,dex@1\n"
              "everything B any@1\n"
              "everything C any@1\n"
              "on-call A default\n"
              "on-call B default\n");
    EXPECT_EQ(value("SELECT count(*) FROM stream_events"), "3")
        << "the stream tells what no rule matches, too";
}

TEST_F(AlertRules, AlertsOfTheVeryFirstBlocksWaitForTheirOutcomesToo) {
    serve("on-call", {"default"});
    execute("UPDATE coverage SET heights = '{}'");
    storage::PgOutcomeStore outcomes(store().database);
    await(outcomes.hold_alerts(std::chrono::seconds(30)));
    find({{"A"}});
    EXPECT_EQ(value("SELECT count(*) FROM alerts WHERE waits_for IS NOT NULL"), "1");
    EXPECT_EQ(
        value("SELECT count(*) FROM deliveries WHERE next_attempt_at > created_at + interval '20 seconds'"),
        "1");
}

TEST_F(AlertRules, WhatRulesMatchIsCountedByKindAndEndpointOnceItIsCommitted) {
    declare(store(), {rule(kDex), rule(kAny)});
    serve("dex-team", {"dex"});
    serve("everything", {"any", "dex"});
    find({{"A"}, {"B", "other.near"}, {"C", "other.near", "t"}});
    EXPECT_EQ(matched("dex-team"), 1);
    EXPECT_EQ(matched("everything"), 3);
    EXPECT_EQ(matched(""), 0);
    execute("DELETE FROM endpoint_rules WHERE rule = 'any'");
    find({{"D"}, {"E", "other.near", "t"}});
    EXPECT_EQ(matched("everything"), 4) << "of two rules that match one is taken";
    EXPECT_EQ(matched(""), 1) << "nobody takes the rule that matches E";
}

TEST_F(AlertRules, TheStreamTellsAmountsAsTextsSoThatNoReaderLosesDigits) {
    execute(
        "SELECT make_partitions('2026-01-01', '2026-01-01'); "
        "INSERT INTO findings (finding_id, kind, tx_hash, tree_id, block_time, amount_kept, amount_returned) "
        "VALUES ('tokens_returned:R', 'tokens_returned', 'T', 'T', '2026-01-01', 0, "
        "  340282366920938463463374607431768211455)");
    const auto connection = storage::shim::connect(database().url());
    pqxx::work tx(*connection);
    storage::RuleBook rules;
    storage::News news;
    news.add("tokens_returned:R", 1'767'225'600'000'000'000);
    storage::tell(tx, rules, news);
    tx.commit();
    EXPECT_EQ(value("SELECT json_typeof(body -> 'amount_returned') || ' ' || (body ->> 'amount_returned') "
                    "  || ' ' || (body ->> 'amount_kept') FROM stream_events"),
              "string 340282366920938463463374607431768211455 0");
}

TEST_F(AlertRules, LateAlertsAreWithheldWhereAllRulesThatMatchSaySo) {
    declare(store(),
            {rule(R"({"name":"dex","kind":"failed_receipt","receiver":"dex.near","when_late":"withhold"})"),
             rule(kAny)});
    serve("dex-team", {"dex"});
    serve("everything", {"any", "dex"});
    find({{"A"}});
    EXPECT_EQ(rows("SELECT endpoint, withhold_late FROM deliveries ORDER BY 1"),
              "dex-team|t\neverything|f\n");
}

TEST_F(AlertRules, AnAlertKnowsWhatItIsAbout) {
    serve("on-call", {"default"});
    find({{"A"}});
    EXPECT_EQ(
        rows("SELECT a.contract_id, a.method_name, a.error_class, a.signer_id, a.user_id, a.account_id, "
             "a.caused_at = f.block_time FROM alerts a JOIN findings f ON f.finding_id = a.alert_id"),
        "dex.near|swap|contract_panic|alice.near|-|-|t\n");
}

TEST_F(AlertRules, ARuleCountsFromTheCommitThatDeclaredItWhoeverFindsTheCause) {
    serve("dex-team", {"dex"});
    find({{"A"}});
    declare(second(), {rule(kDex)});
    find({{"B"}});
    EXPECT_EQ(queued(), "dex-team B dex@1\n");
}

TEST_F(AlertRules, AnEditedRuleTellsNothingAgain) {
    declare(store(), {rule(R"({"name":"dex","kind":"failed_receipt","receiver":"nobody.near"})")});
    serve("dex-team", {"dex"});
    find({{"A"}});
    await(store().database.declare({{rule(kDex)}, {}}));
    find({{"A"}, {"B"}});
    EXPECT_EQ(queued(), "dex-team B dex@2\n");
    EXPECT_EQ(
        value("SELECT string_agg(version || ' ' || place, ', ' ORDER BY version) FROM alert_rule_versions"),
        "1 here:1, 2 here:1");
}

TEST_F(AlertRules, ARuleThatIsLoadedAgainAsItIsKeepsItsVersion) {
    declare(store(), {rule(kDex)});
    EXPECT_TRUE(declare(second(), {rule(kDex)}).empty());
    EXPECT_EQ(value("SELECT version FROM alert_rules"), "1");
}

TEST_F(AlertRules, OfTwoRulesOfOneNameTheOneLoadedLaterCountsAndBothDaemonsHearOfIt) {
    declare(store(), {rule(kDex)});
    const auto replaced =
        declare(second(), {rule(R"({"name":"dex","kind":"failed_receipt","receiver":"other.near"})")});
    ASSERT_EQ(replaced.size(), 1u);
    EXPECT_EQ(replaced[0].what + " " + replaced[0].name + " " + replaced[0].place, "rule dex here:1");
    const auto overruled = await(store().database.keep_alive()).contested;
    ASSERT_EQ(overruled.size(), 1u);
    EXPECT_EQ(overruled[0].place, "there:2");
    EXPECT_TRUE(await(second().database.keep_alive()).contested.empty());
    serve("dex-team", {"dex"});
    find({{"A"}, {"B", "other.near"}});
    EXPECT_EQ(queued(), "dex-team B dex@2\n");
}

TEST_F(AlertRules, ARuleLivesAsLongAsADaemonOrAServedEndpointNeedsIt) {
    const auto left = [&] {
        await(store().database.maintain(store().clock.wall(), {}));
        return value("SELECT count(*) FROM alert_rules");
    };
    declare(store(), {rule(kDex)});
    serve("dex-team", {"dex"});
    await(store().database.leave());
    EXPECT_EQ(left(), "1") << "its endpoint may come back within four days";
    execute("UPDATE endpoints SET served_at = now() - interval '5 days'");
    EXPECT_EQ(left(), "0");
    EXPECT_EQ(value("SELECT count(*) FROM alert_rule_versions"), "1") << "deliveries name it";
}

TEST_F(AlertRules, AListIsTheAccountsOfItsFileAndOnesThatPeopleAdd) {
    declare(store(), {rule(R"({"name":"ours","kind":"failed_receipt","receiver":["@file","@added"]})")},
            {{"file", std::vector<std::string>{"a.near", "b.near"}}, {"added", std::nullopt}});
    serve("team", {"ours"});
    const auto set = [&](const std::string& list, const std::string& account, bool listed) {
        return await(second().database.pool.people.transaction(
            [=](pqxx::work& tx) { return storage::set_listed(tx, list, account, listed); }));
    };
    find({{"A", "a.near"}, {"B", "c.near"}});
    EXPECT_EQ(set("added", "c.near", true), Listing::changed);
    EXPECT_EQ(set("added", "c.near", true), Listing::as_it_was);
    EXPECT_EQ(set("file", "c.near", true), Listing::kept_in_a_file);
    EXPECT_EQ(set("none", "c.near", true), Listing::no_such_list);
    find({{"C", "c.near"}});
    EXPECT_EQ(set("added", "c.near", false), Listing::changed);
    EXPECT_EQ(set("added", "c.near", false), Listing::as_it_was);
    await(store().database.declare(
        {{rule(R"({"name":"ours","kind":"failed_receipt","receiver":["@file","@added"]})")},
         {{"file", std::vector<std::string>{"b.near"}}, {"added", std::nullopt}}}));
    find({{"D", "c.near"}, {"E", "a.near"}, {"F", "b.near"}});
    EXPECT_EQ(queued(), "team A ours@1\nteam C ours@1\nteam F ours@1\n");
}

TEST_F(AlertRules, ADatabaseThatWasRestoredIsReadAnew) {
    declare(store(), {rule(R"({"name":"ours","kind":"failed_receipt","receiver":"@file"})")},
            {{"file", std::vector<std::string>{"a.near"}}});
    serve("team", {"ours"});
    find({{"A", "a.near"}});
    execute(
        "UPDATE listed_accounts SET account_id = 'b.near', changed = 0; "
        "UPDATE alert_rule_state SET lists = 0, rules = 0");
    find({{"B", "a.near"}, {"C", "b.near"}});
    EXPECT_EQ(queued(), "team A ours@1\nteam C ours@1\n");
}

TEST_F(AlertRules, OfAWatchedTransactionTheGoodEndIsToldWithWhatItsOwnerGaveAlong) {
    declare(store(), {rule(R"({"name":"paid","kind":"end"})"),
                      rule(R"({"name":"gone","kind":"end","stages":["expired","final"]})")});
    serve("payments", {"gone", "paid"});
    add({new_watch(1), new_watch(2)});
    execute("UPDATE watches SET metadata = '{\"order\": 7}', idempotency_key = 'pay-7' WHERE tx_hash = '" +
            hash_of(1) + "'");
    update(step_update(hash_of(1), Stage::accepted, Stage::included));
    update(step_update(hash_of(1), Stage::included, Stage::completed));
    update(step_update(hash_of(2), Stage::accepted, Stage::expired));
    EXPECT_EQ(rows("SELECT a.kind || ' ' || array_to_string(rules, ',') FROM deliveries JOIN alerts a USING "
                   "(alert_id) ORDER BY 1"),
              "completed paid@1\nexpired gone@1\n");
    const auto cause = value("SELECT cause FROM alerts WHERE kind = 'completed'");
    EXPECT_THAT(cause, HasSubstr(R"("metadata":{"order": 7})"));
    EXPECT_THAT(cause, HasSubstr(R"("idempotency_key":"pay-7")"));
}

TEST_F(AlertRules, TheCauseOfABadEndHasItsEvidenceAndWhatWasGivenAlong) {
    auto given = new_watch(1);
    given.metadata_json = R"({"order":7})";
    add({given});
    update(step_update(hash_of(1), Stage::accepted, Stage::expired));
    storage::DueDelivery due;
    due.alert_id = due.finding_id = "expired:" + hash_of(1);
    due.kind = "expired";
    due.tx_hash = hash_of(1);
    storage::PgDeliveryStore deliveries(store().database);
    const auto cause = await(deliveries.causes({due})).at(due.alert_id);
    EXPECT_EQ(cause.metadata_json, R"({"order":7})");
    EXPECT_EQ(cause.evidence_json, R"({"host":"a"})");
    EXPECT_EQ(cause.idempotency_key, "");
}

TEST_F(AlertRules, ACorrectionGoesToWhoeverWasTold) {
    declare(store(), {rule(R"({"name":"alice","kind":"expired","signer":"alice.near"})"),
                      rule(R"({"name":"bob","kind":"expired","signer":"bob.near"})")});
    serve("alice-team", {"alice"});
    serve("bob-team", {"bob"});
    add({new_watch(1)});
    update(step_update(hash_of(1), Stage::accepted, Stage::expired));
    auto back = step_update(hash_of(1), Stage::expired, Stage::included);
    back.transitions.front().at = executed_at(104);
    update(std::move(back));
    EXPECT_EQ(rows("SELECT endpoint || ' ' || a.kind || ' ' || array_to_string(rules, ',') FROM deliveries "
                   "JOIN alerts a USING (alert_id) ORDER BY 1"),
              "alice-team corrected alice@1\nalice-team expired alice@1\n");
}

TEST_F(AlertRules, AreShownWithTheEndpointsThatTakeThemAndListsWithTheirAccounts) {
    storage::PgAlertRuleStore seen(second().database);
    declare(store(), {rule(kDex), rule(kAny)},
            {{"file", std::vector<std::string>{"c.near", "a.near", "b.near"}}, {"added", std::nullopt}});
    serve("dex-team", {"dex"});
    const auto rules = await(seen.rules());
    ASSERT_EQ(rules.size(), 2u);
    EXPECT_EQ(rules[1].name, "dex");
    EXPECT_THAT(rules[1].endpoints, ElementsAre("dex-team"));
    EXPECT_TRUE(rules[0].endpoints.empty());
    const auto lists = await(seen.lists());
    ASSERT_EQ(lists.size(), 2u);
    EXPECT_FALSE(lists[0].from_file);
    EXPECT_EQ(lists[1].accounts, 3u);
    EXPECT_THAT(*await(seen.accounts("file", "", 2)), ElementsAre("a.near", "b.near"));
    EXPECT_THAT(*await(seen.accounts("file", "b.near", 2)), ElementsAre("c.near"));
    EXPECT_EQ(await(seen.accounts("none", "", 2)), std::nullopt);
}

TEST_F(AlertRules, OneThatThisProgramDoesNotUnderstandKeepsNoOtherFromCounting) {
    declare(store(), {rule(kDex)});
    execute(
        "INSERT INTO alert_rules (name, definition, daemon, place) SELECT 'newer', "
        "'{\"name\":\"newer\",\"kind\":\"of tomorrow\"}', daemon, place FROM alert_rules");
    execute("UPDATE alert_rule_state SET rules = rules + 1");
    serve("dex-team", {"dex", "newer"});
    find({{"A"}});
    EXPECT_EQ(queued(), "dex-team A dex@1\n");
}

}  // namespace
}  // namespace receiptd::test
