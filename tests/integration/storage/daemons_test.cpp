// Daemons on one database know of each other: what must agree is refused, what may differ is shared.
#include "store_test_support.hpp"

#include <gmock/gmock.h>

namespace receiptd::test {
namespace {

using testing::ElementsAre;
using Accounts = std::vector<std::string>;

storage::DaemonSettings settings_of(std::string place, std::optional<Accounts> accounts = std::nullopt) {
    storage::DaemonSettings settings;
    settings.place = std::move(place);
    settings.source = "rpc";
    settings.accounts = std::move(accounts);
    return settings;
}

class Daemons : public StoreTest {
protected:
    void SetUp() override {
        StoreTest::SetUp();
        if (!IsSkipped()) second_ = std::make_unique<OpenStore>(database().url());
    }
    void TearDown() override {
        second_.reset();
        StoreTest::TearDown();
    }
    OpenStore& second() { return *second_; }
    std::string followed() {
        return rows("SELECT account_id, since_height, not_whole FROM followed_accounts ORDER BY 1");
    }
    void is_gone(const std::string& place) {
        execute("UPDATE daemons SET seen_at = now() - interval '11 seconds' WHERE place = '" + place + "'");
    }

private:
    std::unique_ptr<OpenStore> second_;
};

TEST_F(Daemons, WithAnotherSourceOrRetentionJoinAndAreSeen) {
    await(store().database.join(settings_of("a:1")));
    auto other = settings_of("b:2");
    other.source = "neardata";
    other.keep = kept_for(std::chrono::hours(24));
    await(second().database.join(other));
    const auto seen = await(store().database.keep_alive()).others;
    ASSERT_EQ(seen.size(), 1u);
    EXPECT_EQ(seen[0].settings.place, "b:2");
    EXPECT_EQ(seen[0].settings.source, "neardata");
    EXPECT_EQ(seen[0].settings.keep, kept_for(std::chrono::hours(24)));
    is_gone("b:2");
    EXPECT_TRUE(await(store().database.keep_alive()).others.empty());
    EXPECT_EQ(await(second().database.keep_alive()).others.size(), 1u);
    EXPECT_EQ(await(store().database.keep_alive()).others.size(), 1u) << "it was only silent";
    await(second().database.leave());
    EXPECT_TRUE(await(store().database.keep_alive()).others.empty());
}

TEST_F(Daemons, TheAccountsOfAllOfThemAreFollowed) {
    await(store().database.join(settings_of("a:1", Accounts{"b.near", "a.near"})));
    EXPECT_EQ(followed(), "a.near|0|{}\nb.near|0|{}\n");
    commit(block_batch(100));
    await(second().database.join(settings_of("b:2", Accounts{"a.near", "c.near"})));
    EXPECT_EQ(followed(), "a.near|0|{}\nb.near|0|{}\nc.near|101|{[100,1301)}\n")
        << "height 100 lacks the new one, and trees may go on above it";
    await(store().database.leave());
    await(second().database.leave());
    await(second().database.join(settings_of("b:2", Accounts{"a.near"})));
    EXPECT_EQ(await(second().database.followed_accounts()).accounts.size(), 3u);
    EXPECT_EQ(rows("SELECT account_id, from_height, to_height, whole FROM account_coverage ORDER BY 1"),
              "a.near|100|100|t\nb.near|100|100|t\nc.near|100|100|f\n");
}

TEST_F(Daemons, WhatIsCommittedWithoutANewAccountLacksIt) {
    await(store().database.join(settings_of("a:1", Accounts{"a.near"})));
    auto commit_by = [this](base::Height height, std::int64_t serial) {
        auto batch = block_batch(height);
        batch.facts.scope_serial = serial;
        commit(std::move(batch));
    };
    const auto before = await(store().database.followed_accounts()).serial;
    commit_by(100, before);
    await(second().database.join(settings_of("b:2", Accounts{"c.near"})));
    const auto after = await(second().database.followed_accounts()).serial;
    EXPECT_EQ(await(store().database.keep_alive()).scope_serial, after);
    commit_by(101, before);
    EXPECT_EQ(followed(), "a.near|0|{}\nc.near|102|{[100,1302)}\n");
    commit_by(102, after);
    EXPECT_EQ(followed(), "a.near|0|{}\nc.near|102|{[100,1302)}\n");
    commit_by(90, before);
    EXPECT_EQ(followed(), "a.near|0|{}\nc.near|102|{[90,1302)}\n");
}

TEST_F(Daemons, TheLongestRetentionHoldsUntilItsDaemonIsGoneForADay) {
    commit(block_batch(100));
    commit_block_at(101, "timestamptz '2022-10-25 01:00Z'");
    store().clock.now += std::chrono::hours(24 * 7);
    store().keep = kept_for(std::chrono::hours(24));
    auto longer = settings_of("b:2");
    longer.keep = kept_for(std::chrono::hours(24 * 30));
    await(second().database.join(longer));
    await(store().maintain());
    EXPECT_EQ(value("SELECT count(*) FROM blocks"), "2");
    await(second().database.leave());
    await(second().database.join(settings_of("b:3")));
    await(store().maintain());
    EXPECT_EQ(value("SELECT count(*) FROM blocks"), "2") << "for ever is longer, too";
    await(second().database.leave());
    await(store().maintain());
    EXPECT_EQ(value("SELECT count(*) FROM blocks"), "2") << "it may only be restarted";
    execute("UPDATE daemons SET seen_at = now() - interval '25 hours'");
    await(store().maintain());
    EXPECT_EQ(value("SELECT count(*) FROM blocks"), "1");
}

TEST_F(Daemons, ARetentionThatIsReloadedIsThatOfTheDaemon) {
    await(store().database.join(settings_of("a:1")));
    await(second().database.join(settings_of("b:2")));
    second().database.set_keep(kept_for(std::chrono::hours(48)));
    await(second().database.keep_alive());
    EXPECT_EQ(await(store().database.keep_alive()).others[0].settings.keep, kept_for(std::chrono::hours(48)));
    commit(block_batch(100));
    commit_block_at(101, "timestamptz '2022-10-25 01:00Z'");
    store().clock.now += std::chrono::hours(24 * 7);
    store().keep = kept_for(std::chrono::hours(24));
    await(store().maintain());
    EXPECT_EQ(value("SELECT count(*) FROM blocks"), "1") << "what it wanted before counts no more";
}

TEST_F(Daemons, HearOfASchemaThatIsNewerThanTheirProgram) {
    await(store().database.join(settings_of("a:1")));
    EXPECT_EQ(await(store().database.keep_alive()).newer_schema, "");
    execute("UPDATE schema_objects SET applied_by = 'receiptd 99.0.0'");
    EXPECT_EQ(await(store().database.keep_alive()).newer_schema,
              "its views and functions, applied by receiptd 99.0.0");
    execute(
        "INSERT INTO schema_migrations (version, name, checksum) VALUES (9000, '9000_later.sql', 'x'); "
        "UPDATE schema_objects SET applied_by = 'receiptd 9.0'");
    EXPECT_EQ(await(store().database.keep_alive()).newer_schema, "9000_later.sql, applied by receiptd 9.0");
}

}  // namespace
}  // namespace receiptd::test
