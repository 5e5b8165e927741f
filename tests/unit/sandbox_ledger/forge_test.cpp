// Blocks that are not on the chain, and look as if they were.
#include "test_chain.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::sandbox {
namespace {

using sim::Json;

class ForgedBlocks : public testing::Test {
protected:
    ForgedBlocks() { chain_.produce(5); }
    std::string hash_at(Height height) const { return chain_.block(height)["header"]["hash"]; }
    Json forged(const Forgery& forgery) const { return Json::parse(chain_.ledger->forge(forgery).block); }

    TestChain chain_;
};

TEST_F(ForgedBlocks, HaveTheirOwnHashAndTheParentTheyAreGiven) {
    const Forgery forgery{1'004, 1'004, 1'003, hash_at(1'003)};
    const Json block = forged(forgery);
    EXPECT_EQ(block["header"]["hash"], chain_.ledger->forge(forgery).hash);
    EXPECT_EQ(block["header"]["prev_hash"], hash_at(1'003));
    EXPECT_NE(block["header"]["hash"], hash_at(1'004));
    EXPECT_EQ(block["chunks"], chain_.block(1'004)["chunks"]);
    EXPECT_EQ(chain_.ledger->forge(forgery).block, chain_.ledger->forge(forgery).block);
    const Json child = forged({1'005, 1'005, 1'004, block["header"]["hash"]});
    EXPECT_EQ(child["header"]["prev_hash"], block["header"]["hash"]);
    EXPECT_NE(child["header"]["hash"], hash_at(1'005));
}

TEST_F(ForgedBlocks, MayStandAtAnyHeight) {
    const Json block = forged({1'004, 9'223'372'036'854'775'806, 1'003, hash_at(1'003)});
    EXPECT_EQ(block["header"]["height"], 9'223'372'036'854'775'806u);
    EXPECT_EQ(block["header"]["chunks_included"], 0);
}

TEST_F(ForgedBlocks, MayHaveAnotherTime) {
    const Forgery forgery{1'004, 1'004, 1'003, hash_at(1'003), -2};
    const auto time = [](const Json& block) {
        return std::stoll(block["header"]["timestamp_nanosec"].get<std::string>());
    };
    EXPECT_EQ(time(forged(forgery)), time(chain_.block(1'004)) - 2 * 86'400'000'000'000);
}

TEST_F(ForgedBlocks, ComeAsWholeBlocksToo) {
    const Forgery forgery{1'004, 1'004, 1'003, hash_at(1'003)};
    const Json whole = Json::parse(chain_.ledger->forged_whole_block(forgery));
    EXPECT_EQ(whole["block"], forged(forgery));
    EXPECT_EQ(whole["shards"].size(), 3u);
}

}  // namespace
}  // namespace receiptd::sandbox
