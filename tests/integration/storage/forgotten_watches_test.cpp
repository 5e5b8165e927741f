// Watches that ended long ago are deleted.
#include "watch_test_support.hpp"

namespace receiptd::test {
namespace {

class ForgottenWatches : public WatchStoreTest {};

TEST_F(ForgottenWatches, AreThoseThatRetentionNamesWithTheirTransitions) {
    store().clock.now = std::chrono::system_clock::now();
    commit_block_at(100, "now()");
    add({new_watch(1), new_watch(2), new_watch(3)});
    for (const std::uint32_t ended : {1, 2})
        update(step_update(hash_of(ended), Stage::accepted, Stage::dropped));
    update(step_update(hash_of(3), Stage::accepted, Stage::pending));
    execute(
        "INSERT INTO watch_transitions (tx_hash, from_stage, to_stage, evidence) "
        "VALUES ('removed by hand', 'accepted', 'pending', '{}')");
    const auto age = [&](const std::string& hashes) {
        execute("UPDATE watch_transitions SET at = now() - interval '3 days' WHERE tx_hash IN (" + hashes +
                ")");
        execute(
            "UPDATE watches SET created_at = now() - interval '3 days', updated_at = now() - interval '3 "
            "days' "
            "WHERE tx_hash IN (" +
            hashes + ")");
    };
    age("'" + hash_of(1) + "', '" + hash_of(3) + "', 'removed by hand'");
    await(store().maintain());
    EXPECT_EQ(value("SELECT count(*) FROM watches"), "3");
    store().keep = kept_for(std::chrono::hours(48));
    await(store().maintain());
    const auto kept = std::min(hash_of(2), hash_of(3)) + "\n" + std::max(hash_of(2), hash_of(3)) + "\n";
    EXPECT_EQ(rows("SELECT tx_hash FROM watches ORDER BY 1"), kept);
    EXPECT_EQ(rows("SELECT DISTINCT tx_hash FROM watch_transitions ORDER BY 1"), kept);
}

TEST_F(ForgottenWatches, AreThoseOfRulesAfterSevenDays) {
    add({new_watch(1), new_watch(2), new_watch(3), new_watch(4)});
    for (const std::uint32_t ended : {1, 2, 3})
        update(step_update(hash_of(ended), Stage::accepted, Stage::dropped));
    const auto set = [&](std::uint32_t watch, const std::string& values) {
        execute("UPDATE watches SET " + values + " WHERE tx_hash = '" + hash_of(watch) + "'");
    };
    for (const std::uint32_t of_a_rule : {1, 3, 4}) set(of_a_rule, "origin = 'rule', rule = 'all'");
    for (const std::uint32_t old : {1, 2, 4})
        set(old, "created_at = now() - interval '8 days', updated_at = now() - interval '8 days'");
    execute("UPDATE watch_transitions SET at = now() - interval '8 days' WHERE tx_hash = '" + hash_of(1) +
            "'");
    await(store().maintain());
    EXPECT_EQ(value("SELECT count(*) FROM watches"), "3");
    EXPECT_EQ(value("SELECT count(*) FROM watches WHERE tx_hash = '" + hash_of(1) + "'"), "0");
    EXPECT_EQ(value("SELECT count(*) FROM watch_transitions WHERE tx_hash = '" + hash_of(1) + "'"), "0");
}

}  // namespace
}  // namespace receiptd::test
