// Recorded mainnet trees judged as a whole and while blocks go by: yields that were resumed or timed out,
// what was pending before, what failed.
#include "chain/json/decode.hpp"
#include "chain/rows/rows.hpp"
#include "chain/tree/judgement.hpp"
#include "chain/tree/lifecycle.hpp"
#include "chain/tree/lineage.hpp"
#include "chain/tree/live_trees.hpp"
#include "chain/tree/receipt_tree.hpp"

#include "support/recordings.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>

namespace receiptd::chain {
namespace {

using test::kRecorded;
using test::read_file;
using test::recordings;

constexpr const char* kFolders[] = {"rpc/mainnet-v83/tx", "rpc/mainnet-76538229/tx", "tx"};
constexpr std::uint64_t kNanoseconds = 1'000'000'000;

std::filesystem::path file_of(const std::string& prefix) {
    for (const auto* folder : kFolders)
        for (const auto& file : recordings(kRecorded / folder))
            if (file.stem().string().starts_with(prefix)) return file;
    return {};
}

using Places = std::map<std::string, ExecutedAt>;  // by block hash

const Places& recorded_places() {
    static const Places kPlaces = [] {
        Places places;
        const auto file = nlohmann::json::parse(read_file(kRecorded / "rpc/mainnet-v83/places.json"));
        for (const auto& [hash, place] : file.items())
            places[hash] = {place[0], std::stoull(place[1].get<std::string>())};
        return places;
    }();
    return kPlaces;
}

ExecutedAt place_of(const Outcome& outcome) {
    const auto found = recorded_places().find(std::string(outcome.block_hash));
    return found == recorded_places().end() ? ExecutedAt{1, kNanoseconds} : found->second;
}

struct RecordedTree {
    std::string tx_hash;
    TransactionFacts transaction;
    std::vector<ReceiptFacts> bodies;
    std::vector<OutcomeFacts> outcomes;
    std::vector<DataFacts> resumes;

    // Without the outcomes of `unseen`.
    Judgement judge(const std::set<std::string>& unseen = {}) const {
        ReceiptTree parts(tx_hash);
        parts.add(transaction);
        for (const auto& resume : resumes) parts.add(resume);
        for (const auto& body : bodies) parts.add(body);
        for (const auto& outcome : outcomes)
            if (unseen.count(outcome.id) == 0) parts.add(outcome);
        return parts.judge();
    }

    // The receipt and all that came of it.
    std::set<std::string> below(const std::string& receipt_id) const {
        std::set<std::string> found{receipt_id};
        for (bool grown = true; grown;) {
            const auto before = found.size();
            for (const auto& outcome : outcomes)
                if (found.count(outcome.id) > 0)
                    found.insert(outcome.receipt_ids.begin(), outcome.receipt_ids.end());
            grown = found.size() > before;
        }
        return found;
    }
};

RecordedTree read_tree(const std::filesystem::path& file) {
    const auto decoded = decode_transaction_status(read_file(file));
    EXPECT_TRUE(decoded) << file;
    const auto& status = decoded->value;
    RecordedTree tree;
    tree.tx_hash = file.stem();
    tree.transaction = transaction_facts(*status.transaction);
    tree.outcomes.push_back(
        outcome_facts(*status.transaction_outcome, place_of(*status.transaction_outcome)));
    for (const auto& outcome : status.receipts_outcome)
        tree.outcomes.push_back(outcome_facts(outcome, place_of(outcome)));
    if (status.receipts)
        for (const auto& receipt : *status.receipts) tree.bodies.push_back(receipt_facts(receipt));
    return tree;
}

const JudgedReceipt& receipt_of(const Judgement& judgement, const std::string& prefix) {
    const auto found =
        std::find_if(judgement.receipts.begin(), judgement.receipts.end(),
                     [&](const auto& receipt) { return receipt.receipt_id.starts_with(prefix); });
    EXPECT_NE(found, judgement.receipts.end()) << prefix;
    return *found;
}

Stage stage_of(const Judgement& judgement) {
    WatchState state;
    step(state, {}, tree_seen(judgement), {});
    return state.stage;
}

struct RecordedYield {
    const char* transaction;
    const char* receipt;
    bool timed_out;
};
constexpr RecordedYield kRecordedYields[] = {
    {"2AnThBJPY8", "J6eCYc81", true},  {"qB7ztPasTw", "GHrYJweE", true},  {"3U4QqbFWX9", "wwTMEpxK", false},
    {"4Rbnm1W7fE", "BTfMyQRw", false}, {"5wKWidDuZ4", "DWPfaHyE", false}, {"6vAzMedcM9", "73oZgQCF", false},
    {"6wvg7gZujQ", "ChVmCBz6", false}, {"93EkaZPH5a", "7vbgsCT1", false}, {"9Jvgkz465Q", "9b9ocXsB", false},
    {"F93Av4HNMy", "CjAqNy5e", false},
};

// The answers do not tell how the yields ended, and of the two that timed out the chunks are not recorded.
TEST(RecordedTrees, AYieldIsResumedOrTimesOut) {
    for (const auto& yield : kRecordedYields) {
        SCOPED_TRACE(yield.transaction);
        auto tree = read_tree(file_of(yield.transaction));
        auto judgement = tree.judge();
        EXPECT_EQ(receipt_of(judgement, yield.receipt).yield_timed_out, std::nullopt);
        EXPECT_TRUE(judgement.other_findings.empty());
        for (const auto& body : tree.bodies)
            if (body.receipt_id.starts_with(yield.receipt))
                for (const auto& data_id : body.input_data_ids)
                    tree.resumes.push_back({data_id, yield.timed_out, true});
        judgement = tree.judge();
        const auto& receipt = receipt_of(judgement, yield.receipt);
        EXPECT_EQ(receipt.role, Role::callback);
        EXPECT_EQ(receipt.yield_timed_out, yield.timed_out);
        EXPECT_EQ(judgement.other_findings.size(), yield.timed_out ? 1u : 0u);
        EXPECT_EQ(judgement.verdict, Verdict::succeeded);
        EXPECT_EQ(stage_of(judgement), Stage::final);
    }
}

TEST(RecordedTrees, BeforeItsResumeAYieldIsPending) {
    for (const auto& yield : kRecordedYields) {
        SCOPED_TRACE(yield.transaction);
        const auto tree = read_tree(file_of(yield.transaction));
        const auto id = receipt_of(tree.judge(), yield.receipt).receipt_id;
        const auto before = tree.judge(tree.below(id));
        const auto& receipt = receipt_of(before, yield.receipt);
        EXPECT_FALSE(receipt.executed);
        EXPECT_EQ(receipt.waiting, Waiting::resume);
        EXPECT_EQ(receipt.missing_data_ids.size(), 1u);
        EXPECT_FALSE(before.verdict);
        EXPECT_EQ(stage_of(before), Stage::executing);
    }
}

struct RecordedEnd {
    const char* transaction;
    Verdict verdict;
    const char* error_class;
};
constexpr RecordedEnd kRecordedFailures[] = {
    {"4XXtr7Jr", Verdict::failed, "key_exists"},
    {"CKHzodHv", Verdict::failed, "contract_panic"},
};

TEST(RecordedTrees, FailuresHaveTheirVerdictAndClass) {
    for (const auto& end : kRecordedFailures) {
        SCOPED_TRACE(end.transaction);
        const auto tree = read_tree(file_of(end.transaction));
        const auto judgement = tree.judge();
        EXPECT_EQ(judgement.verdict, end.verdict);
        const auto decided = chain::decided(tree.transaction, judgement);
        ASSERT_EQ(decided.findings.size(), 1u);
        EXPECT_EQ(decided.findings[0].role, Role::initial);
        EXPECT_EQ(decided.findings[0].handled, false);
        EXPECT_EQ(decided.findings[0].failure.error_class, end.error_class);
    }
}

TEST(RecordedTrees, EveryOtherTreeSucceededToItsLastReceipt) {
    std::size_t read = 0;
    for (const auto* folder : kFolders)
        for (const auto& file : recordings(kRecorded / folder)) {
            SCOPED_TRACE(file.filename());
            const auto tree = read_tree(file);
            const auto name = tree.tx_hash.substr(0, 8);
            if (std::any_of(std::begin(kRecordedFailures), std::end(kRecordedFailures),
                            [&](const auto& end) { return name == end.transaction; }))
                continue;
            const auto judgement = tree.judge();
            EXPECT_EQ(judgement.verdict, Verdict::succeeded);
            EXPECT_EQ(stage_of(judgement), Stage::final);
            EXPECT_EQ(judgement.receipts.size(), tree.outcomes.size() - 1);
            // One outcome after the other, the last ones first, is taken away: never a false end.
            std::set<std::string> unseen;
            for (auto outcome = tree.outcomes.rbegin(); outcome != tree.outcomes.rend(); ++outcome) {
                unseen.insert(outcome->id);
                EXPECT_FALSE(tree.judge(unseen).settled);
            }
            ++read;
        }
    EXPECT_EQ(read, 50u);
}

// Two chained blocks, and how many receipts of trees that begin in them fail there.
struct Chained {
    BlockHeight first;
    std::size_t failures;
    bool in_repository = true;
};
class ChainedBlocks : public ::testing::TestWithParam<Chained> {};

TEST_P(ChainedBlocks, LiveTreesSayWhatTheWholeTreeSays) {
    const auto chained = GetParam();
    const auto folder = (chained.in_repository ? kRecorded : test::kShared) / "whole-block";
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no recorded data at " << folder;
    Lineage lineage;
    LiveTrees live;
    std::vector<TransactionFacts> transactions;
    std::vector<OutcomeFacts> outcomes;
    std::vector<ReceiptFacts> bodies;
    std::set<std::string> told;
    for (const auto height : {chained.first, chained.first + 1}) {
        const auto decoded = decode_whole_block(read_file(folder / (std::to_string(height) + ".json")));
        ASSERT_TRUE(decoded);
        const auto ref = block_ref(decoded->value.block.header);
        const ExecutedAt at{ref.height, ref.timestamp_nanosec};
        for (const auto& shard : decoded->value.shards) {
            for (const auto& item : shard.transactions) {
                transactions.push_back(transaction_facts(item.transaction));
                if (item.outcome) outcomes.push_back(outcome_facts(*item.outcome, at));
            }
            for (const auto& item : shard.executed) {
                bodies.push_back(receipt_facts(item.receipt));
                outcomes.push_back(outcome_facts(item.outcome, at));
            }
        }
        const auto batch = whole_block_rows(decoded->value, ref.height - 1, {}, lineage, &live);
        EXPECT_EQ(batch[Table::transaction_results].rows, 0u);
        for (const auto& finding : batch.findings)
            told.insert(finding.finding_id + (*finding.handled ? " handled" : " unhandled"));
    }
    std::set<std::string> expected;
    for (const auto& transaction : transactions) {
        ReceiptTree parts(transaction.tx_hash);
        parts.add(transaction);
        for (const auto& body : bodies) parts.add(body);
        for (const auto& outcome : outcomes) parts.add(outcome);
        const auto judgement = parts.judge();
        EXPECT_FALSE(judgement.settled) << "two blocks are too few for refunds";
        for (const auto& receipt : judgement.receipts)
            if (receipt.attached && receipt.failed() && receipt.handling != Handling::undecided)
                expected.insert("failed_receipt:" + receipt.receipt_id + ' ' +
                                std::string(handling_name(receipt.handling)));
    }
    EXPECT_EQ(told, expected);
    EXPECT_EQ(told.size(), chained.failures);
}
INSTANTIATE_TEST_SUITE_P(Repository, ChainedBlocks,
                         ::testing::Values(Chained{107503704, 1}, Chained{34834052, 0}));
INSTANTIATE_TEST_SUITE_P(Shared, ChainedBlocks, ::testing::Values(Chained{115185108, 0, false}));

}  // namespace
}  // namespace receiptd::chain
