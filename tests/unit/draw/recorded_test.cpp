// Trees of a real network: one of 82 receipts, one that is seven contracts deep.
#include "chain/json/decode.hpp"
#include "chain/tree/receipt_tree.hpp"
#include "draw/picture.hpp"
#include "draw/svg.hpp"

#include "support/recordings.hpp"
#include "well_formed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>

namespace receiptd::draw {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(RECEIPTD_UNPACKED) / "wide_and_deep";

struct Recorded {
    std::string tx_hash;
    chain::TransactionFacts transaction;
    chain::Judgement tree;
};

std::map<std::string, chain::ExecutedAt> places() {
    std::map<std::string, chain::ExecutedAt> places;
    for (const auto& file : test::recordings(kFolder / "rpc" / "block")) {
        const auto block = chain::decode_block(test::read_file(file));
        if (!block) throw std::runtime_error("no block: " + file.string());
        const auto& header = block->value.header;
        places[std::string(header.hash)] = {header.height, header.timestamp_nanosec};
    }
    return places;
}

Recorded read(const std::string& tx_hash) {
    static const auto kPlaces = places();
    const auto answer =
        chain::decode_transaction_status(test::read_file(kFolder / "tx" / (tx_hash + ".json")));
    if (!answer) throw std::runtime_error("no answer: " + tx_hash);
    const auto place_of = [](const chain::Outcome& outcome) {
        return std::optional(chain::Execution{kPlaces.at(std::string(outcome.block_hash))});
    };
    const auto& status = answer->value;
    return {tx_hash, chain::transaction_facts(*status.transaction),
            chain::tree_of(status, *status.receipts, place_of).judge()};
}

std::size_t count(const Picture& picture, Look look) {
    return static_cast<std::size_t>(std::count_if(picture.boxes.begin(), picture.boxes.end(),
                                                  [look](const Box& box) { return box.look == look; }));
}

TEST(RecordedTrees, WideHasAllItsReceiptsAndTheFailuresThatWereHandled) {
    const auto wide = read("5tEQaq2hfFZpPrpAC1RC1B7XQ7bX9YXrnn2Q7YE4T6E7");
    const auto picture = make_picture(wide.tx_hash, wide.transaction, wide.tree);
    EXPECT_EQ(picture.boxes.size(), 83u);
    EXPECT_EQ(count(picture, Look::handled), 4u);
    EXPECT_EQ(count(picture, Look::quiet), 41u);
    const auto awaited = std::count_if(picture.arrows.begin(), picture.arrows.end(), [](const Arrow& arrow) {
        return arrow.edge.kind == Edge::Kind::data;
    });
    EXPECT_EQ(awaited, 20);
    EXPECT_EQ(testing::xml_fault(tree_svg(wide.tx_hash, wide.transaction, wide.tree)), "");
}

TEST(RecordedTrees, DeepGoesFromBlockToBlockDownToItsRootCause) {
    const auto deep = read("3nqW2zRDkDwaQDYZs32RBfwetUFCx5FeSF3MirFqsb1R");
    const auto picture = make_picture(deep.tx_hash, deep.transaction, deep.tree);
    EXPECT_EQ(picture.title, "The transaction failed.");
    const auto cause = std::find_if(picture.boxes.begin(), picture.boxes.end(),
                                    [](const Box& box) { return box.is_root_cause; });
    ASSERT_NE(cause, picture.boxes.end());
    // From the transaction through seven contracts.
    std::set<int> below;
    for (const auto& box : picture.boxes)
        if (box.on_result_chain) below.insert(box.y);
    EXPECT_EQ(below.size(), 9u);
    EXPECT_EQ(*below.rbegin(), cause->y);
}

}  // namespace
}  // namespace receiptd::draw
