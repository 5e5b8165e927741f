// The chain as the daemon's own reader of whole blocks sees it, against ground truth: two programs
// that know nothing of each other must agree on every tree.
#include "random_traffic.hpp"

#include "chain/json/decode.hpp"
#include "chain/rows/block_trees.hpp"
#include "chain/tree/lineage.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::sandbox {
namespace {

using sim::Json;

struct Seen {
    std::string tree;
    std::string parent;  // empty: the transaction
    std::string role;
    Height height = 0;
    friend bool operator==(const Seen&, const Seen&) = default;
};
using SeenByReceipt = std::map<std::string, Seen>;

std::ostream& operator<<(std::ostream& out, const Seen& seen) {
    return out << seen.role << " of " << seen.tree << " below " << seen.parent << " at " << seen.height;
}

SeenByReceipt read_by_daemon(const TestChain& chain) {
    SeenByReceipt seen;
    chain::Lineage lineage;
    const chain::Scope everything;
    for (Height height = chain.ledger->first(); height <= chain.ledger->tip(); ++height) {
        const auto text = chain.ledger->whole_block(height);
        if (!text) continue;
        const auto decoded = chain::decode_whole_block(*text);
        if (!decoded) {
            ADD_FAILURE() << decoded.error().to_string();
            return seen;
        }
        chain::BlockTrees trees(decoded->value, everything, lineage);
        for (const auto& node : trees.executed()) {
            const bool again =
                !seen.emplace(std::string(node.receipt->receipt.receipt_id),
                              Seen{std::string(node.tree.tree_id), std::string(node.parent_receipt_id),
                                   std::string(chain::role_name(
                                       chain::role_of(node.receipt->receipt, node.parent).value())),
                                   height})
                     .second;
            EXPECT_FALSE(again) << "executed twice: " << node.receipt->receipt.receipt_id;
        }
        trees.announce_children();
    }
    return seen;
}

SeenByReceipt read_from_truth(const TestChain& chain) {
    SeenByReceipt seen;
    const Json all = chain.ledger->truth(0, chain.ledger->tip());
    for (const Json& transaction : all) {
        for (const Json& node : transaction.at("tree")) {
            if (node.at("status") == "pending") continue;
            const Json& parent = node.at("parent");
            seen.emplace(node.at("receipt_id"),
                         Seen{transaction.at("tx_hash"), parent.is_null() ? "" : parent.get<std::string>(),
                              node.at("role"), node.at("executed_height")});
        }
    }
    return seen;
}

TEST(DaemonsView, OfEveryTreeIsThatOfGroundTruth) {
    LedgerOptions options = test_options();
    options.missing_chunk_probability = 0.15;
    options.skipped_height_probability = 0.1;
    for (GenesisAccount& account : options.accounts) account.amount = 1'000'000 * kToken;
    TestChain chain(std::move(options));
    RandomTraffic traffic(chain, 11);
    for (int i = 0; i < 25; ++i) {
        for (int each = 0; each < 12; ++each) chain.ledger->submit(traffic.next());
        if (i == 8) chain.ledger->congest(chain.shard_id_of("ft.sandbox"), 4);
        chain.produce();
    }
    chain.produce(20);
    const SeenByReceipt truth = read_from_truth(chain);
    EXPECT_GT(truth.size(), 500U);
    EXPECT_EQ(read_by_daemon(chain), truth);
}

}  // namespace
}  // namespace receiptd::sandbox
