// Watches come in by every way, are listed and waited for.
#include "watch_test_support.hpp"

#include <thread>

namespace receiptd::test {
namespace {

using namespace std::chrono_literals;
using storage::StorageError;
using storage::WatchOrigin;

template <class T>  // Watch, OpenSubmission
std::vector<std::string> hashes(const std::vector<T>& watches) {
    std::vector<std::string> found;
    for (const auto& watch : watches) found.push_back(watch.tx_hash);
    return found;
}

NewWatch submission(std::uint32_t number, const std::string& key = {}) {
    auto watch = new_watch(number);
    watch.origin = WatchOrigin::submission;
    watch.signed_tx_base64 = "AAAA";
    watch.idempotency_key = key;
    watch.public_key = "ed25519:6E8sCci9badyRkXb3JoRpBj5p8C6Tw41ELDZoiihKEtp";
    watch.nonce = 18'446'744'073'709'551'615ull;
    watch.valid_until = 1000;
    watch.nonce_index = 65'535;
    return watch;
}

class Watches : public WatchStoreTest {};

TEST_F(Watches, AreKeptAsTheyCame) {
    EXPECT_EQ(add({submission(1, "key 1"), new_watch(2, "bob.near")}),
              (std::vector<std::string>{hash_of(1), hash_of(2)}));
    const auto handed_in = await(watches().watch(hash_of(1)));
    ASSERT_TRUE(handed_in);
    EXPECT_EQ(handed_in->sender_id, "alice.near");
    EXPECT_EQ(handed_in->origin, WatchOrigin::submission);
    EXPECT_EQ(handed_in->state.stage, Stage::accepted);
    EXPECT_EQ(handed_in->signed_tx_base64, "AAAA");
    EXPECT_EQ(handed_in->transaction.tx_hash, hash_of(1));
    EXPECT_EQ(handed_in->transaction.nonce, 18'446'744'073'709'551'615ull);
    EXPECT_EQ(handed_in->transaction.valid_until, 1000u);
    EXPECT_EQ(handed_in->transaction.nonce_index, 65'535u);
    EXPECT_FALSE(handed_in->certainty.conclusive);
    EXPECT_EQ(handed_in->certainty.safe_to_resign_after_height, handed_in->transaction.valid_until);
    const auto known_by_hash = await(watches().watch(hash_of(2)));
    ASSERT_TRUE(known_by_hash);
    EXPECT_EQ(known_by_hash->origin, WatchOrigin::hash);
    EXPECT_FALSE(known_by_hash->transaction.nonce);
    EXPECT_FALSE(await(watches().watch(hash_of(3))));
    const auto by_key = await(watches().watch_by_idempotency_key("key 1"));
    ASSERT_TRUE(by_key);
    EXPECT_EQ(by_key->tx_hash, hash_of(1));
    storage::WatchFilter filter;
    filter.idempotency_key = "key 1";
    EXPECT_EQ(hashes(await(watches().list_watches(filter))), std::vector<std::string>{hash_of(1)});
    filter.idempotency_key = "key";
    EXPECT_TRUE(await(watches().list_watches(filter)).empty());
}

TEST_F(Watches, ThatAreThereAlreadyAreLeftAsTheyAre) {
    add({new_watch(1)});
    EXPECT_EQ(add({new_watch(1, "mallory.near"), new_watch(2), new_watch(2)}),
              std::vector<std::string>{hash_of(2)});
    EXPECT_EQ(await(watches().watch(hash_of(1)))->sender_id, "alice.near");
}

TEST_F(Watches, ThatKnewTheHashAloneAreCompletedByASubmission) {
    add({new_watch(1)});
    update(step_update(hash_of(1), Stage::accepted, Stage::pending));
    auto signer = submission(1, "k");
    signer.sender_id = "signer.near";
    EXPECT_EQ(add({signer}), std::vector<std::string>{});
    const auto completed = await(watches().watch(hash_of(1)));
    EXPECT_EQ(completed->origin, WatchOrigin::submission);
    EXPECT_EQ(completed->sender_id, signer.sender_id) << "signed, so that it is true";
    EXPECT_EQ(completed->signed_tx_base64, "AAAA");
    EXPECT_EQ(completed->state.stage, Stage::pending);
    EXPECT_EQ(await(watches().watch_by_idempotency_key("k"))->tx_hash, hash_of(1));
    // Both in one call too.
    add({new_watch(2), submission(2)});
    EXPECT_EQ(await(watches().watch(hash_of(2)))->origin, WatchOrigin::submission);
}

TEST_F(Watches, WithTheIdempotencyKeyOfAnotherAreLeftOut) {
    add({submission(1, "k")});
    EXPECT_EQ(add({submission(2, "k"), submission(3, "other"), submission(4, "other")}),
              std::vector<std::string>{hash_of(3)});
    EXPECT_EQ(await(watches().watch_by_idempotency_key("k"))->tx_hash, hash_of(1));
    EXPECT_FALSE(await(watches().watch(hash_of(2))));
}

TEST_F(Watches, KeepTheFirstMetadataThatIsGiven) {
    const auto given = [](storage::NewWatch watch, const std::string& metadata) {
        watch.metadata_json = metadata;
        return watch;
    };
    const auto stored = [&] { return await(watches().watch(hash_of(1)))->metadata_json; };
    add({new_watch(1)});
    EXPECT_EQ(stored(), "");
    add({given(new_watch(1), R"({"order":7})")});
    EXPECT_EQ(stored(), R"({"order":7})");
    add({given(submission(1, "k"), R"({"order":8})")});
    EXPECT_EQ(stored(), R"({"order":7})");
    update(step_update(hash_of(1), Stage::accepted, Stage::forwarding_failed));
    EXPECT_EQ(value("SELECT (body #>> '{metadata,order}') || (body ->> 'idempotency_key') FROM stream_events "
                    "WHERE kind = 'transition'"),
              "7k");
    EXPECT_TRUE(await(watches().replace_ended(submission(1), Stage::forwarding_failed)));
    EXPECT_EQ(stored(), R"({"order":7})");
    EXPECT_EQ(await(watches().watch(hash_of(1)))->idempotency_key, "k");
}

TEST_F(Watches, AreRemovedWithTheirTransitions) {
    add({new_watch(1)});
    update(step_update(hash_of(1), Stage::accepted, Stage::pending));
    EXPECT_TRUE(await(watches().remove_watch(hash_of(1))));
    EXPECT_FALSE(await(watches().remove_watch(hash_of(1))));
    EXPECT_EQ(value("SELECT count(*) FROM watch_transitions"), "0");
}

TEST_F(Watches, ThatEndedAreReplacedWithTheirKeyAndWithoutTheirPast) {
    add({submission(1, "k")});
    update(step_update(hash_of(1), Stage::accepted, Stage::forwarding_failed));
    auto again = submission(1);
    again.block_hash = "BLOCK";
    again.block_hash_height = 99;
    EXPECT_FALSE(await(watches().replace_ended(again, Stage::rejected)));
    EXPECT_TRUE(await(watches().replace_ended(again, Stage::forwarding_failed)));
    EXPECT_FALSE(await(watches().replace_ended(again, Stage::forwarding_failed)));
    const auto watch = await(watches().watch(hash_of(1)));
    EXPECT_EQ(watch->state.stage, Stage::accepted);
    EXPECT_EQ(watch->transaction.block_hash, "BLOCK");
    EXPECT_EQ(watch->transaction.block_hash_height, 99u);
    EXPECT_EQ(await(watches().watch_by_idempotency_key("k"))->tx_hash, hash_of(1));
    EXPECT_EQ(value("SELECT count(*) FROM watch_transitions"), "0");
    // Not at the price of another one's key.
    update(step_update(hash_of(1), Stage::accepted, Stage::forwarding_failed));
    execute("UPDATE watches SET idempotency_key = NULL");
    add({submission(2, "k")});
    again.idempotency_key = "k";
    EXPECT_FALSE(await(watches().replace_ended(again, Stage::forwarding_failed)));
    EXPECT_EQ(await(watches().watch(hash_of(1)))->state.stage, Stage::forwarding_failed);
}

TEST_F(Watches, TakeTextsOfAnyKind) {
    auto watch = submission(1, R"(k'"\,{}; DROP TABLE watches; -- é)");
    watch.rule = std::string(10'000, '\'');
    watch.origin = WatchOrigin::rule;
    add({watch});
    EXPECT_TRUE(await(watches().watch_by_idempotency_key(watch.idempotency_key)));
    EXPECT_EQ(value("SELECT rule FROM watches"), watch.rule);
}

TEST_F(Watches, ThatAreRefusedAreNotToldInTheError) {
    auto watch = submission(1, "secret-key");
    watch.sender_id = "No Account";
    try {
        add({watch});
        FAIL() << "it is no account";
    } catch (const StorageError& error) {
        EXPECT_EQ(std::string(error.what()).find("secret-key"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("watches"), std::string::npos) << error.what();
    }
}

TEST_F(Watches, WithANulCharacterOrNoHashAreRefused) {
    auto with_nul = submission(1);
    with_nul.idempotency_key = std::string("a\0b", 3);
    EXPECT_THROW(add({new_watch(2), with_nul}), StorageError);
    for (const std::string bad : {"", "T", "0OIl", "' OR true --"}) {
        auto no_hash = new_watch(1);
        no_hash.tx_hash = bad;
        EXPECT_THROW(add({new_watch(2), no_hash}), StorageError) << bad;
    }
    EXPECT_EQ(value("SELECT count(*) FROM watches"), "0");
}

TEST_F(Watches, InsertedBySqlMustHaveAHashAndAnAccount) {
    for (const std::string bad : {"T", "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz",
                                  "JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFH"})
        EXPECT_THROW(execute("INSERT INTO watches (tx_hash, sender_id) VALUES ('" + bad + "', 'alice.near')"),
                     pqxx::sql_error)
            << bad;
    EXPECT_THROW(execute("INSERT INTO watches (tx_hash, sender_id) VALUES ('" + hash_of(1) + "', 'Alice!')"),
                 pqxx::sql_error);
    execute(
        "INSERT INTO watches (tx_hash, sender_id) VALUES ('JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG', "
        "'alice.near'), ('11111111111111111111111111111111', 'bob.near')");
    EXPECT_EQ(await(watches().new_watches(10)).size(), 2u);
    EXPECT_EQ(await(watches().watches_since(base::WallTime(), "", 10)).size(), 2u);
}

TEST_F(Watches, InsertedBySqlHaveTimesThatProgramsCanCount) {
    for (const std::string column :
         {"next_check_at", "created_at", "stage_since", "stuck_since", "updated_at"})
        for (const std::string time : {"infinity", "-infinity", "294276-01-01", "1999-01-01"})
            EXPECT_THROW(execute("INSERT INTO watches (tx_hash, sender_id, " + column + ") VALUES ('" +
                                 hash_of(1) + "', 'alice.near', '" + time + "')"),
                         pqxx::sql_error)
                << column << ' ' << time;
}

TEST_F(Watches, ThatNobodyHasLookedAtAreNew) {
    add({new_watch(1), new_watch(2)});
    auto seen = step_update(hash_of(1), Stage::accepted, Stage::accepted);
    seen.watched_since = 500;
    update(seen);
    EXPECT_EQ(hashes(await(watches().new_watches(10))), std::vector<std::string>{hash_of(2)});
    seen.watched_since = 900;
    update(seen);
    EXPECT_EQ(await(watches().watch(hash_of(1)))->transaction.watched_since, 500u);
}

TEST_F(Watches, InsertedBySqlWakeWhoWaits) {
    EXPECT_TRUE(await(watches().wait_for_watches(0ms)));  // the first call looks
    EXPECT_FALSE(await(watches().wait_for_watches(0ms)));
    execute("INSERT INTO watches (tx_hash, sender_id) VALUES ('" + hash_of(1) + "', 'alice.near')");
    EXPECT_TRUE(await(watches().wait_for_watches(60s)));
    std::thread other([this] { execute("NOTIFY receiptd_watches"); });
    EXPECT_TRUE(await(watches().wait_for_watches(60s)));
    other.join();
    EXPECT_FALSE(await(watches().wait_for_watches(0ms)));
}

TEST_F(Watches, WaitingForThemEndsWhenStorageStops) {
    await(watches().wait_for_watches(0ms));
    std::thread other([this] { store().database.request_stop(); });
    try {
        EXPECT_FALSE(await(watches().wait_for_watches(1h)));
    } catch (const storage::StorageStopped&) {  // it stopped before the wait began
    }
    other.join();
}

TEST_F(Watches, WaitingForThemSurvivesALostConnection) {
    await(watches().wait_for_watches(0ms));
    execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = "
        "current_database()");
    EXPECT_TRUE(await(watches().wait_for_watches(60s)));
    execute("NOTIFY receiptd_watches");
    EXPECT_TRUE(await(watches().wait_for_watches(60s)));
}

TEST_F(Watches, AreListedFromTheNewestOnWhateverComesInMeanwhile) {
    for (std::uint32_t i = 0; i < 5; ++i) add({new_watch(i)});
    execute("UPDATE watches SET created_at = '2022-10-19 00:00:00.123457+00' WHERE tx_hash IN ('" +
            hash_of(1) + "', '" + hash_of(2) + "')");
    storage::WatchFilter filter;
    filter.limit = 2;
    std::vector<std::string> listed;
    for (std::uint32_t round = 0;; ++round) {
        const auto page = await(watches().list_watches(filter));
        if (page.empty()) break;
        for (const auto& watch : page) listed.push_back(watch.tx_hash);
        filter.cursor = storage::watch_cursor(page.back());
        add({new_watch(100 + round)});
    }
    EXPECT_EQ(listed, (std::vector<std::string>{hash_of(4), hash_of(3), hash_of(0), hash_of(2), hash_of(1)}));
}

TEST_F(Watches, AreListedByStageSenderAndVerdict) {
    add({new_watch(1), new_watch(2, "bob.near"), new_watch(3)});
    auto done = step_update(hash_of(1), Stage::accepted, Stage::final);
    done.state.verdict = chain::Verdict::callback_failed;
    update(done);
    const auto list = [this](auto set) {
        storage::WatchFilter filter;
        set(filter);
        return hashes(await(watches().list_watches(filter)));
    };
    EXPECT_EQ(list([](auto& f) { f.stage = Stage::final; }), std::vector<std::string>{hash_of(1)});
    EXPECT_EQ(list([](auto& f) { f.verdict = chain::Verdict::callback_failed; }),
              std::vector<std::string>{hash_of(1)});
    EXPECT_EQ(list([](auto& f) { f.sender_id = "bob.near"; }), std::vector<std::string>{hash_of(2)});
    EXPECT_EQ(list([](auto& f) { f.tx_hash = hash_of(3); }), std::vector<std::string>{hash_of(3)});
    EXPECT_EQ(list([](auto& f) { f.open_only = true; }), (std::vector<std::string>{hash_of(3), hash_of(2)}));
    EXPECT_THROW(list([](auto& f) { f.cursor = "x"; }), StorageError);
}

TEST_F(Watches, HandedInAndNotSeenAreFoundByTime) {
    add({new_watch(1), submission(2), submission(3), submission(4)});
    update(step_update(hash_of(3), Stage::accepted, Stage::included));
    const auto first = await(watches().open_submissions(base::WallTime(), "", 1));
    ASSERT_EQ(hashes(first), std::vector<std::string>{hash_of(2)});
    EXPECT_EQ(hashes(await(watches().open_submissions(first[0].created_at, first[0].tx_hash, 10))),
              std::vector<std::string>{hash_of(4)});
}

TEST_F(Watches, ThatEndedAreReadAgainAsLongAsABlockMayIncludeThem) {
    add({submission(1), new_watch(2), submission(3), submission(4), submission(5)});
    execute("UPDATE watches SET valid_until = 90000 WHERE tx_hash IN ('" + hash_of(1) + "', '" + hash_of(3) +
            "')");
    execute("UPDATE watches SET watched_since = 3000, updated_at = now() - interval '1 year'");
    auto missing = step_update(hash_of(3), Stage::accepted, Stage::unknown);
    update(step_update(hash_of(1), Stage::accepted, Stage::expired));
    update(step_update(hash_of(2), Stage::accepted, Stage::unknown));
    update(missing);
    update(step_update(hash_of(5), Stage::accepted, Stage::final));
    execute("UPDATE watches SET reason = 'heights_missing' WHERE tx_hash = '" + hash_of(3) + "'");
    const auto lost_at = [this](const std::string& height) {
        execute("UPDATE coverage SET heights = '{[1," + height + "]}'");
        auto lost = hashes(await(watches().lost_watches(86'400, "", 10)));
        std::sort(lost.begin(), lost.end());
        return lost;
    };
    const auto sorted = [](std::vector<std::string> all) {
        std::sort(all.begin(), all.end());
        return all;
    };
    EXPECT_EQ(lost_at("90000"), sorted({hash_of(1), hash_of(2), hash_of(3)}));
    EXPECT_EQ(lost_at("90500"), sorted({hash_of(1), hash_of(3)})) << "3,000 and 86,400 are far below";
    EXPECT_EQ(lost_at("1000000"), sorted({hash_of(3)})) << "missing heights may be stored at any time";
    const auto all = await(watches().lost_watches(86'400, "", 10));
    EXPECT_EQ(await(watches().lost_watches(86'400, all.back().tx_hash, 10)).size(), 0u);
}

// bench/watches.py does it with a hundred thousand, and measures.
TEST_F(Watches, TwentyThousandComeInAndArePagedThrough) {
    constexpr std::uint32_t kWatches = 20'000, kAtOnce = 1'000;
    std::size_t added = 0;
    for (std::uint32_t from = 0; from < kWatches; from += kAtOnce) {
        std::vector<NewWatch> some;
        for (std::uint32_t i = 0; i < kAtOnce; ++i) some.push_back(new_watch(from + i));
        added += add(std::move(some)).size();
    }
    EXPECT_EQ(added, kWatches);
    std::size_t paged = 0;
    for (std::string after;;) {
        const auto page = await(watches().open_watches(after, kAtOnce));
        if (page.empty()) break;
        ASSERT_GT(page.front().tx_hash, after);
        paged += page.size();
        after = page.back().tx_hash;
    }
    EXPECT_EQ(paged, kWatches);
    std::vector<WatchUpdate> updates;
    for (std::uint32_t i = 0; i < 10'000; ++i)
        updates.push_back(step_update(hash_of(i), Stage::accepted, Stage::pending));
    EXPECT_TRUE(await(watches().update_watches(std::move(updates))).empty());
    EXPECT_EQ(value("SELECT count(*) FROM watches WHERE stage = 'pending'"), "10000");
}

TEST_F(Watches, AreGoodForAsLongAsTheChainSaysOfTheirBlockHash) {
    auto watch = new_watch(1);
    watch.block_hash_height = 900;
    watch.valid_until = 1000;
    add({watch});
    auto corrected = step_update(hash_of(1), Stage::accepted, Stage::accepted);
    corrected.validity = {800, 900};
    update(corrected);
    const auto stored = await(watches().watch(hash_of(1)));
    EXPECT_EQ(stored->transaction.block_hash_height, 800u);
    EXPECT_EQ(stored->transaction.valid_until, 900u);
    EXPECT_EQ(stored->certainty.safe_to_resign_after_height, 900u);
    update(step_update(hash_of(1), Stage::accepted, Stage::pending));
    EXPECT_EQ(await(watches().watch(hash_of(1)))->transaction.valid_until, 900u);
}

}  // namespace
}  // namespace receiptd::test
