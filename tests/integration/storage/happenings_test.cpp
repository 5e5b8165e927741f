// What receipts did is told with the rows that prove it, and history tells the same.
#include "chain/json/decode.hpp"
#include "chain/tree/lineage.hpp"
#include "chain/tree/live_trees.hpp"
#include "declared_rules.hpp"
#include "rule/definition.hpp"
#include "storage/alert_rules.hpp"
#include "storage/happening_subjects.hpp"
#include "storage/rehearsal.hpp"
#include "storage/stored_happenings.hpp"
#include "storage/stored_subjects.hpp"
#include "store_test_support.hpp"
#include "support/read_file.hpp"
#include "unit/chain/asked.hpp"
#include "unit/chain/chain_builder.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace receiptd::test {
namespace {

using chain::testing::action_receipt;
using chain::testing::asked;
using chain::testing::ChainBuilder;
using chain::testing::executed;
using chain::testing::kAnything;
using chain::testing::transaction;
using ::testing::HasSubstr;

constexpr chain::Text kPaid =
    R"(EVENT_JSON:{"standard":"nep141","event":"ft_transfer","data":[{"old_owner_id":"bob.near",)"
    R"("new_owner_id":"shop.near","amount":"5000000","memo":"order 7"}]})";

const std::string kTokens =
    R"({"name":"tokens","kind":"event","standard":"nep141","where":[{"data":"[*].amount","at_least":"1000000"}]})";
const std::string kPayments =
    R"({"name":"payments","kind":"transfer","direction":"in","account":"shop.near"})";
const std::string kOfUser = R"({"name":"of-user","kind":"transfer","user":"user.near","direction":"out"})";
const std::string kKeys = R"({"name":"keys","kind":"key_added","access":"full"})";
const std::string kJudged = R"({"name":"judged","kind":"verdict","verdict":"succeeded","action":"delegate"})";
const std::string kCalls = R"({"name":"calls","kind":"absence","receiver":"shop.near","for":"10m"})";

chain::Action action(chain::ActionKind kind, chain::Text name, chain::u128 deposit = 0) {
    chain::Action made;
    made.kind = kind;
    made.name = name;
    made.deposit = deposit;
    return made;
}

// relay.near sends for user.near: bob.near pays shop.near in NEAR and tokens, and gets a key.
class HappeningsTest : public StoreTest {
protected:
    void SetUp() override {
        StoreTest::SetUp();
        if (IsSkipped()) return;
        second_ = std::make_unique<OpenStore>(database().url());
        auto sent = transaction("TX", "relay.near", "user.near", "R0");
        sent.transaction.actions = {action(chain::ActionKind::delegate, "Delegate")};
        sent.transaction.actions[0].delegate_sender_id = "user.near";
        sent.transaction.actions_json =
            R"([{"Delegate":{"delegate_action":{"sender_id":"user.near","actions":[]}}}])";
        chain_.add_block(10).shards[0].transactions.push_back(sent);
        chain_.add_block(11).shards[0].executed.push_back(
            executed(action_receipt("R0", "relay.near", "user.near", "relay.near"), {"A"}));
        auto paid = action_receipt("A", "bob.near", "shop.near", "relay.near");
        paid.actions = {action(chain::ActionKind::transfer, "Transfer", 100),
                        action(chain::ActionKind::add_key, "AddKey")};
        paid.actions_json =
            R"([{"Transfer":{"deposit":"100"}},{"AddKey":{"public_key":"ed25519:k","access_key":)"
            R"({"nonce":0,"permission":"FullAccess"}}}])";
        paid.actions[1].json = paid.actions_json.substr(paid.actions_json.find(R"({"AddKey")"));
        paid.actions[1].json.remove_suffix(1);
        auto& last = chain_.add_block(12).shards[0];
        last.executed.push_back(executed(paid));
        last.executed.back().outcome.logs = {kPaid};
    }
    void TearDown() override {
        second_.reset();
        StoreTest::TearDown();
    }

    void declare(OpenStore& daemon, const std::vector<std::string>& rules) {
        declare_rules(daemon, {.place = &daemon == &store() ? "here:1" : "there:2", .source = "rpc"}, rules);
    }

    // As the rules ask that the daemon knows when it makes them.
    RowBatch rows_of(std::size_t from, std::size_t until) {
        chain::Scope scope;
        scope.interest = store().database.rules.interest();
        RowBatch batch;
        for (auto at = from; at < until; ++at)
            batch.append(
                chain::whole_block_rows(chain_.blocks()[at], std::nullopt, scope, lineage_, &live_trees_));
        return batch;
    }
    void follow() {
        commit(rows_of(0, 1));  // with it the daemon learns the rules
        commit(rows_of(1, 3));
    }
    chain::TreeRows tree() {
        chain::TransactionStatus answer;
        std::vector<chain::Receipt> bodies;
        std::vector<chain::ExecutionBlock> executed_in;
        const auto& sent = chain_.blocks()[0].shards[0].transactions[0];
        answer.transaction = sent.transaction;
        answer.transaction_outcome = sent.outcome;
        for (const auto& block : chain_.blocks())
            for (const auto& item : block.shards[0].executed) {
                answer.receipts_outcome.push_back(item.outcome);
                bodies.push_back(item.receipt);
                const auto& header = block.block.header;
                executed_in.push_back({header.height, header.timestamp_nanosec, 0});
            }
        return chain::tree_rows(answer, bodies, executed_in, block_ref(chain_.blocks()[0].block.header),
                                store().database.rules.interest());
    }
    void commit_block_without_outcomes() {
        const auto& block = chain_.blocks()[0].block;
        chain::Chunk chunk;
        chunk.header = block.chunks[0];
        chunk.transactions.push_back(chain_.blocks()[0].shards[0].transactions[0].transaction);
        commit(chain::block_rows(block, {&chunk}, block.header.height - 1, {}));
    }

    // "ALERT RULES", a line each.
    std::string told() {
        return rows(
            "SELECT alert_id || ' ' || array_to_string(rules, ',') FROM deliveries ORDER BY alert_id");
    }
    // The same from history.
    std::string rehearsed(const std::vector<std::string>& rules, base::HeightRange heights = {0, 1'000}) {
        std::vector<rule::Definition> definitions;
        for (const auto& json : rules) definitions.push_back(*rule::parse(json));
        const rule::RuleSet set(std::move(definitions), {});
        std::set<std::string> lines;
        await(store().database.pool.people.run([&](pqxx::connection& connection) {
            storage::shim::Snapshot tx(connection);
            storage::StoredSubjects history(tx, set, heights);
            while (history.next())
                for (const auto& subject : history.subjects())
                    for (const auto name : set.match_names(subject))
                        lines.insert(std::string(subject.cause_id) + " " + std::string(name) + "@1\n");
            return true;
        }));
        std::string text;
        for (const auto& line : lines) text += line;
        return text;
    }
    // The heights of all that history tells; returns in how many portions.
    std::size_t read_history(std::vector<base::Height>& heights) {
        const rule::RuleSet set({*rule::parse(kTokens), *rule::parse(kJudged)}, {});
        std::size_t portions = 0;
        await(store().database.pool.people.run([&](pqxx::connection& connection) {
            storage::shim::Snapshot tx(connection);
            storage::StoredSubjects history(tx, set, {10, 1'000});
            for (; history.next(); ++portions)
                for (const auto& subject : history.subjects()) heights.push_back(subject.block_height);
            EXPECT_EQ(history.read_up_to(), 79u);
            return true;
        }));
        return portions;
    }
    OpenStore& second() { return *second_; }

    ChainBuilder chain_;
    chain::Lineage lineage_;
    chain::LiveTrees live_trees_;

private:
    std::unique_ptr<OpenStore> second_;
};

const std::string kTold =
    "event:A:0 tokens@1\n"
    "key_added:A:1 keys@1\n"
    "transfer:A:0.0:in:shop.near payments@1\n"
    "transfer:A:0.0:out:bob.near of-user@1\n"
    "transfer:A:near:in:shop.near payments@1\n"
    "transfer:A:near:out:bob.near of-user@1\n"
    "verdict:TX judged@1\n";
const std::vector<std::string> kAll = {kTokens, kPayments, kOfUser, kKeys, kJudged};

TEST_F(HappeningsTest, IsToldWithTheRowsThatProveIt) {
    declare(store(), kAll);
    follow();
    EXPECT_EQ(told(), kTold);
    const auto cause = value("SELECT cause FROM alerts WHERE alert_id = 'transfer:A:0.0:in:shop.near'");
    for (const auto* part :
         {R"("amount":"5000000")", R"("token":"shop.near")", R"("other_account_id":"bob.near")",
          R"("user_id":"user.near")", R"("receipt_id":"A")", R"("block_height":12)"})
        EXPECT_THAT(cause, HasSubstr(part));
    EXPECT_THAT(value("SELECT cause FROM alerts WHERE alert_id = 'event:A:0'"),
                HasSubstr(R"("memo":"order 7")"));
    EXPECT_THAT(value("SELECT cause FROM alerts WHERE kind = 'verdict'"),
                HasSubstr(R"("verdict":"succeeded")"));
}

TEST_F(HappeningsTest, ARuleCountsFromTheCommitThatDeclaredItThoughRowsWereMadeBefore) {
    declare(store(), {kPayments});
    commit(rows_of(0, 1));
    auto made_before = rows_of(1, 3);
    declare(second(), kAll);
    commit(std::move(made_before));
    EXPECT_EQ(told(), kTold);
}

TEST_F(HappeningsTest, WhatWasStoredBeforeItsRuleIsNotTold) {
    follow();
    declare(store(), kAll);
    auto later = block_batch(13);
    commit(std::move(later));
    EXPECT_EQ(told(), "");
}

TEST_F(HappeningsTest, WhatIsNoNewsIsNotToldWhateverTheRules) {
    declare(store(), {kPayments});
    commit(rows_of(0, 1));
    auto history = rows_of(1, 3);
    history.withhold_before({base::WallTime::max(), chain::withheld::kBackfill});
    declare(second(), kAll);
    commit(std::move(history));
    EXPECT_EQ(told(), "");
}

TEST_F(HappeningsTest, AResultIsNewsFromTheTimeOfItsLastReceiptOn) {
    declare(store(), {kJudged});
    commit(rows_of(0, 1));
    auto batch = rows_of(1, 3);
    batch.withhold_before({base::WallTime(base::Duration(1'600'000'007'200'000'000))});
    commit(std::move(batch));
    EXPECT_EQ(told(), "verdict:TX judged@1\n");
}

TEST_F(HappeningsTest, ByATreeThatIsStoredTwiceItIsToldOnce) {
    declare(store(), kAll);
    commit_block_without_outcomes();
    await(store().trees.commit_tree(tree()));
    EXPECT_EQ(told(), kTold);
    execute(
        "INSERT INTO pending_trees (tx_hash, sender_id, block_height, block_hash, block_time, "
        "timestamp_nanosec) "
        "SELECT tx_hash, signer_id, block_height, 'block-10', block_time, 0 FROM transactions");
    execute("DELETE FROM deliveries");
    await(store().trees.commit_tree(tree()));
    EXPECT_EQ(told(), "");
}

TEST_F(HappeningsTest, HistoryTellsTheSame) {
    declare(store(), kAll);
    follow();
    EXPECT_EQ(rehearsed(kAll), kTold);
    EXPECT_EQ(rehearsed(kAll, {12, 12}), kTold) << "the transaction was judged there, too";
    EXPECT_EQ(rehearsed(kAll, {0, 11}), "");
}

TEST_F(HappeningsTest, HistoryTellsTheSameOfReceiptsWithLongArguments) {
    declare(store(), kAll);
    follow();
    execute("UPDATE receipts SET actions = (actions::text || repeat(' ', 5000000))::json");
    EXPECT_EQ(rehearsed(kAll), kTold);
}

TEST_F(HappeningsTest, HistoryTellsOfSuccessfulReceiptsToo) {
    follow();
    EXPECT_EQ(rehearsed({kCalls}), "absence:A calls@1\n");
}

TEST_F(HappeningsTest, HistoryIsReadInOrderSomeBlocksAtATime) {
    for (base::Height height = 20; height < 80; ++height) {
        auto& block = chain_.add_block(height);
        const auto id = chain_.own("P" + std::to_string(height));
        block.shards[0].executed.push_back(executed(action_receipt(id, "bob.near", "shop.near", "bob.near")));
        block.shards[0].executed.back().outcome.logs = {kPaid};
    }
    commit(rows_of(0, chain_.blocks().size()));
    std::size_t few_at_once = 0;
    for (const bool long_arguments : {false, true}) {
        if (long_arguments)
            execute("UPDATE receipts SET actions = (actions::text || repeat(' ', 2000000))::json");
        std::vector<base::Height> heights;
        const auto portions = read_history(heights);
        EXPECT_EQ(heights.size(), 62u);
        EXPECT_TRUE(std::is_sorted(heights.begin(), heights.end()));
        EXPECT_GT(portions, std::exchange(few_at_once, portions) + 1);
    }
}

// All that a happening says, for comparing. No row tells the user of a transaction that was never stored.
std::string in_words(const chain::Happening& happening) {
    const auto subject = storage::subject_of(happening);
    const auto& receipt = *happening.receipt;
    auto words = happening.cause_id + storage::told_of(happening, subject) + receipt.args_json;
    for (const auto& name : receipt.action_names) words += " " + name;
    return words + " " + base::to_string(receipt.deposit) + " " + std::to_string(receipt.gas_burnt) + " " +
           std::string(subject.role) + " " + std::string(subject.data_json) + " " +
           std::to_string(receipt.at.timestamp_nanosec) + " " + std::string(subject.access);
}

std::vector<std::string> sorted_words(const std::vector<chain::Happening>& happenings) {
    std::vector<std::string> words;
    for (const auto& happening : happenings) words.push_back(in_words(happening));
    std::sort(words.begin(), words.end());
    return words;
}

// The recorded blocks of the repository, and of ../shared where it is.
std::vector<std::filesystem::path> recorded_blocks() {
    const auto root = std::filesystem::path(RECEIPTD_POSTGRES_SCRIPT).parent_path().parent_path();
    std::vector<std::filesystem::path> files;
    for (const auto& folder : {root / "tests/data/recorded/whole-block", root / "../shared/data/whole-block"})
        if (std::filesystem::exists(folder))
            for (const auto& entry : std::filesystem::directory_iterator(folder))
                if (entry.path().extension() == ".json") files.push_back(entry.path());
    return files;
}

TEST_F(HappeningsTest, RowsOfEveryRecordedBlockTellWhatTheBlockTold) {
    chain::Scope scope;
    scope.interest = asked(kAnything);
    std::set<std::string> prefixes;
    for (const auto& file : recorded_blocks()) {
        SCOPED_TRACE(file.filename());
        const auto block = chain::decode_whole_block(read_file(file));
        ASSERT_TRUE(block);
        chain::Lineage lineage;
        auto batch = chain::whole_block_rows(block->value, std::nullopt, scope, lineage);
        const auto told = sorted_words(batch.happened.chosen);
        const auto at = static_cast<std::int64_t>(batch.facts.blocks[0].timestamp_nanosec / 1000);
        if (commit(std::move(batch)) == CommitOutcome::already_covered) continue;  // it is in both
        const auto stored = await(store().database.pool.people.transaction([&](pqxx::work& tx) {
            return storage::stored_happenings(tx, *scope.interest, {at, at}).found;
        }));
        EXPECT_EQ(sorted_words(stored), told);
        for (const auto& happening : stored)
            prefixes.insert(happening.cause_id.substr(0, happening.cause_id.find(':')));
    }
    EXPECT_EQ(prefixes, (std::set<std::string>{"absence", "event", "key_added", "transfer"}));
}

// Rehearses all rules within these limits.
class RehearsalTest : public HappeningsTest {
protected:
    void SetUp() override {
        HappeningsTest::SetUp();
        if (!IsSkipped()) follow();
    }
    storage::Rehearsed rehearse(storage::Rehearsal::Limits limits,
                                std::chrono::milliseconds statement_timeout = std::chrono::minutes(1)) {
        metrics::StorageSeries series(registry_);
        auto options = impatient();
        options.statement_timeout = statement_timeout;
        options.url = base::Secret(database().url());
        storage::Rehearsal rehearsal(options, series, limits);
        storage::RulesOnHistory asked;
        asked.definitions = {kTokens, kPayments, kCalls};
        asked.heights = {0, 1'000};
        auto done = await(rehearsal.rehearse(std::move(asked)));
        EXPECT_EQ(series.connected.Value(), 0) << "the connection is given back";
        return done;
    }

    metrics::Registry registry_;
};

TEST_F(RehearsalTest, TellsTheAlertsAndWhichRulesHistoryCannotTellOf) {
    const auto done = rehearse({10, std::chrono::minutes(1)});
    ASSERT_EQ(done.alerts.size(), 3U);
    EXPECT_EQ(done.alerts[0].rules.size(), 1U);
    EXPECT_EQ(done.not_replayed, std::vector<std::string>{"calls"});
}

TEST_F(RehearsalTest, EndsWhereItBecomesTooLarge) {
    EXPECT_EQ(rehearse({3, std::nullopt}).alerts.size(), 3U);
    EXPECT_THROW(rehearse({2, std::nullopt}), storage::RehearsalTooLarge);
    EXPECT_THROW(rehearse({10, std::chrono::milliseconds(0)}), storage::StorageError);
}

TEST_F(RehearsalTest, EndsWhenOneStatementTakesTooLongAndDoesNotBeginItAgain) {
    auto connection = storage::shim::connect(database().url());
    pqxx::work holding(*connection);
    holding.exec("LOCK TABLE blocks");
    EXPECT_THROW(rehearse({10, std::nullopt}, std::chrono::milliseconds(50)), storage::RehearsalTooLarge);
}

}  // namespace
}  // namespace receiptd::test
