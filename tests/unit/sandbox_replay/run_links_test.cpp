// A recording whose blocks are no neighbours: every nth of the sample chain.
#include "sandbox/replay/run_links.hpp"

#include "sandbox/replay/whole_block_run.hpp"
#include "support/recordings.hpp"
#include "unit/sandbox_replay/fixtures.hpp"

#include <gtest/gtest.h>

#include <unistd.h>
#include <map>
#include <set>

namespace receiptd::sandbox {
namespace {

using nlohmann::json;

// Links to every `step`th block of a folder.
class Scattered {
public:
    explicit Scattered(const std::filesystem::path& blocks, std::size_t step) {
        std::string name = std::filesystem::temp_directory_path() / "receiptd-scattered-XXXXXX";
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
        folder_ = name;
        std::set<std::filesystem::path> files;
        for (const auto& entry : std::filesystem::directory_iterator(blocks)) files.insert(entry.path());
        std::size_t at = 0;
        for (const auto& file : files)
            if (at++ % step == 0) std::filesystem::create_symlink(file, folder_ / file.filename());
    }
    ~Scattered() { std::filesystem::remove_all(folder_); }
    Scattered(const Scattered&) = delete;
    Scattered& operator=(const Scattered&) = delete;

    WholeBlockRun repeated(std::uint64_t blocks) const {
        Repeat repeat;
        repeat.blocks = blocks;
        return WholeBlockRun(folder_, repeat);
    }

private:
    std::filesystem::path folder_;
};

struct Tree {
    std::uint64_t since = 0;
    std::size_t open = 0;  // announced and not executed
};

// Reads a run block by block and follows each id from its announcement to its execution.
class Reader {
public:
    void read(std::uint64_t position, const json& whole) {
        const auto announce = [&](const json& outcome, const std::string& tree) {
            for (const auto& id : outcome["outcome"]["receipt_ids"]) {
                EXPECT_TRUE(announced.emplace(id, tree).second) << id << " is announced twice";
                ++trees[tree].open;
            }
        };
        for (const auto& shard : whole["shards"]) {
            if (shard["chunk"].is_null()) continue;
            for (const auto& item : shard["chunk"]["transactions"]) {
                const std::string hash = item["transaction"]["hash"];
                EXPECT_TRUE(trees.emplace(hash, Tree{position, 0}).second) << hash;
                announce(item["outcome"]["execution_outcome"], hash);
            }
        }
        for (const auto& shard : whole["shards"])
            for (const auto& item : shard["receipt_execution_outcomes"])
                execute(position, item["execution_outcome"]["id"], item, announce);
    }

    std::map<std::string, std::string> announced;  // receipt -> tree
    std::map<std::string, Tree> trees;
    std::map<std::uint64_t, std::size_t> orphans;  // by position

private:
    template <class Announce>
    void execute(std::uint64_t position, const std::string& id, const json& item, const Announce& announce) {
        EXPECT_TRUE(executed_.insert(id).second) << id << " is executed twice";
        const auto tree = announced.find(id);
        if (tree == announced.end()) {
            ++orphans[position];
            return;
        }
        --trees[tree->second].open;
        if (item.contains("tx_hash")) {
            EXPECT_EQ(item["tx_hash"], tree->second);
        }
        announce(item["execution_outcome"], tree->second);
    }

    std::set<std::string> executed_;
};

Reader read(const WholeBlockRun& run) {
    Reader reader;
    for (std::uint64_t i = 0; i < run.size(); ++i) reader.read(i, json::parse(*run.text(i)));
    return reader;
}

TEST(LinkedRun, CompletesEveryTreeSomeBlocksAfterItsTransaction) {
    const auto run = Scattered(test::sample() / "whole-block", 2).repeated(18 * 6);
    const auto seen = read(run);
    std::size_t old = 0;
    for (const auto& [hash, tree] : seen.trees) {
        if (tree.since >= 18 * 4) continue;
        ++old;
        EXPECT_EQ(tree.open, 0u) << hash << " of block " << tree.since;
    }
    EXPECT_EQ(old, 4 * run.links().transactions);
}

TEST(LinkedRun, HasOrphansOnlyWhereItBegins) {
    const auto run = Scattered(test::sample() / "whole-block", 2).repeated(18 * 6);
    const auto seen = read(run);
    EXPECT_EQ(run.links().orphans, 0u);
    EXPECT_FALSE(seen.orphans.empty()) << "the first blocks' parents lie before the run";
    EXPECT_LT(seen.orphans.rbegin()->first, 18u * 2);
}

TEST(LinkedRun, CountsWhatFindsNoParent) {
    const auto run = Scattered(test::sample() / "whole-block", 3).repeated(12 * 5);
    const auto seen = read(run);
    const auto& links = run.links();
    EXPECT_GT(links.orphans, 0u) << "this recording executes more than it announces";
    EXPECT_EQ(links.recorded + links.linked + links.orphans, links.receipts);
    std::size_t last_round = 0;
    for (const auto& [position, count] : seen.orphans)
        if (position >= 12 * 4) last_round += count;
    EXPECT_EQ(last_round, links.orphans);
}

TEST(LinkedRun, LeavesNeighboursAsTheyAre) {
    Repeat repeat;
    repeat.blocks = 36;
    const WholeBlockRun run(test::sample() / "whole-block", repeat);
    EXPECT_EQ(run.links().recorded, run.links().receipts);
    EXPECT_EQ(run.links().linked, 0u);
    EXPECT_EQ(run.links().dropped, 0u);
}

TEST(LinkedRun, FindsALinkedReceiptByTheIdThatWasAnnounced) {
    const auto run = Scattered(test::sample() / "whole-block", 2).repeated(18 * 4);
    for (const std::uint64_t i : {3u, 30u, 53u, 60u}) {
        for (const auto& shard : json::parse(*run.text(i))["shards"]) {
            for (const auto& item : shard["receipt_execution_outcomes"]) {
                const auto id = item["execution_outcome"]["id"].get<std::string>();
                const auto outcome = run.find_outcome(id);
                ASSERT_TRUE(outcome) << id;
                EXPECT_EQ(outcome->position, i);
                EXPECT_EQ(json::parse(outcome->view()), item["execution_outcome"]);
                EXPECT_EQ(json::parse(run.find_receipt(id)->view()), item["receipt"]);
            }
        }
    }
}

// A block of one shard, cut down to what is read of it.
json block_of(const std::string& hash, json transactions, json executed, json listed = json::array()) {
    const json header{{"height", 1}, {"hash", hash}, {"prev_hash", hash}};
    const json chunk{
        {"header", {{"chunk_hash", hash}}}, {"transactions", transactions}, {"receipts", listed}};
    return {
        {"block", {{"author", "a"}, {"header", header}}},
        {"shards",
         json::array(
             {{{"shard_id", 0}, {"chunk", chunk}, {"receipt_execution_outcomes", std::move(executed)}}})}};
}

// A hash text that only this name has.
std::string id_of(char name) { return std::string(43, name); }

json outcome_of(char id, const std::string& announces, json status = {{"SuccessValue", ""}}) {
    json ids = json::array();
    for (const char child : announces) ids.push_back(id_of(child));
    return {{"id", id_of(id)}, {"outcome", {{"receipt_ids", ids}, {"status", std::move(status)}}}};
}

json transaction_of(char hash, char announces) {
    return {{"transaction", {{"hash", id_of(hash)}}},
            {"outcome", {{"execution_outcome", outcome_of(hash, std::string(1, announces))}}}};
}

json executed_of(json outcome, const std::string& predecessor, const std::string& makes = "",
                 const std::string& awaits = "") {
    json action{
        {"signer_id", "alice"}, {"input_data_ids", json::array()}, {"output_data_receivers", json::array()}};
    for (const char id : awaits) action["input_data_ids"].push_back(id_of(id));
    for (const char id : makes) action["output_data_receivers"].push_back({{"data_id", id_of(id)}});
    const json receipt{
        {"receipt_id", outcome["id"]}, {"predecessor_id", predecessor}, {"receipt", {{"Action", action}}}};
    return {{"execution_outcome", std::move(outcome)}, {"receipt", receipt}, {"tx_hash", id_of('Z')}};
}

RunLinks link(const std::vector<json>& blocks, std::vector<std::string>& texts) {
    for (const auto& block : blocks) texts.push_back(block.dump());
    return link_run({texts.begin(), texts.end()});
}

// Announced, promise and callback included: t -> a; x -> b, c, d. Executed: x (plain), p (makes m), k
// (awaits n, which is listed beside it), r and s (refunds).
std::vector<json> promise_recording() {
    const json data{{"receipt_id", id_of('E')}, {"receipt", {{"Data", {{"data_id", id_of('n')}}}}}};
    return {
        block_of(id_of('1'), {transaction_of('t', 'a')},
                 {executed_of(outcome_of('k', "e"), "contract", "", "n")}, {data}),
        block_of(id_of('2'), json::array(),
                 {executed_of(outcome_of('x', "bcd", {{"SuccessReceiptId", id_of('c')}}), "alice"),
                  executed_of(outcome_of('r', ""), "system")}),
        block_of(
            id_of('3'), json::array(),
            {executed_of(outcome_of('p', "f"), "contract", "m"), executed_of(outcome_of('s', ""), "system")}),
    };
}

TEST(LinkedBlocks, ACallbackAwaitsTheDataOfThePromiseAnnouncedBesideIt) {
    std::vector<std::string> texts;
    const auto links = link(promise_recording(), texts);
    const auto& blocks = links.blocks;
    const auto takes = [&](std::size_t slot, char id) { return blocks[slot].ids.at(id_of(id)); };
    EXPECT_EQ(takes(1, 'x').recorded, id_of('a')) << "the transaction's";
    EXPECT_EQ(takes(1, 'x').rounds_back, 0u);
    EXPECT_EQ(takes(2, 'p').recorded, id_of('b'));
    EXPECT_EQ(takes(0, 'k').recorded, id_of('c'));
    EXPECT_EQ(takes(0, 'k').rounds_back, 1u) << "the round after";
    EXPECT_EQ(takes(0, 'n').recorded, id_of('m')) << "the data that the promise made";
    EXPECT_EQ(takes(0, 'n').rounds_back, 1u);
}

TEST(LinkedBlocks, AnExecutedReceiptNamesTheTransactionItWasHungOn) {
    std::vector<std::string> texts;
    const auto links = link(promise_recording(), texts);
    ASSERT_EQ(links.blocks[2].transaction_of.size(), 2u);
    for (const auto& [place, hash] : links.blocks[2].transaction_of) {
        EXPECT_EQ(hash.recorded, id_of('t'));
        EXPECT_EQ(std::string_view(place, 43), id_of('Z'));
    }
}

TEST(LinkedBlocks, WhatNothingExecutesIsNotAnnounced) {
    std::vector<std::string> texts;
    const auto links = link(promise_recording(), texts);
    EXPECT_EQ(links.counts.linked, 5u);
    EXPECT_EQ(links.counts.dropped, 1u) << "three refunds are announced and two executed";
    EXPECT_EQ(links.counts.open, 0u);
    std::size_t drops = 0;
    for (const auto& block : links.blocks) drops += block.drops.size();
    EXPECT_EQ(drops, 1u);
}

using LinkedMainnet = receiptd::test::Recordings;

TEST_P(LinkedMainnet, CompletesTheTreesOfLargeBlocks) {
    Repeat repeat;
    repeat.blocks = 1;
    const WholeBlockRun run(root() / "whole-block", repeat);
    EXPECT_EQ(run.links().orphans, 0u);
    EXPECT_EQ(run.links().open, 0u);
    EXPECT_LT(run.links().dropped, run.links().receipts / 20);
}

RECEIPTD_WHERE_RECORDED(LinkedMainnet);

}  // namespace
}  // namespace receiptd::sandbox
