// The queue sends the messages of a group in the order of storm/order.hpp, whatever becomes of attempts and
// processes.
#include "alert_test_support.hpp"

#include "support/group_queue_in_memory.hpp"

#include <gmock/gmock.h>

#include <random>

namespace receiptd::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

storm::Settings on_call() {
    storm::Settings settings;
    settings.group = {storm::KeyPart::receiver, storm::KeyPart::error_class};
    settings.digest_after = 1min;
    settings.resolve_after = 10min;
    settings.keeps_open = true;
    return settings;
}
storm::Settings chat() {
    auto settings = on_call();
    settings.keeps_open = false;
    return settings;
}
storm::Settings alertmanager() {
    auto settings = chat();
    settings.repeats = true;
    return settings;
}

// The real queue of one endpoint. Its ids and groups have the names that the queue in memory gives.
class StoredGroupQueue final : public GroupQueue {
public:
    StoredGroupQueue(Process& process, const std::string& url, std::string endpoint, storm::Settings settings)
        : process_(process),
          session_(quiet_connection(url)),
          endpoint_(std::move(endpoint)),
          settings_(std::move(settings)) {}

    void alert() override {
        sql("WITH made AS (INSERT INTO alerts (alert_id, kind, contract_id, error_class, caused_at) "
            "VALUES ('" +
            endpoint_ + "/alert:" + std::to_string(++alerts_) +
            "', 'failed_receipt', 'dex.near', 'contract_panic', now()) RETURNING alert_id) "
            "INSERT INTO deliveries (alert_id, endpoint, rules) SELECT alert_id, '" +
            endpoint_ + "', '{on-call@2}' FROM made");
    }
    void pass(std::chrono::minutes time) override {
        const auto by = " - interval '" + std::to_string(time.count()) + " minutes'";
        sql("UPDATE alert_groups SET told_at = told_at" + by + ", last_member_at = last_member_at" + by +
            ", due_at = due_at" + by + " WHERE endpoint = '" + endpoint_ + "'");
        await(process_.deliveries.tend_storms({{endpoint_, settings_}}));
        find_names();
    }
    std::vector<Post> claim() override {
        std::vector<Post> posts;
        for (const auto& due : await(process_.deliveries.claim_deliveries(
                                         {{.endpoint = endpoint_, .limit = 100, .storm = settings_}}, 3'600s))
                                   .due)
            posts.push_back({due.alert_id, due.group_name, part_of(due.kind), false});
        find_names();
        const auto by_hand =
            sql("SELECT alert_id FROM deliveries WHERE by_hand AND endpoint = '" + endpoint_ + "'");
        for (auto& post : posts) {
            post.is_by_hand = std::any_of(by_hand.begin(), by_hand.end(),
                                          [&](const auto& row) { return row[0].c_str() == post.id; });
            post.id = plain(post.id);
            if (!post.group.empty()) post.group = plain(post.group).substr(std::string("group:").size());
        }
        std::sort(posts.begin(), posts.end(), [](auto& a, auto& b) { return a.id < b.id; });
        return posts;
    }
    void reply(const Post& post, Reply reply) override {
        auto outcome = reply == Reply::taken     ? delivered(stored_id(post.id))
                       : reply == Reply::refused ? failed(stored_id(post.id), 1h)
                                                 : given_up(stored_id(post.id));
        outcome.endpoint = endpoint_;
        await(process_.deliveries.record_delivery(std::move(outcome)));
    }
    void retry() override { due("NOT (lease_owner IS NOT NULL AND next_attempt_at > now())"); }
    void forget() override { due("lease_owner IS NOT NULL"); }
    void resend() override {
        for (const char* state : {"delivered", "dead", "overtaken", "grouped"})
            await(process_.people.resend(only(state, endpoint_)));
    }
    Stored stored() override {
        Stored stored;
        for (const auto& row :
             sql("SELECT d.alert_id, d.state, CASE WHEN a.cause IS NOT NULL THEN (a.cause ->> 'untold')::int "
                 "  WHEN g.began_with = d.alert_id THEN 1 ELSE 0 END FROM deliveries d "
                 "JOIN alerts a USING (alert_id) LEFT JOIN alert_groups g USING (group_id) "
                 "WHERE d.endpoint = '" +
                 endpoint_ + "'"))
            stored[plain(row[0].c_str())] = {row[1].c_str(), row[2].as<std::uint64_t>()};
        return stored;
    }
    std::uint64_t members() override {
        return sql("SELECT coalesce(sum(members), 0)::bigint FROM alert_groups WHERE endpoint = '" +
                   endpoint_ + "'")[0][0]
            .as<std::uint64_t>();
    }

private:
    pqxx::result sql(const std::string& text) { return pqxx::nontransaction(*session_).exec(text); }
    static storm::Part part_of(const std::string& kind) {
        return kind == "group_digest"     ? storm::Part::digest
               : kind == "group_resolved" ? storm::Part::end
                                          : storm::Part::alert;
    }
    void due(const std::string& which) {
        sql("UPDATE deliveries SET next_attempt_at = least(next_attempt_at, now() - interval '1 second') "
            "WHERE state = 'pending' AND endpoint = '" +
            endpoint_ + "' AND " + which);
    }
    void find_names() {
        const auto rows =
            sql("SELECT name FROM alert_groups WHERE endpoint = '" + endpoint_ + "' ORDER BY group_id");
        names_.clear();
        for (const auto& row : rows) names_.push_back(row[0].c_str());
    }
    // "group:1:resolved", "alert:101"
    std::string plain(const std::string& id) const {
        for (std::size_t i = 0; i < names_.size(); ++i)
            if (id.starts_with(names_[i]))
                return "group:" + std::to_string(i + 1) + id.substr(names_[i].size());
        return id.substr(id.find('/') + 1);
    }
    std::string stored_id(const std::string& id) const {
        for (std::size_t i = 0; i < names_.size(); ++i)
            if (const auto name = "group:" + std::to_string(i + 1) + ":"; id.starts_with(name))
                return names_[i] + ":" + id.substr(name.size());
        return endpoint_ + "/" + id;
    }

    Process& process_;
    std::unique_ptr<pqxx::connection> session_;
    std::string endpoint_;
    storm::Settings settings_;
    unsigned alerts_ = 100;
    std::vector<std::string> names_;  // of groups, in the order in which they were opened
};

class GroupOrder : public AlertsTest {
protected:
    void compare(const std::string& endpoint, const storm::Settings& settings, const std::string& events) {
        MemoryGroupQueue memory(settings);
        StoredGroupQueue real(process(), database().url(), endpoint, settings);
        GroupPlay expected(memory), played(real);
        for (auto* play : {&expected, &played}) {
            play->shows_until_end = settings.keeps_open || settings.repeats;
            play->counts_once = !settings.repeats;
            for (const char event : events) play->play(event);
            play->settle();
        }
        EXPECT_EQ(played.fault(), "") << events;
        EXPECT_EQ(played.heard(), expected.heard()) << events;
        EXPECT_EQ(real.stored(), memory.stored()) << events;
    }
    std::vector<std::string> heard(const std::string& events, const storm::Settings& settings = on_call()) {
        StoredGroupQueue real(process(), database().url(), "ops", settings);
        GroupPlay play(real);
        for (const char event : events) play.play(event);
        return play.heard();
    }
};

TEST_F(GroupOrder, IsThatOfTheModel) {
    unsigned number = 0;
    for (const auto& settings : {on_call(), chat(), alertmanager()})
        for (unsigned seed = 1; seed <= 8; ++seed) {
            std::minstd_rand random(seed);
            constexpr std::string_view kEvents = "jjcccmmerxhofdlOFDL";
            std::string events = "jc";
            while (events.size() < 25) events += kEvents[random() % kEvents.size()];
            compare("e" + std::to_string(++number), settings, events);
            if (HasFailure()) return;
        }
}

TEST_F(GroupOrder, AnIncidentThatIsRefusedTwiceIsOpenedBeforeItIsClosed) {
    EXPECT_THAT(heard("jcfrcfe"), IsEmpty()) << "it is over, and nobody has heard of it";
    EXPECT_EQ(value("SELECT count(*) FROM alerts WHERE kind = 'group_resolved'"), "0");
    EXPECT_EQ(value("SELECT count(*) FROM alert_groups WHERE ended_at IS NULL AND due_at > now()"), "1");
}

TEST_F(GroupOrder, TheEndFollowsWhenTheAlertIsTakenOrGivenUp) {
    EXPECT_THAT(heard("jcfercoeco"), ElementsAre("alert:101", "group:1:resolved"));
    execute("DELETE FROM deliveries; DELETE FROM alerts; DELETE FROM alert_groups");
    EXPECT_THAT(heard("jcdeco"), ElementsAre("group:1:resolved")) << "what is dead holds up nothing";
}

TEST_F(GroupOrder, WhatIsOvertakenSaysSo) {
    EXPECT_THAT(heard("jcojcmcfeco"), ElementsAre("alert:101", "group:1:resolved"));
    EXPECT_EQ(
        rows("SELECT a.kind, d.state, a.cause ->> 'untold' FROM deliveries d JOIN alerts a USING (alert_id) "
             "WHERE a.kind LIKE 'group%' ORDER BY 1"),
        "group_digest|overtaken|1\ngroup_resolved|delivered|1\n");
    EXPECT_EQ(value("SELECT cause ->> 'alert_ids' FROM alerts WHERE kind = 'group_resolved'"),
              "[\"ops/alert:102\"]");
}

TEST_F(GroupOrder, WhatPeopleResendAfterTheEndIsOfNoGroup) {
    EXPECT_THAT(heard("jcoecohcorco"),
                ElementsAre("alert:101", "group:1:resolved", "alert:101 alone", "group:1:resolved"));
}

TEST_F(GroupOrder, AnEndFromBeforeIsSentBehindItsAlert) {
    heard("jcf");
    execute(
        "UPDATE alert_groups SET ended_at = now(), name = NULL, began_with = NULL; "
        "INSERT INTO alerts (alert_id, kind, cause) VALUES ('group:1:resolved', 'group_resolved', '{}'); "
        "INSERT INTO deliveries (alert_id, endpoint, group_id) SELECT 'group:1:resolved', 'ops', group_id "
        "FROM alert_groups; UPDATE deliveries SET next_attempt_at = now() - interval '1 second'");
    const storage::EndpointRoom room{.endpoint = "ops", .limit = 16, .storm = on_call()};
    const auto first = await(process().deliveries.claim_deliveries({room}, 30s)).due;
    ASSERT_THAT(first, testing::SizeIs(1));
    EXPECT_EQ(first[0].alert_id, "ops/alert:101");
    const auto number = "group-" + value("SELECT group_id FROM alert_groups");
    EXPECT_EQ(first[0].group_name, number) << "the incident is opened by the name that its end has";
    record(process(), delivered("ops/alert:101"));
    execute("UPDATE deliveries SET next_attempt_at = now() - interval '1 second' WHERE state = 'pending'");
    const auto last = await(process().deliveries.claim_deliveries({room}, 30s)).due;
    ASSERT_THAT(last, testing::SizeIs(1));
    EXPECT_EQ(last[0].group_name, number);
}

TEST_F(GroupOrder, AGroupFromBeforeThereWereNamesEndsByItsNumber) {
    heard("jco");
    execute(
        "UPDATE alert_groups SET name = NULL, began_with = NULL, last_member_at = now() - interval '10 "
        "minutes', "
        "due_at = now()");
    await(process().deliveries.tend_storms({{"ops", on_call()}}));
    const storage::EndpointRoom room{.endpoint = "ops", .limit = 16, .storm = on_call()};
    const auto due = await(process().deliveries.claim_deliveries({room}, 30s)).due;
    ASSERT_THAT(due, testing::SizeIs(1));
    const auto number = "group-" + value("SELECT group_id FROM alert_groups");
    EXPECT_EQ(due[0].group_name, number) << "the incident is known by it";
    EXPECT_EQ(due[0].alert_id, number + ":resolved");
}

TEST_F(GroupOrder, AServiceThatShowsTheLastMessageOnlyGetsTheFirstAlertWithIt) {
    heard("jco", alertmanager());
    execute(
        "UPDATE alerts SET payload = '{\"type\":\"finding.failed_receipt\"}'; UPDATE alert_groups SET "
        "told_at = "
        "now() - interval '1 minute', due_at = now()");
    const auto next = [&](const storm::Settings& settings) {
        await(process().deliveries.tend_storms({{"ops", settings}}));
        const storage::EndpointRoom room{.endpoint = "ops", .limit = 16, .storm = settings};
        const auto due = await(process().deliveries.claim_deliveries({room}, 30s)).due;
        return due.size() == 1 ? due[0].first_payload : "none is sent";
    };
    EXPECT_EQ(next(alertmanager()), R"({"type":"finding.failed_receipt"})");
    execute("UPDATE deliveries SET next_attempt_at = now() - interval '1 second' WHERE state = 'pending'");
    EXPECT_EQ(next(chat()), "");
}

// A claim and a look at the group come one after the other.
TEST_F(GroupOrder, AGroupDoesNotEndWhileAClaimHasIt) {
    heard("jco");
    execute("UPDATE alert_groups SET last_member_at = now() - interval '10 minutes', due_at = now()");
    const auto tend = [&] { return await(process().deliveries.tend_storms({{"ops", on_call()}})); };
    const auto other_session = quiet_connection(database().url());
    {
        pqxx::work claiming(*other_session);
        claiming.exec("SELECT FROM alert_groups FOR SHARE");
        EXPECT_EQ(tend(), 0u);
        claiming.commit();
    }
    resend(only("delivered"));
    {
        pqxx::work tending(*other_session);
        tending.exec("SELECT FROM alert_groups FOR UPDATE");
        const storage::EndpointRoom room{.endpoint = "ops", .limit = 16, .storm = on_call()};
        EXPECT_THAT(await(process().deliveries.claim_deliveries({room}, 30s)).due, IsEmpty());
        EXPECT_EQ(value("SELECT lease_owner IS NULL FROM deliveries"), "t");
    }
    EXPECT_EQ(tend(), 1u) << "what people resend is sent behind the end";
}

TEST_F(GroupOrder, TheBeginOfALimitIsNotToldAfterItsEnd) {
    storm::Settings settings;
    settings.most_per_hour = 1;
    const storage::EndpointRoom room{.endpoint = "ops", .limit = 16, .storm = settings};
    for (int i = 1; i <= 3; ++i) queue("alert:" + std::to_string(i));
    await(process().deliveries.claim_deliveries({room}, 30s));
    EXPECT_EQ(value("SELECT count(*) FROM alerts WHERE alert_id ~ '^withheld-[0-9a-f]{32}:begin$'"), "1");
    const auto tend_the_hour_before = [&] {
        execute(
            "UPDATE endpoint_load SET withheld = 2, hour = date_trunc('hour', now()) - interval '1 hour'");
        return await(process().deliveries.tend_storms({{"ops", settings}}));
    };
    EXPECT_EQ(tend_the_hour_before(), 1u);
    const auto begin =
        value("SELECT replace(alert_id, ':end', ':begin') FROM alerts WHERE alert_id LIKE '%:end'");
    queue(begin);
    EXPECT_EQ(tend_the_hour_before(), 1u);
    EXPECT_EQ(value("SELECT state FROM deliveries WHERE alert_id = '" + begin + "'"), "overtaken");
}

}  // namespace
}  // namespace receiptd::test
