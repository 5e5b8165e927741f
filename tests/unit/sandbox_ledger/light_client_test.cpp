// A light client that trusts one block and follows the chain by signatures alone.
#include "test_chain.hpp"

#include "chain/proof/light_client.hpp"
#include "chain/wire/borsh.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::sandbox {
namespace {

using sim::Json;

CryptoHash hash_of_member(const Json& object, const char* member) {
    return CryptoHash::parse(object.at(member).get<std::string>()).value();
}

chain::LightHeader header_of(const Json& view) {
    const Json& lite = view.at("inner_lite");
    chain::LightHeader header;
    header.inner_lite = {lite.at("height"),
                         hash_of_member(lite, "epoch_id"),
                         hash_of_member(lite, "next_epoch_id"),
                         hash_of_member(lite, "prev_state_root"),
                         hash_of_member(lite, "outcome_root"),
                         std::stoull(lite.at("timestamp_nanosec").get<std::string>()),
                         hash_of_member(lite, "next_bp_hash"),
                         hash_of_member(lite, "block_merkle_root")};
    header.inner_rest_hash = hash_of_member(view, "inner_rest_hash");
    header.prev_block_hash = hash_of_member(view, "prev_block_hash");
    return header;
}

struct LightClient : testing::Test {
    TestChain chain;
    Height trusted = 1'000;

    std::optional<Json> next() const {
        return chain.ledger->next_light_client_block(trusted, chain.ledger->tip());
    }
    // The stake that signed the block after the next one of `view`, in hundredths of all.
    std::uint64_t approved(const Json& view) const {
        const CryptoHash block = chain::block_hash(header_of(view));
        chain::Writer message;
        message.u8(0);
        message.hash(chain::sha256_pair(hash_of_member(view, "next_block_inner_hash"), block));
        message.u64(view.at("inner_lite").at("height").get<Height>() + 2);
        const Json producers = chain.ledger->validators(trusted).at("current_validators");
        std::uint64_t signed_by = 0;
        for (std::size_t i = 0; i < producers.size(); ++i) {
            const auto key = chain::PublicKey::parse(producers.at(i).at("public_key").get<std::string>());
            const auto approval =
                chain::Signature::parse(view.at("approvals_after_next").at(i).get<std::string>());
            signed_by +=
                chain::check_signature(*approval, message.result(), *key) == chain::SignatureCheck::valid;
        }
        return 100 * signed_by / producers.size();
    }
};

TEST_F(LightClient, FollowsTheChainThroughItsEpochs) {
    chain.produce(95);
    std::vector<Height> heights;
    while (const auto view = next()) {
        const chain::LightHeader header = header_of(*view);
        EXPECT_EQ(chain::block_hash(header).to_string(),
                  chain.block(header.inner_lite.height).at("header").at("hash"));
        EXPECT_EQ(approved(*view), 100U);
        EXPECT_FALSE(view->at("next_bps").empty());
        trusted = header.inner_lite.height;
        heights.push_back(trusted);
    }
    // Epochs have 20 heights: the last block of the next one that has its two signed blocks in it, then the
    // newest.
    EXPECT_EQ(heights, (std::vector<Height>{1'037, 1'057, 1'077, 1'093}));
}

TEST_F(LightClient, HasNothingNewNearTheHead) {
    EXPECT_FALSE(next());
    chain.produce(2);
    EXPECT_FALSE(next()) << "only genesis is final";
    chain.produce();
    EXPECT_EQ(next()->at("inner_lite").at("height"), 1'001);
    trusted = 1'001;
    EXPECT_FALSE(next());
}

TEST_F(LightClient, IsToldNoBlockOfAForkThatLost) {
    chain.produce(5);
    chain.ledger->fork(2);
    chain.produce(6);
    EXPECT_EQ(next()->at("inner_lite").at("height"), 1'009);
    EXPECT_EQ(approved(*next()), 100U);
}

}  // namespace
}  // namespace receiptd::sandbox
