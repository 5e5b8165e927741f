// Blocks, chunks, finality, epochs and determinism.
#include "test_chain.hpp"

#include "chain/json/decode.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::sandbox {
namespace {

using sim::Json;

const Json& header(const Json& block) { return block.at("header"); }

TEST(Blocks, GenesisHasAnEmptyChunkOfEveryShard) {
    TestChain chain;
    const Json genesis = chain.block(1'000);
    EXPECT_EQ(chain.ledger->first(), 1'000U);
    EXPECT_EQ(chain.ledger->tip(), 1'000U);
    EXPECT_EQ(genesis.at("chunks").size(), 3U);
    EXPECT_EQ(header(genesis).at("prev_hash"), std::string(32, '1'));
    EXPECT_EQ(header(genesis).at("block_ordinal"), 1);
    for (const Json& chunk : genesis.at("chunks")) EXPECT_EQ(chunk.at("height_included"), 1'000);
}

TEST(Blocks, EachNamesItsParentAndChainTimeAdvancesByBlockTime) {
    TestChain chain;
    chain.produce(5);
    for (Height height = 1'001; height <= 1'005; ++height) {
        const Json block = chain.block(height);
        const Json parent = chain.block(height - 1);
        EXPECT_EQ(header(block).at("prev_hash"), header(parent).at("hash"));
        EXPECT_EQ(header(block).at("prev_height"), height - 1);
        EXPECT_EQ(header(block).at("timestamp").get<std::uint64_t>(),
                  header(parent).at("timestamp").get<std::uint64_t>() + 600'000'000);
        EXPECT_EQ(header(block).at("timestamp_nanosec"),
                  std::to_string(header(block).at("timestamp").get<std::uint64_t>()));
    }
}

const char* const kHeaderMembers[] = {"height",
                                      "prev_height",
                                      "epoch_id",
                                      "next_epoch_id",
                                      "hash",
                                      "prev_hash",
                                      "prev_state_root",
                                      "block_body_hash",
                                      "chunk_receipts_root",
                                      "chunk_headers_root",
                                      "chunk_tx_root",
                                      "outcome_root",
                                      "chunks_included",
                                      "challenges_root",
                                      "timestamp",
                                      "timestamp_nanosec",
                                      "random_value",
                                      "validator_proposals",
                                      "chunk_mask",
                                      "gas_price",
                                      "block_ordinal",
                                      "rent_paid",
                                      "validator_reward",
                                      "total_supply",
                                      "challenges_result",
                                      "last_final_block",
                                      "last_ds_final_block",
                                      "next_bp_hash",
                                      "block_merkle_root",
                                      "epoch_sync_data_hash",
                                      "approvals",
                                      "signature",
                                      "latest_protocol_version",
                                      "chunk_endorsements",
                                      "shard_split"};
const char* const kChunkMembers[] = {"chunk_hash",
                                     "prev_block_hash",
                                     "outcome_root",
                                     "prev_state_root",
                                     "encoded_merkle_root",
                                     "encoded_length",
                                     "height_created",
                                     "height_included",
                                     "shard_id",
                                     "gas_used",
                                     "gas_limit",
                                     "rent_paid",
                                     "validator_reward",
                                     "balance_burnt",
                                     "outgoing_receipts_root",
                                     "tx_root",
                                     "validator_proposals",
                                     "congestion_info",
                                     "bandwidth_requests",
                                     "proposed_split",
                                     "signature"};

TEST(Blocks, HaveEveryMemberOfTheWireReference) {
    TestChain chain;
    chain.produce(2);
    const Json block = chain.block(1'002);
    for (const char* member : kHeaderMembers) EXPECT_TRUE(header(block).contains(member)) << member;
    for (const char* member : kChunkMembers) EXPECT_TRUE(block.at("chunks").at(0).contains(member)) << member;
}

TEST(Blocks, SameSeedAndSameCallsGiveTheSameBytes) {
    const auto dump = [](std::uint64_t seed) {
        LedgerOptions options = test_options();
        options.seed = seed;
        options.missing_chunk_probability = 0.2;
        options.skipped_height_probability = 0.1;
        TestChain chain(std::move(options));
        std::string all;
        for (int i = 0; i < 20; ++i) {
            chain.send(chain.transfer("alice.sandbox", "bob.sandbox", kToken));
            chain.send(chain.call("bob.sandbox", "ft.sandbox", "log", "x"));
            chain.produce();
            all += *chain.ledger->whole_block(chain.ledger->tip());
        }
        return all + chain.ledger->truth(0, chain.ledger->tip()).dump();
    };
    EXPECT_EQ(dump(7), dump(7));
    EXPECT_NE(dump(7), dump(8));
}

TEST(Blocks, ApprovalsAreSignaturesOfTheValidators) {
    TestChain chain;
    chain.produce();
    const Json block = chain.block(1'001);
    const auto signature = chain::Signature::parse(header(block).at("signature").get<std::string>());
    const auto hash = CryptoHash::parse(header(block).at("hash").get<std::string>());
    const Json validators = chain.ledger->validators(1'001).at("current_validators");
    const auto author = std::find_if(validators.begin(), validators.end(), [&](const Json& validator) {
        return validator.at("account_id") == block.at("author");
    });
    ASSERT_NE(author, validators.end());
    const auto key = chain::PublicKey::parse(author->at("public_key").get<std::string>());
    EXPECT_EQ(chain::check_signature(*signature, hash->view(), *key), chain::SignatureCheck::valid);
    EXPECT_EQ(header(block).at("approvals").size(), validators.size());
}

TEST(Finality, IsTwoBlocksBehindWhileHeightsAreConsecutive) {
    TestChain chain;
    chain.produce(5);
    EXPECT_EQ(chain.ledger->final_head(1'005), 1'003U);
    EXPECT_EQ(chain.ledger->near_final_head(1'005), 1'004U);
    EXPECT_EQ(header(chain.block(1'005)).at("last_final_block"), header(chain.block(1'003)).at("hash"));
    EXPECT_EQ(header(chain.block(1'005)).at("last_ds_final_block"), header(chain.block(1'004)).at("hash"));
}

TEST(Finality, RightAfterGenesisNothingIsFinalButGenesis) {
    TestChain chain;
    chain.produce(1);
    EXPECT_EQ(header(chain.block(1'001)).at("last_final_block"), std::string(32, '1'));
    EXPECT_EQ(chain.ledger->final_head(1'001), 1'000U);
    chain.produce(1);
    EXPECT_EQ(header(chain.block(1'002)).at("last_final_block"), header(chain.block(1'000)).at("hash"));
}

TEST(Finality, WaitsForTwoConsecutiveHeightsAfterASkippedOne) {
    TestChain chain;
    chain.produce(5);
    chain.ledger->skip_heights(2);
    chain.produce(1);
    EXPECT_EQ(chain.ledger->tip(), 1'008U);
    EXPECT_FALSE(chain.ledger->has_block(1'006));
    EXPECT_FALSE(chain.ledger->block(1'007));
    EXPECT_EQ(chain.ledger->final_head(1'008), 1'003U);
    chain.produce(1);
    EXPECT_EQ(chain.ledger->final_head(1'009), 1'003U);
    EXPECT_EQ(chain.ledger->near_final_head(1'009), 1'008U);
    chain.produce(1);
    EXPECT_EQ(chain.ledger->final_head(1'010), 1'008U);
    EXPECT_EQ(header(chain.block(1'008)).at("prev_height"), 1'005);
    EXPECT_EQ(chain.ledger->back(1'008, 1), 1'005U);
    EXPECT_EQ(chain.ledger->back(1'008, 1'000), 1'000U);
}

TEST(Epochs, HaveTheIdOfTheLastBlockTwoEpochsBefore) {
    TestChain chain;
    chain.produce(65);
    const std::string zero(32, '1');
    const auto hash = [&](Height height) { return header(chain.block(height)).at("hash"); };
    EXPECT_EQ(header(chain.block(1'001)).at("epoch_id"), zero);
    EXPECT_EQ(header(chain.block(1'001)).at("next_epoch_id"), hash(1'000));
    EXPECT_EQ(header(chain.block(1'019)).at("epoch_id"), zero);
    EXPECT_EQ(header(chain.block(1'020)).at("epoch_id"), hash(1'000));
    EXPECT_EQ(header(chain.block(1'020)).at("next_epoch_id"), hash(1'019));
    EXPECT_EQ(header(chain.block(1'040)).at("epoch_id"), hash(1'019));
    EXPECT_FALSE(header(chain.block(1'040)).at("epoch_sync_data_hash").is_null());
    EXPECT_TRUE(header(chain.block(1'041)).at("epoch_sync_data_hash").is_null());
    EXPECT_EQ(chain.ledger->epoch_start(1'039), 1'020U);
    EXPECT_EQ(chain.ledger->validators(1'045).at("epoch_start_height"), 1'040);
}

TEST(Chunks, AWithheldOneRepeatsTheHeaderAndDelaysItsShard) {
    TestChain chain;
    const std::uint64_t shard_id = chain.shard_id_of("alice.sandbox");
    ASSERT_TRUE(chain.ledger->withhold_chunk(shard_id));
    const std::string hash = chain.send(chain.transfer("alice.sandbox", "relayer.sandbox", kToken));
    chain.produce(1);
    const Json missing = chain.block(1'001);
    const std::size_t index = chain.ledger->layout().index_of("alice.sandbox");
    EXPECT_EQ(missing.at("chunks").at(index), chain.block(1'000).at("chunks").at(index));
    EXPECT_EQ(header(missing).at("chunk_mask").at(index), false);
    EXPECT_EQ(header(missing).at("chunks_included"), 2);
    EXPECT_TRUE(chain.whole(1'001).at("shards").at(index).at("chunk").is_null());
    chain.produce(3);
    EXPECT_EQ(chain.truth(hash).at("heights").at("included"), 1'002);
    EXPECT_FALSE(chain.ledger->withhold_chunk(999));
}

TEST(Chunks, ReceiptsWaitForTheNextChunkOfTheirShard) {
    TestChain chain;
    const std::string hash = chain.send(chain.transfer("alice.sandbox", "relayer.sandbox", kToken));
    chain.produce(1);
    chain.ledger->withhold_chunk(chain.shard_id_of("relayer.sandbox"), 2);
    chain.produce(3);
    EXPECT_EQ(chain.truth(hash).at("heights").at("included"), 1'001);
    EXPECT_EQ(chain.truth(hash).at("heights").at("executed"), 1'004);
}

TEST(Chunks, ListWhatTheirShardProducedAtItsPreviousChunk) {
    TestChain chain;
    const std::string hash = chain.send(chain.transfer("alice.sandbox", "relayer.sandbox", kToken));
    chain.produce(3);
    const std::size_t index = chain.ledger->layout().index_of("alice.sandbox");
    const auto chunk = [&](Height height) {
        const std::string id = chain.block(height).at("chunks").at(index).at("chunk_hash");
        return Json::parse(chain.ledger->chunk(id)->json);
    };
    EXPECT_EQ(chunk(1'001).at("transactions").at(0).at("hash"), hash);
    EXPECT_TRUE(chunk(1'001).at("receipts").empty());
    ASSERT_EQ(chunk(1'002).at("receipts").size(), 1U);
    EXPECT_EQ(chunk(1'002).at("receipts").at(0).at("receipt_id"),
              chain.truth(hash).at("tree").at(0).at("receipt_id"));
    // The header tells what applying the chunk before did.
    EXPECT_EQ(chunk(1'001).at("header").at("gas_used"), 0);
    EXPECT_EQ(chunk(1'002).at("header").at("gas_used"), 223'182'562'500U);
    EXPECT_EQ(chunk(1'002).at("header").at("balance_burnt"), "22318256250000000000");
    EXPECT_NE(chunk(1'002).at("header").at("outcome_root"), std::string(32, '1'));
}

TEST(Supply, FallsByWhatIsBurntAsChunkHeadersTellIt) {
    TestChain chain;
    chain.send(chain.transfer("alice.sandbox", "relayer.sandbox", kToken));
    chain.produce(4);
    const auto supply = [&](Height height) {
        return *base::parse_u128(header(chain.block(height)).at("total_supply").get<std::string>());
    };
    EXPECT_EQ(supply(1'001), supply(1'000));
    EXPECT_EQ(supply(1'001) - supply(1'002), u128{223'182'562'500} * 100'000'000);
    EXPECT_EQ(supply(1'002) - supply(1'003), u128{223'182'562'500} * 100'000'000);
    EXPECT_EQ(supply(1'004), supply(1'003));
}

TEST(GasPrice, RisesWhileChunksAreFullAndNeverFallsBelowTheMinimum) {
    LedgerOptions options = test_options();
    options.gas_limit = 20 * sim::kTera;
    options.shards = 1;
    TestChain chain(std::move(options));
    for (int i = 0; i < 5; ++i) {
        chain.send(chain.call("alice.sandbox", "ft.sandbox", "burn", "50"));
        chain.produce();
    }
    const auto price = [&](Height height) {
        return *base::parse_u128(header(chain.block(height)).at("gas_price").get<std::string>());
    };
    EXPECT_EQ(price(1'001), 100'000'000U);
    EXPECT_GT(price(chain.ledger->tip()), 100'000'000U);
    for (Height height = 1'001; height <= chain.ledger->tip(); ++height) {
        EXPECT_LE(price(height) * 100, price(height - 1) * 101);
    }
    chain.produce(10);
    EXPECT_EQ(price(chain.ledger->tip()), 100'000'000U);
}

TEST(WholeBlocks, AreReadByTheDaemonsDecoder) {
    TestChain chain;
    chain.send(chain.call("alice.sandbox", "ft.sandbox", "call",
                          R"({"to":"relayer.sandbox","method":"keep","then":"keep","return":true})"));
    chain.send(chain.transfer("bob.sandbox", "bob.sandbox", kToken));
    chain.send(chain.call("ft.sandbox", "script.sandbox", "yield"));
    std::size_t transactions = 0;
    std::size_t executed = 0;
    for (int i = 0; i < 15; ++i) {
        chain.produce();
        const auto decoded = chain::decode_whole_block(*chain.ledger->whole_block(chain.ledger->tip()));
        ASSERT_TRUE(decoded.has_value()) << decoded.error().to_string();
        EXPECT_EQ(decoded->value.block.header.height, chain.ledger->tip());
        for (const chain::WholeBlockShard& shard : decoded->value.shards) {
            transactions += shard.transactions.size();
            executed += shard.executed.size();
            for (const chain::ExecutedReceipt& receipt : shard.executed)
                EXPECT_FALSE(receipt.tx_hash.empty());
        }
        ASSERT_TRUE(chain::decode_block(*chain.ledger->block(chain.ledger->tip())).has_value());
    }
    EXPECT_EQ(transactions, 3U);
    EXPECT_EQ(executed, chain.ledger->check().executed);
    EXPECT_EQ(chain.ledger->whole_block(999), nullptr);
}

TEST(WholeBlocks, HaveLocalReceiptsAndYieldsBesideWhatIsListed) {
    TestChain chain;
    chain.send(chain.transfer("bob.sandbox", "bob.sandbox", kToken));
    chain.produce();
    const std::size_t bob = chain.ledger->layout().index_of("bob.sandbox");
    const Json shard = chain.whole(1'001).at("shards").at(bob);
    ASSERT_EQ(shard.at("chunk").at("local_receipts").size(), 1U);
    EXPECT_EQ(shard.at("chunk").at("transactions").at(0).at("outcome").at("receipt"),
              shard.at("chunk").at("local_receipts").at(0));
    EXPECT_EQ(shard.at("receipt_execution_outcomes").size(), 1U);
    chain.send(chain.call("script.sandbox", "script.sandbox", "yield"));
    chain.produce();
    const std::size_t script = chain.ledger->layout().index_of("script.sandbox");
    const Json yields = chain.whole(1'002).at("shards").at(script).at("chunk").at("instant_receipts");
    ASSERT_EQ(yields.size(), 1U);
    EXPECT_EQ(yields.at(0).at("receipt").at("Action").at("is_promise_yield"), true);
}

TEST(Options, ThatMakeNoChainAreRefused) {
    const auto refused = [](auto&& change) {
        LedgerOptions options = test_options();
        change(options);
        EXPECT_THROW(TestChain(std::move(options)), std::invalid_argument);
    };
    refused([](LedgerOptions& options) { options.shards = 0; });
    refused([](LedgerOptions& options) { options.validators = 0; });
    refused([](LedgerOptions& options) { options.epoch_blocks = 0; });
    refused([](LedgerOptions& options) { options.skipped_height_probability = 1; });
    refused([](LedgerOptions& options) { options.missing_chunk_probability = -0.1; });
    refused([](LedgerOptions& options) { options.gas_price = 1; });
    refused([](LedgerOptions& options) { options.accounts.push_back(options.accounts.front()); });
    refused([](LedgerOptions& options) { options.accounts.push_back(make_account("Bad Name")); });
}

}  // namespace
}  // namespace receiptd::sandbox
