// Trees of a real nearcore network, against the node's own `status` and an independent reading of the rules
// (tests/data/recorded/nearcore-84/README.md): judged as a whole, and while whole blocks go by.
#include "chain/json/decode.hpp"
#include "chain/rows/rows.hpp"
#include "chain/tree/judgement.hpp"
#include "chain/tree/lineage.hpp"
#include "chain/tree/live_trees.hpp"
#include "chain/tree/receipt_tree.hpp"

#include "copy_reader.hpp"
#include "nearcore_by_hand.hpp"
#include "support/recordings.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace receiptd::chain {
namespace {

using nlohmann::json;
using testing::Told;

// One transaction as shapes.json tells it, in its words.
struct Shape {
    std::string near_status;
    std::string verdict;
    std::map<std::string, std::string> roles;
    std::set<std::string> failed;
    std::set<std::string> handled;
    Told told = {};
    friend bool operator==(const Shape&, const Shape&) = default;
    friend void PrintTo(const Shape& shape, std::ostream* out) {
        *out << json{{"near_status", shape.near_status},
                     {"verdict", shape.verdict},
                     {"roles", shape.roles},
                     {"failed", shape.failed},
                     {"handled", shape.handled},
                     {"effect", shape.told.effect},
                     {"root_cause", shape.told.root_cause},
                     {"findings", shape.told.findings},
                     {"user", shape.told.user}}
                    .dump(1);
    }
};

bool is_scripted(const std::string& name) {
    return !name.starts_with("random") && !name.starts_with("flood") && !name.starts_with("behind");
}

std::string short_name(const std::string& account_id) {
    if (account_id.starts_with("0x")) return "wallet";
    return account_id.substr(0, account_id.find('.'));
}

// The words of nearcore_by_hand.hpp for what a tree gave.
class Words {
public:
    explicit Words(const Judgement& tree) {
        for (const auto& receipt : tree.receipts)
            if (receipt.role)
                names_[receipt.receipt_id] =
                    std::string(role_name(*receipt.role)) + " " + short_name(receipt.receiver_id);
    }

    Told told(const std::string& effect, const std::string& root_cause, const std::string& user_id,
              const std::vector<Finding>& findings) const {
        Told told{effect, root_cause.empty() ? "" : names_.at(root_cause), {}, short_name(user_id)};
        for (const auto& finding : findings) told.findings.insert(of(finding));
        return told;
    }

private:
    std::string of(const Finding& finding) const {
        auto words = finding.kind + " " + names_.at(finding.receipt_id);
        if (finding.handled == true) words += " handled";
        if (finding.expected) words += " expected";
        if (finding.effect) words += " " + std::string(effect_name(*finding.effect));
        if (const auto& flow = finding.flow)
            words +=
                " " + base::to_string(flow->returned) + " of " + base::to_string(flow->returned + flow->kept);
        if (!finding.root_cause.empty()) words += " because " + names_.at(finding.root_cause);
        return words;
    }

    std::map<std::string, std::string> names_;
};

struct Network {
    std::filesystem::path folder;
    std::size_t shapes;
};

class NearcoreShapes : public ::testing::TestWithParam<Network> {
protected:
    void SetUp() override {
        if (!std::filesystem::exists(folder())) GTEST_SKIP() << "no recorded data at " << folder();
    }
    static std::filesystem::path folder() { return GetParam().folder; }
    static json read(const std::string& name) { return json::parse(test::read_file(folder() / name)); }

    using Places = std::map<std::string, ExecutedAt>;  // by block hash
    static std::map<std::string, Shape> expected(const Places& places = {}) {
        std::map<std::string, Shape> shapes;
        for (const auto& shape : read("shapes.json")) {
            auto& found = shapes[shape.at("tx_hash")];
            found = {shape.at("near_status"), shape.at("verdict"), shape.at("roles"), shape.at("failed"),
                     shape.at("handled")};
            const std::string name = shape.at("name");
            const auto by_hand = testing::told_by_hand().find(name);
            const auto otherwise = testing::told_by_hand_86().find(name);
            if (folder().filename() == "nearcore-86" && otherwise != testing::told_by_hand_86().end())
                found.told = otherwise->second;
            else if (by_hand != testing::told_by_hand().end())
                found.told = by_hand->second;
            else if (!is_scripted(name))
                found.told = told_of(shape.at("tx_hash"), places);
        }
        EXPECT_EQ(shapes.size(), GetParam().shapes);
        return shapes;
    }

    // The judgement of the tree as a whole.
    static Told told_of(const std::string& tx_hash, const Places& places = {}) {
        const auto tree = judge_answer(tx_hash, places);
        const auto decided = chain::decided(transaction_of(tx_hash), tree);
        const auto& result = decided.results.at(0);
        return Words(tree).told(result.effect ? std::string(effect_name(*result.effect)) : "",
                                result.root_cause, result.user.id, decided.findings);
    }

    static TransactionFacts transaction_of(const std::string& tx_hash) {
        const auto decoded =
            decode_transaction_status(test::read_file(folder() / "tx" / (tx_hash + ".json")));
        return transaction_facts(*decoded->value.transaction);
    }
    static Judgement judge_answer(const std::string& tx_hash, const Places& places = {}) {
        const auto decoded =
            decode_transaction_status(test::read_file(folder() / "tx" / (tx_hash + ".json")));
        EXPECT_TRUE(decoded) << tx_hash;
        const auto& answer = decoded->value;
        const auto place_of = [&](const Outcome& outcome) {
            const auto found = places.find(std::string(outcome.block_hash));
            return std::optional(Execution{found == places.end() ? ExecutedAt{1, 1} : found->second});
        };
        auto tree = tree_of(answer, *answer.receipts, place_of);
        for (const auto& resume : resumes()) tree.add(resume);
        return tree.judge();
    }

    // The resumes of all yields of the network, as its blocks list them.
    static const std::vector<DataFacts>& resumes() {
        static std::map<std::filesystem::path, std::vector<DataFacts>> of_networks;
        const auto [known, fresh] = of_networks.try_emplace(folder());
        if (!fresh) return known->second;
        for (const auto& file : test::recordings(folder() / "whole-block")) {
            const auto text = test::read_file(file);
            if (text.find("\"is_promise_resume\": true") == std::string::npos &&
                text.find("\"is_promise_resume\":true") == std::string::npos)
                continue;
            const auto decoded = decode_whole_block(text);
            for (const auto& shard : decoded->value.shards)
                for (const auto& data : shard.listed_data)
                    if (data.is_promise_resume)
                        known->second.push_back({std::string(data.data_id), !data.data, true});
        }
        return known->second;
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
    return shape;
}

TEST_P(NearcoreShapes, AreJudgedAsTheNodeAndTheRulesHaveThem) {
    for (const auto& [tx_hash, shape] : expected()) {
        const auto tree = judge_answer(tx_hash);
        ASSERT_TRUE(tree.settled && tree.near_status && tree.verdict) << tx_hash;
        auto found = shape_of(tree);
        found.told = told_of(tx_hash);
        EXPECT_EQ(found, shape) << tx_hash;
        EXPECT_EQ(tree.certain_verdict, tree.verdict) << tx_hash;
    }
}

TEST_P(NearcoreShapes, AreJudgedAlikeWhileWholeBlocksGoBy) {
    std::map<std::string, Shape> found;
    std::map<std::string, testing::Row> results;
    std::map<std::string, std::vector<Finding>> findings;
    Places places;
    Lineage lineage;
    LiveTrees live;
    std::map<BlockHeight, std::filesystem::path> whole_blocks;
    for (const auto& file : test::recordings(folder() / "whole-block"))
        if (file.stem() != "index") whole_blocks[std::stoull(file.stem())] = file;
    for (const auto& [height, file] : whole_blocks) {
        const auto decoded = decode_whole_block(test::read_file(file));
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
            results[*row["tx_hash"]] = row;
        }
        for (const auto& finding : batch.findings) {
            auto& shape = found[finding.tx_hash];
            findings[finding.tx_hash].push_back(finding);
            if (finding.kind != kind::kFailedReceipt) continue;
            shape.failed.insert(finding.receipt_id);
            if (finding.handled == true) shape.handled.insert(finding.receipt_id);
        }
    }
    for (const auto& [tx_hash, shape] : expected(places)) {
        const auto& row = results[tx_hash];
        found[tx_hash].told = Words(judge_answer(tx_hash, places))
                                  .told(row["effect"].value_or(""), row["root_cause"].value_or(""),
                                        row["user_id"].value_or(""), findings[tx_hash]);
        EXPECT_EQ(found[tx_hash], shape) << tx_hash;
    }
}

const std::filesystem::path kUnpacked = RECEIPTD_UNPACKED;  // the archives of tests/data/recorded/nearcore-84

INSTANTIATE_TEST_SUITE_P(Repository, NearcoreShapes,
                         ::testing::Values(Network{kUnpacked / "one_validator", 295},
                                           Network{kUnpacked / "stopped_validators", 13},
                                           Network{kUnpacked / "wide_and_deep", 2}));
std::string name_of(const ::testing::TestParamInfo<Network>& network) {
    if (network.index == 2) return "Protocol86";
    return network.index == 0 ? "Quiet" : "Faulty";
}

INSTANTIATE_TEST_SUITE_P(Shared, NearcoreShapes,
                         ::testing::Values(Network{test::kShared / "nearcore-84", 295},
                                           Network{test::kShared / "nearcore-84-faults", 225},
                                           Network{test::kShared / "nearcore-86", 312}),
                         name_of);

}  // namespace
}  // namespace receiptd::chain
