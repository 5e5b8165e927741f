// Law: wherever the follower starts or restarts, the same rows are stored; a lost lineage only adds
// orphans, and giving each orphan its parent by SQL (modelled here) leads to the same tables.
#include "chain/rows/rows.hpp"

#include "chain/tree/lineage.hpp"
#include "unit/chain/chain_builder.hpp"
#include "unit/chain/copy_reader.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace receiptd::chain {
namespace {

using testing::action_receipt;
using testing::ChainBuilder;
using testing::data_receipt;
using testing::executed;
using testing::read_array;
using testing::read_rows;
using testing::Row;
using testing::transaction;

constexpr BlockHeight kFirst = 1000;
constexpr BlockHeight kBlocks = 30;

// A chain of random trees: transactions (local ones too), children up to three blocks later,
// promises whose data reaches a callback.
class RandomChain {
public:
    explicit RandomChain(unsigned seed) : random_(seed) {
        for (BlockHeight height = kFirst; height < kFirst + kBlocks; ++height) chain_.add_block(height, 2);
        for (BlockHeight at = 0; at < kBlocks; ++at) fill(at);
    }
    const std::deque<WholeBlock>& blocks() const { return chain_.blocks(); }

private:
    Text id(const char* kind) { return chain_.own(std::string(kind) + std::to_string(next_id_++)); }
    WholeBlockShard& shard(BlockHeight at) { return chain_.blocks()[at].shards[random_() % 2]; }

    void fill(BlockHeight at) {
        if (at + 6 < kBlocks)
            for (unsigned i = 0; i < 1 + random_() % 2; ++i) send(at);
        for (auto& receipt : due_[at]) execute(at, receipt);
    }

    void send(BlockHeight at) {
        const auto initial = id("initial");
        const bool local = random_() % 3 == 0;
        const Text receiver = local ? "alice.near" : "dex.near";
        shard(at).transactions.push_back(transaction(id("tx"), "alice.near", receiver, initial));
        due_[at + (local ? 0 : 1)].push_back(action_receipt(initial, "alice.near", receiver, "alice.near"));
    }

    void execute(BlockHeight at, const Receipt& receipt) {
        auto item = executed(receipt);
        auto& children = item.outcome.receipt_ids;
        const bool grows = at + 6 < kBlocks && receipt.predecessor_id != kSystemAccount;
        if (grows && random_() % 4 == 0) {
            const auto [promise, callback] = then(at);
            children = {promise, callback};
        }
        if (grows && random_() % 3 == 0)
            children.push_back(later(at, action_receipt(id("call"), "dex.near", "b.near", "alice.near")));
        if (at + 3 < kBlocks && random_() % 3 == 0)
            children.push_back(later(at, action_receipt(id("refund"), "system", "alice.near", "system")));
        shard(at).executed.push_back(std::move(item));
    }

    Text later(BlockHeight at, const Receipt& receipt) {
        due_[at + 1 + random_() % 2].push_back(receipt);
        return receipt.receipt_id;
    }

    std::pair<Text, Text> then(BlockHeight at) {
        const auto data_id = id("data");
        auto promise = action_receipt(id("promise"), "dex.near", "token.near", "alice.near");
        promise.output_data_receivers = {{data_id, "dex.near"}};
        auto callback = action_receipt(id("callback"), "dex.near", "dex.near", "alice.near");
        callback.input_data_ids = {data_id};
        due_[at + 1].push_back(promise);
        const auto arrives = at + 2 + random_() % 2;
        shard(arrives).listed_data.push_back(data_receipt(id("arrival"), data_id, "token.near", "dex.near"));
        due_[arrives].push_back(callback);
        return {promise.receipt_id, callback.receipt_id};
    }

    std::mt19937 random_;
    ChainBuilder chain_;
    std::map<BlockHeight, std::vector<Receipt>> due_;
    unsigned next_id_ = 0;
};

struct Tables {
    std::vector<Row> transactions;
    std::map<std::string, Row> receipts;
    std::map<std::string, Row> data_receipts;
    std::set<std::string> orphans;
};

// Follows all blocks with a new Lineage before each block in `restarts`.
Tables follow(const std::deque<WholeBlock>& blocks, const std::set<std::size_t>& restarts) {
    RowBatch batch;
    Lineage lineage;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (restarts.contains(i)) lineage = Lineage();
        batch.append(whole_block_rows(blocks[i], std::nullopt, {}, lineage));
    }
    Tables tables;
    tables.transactions = read_rows(batch, Table::transactions);
    for (auto& row : read_rows(batch, Table::receipts)) tables.receipts.emplace(*row["receipt_id"], row);
    for (auto& row : read_rows(batch, Table::data_receipts))
        tables.data_receipts.emplace(*row["data_id"], row);
    for (auto& row : read_rows(batch, Table::orphan_receipts)) tables.orphans.insert(*row["id"]);
    return tables;
}

struct Place {
    std::string tree;
    std::string parent;
    friend bool operator==(const Place&, const Place&) = default;
};

// The tree of each receipt as SQL can know it when all is stored: climb from it to the outcome that names it.
std::map<std::string, Place> adopt(const Tables& tables) {
    std::map<std::string, std::string> parent_of;
    std::map<std::string, std::string> transaction_of;
    for (const auto& [id, row] : tables.receipts)
        for (const auto& child : read_array(row["receipt_ids"])) parent_of[child] = id;
    for (const auto& row : tables.transactions) transaction_of[*row["initial_receipt_id"]] = *row["tx_hash"];
    std::map<std::string, Place> places;
    for (const auto& [id, row] : tables.receipts) {
        auto root = id;
        while (parent_of.contains(root)) root = parent_of[root];
        const bool known = transaction_of.contains(root);
        places[id] = {known ? transaction_of[root] : root, parent_of.contains(id) ? parent_of[id] : ""};
    }
    return places;
}

const std::set<std::string> kByPlace{"tree_id", "tx_hash", "parent_receipt_id", "role"};

void expect_same_facts(const Row& row, const Row& expected) {
    for (const auto& [column, cell] : expected.cells)
        if (!kByPlace.contains(column)) {
            EXPECT_EQ(row[column], cell) << column;
        }
}

class Restart : public ::testing::TestWithParam<unsigned> {};

TEST_P(Restart, AnUndisturbedRunKnowsEveryPlace) {
    const RandomChain chain(GetParam());
    const auto tables = follow(chain.blocks(), {});
    ASSERT_GT(tables.receipts.size(), 40u);
    EXPECT_TRUE(tables.orphans.empty());
    for (const auto& [id, place] : adopt(tables)) {
        EXPECT_EQ(tables.receipts.at(id)["tree_id"], place.tree);
        EXPECT_EQ(tables.receipts.at(id)["tx_hash"], place.tree);
        EXPECT_EQ(tables.receipts.at(id)["parent_receipt_id"].value_or(""), place.parent);
    }
    for (const auto& [id, row] : tables.data_receipts) EXPECT_TRUE(row["tx_hash"]) << id;
}

TEST_P(Restart, ALostLineageOnlyAddsOrphans) {
    const RandomChain chain(GetParam());
    const auto undisturbed = follow(chain.blocks(), {});
    for (std::size_t at = 1; at < kBlocks; at += 3) {
        const auto restarted = follow(chain.blocks(), {at, at + 7});
        ASSERT_EQ(restarted.receipts.size(), undisturbed.receipts.size());
        ASSERT_EQ(restarted.data_receipts.size(), undisturbed.data_receipts.size());
        EXPECT_EQ(adopt(restarted), adopt(undisturbed));
        for (const auto& [id, row] : restarted.receipts) {
            const auto& expected = undisturbed.receipts.at(id);
            expect_same_facts(row, expected);
            if (row["tx_hash"]) {
                EXPECT_EQ(row["tree_id"], expected["tree_id"]);
            }
            if (!restarted.orphans.contains(id)) {
                EXPECT_EQ(row["parent_receipt_id"], expected["parent_receipt_id"]);
                EXPECT_EQ(row["role"], expected["role"]);
            }
        }
        for (const auto& [id, row] : restarted.data_receipts) {
            expect_same_facts(row, undisturbed.data_receipts.at(id));
            if (row["tree_id"] == row["receipt_id"]) {
                EXPECT_TRUE(restarted.orphans.contains(id)) << id;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Chains, Restart, ::testing::Range(1u, 5u));

}  // namespace
}  // namespace receiptd::chain
