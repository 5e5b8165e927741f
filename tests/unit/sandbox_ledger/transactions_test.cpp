// Transaction views, execution levels, proofs and views of the state.
#include "test_chain.hpp"

#include "chain/json/decode.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::sandbox {
namespace {

using sim::Json;

CryptoHash hash_of(const Json& text) { return CryptoHash::parse(text.get<std::string>()).value(); }

chain::ProofPath path_of(const Json& steps) {
    chain::ProofPath path;
    for (const Json& step : steps) path.push_back({hash_of(step.at("hash")), step.at("direction") == "Left"});
    return path;
}

// From the JSON a client gets, as a client checks it (encoding.md §7.4).
struct ClientProof {
    std::string executor;
    std::vector<std::string> logs;
    chain::LightClientProof proof;

    explicit ClientProof(const Json& json) {
        const Json& outcome = json.at("outcome_proof").at("outcome");
        executor = outcome.at("executor_id");
        logs = outcome.at("logs").get<std::vector<std::string>>();
        proof.outcome.id = hash_of(json.at("outcome_proof").at("id"));
        for (const Json& id : outcome.at("receipt_ids")) proof.outcome.receipt_ids.push_back(hash_of(id));
        proof.outcome.gas_burnt = outcome.at("gas_burnt");
        proof.outcome.tokens_burnt = *base::parse_u128(outcome.at("tokens_burnt").get<std::string>());
        proof.outcome.executor_id = executor;
        proof.outcome.logs.assign(logs.begin(), logs.end());
        set_status(outcome.at("status"));
        proof.block_hash = hash_of(json.at("outcome_proof").at("block_hash"));
        proof.outcome_path = path_of(json.at("outcome_proof").at("proof"));
        proof.outcome_root_path = path_of(json.at("outcome_root_proof"));
        proof.block_path = path_of(json.at("block_proof"));
        set_header(json.at("block_header_lite"));
    }

private:
    void set_status(const Json& status) {
        if (status.contains("SuccessValue")) {
            proof.outcome.status = *chain::base64_decode(status.at("SuccessValue").get<std::string>());
        } else if (status.contains("SuccessReceiptId")) {
            proof.outcome.status = hash_of(status.at("SuccessReceiptId"));
        } else {
            proof.outcome.status = chain::OutcomeCommitment::Failure{};
        }
    }
    void set_header(const Json& header) {
        const Json& lite = header.at("inner_lite");
        proof.block_header_lite.inner_rest_hash = hash_of(header.at("inner_rest_hash"));
        proof.block_header_lite.prev_block_hash = hash_of(header.at("prev_block_hash"));
        proof.block_header_lite.inner_lite = {lite.at("height"),
                                              hash_of(lite.at("epoch_id")),
                                              hash_of(lite.at("next_epoch_id")),
                                              hash_of(lite.at("prev_state_root")),
                                              hash_of(lite.at("outcome_root")),
                                              std::stoull(lite.at("timestamp_nanosec").get<std::string>()),
                                              hash_of(lite.at("next_bp_hash")),
                                              hash_of(lite.at("block_merkle_root"))};
    }
};

TEST(ExecutionLevels, AreThoseOfANodeBlockByBlock) {
    TestChain chain;
    // A failing call with a deposit: its refund comes one block later.
    const std::string hash = chain.send(chain.call("alice.sandbox", "ft.sandbox", "panic", "", kToken));
    std::vector<std::string> levels;
    for (int i = 0; i < 6; ++i) {
        chain.produce();
        levels.emplace_back(to_string(chain.ledger->execution_level(hash, chain.ledger->tip())));
    }
    // Two refunds, of the deposit and of the gas: only the last one may be pending in EXECUTED_OPTIMISTIC.
    EXPECT_EQ(levels,
              (std::vector<std::string>{"INCLUDED", "INCLUDED", "EXECUTED", "EXECUTED", "FINAL", "FINAL"}));
}

TEST(ExecutionLevels, AMissingLastRefundDoesNotHoldBackExecuted) {
    TestChain chain;
    const std::string hash = chain.send(chain.call("alice.sandbox", "ft.sandbox", "keep"));
    std::vector<std::string> levels;
    for (int i = 0; i < 5; ++i) {
        chain.produce();
        levels.emplace_back(to_string(chain.ledger->execution_level(hash, chain.ledger->tip())));
    }
    EXPECT_EQ(levels,
              (std::vector<std::string>{"INCLUDED", "EXECUTED_OPTIMISTIC", "EXECUTED", "EXECUTED", "FINAL"}));
}

TEST(ExecutionLevels, IncludedFinalWhileAYieldIsPending) {
    TestChain chain;
    const std::string hash = chain.run(chain.call("alice.sandbox", "script.sandbox", "yield"), 4);
    EXPECT_EQ(chain.ledger->execution_level(hash, 1'004), ExecutionLevel::included_final);
    EXPECT_EQ(chain.tx(hash).at("final_execution_status"), "INCLUDED_FINAL");
}

TEST(ExecutionLevels, OfAnOlderTipAreThoseItHadThen) {
    TestChain chain;
    const std::string hash = chain.run(chain.transfer("alice.sandbox", "relayer.sandbox", 1), 8);
    EXPECT_EQ(chain.ledger->execution_level(hash, 1'000), ExecutionLevel::none);
    EXPECT_EQ(chain.ledger->execution_level(hash, 1'001), ExecutionLevel::included);
    EXPECT_EQ(chain.ledger->execution_level(hash, 1'002), ExecutionLevel::executed_optimistic);
    EXPECT_EQ(chain.ledger->execution_level(hash, 1'008), ExecutionLevel::final);
    EXPECT_FALSE(chain.ledger->transaction(hash, 1'000));
    EXPECT_TRUE(Json::parse(chain.ledger->transaction(hash, 1'001)->json).at("receipts_outcome").empty());
    EXPECT_EQ(chain.ledger->execution_level(CryptoHash{}.to_string(), 1'008), ExecutionLevel::none);
    EXPECT_EQ(chain.ledger->execution_level("no hash", 1'008), ExecutionLevel::none);
}

TEST(TransactionViews, ListOutcomesAndReceiptsDepthFirst) {
    TestChain chain;
    const std::string hash =
        chain.run(chain.call("alice.sandbox", "ft.sandbox", "call",
                             R"({"to":"script.sandbox","method":"keep","then":"keep","return":true})"));
    const Json view = chain.tx(hash);
    EXPECT_EQ(view.at("final_execution_status"), "FINAL");
    EXPECT_EQ(view.at("status"), Json({{"SuccessValue", chain::base64_encode(chain::bytes_of("kept"))}}));
    const Json tree = chain.truth(hash).at("tree");
    ASSERT_EQ(view.at("receipts_outcome").size(), tree.size());
    ASSERT_EQ(view.at("receipts").size(), tree.size());
    for (std::size_t i = 0; i < tree.size(); ++i) {
        EXPECT_EQ(view.at("receipts_outcome").at(i).at("id"), tree.at(i).at("receipt_id"));
        EXPECT_EQ(view.at("receipts").at(i).at("receipt_id"), tree.at(i).at("receipt_id"));
        const Height executed = tree.at(i).at("executed_height");
        EXPECT_EQ(view.at("receipts_outcome").at(i).at("block_hash"),
                  chain.block(executed).at("header").at("hash"));
    }
    EXPECT_FALSE(
        Json::parse(chain.ledger->transaction(hash, chain.ledger->tip())->json).contains("receipts"));
}

TEST(TransactionViews, AreReadByTheDaemonsDecoder) {
    TestChain chain;
    const std::string hash = chain.run(chain.call("alice.sandbox", "ft.sandbox", "panic", "", kToken));
    const auto decoded = chain::decode_transaction_status(
        chain.ledger->transaction(hash, chain.ledger->tip())->json_with_receipts);
    ASSERT_TRUE(decoded.has_value()) << decoded.error().to_string();
    EXPECT_EQ(decoded->value.transaction->hash, hash);
    EXPECT_EQ(decoded->value.receipts->size(), decoded->value.receipts_outcome.size());
}

// Recorded on a real node: the body is the transaction's, and only the refund has one of its own.
TEST(TransactionViews, OfALocalReceiptHaveNoBody) {
    TestChain chain;
    const std::string hash = chain.run(chain.transfer("bob.sandbox", "bob.sandbox", 1), 2);
    ASSERT_EQ(chain.tx(hash).at("receipts_outcome").size(), 2U);
    ASSERT_EQ(chain.tx(hash).at("receipts").size(), 1U);
    EXPECT_EQ(chain.tx(hash).at("receipts").at(0).at("predecessor_id"), "system");
}

TEST(TransactionViews, SayStartedUntilTheReturnedPromiseIsDone) {
    TestChain chain;
    const std::string hash =
        chain.send(chain.call("alice.sandbox", "ft.sandbox", "call",
                              R"({"to":"script.sandbox","method":"keep","then":"keep","return":true})"));
    chain.produce(2);
    EXPECT_EQ(chain.tx(hash).at("status"), "Started");
}

TEST(Receipts, AreFoundFromTheBlockOnThatMakesThem) {
    TestChain chain;
    const std::string hash = chain.send(chain.call(
        "alice.sandbox", "ft.sandbox", "call", R"({"to":"script.sandbox","method":"panic","then":"keep"})"));
    chain.produce(2);
    const std::string promise = chain.truth(hash).at("tree").at(1).at("receipt_id");
    const auto located = chain.ledger->receipt(promise);
    ASSERT_TRUE(located);
    EXPECT_EQ(located->height, 1'002U);
    EXPECT_EQ(Json::parse(located->json).at("receiver_id"), "script.sandbox");
    EXPECT_EQ(chain.ledger->transaction_of_receipt(promise)->transaction_hash, hash);
    EXPECT_EQ(chain.ledger->transaction_of_receipt(promise)->sender_account_id, "alice.sandbox");
    EXPECT_FALSE(chain.ledger->receipt(hash));
    EXPECT_FALSE(chain.ledger->transaction_of_receipt("?"));
}

TEST(Receipts, OfDataBelongToTheTransactionThatAwaitsThem) {
    TestChain chain;
    const std::string hash = chain.run(chain.call(
        "alice.sandbox", "ft.sandbox", "call", R"({"to":"script.sandbox","method":"panic","then":"keep"})"));
    std::size_t found = 0;
    for (Height height = 1'001; height <= chain.ledger->tip(); ++height) {
        const Json whole = chain.whole(height);
        for (const Json& shard : whole.at("shards")) {
            for (const Json& receipt : shard.at("chunk").at("receipts")) {
                if (!receipt.at("receipt").contains("Data")) continue;
                EXPECT_EQ(receipt.at("receipt").at("Data").at("data"), nullptr);
                EXPECT_EQ(chain.ledger->transaction_of_receipt(receipt.at("receipt_id").get<std::string>())
                              ->transaction_hash,
                          hash);
                ++found;
            }
        }
    }
    EXPECT_EQ(found, 1U);
}

TEST(OutcomeProofs, OfTransactionViewsLeadToTheNextChunksOutcomeRoot) {
    TestChain chain;
    const std::string hash = chain.send(chain.transfer("alice.sandbox", "bob.sandbox", 1));
    chain.send(chain.transfer("alice.sandbox", "bob.sandbox", 2));
    chain.send(chain.transfer("alice.sandbox", "alice.sandbox", 3));
    chain.produce(4);
    const Json outcome = chain.tx(hash).at("transaction_outcome");
    EXPECT_FALSE(outcome.at("proof").empty());
    const auto verified = chain.ledger->light_client_proof({true, hash, chain.ledger->tip()});
    ASSERT_TRUE(std::holds_alternative<Json>(verified));
    EXPECT_EQ(std::get<Json>(verified).at("outcome_proof").at("proof"), outcome.at("proof"));
}

TEST(LightClientProofs, OfEveryOutcomeVerifyAgainstTheHeadAsAClientChecksThem) {
    LedgerOptions options = test_options();
    options.missing_chunk_probability = 0.3;
    options.skipped_height_probability = 0.2;
    TestChain chain(std::move(options));
    std::vector<std::string> hashes;
    for (int i = 0; i < 12; ++i) {
        hashes.push_back(chain.send(
            chain.call("alice.sandbox", "ft.sandbox", "call",
                       R"({"to":"script.sandbox","method":"log","args":"hello","then":"callback_panic"})")));
        chain.produce();
    }
    chain.produce(15);
    const CryptoHash root = hash_of(chain.block(chain.ledger->tip()).at("header").at("block_merkle_root"));
    std::size_t checked = 0;
    const auto check = [&](bool is_transaction, const std::string& id) {
        const auto proof = chain.ledger->light_client_proof({is_transaction, id, chain.ledger->tip()});
        ASSERT_TRUE(std::holds_alternative<Json>(proof)) << id;
        EXPECT_EQ(chain::check_light_client_proof(ClientProof(std::get<Json>(proof)).proof, root),
                  chain::ProofVerdict::valid);
        ++checked;
    };
    for (const std::string& hash : hashes) {
        check(true, hash);
        const Json tree = chain.truth(hash).at("tree");
        for (const Json& node : tree) check(false, node.at("receipt_id").get<std::string>());
    }
    EXPECT_GT(checked, 40U);
    EXPECT_EQ(chain.ledger->check().proofs, checked);
}

TEST(LightClientProofs, AreNotConfirmedBeforeTheNextChunkIsBelowTheHead) {
    TestChain chain;
    const std::string hash = chain.send(chain.transfer("alice.sandbox", "relayer.sandbox", 1));
    const auto answer = [&](bool is_transaction, const std::string& id, Height head) {
        const auto proof = chain.ledger->light_client_proof({is_transaction, id, head});
        return std::holds_alternative<NoProof>(proof) ? std::optional(std::get<NoProof>(proof))
                                                      : std::nullopt;
    };
    EXPECT_EQ(answer(true, hash, 1'000), NoProof::unknown);
    chain.produce(1);
    EXPECT_EQ(answer(true, hash, 1'001), NoProof::not_confirmed);
    const std::string receipt = chain.truth(hash).at("tree").at(0).at("receipt_id");
    EXPECT_EQ(answer(false, receipt, 1'001), NoProof::not_confirmed);
    chain.produce(1);
    EXPECT_EQ(answer(true, hash, 1'002), NoProof::not_confirmed);
    chain.produce(1);
    EXPECT_EQ(answer(true, hash, 1'003), std::nullopt);
    EXPECT_EQ(answer(true, hash, 1'002), NoProof::not_confirmed);
    EXPECT_EQ(answer(false, CryptoHash{}.to_string(), 1'003), NoProof::unknown);
}

TEST(StateViews, ShowAnyPastHeight) {
    TestChain chain;
    chain.run(chain.transfer("alice.sandbox", "dora.sandbox", 1), 3);
    chain.run(chain.transfer("alice.sandbox", "bob.sandbox", kToken), 3);
    EXPECT_EQ(chain.ledger->view_account("bob.sandbox", 1'000)->at("amount"),
              base::to_string(10'000 * kToken));
    EXPECT_EQ(chain.ledger->view_account("bob.sandbox", 1'006)->at("amount"),
              base::to_string(10'001 * kToken));
    EXPECT_FALSE(chain.ledger->view_account("dora.sandbox", 1'006));
    EXPECT_FALSE(chain.ledger->view_access_key("bob.sandbox", key_of("alice.sandbox").public_key(), 1'006));
    EXPECT_EQ(chain.ledger->view_access_key_list("bob.sandbox", 1'006).at(0).at("access_key"),
              Json({{"nonce", 0}, {"permission", "FullAccess"}}));
    EXPECT_FALSE(chain.ledger->view_code("bob.sandbox", 1'006));
    EXPECT_EQ(chain.ledger->view_code("ft.sandbox", 1'006)->at("code_base64"),
              chain::base64_encode(chain::bytes_of(kContractCode)));
    EXPECT_EQ(chain.ledger->view_state("ft.sandbox", "", 1'006), Json::array());
}

TEST(StateViews, CallsAnswerValuesLogsAndSoftErrors) {
    TestChain chain;
    EXPECT_EQ(chain::text_of(chain.ledger->call_function("ft.sandbox", "keep", {}, 1'000).value), "kept");
    EXPECT_EQ(chain.ledger->call_function("ft.sandbox", "log", {'h', 'i'}, 1'000).logs,
              std::vector<std::string>{"hi"});
    EXPECT_NE(chain.ledger->call_function("ft.sandbox", "nothing", {}, 1'000).error.find("MethodNotFound"),
              std::string::npos);
    EXPECT_NE(chain.ledger->call_function("bob.sandbox", "keep", {}, 1'000).error.find("CodeDoesNotExist"),
              std::string::npos);
}

TEST(StateViews, ChangesInABlockNameWhoWasTouched) {
    TestChain chain;
    chain.run(chain.transfer("alice.sandbox", "relayer.sandbox", 1), 2);
    const Json changes = chain.ledger->changes_in_block(1'001);
    EXPECT_NE(std::find(changes.begin(), changes.end(),
                        Json({{"type", "account_touched"}, {"account_id", "alice.sandbox"}})),
              changes.end());
    EXPECT_NE(std::find(changes.begin(), changes.end(),
                        Json({{"type", "access_key_touched"}, {"account_id", "alice.sandbox"}})),
              changes.end());
}

TEST(Configurations, TellTheLayoutAndTheOptions) {
    TestChain chain;
    const Json config = chain.ledger->protocol_config(1'000);
    EXPECT_EQ(config.at("chain_id"), "sandbox");
    EXPECT_EQ(config.at("shard_layout"), chain.ledger->layout().to_json());
    EXPECT_EQ(config.at("genesis_time"), "2026-01-01T00:00:00.000000000Z");
    EXPECT_EQ(config.at("epoch_length"), 20);
    EXPECT_EQ(chain.ledger->genesis_config().at("total_supply"),
              chain.block(1'000).at("header").at("total_supply"));
}

TEST(Validators, CountWhatTheyProducedInTheEpoch) {
    TestChain chain;
    chain.ledger->withhold_chunk(chain.shard_id_of("alice.sandbox"), 2);
    chain.produce(10);
    std::uint64_t blocks = 0;
    std::uint64_t chunks = 0;
    std::uint64_t expected = 0;
    const Json validators = chain.ledger->validators(1'010);
    for (const Json& validator : validators.at("current_validators")) {
        blocks += validator.at("num_produced_blocks").get<std::uint64_t>();
        chunks += validator.at("num_produced_chunks").get<std::uint64_t>();
        expected += validator.at("num_expected_chunks").get<std::uint64_t>();
    }
    EXPECT_EQ(blocks, 10U);
    EXPECT_EQ(expected, 30U);
    EXPECT_EQ(chunks, 28U);
}

}  // namespace
}  // namespace receiptd::sandbox
