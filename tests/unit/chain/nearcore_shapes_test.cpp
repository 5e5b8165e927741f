// Trees of a real nearcore network, against the node's own `status` and an independent reading of the rules
// (../shared/data/nearcore-84/README.md): judged as a whole, and while whole blocks go by.
#include "chain/json/decode.hpp"
#include "chain/rows/rows.hpp"
#include "chain/tree/judgement.hpp"
#include "chain/tree/lineage.hpp"
#include "chain/tree/live_trees.hpp"
#include "chain/tree/receipt_tree.hpp"

#include "copy_reader.hpp"
#include "support/recordings.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <string>

namespace receiptd::chain {
namespace {

using nlohmann::json;

// One transaction as shapes.json tells it, in its words.
struct Shape {
    std::string near_status;
    std::string verdict;
    std::map<std::string, std::string> roles;
    std::set<std::string> failed;
    std::set<std::string> handled;
    std::string effect = {};
    std::string root_cause = {};  // of the verdict
    std::set<std::string> tokens_returned = {};
    friend bool operator==(const Shape&, const Shape&) = default;
    friend void PrintTo(const Shape& shape, std::ostream* out) {
        *out << json{{"near_status", shape.near_status},
                     {"verdict", shape.verdict},
                     {"roles", shape.roles},
                     {"failed", shape.failed},
                     {"handled", shape.handled},
                     {"effect", shape.effect},
                     {"root_cause", shape.root_cause},
                     {"tokens_returned", shape.tokens_returned}}
                    .dump(1);
    }
};

// Tokens returned, by name of the shape: shapes.json does not tell them. The other transfers were kept.
struct Returned {
    std::string effect;
    std::set<std::string> tokens;
};
const std::map<std::string, Returned> kReturned{{"ft_call_part", {"refunded_in_part", {"40 of 100"}}},
                                                {"ft_call_refused", {"refunded", {"100 of 100"}}},
                                                {"ft_call_panics", {"refunded", {}}},
                                                {"ft_call_no_contract", {"refunded", {}}}};

std::string in_words(const TokenFlow& flow) {
    return base::to_string(flow.returned) + " of " + base::to_string(flow.returned + flow.kept);
}

struct Network {
    const char* folder;
    std::size_t shapes;
};

class NearcoreShapes : public ::testing::TestWithParam<Network> {
protected:
    void SetUp() override {
        if (!std::filesystem::exists(folder())) GTEST_SKIP() << "no recorded data at " << folder();
    }
    static std::filesystem::path folder() { return test::kShared / GetParam().folder; }
    static json read(const std::string& name) { return json::parse(test::read_recording(folder() / name)); }

    static std::map<std::string, Shape> expected() {
        std::map<std::string, Shape> shapes;
        for (const auto& shape : read("shapes.json")) {
            auto& found = shapes[shape.at("tx_hash")];
            found = {shape.at("near_status"), shape.at("verdict"), shape.at("roles"), shape.at("failed"),
                     shape.at("handled")};
            const auto returned = kReturned.find(shape.at("name"));
            if (returned == kReturned.end()) continue;
            found.effect = returned->second.effect;
            found.tokens_returned = returned->second.tokens;
        }
        EXPECT_EQ(shapes.size(), GetParam().shapes);
        return shapes;
    }

    using Places = std::map<std::string, ExecutedAt>;  // by block hash
    static Judgement judge_answer(const std::string& tx_hash, const Places& places = {}) {
        const auto decoded =
            decode_transaction_status(test::read_recording(folder() / "tx" / (tx_hash + ".json")));
        EXPECT_TRUE(decoded) << tx_hash;
        const auto& answer = decoded->value;
        const auto place_of = [&](const Outcome& outcome) {
            const auto found = places.find(std::string(outcome.block_hash));
            return std::optional(Execution{found == places.end() ? ExecutedAt{1, 1} : found->second});
        };
        return tree_of(answer, *answer.receipts, place_of).judge();
    }
};

Shape shape_of(const Judgement& tree) {
    Shape shape{std::string(tree.near_status->name()), std::string(verdict_name(*tree.verdict)), {}, {}, {}};
    for (const auto& receipt : tree.receipts) {
        if (receipt.attached) shape.roles[receipt.receipt_id] = role_name(*receipt.role);
        if (!receipt.failed() || receipt.is_from_system()) continue;
        shape.failed.insert(receipt.receipt_id);
        if (receipt.handling == Handling::handled) shape.handled.insert(receipt.receipt_id);
    }
    if (tree.effect) shape.effect = effect_name(*tree.effect);
    for (const auto& finding : tree.other_findings)
        if (finding.flow) shape.tokens_returned.insert(in_words(*finding.flow));
    return shape;
}

TEST_P(NearcoreShapes, AreJudgedAsTheNodeAndTheRulesHaveThem) {
    for (const auto& [tx_hash, shape] : expected()) {
        const auto tree = judge_answer(tx_hash);
        ASSERT_TRUE(tree.settled && tree.near_status && tree.verdict) << tx_hash;
        EXPECT_EQ(shape_of(tree), shape) << tx_hash;
        EXPECT_EQ(tree.certain_verdict, tree.verdict) << tx_hash;
    }
}

TEST_P(NearcoreShapes, AreJudgedAlikeWhileWholeBlocksGoBy) {
    std::map<std::string, Shape> found;
    Places places;
    Lineage lineage;
    LiveTrees live;
    const auto index = read("whole-block/index.json");
    const BlockHeight last = index.at("last");
    for (BlockHeight height = index.at("first"); height <= last; ++height) {
        const auto file = folder() / "whole-block" / (std::to_string(height) + ".json");
        if (!std::filesystem::exists(file)) continue;  // a height without a block
        const auto decoded = decode_whole_block(test::read_recording(file));
        ASSERT_TRUE(decoded) << height;
        const auto& header = decoded->value.block.header;
        places[std::string(header.hash)] = {header.height, header.timestamp_nanosec};
        const auto batch = whole_block_rows(decoded->value, std::nullopt, {}, lineage, &live);
        for (const auto& row : testing::read_rows(batch, Table::receipts))
            if (row["tx_hash"] && row["role"])
                found[*row["tx_hash"]].roles[*row["receipt_id"]] = *row["role"];
        for (const auto& row : testing::read_rows(batch, Table::transaction_results)) {
            found[*row["tx_hash"]].near_status = row["near_status"].value_or("");
            found[*row["tx_hash"]].verdict = *row["verdict"];
            found[*row["tx_hash"]].effect = row["effect"].value_or("");
            found[*row["tx_hash"]].root_cause = row["root_cause"].value_or("");
        }
        for (const auto& finding : batch.findings) {
            auto& shape = found[finding.tx_hash];
            if (finding.flow) shape.tokens_returned.insert(in_words(*finding.flow));
            if (finding.kind != "failed_receipt") continue;
            shape.failed.insert(finding.receipt_id);
            if (finding.handled == true) shape.handled.insert(finding.receipt_id);
        }
    }
    for (auto [tx_hash, shape] : expected()) {
        shape.root_cause = judge_answer(tx_hash, places).root_cause;
        EXPECT_EQ(found[tx_hash], shape) << tx_hash;
    }
}

INSTANTIATE_TEST_SUITE_P(Shared, NearcoreShapes,
                         ::testing::Values(Network{"nearcore-84", 295}, Network{"nearcore-84-faults", 225}),
                         [](const auto& network) { return network.index == 0 ? "Quiet" : "Faulty"; });

}  // namespace
}  // namespace receiptd::chain
