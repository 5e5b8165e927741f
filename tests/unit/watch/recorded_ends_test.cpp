// What real nodes said of transactions that they refused, took, or let expire, played back answer by answer
// (tests/data/recorded/nearcore-84/README.md).
#include "chain/json/decode.hpp"
#include "rpc/final_tree.hpp"
#include "support/recordings.hpp"
#include "unit/rpc/world.hpp"
#include "unit/watch/submit_fakes.hpp"

#include <nlohmann/json.hpp>

#include <gmock/gmock.h>

namespace receiptd::watch::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

json recorded(const std::string& name) {
    return json::parse(test::read_file(test::kRecorded / "nearcore-84" / (name + ".json")));
}

constexpr chain::BlockHeight kHead = 3'140;

// Two hosts, both with the answers of the recorded node.
class RefusedTransactions : public ::testing::Test {
protected:
    RefusedTransactions() {
        for (const auto kind : {rpc::HostKind::regular, rpc::HostKind::archival}) {
            auto& host = world.host(kind == rpc::HostKind::regular ? "regular" : "archival", kind);
            host.script = [this](const net::HttpRequest& request) {
                return answer(json::parse(request.body));
            };
        }
    }
    rpc::Transport::Reply answer(const json& asked) const {
        const auto& method = asked["method"];
        if (method == "tx" && silent) return rpc::testing::broken(net::TransportFault::timeout);
        if (method == "tx" && asked["params"].contains("tx_hash"))  // no block ever had it
            return rpc::testing::error("UNKNOWN_TRANSACTION", 422);
        if (method == "tx") return rpc::testing::http(200, played["tx signed NONE"].dump());
        if (method == "broadcast_tx_async") return rpc::testing::http(200, played[method].dump());
        if (method != "block") return rpc::testing::result(R"({"transaction_validity_period":86400})");
        const auto hash = asked["params"].value("block_id", std::string());
        if (hash.empty()) return rpc::testing::result(rpc::testing::block_json(kHead));
        if (played["name"] == "unknown_block") return rpc::testing::error("UNKNOWN_BLOCK", 422);
        return rpc::testing::result(rpc::testing::block_json(kHead - 5, "", hash));
    }
    // As a process would, by the word of the hosts so far.
    std::string handed_in(const std::string& name) {
        for (const auto& each : recorded("refused"))
            if (each["name"] == name) played = each;
        auto source = std::make_unique<rpc::RpcSubmitSource>(world.io.get_executor(), world.pool, world.time,
                                                             world.router(), 86'400, true);
        Submitter submitter(world.io.get_executor(), rows, *source, world.time);
        SubmitRequest request;
        request.base64 = played["signed_tx_base64"];
        const auto told = world.run(submitter.submit(std::move(request)));
        return told ? std::string(chain::stage_name(told->stage)) : told.error().error_class;
    }
    storage::Watch& row() { return rows.rows.begin()->second; }

    rpc::testing::World world;
    FakeTime clock;
    Rows rows{world.io.get_executor(), clock};
    json played;
    bool silent = false;
};

TEST_F(RefusedTransactions, EndBeforeTheyAreStoredForTheNodesOwnReason) {
    for (const auto& [name, reason] : std::initializer_list<std::pair<const char*, const char*>>{
             {"bad_signature", "invalid_signature"},
             {"nonce_used", "invalid_nonce"},
             {"nonce_too_large", "nonce_too_large"},
             {"no_balance", "not_enough_balance"},
             {"no_account", "signer_missing"},
             {"no_key", "access_key_not_found"},
             {"unknown_block", "invalid_chain"},
             {"too_much_gas", "total_prepaid_gas_exceeded"},
             {"bad_receiver", "parse_error"}})
        EXPECT_EQ(handed_in(name), reason) << name;
    EXPECT_TRUE(rows.rows.empty());
}

// Nobody could be asked before it was stored; then the same answers come after it was sent.
TEST_F(RefusedTransactions, ThatWereSentEndByAProofAloneAndTheRestIsEvidence) {
    for (const auto& [name, stage, reason] :
         std::initializer_list<std::tuple<const char*, chain::Stage, const char*>>{
             {"nonce_used", chain::Stage::accepted, "invalid_nonce"},
             {"no_balance", chain::Stage::accepted, "not_enough_balance"},
             {"no_account", chain::Stage::accepted, "signer_missing"},
             {"no_key", chain::Stage::accepted, "access_key_not_found"},
             {"too_much_gas", chain::Stage::rejected, "total_prepaid_gas_exceeded"}}) {
        SCOPED_TRACE(name);
        rows.rows.clear();
        silent = true;
        EXPECT_EQ(handed_in(name), "accepted");
        silent = false;
        world.time->advance(std::chrono::minutes(5));
        handed_in(name);
        EXPECT_EQ(row().state.stage, stage);
        if (stage == chain::Stage::rejected) {
            EXPECT_EQ(row().state.reason, reason);
            continue;
        }
        EXPECT_THAT(row().transaction.objection, HasSubstr(reason));
        chain::NotIncludedUpTo over;
        over.height = *row().transaction.valid_until - 1;
        auto state = row().state;
        EXPECT_TRUE(chain::step(state, row().transaction, over, {}).empty());
        ++over.height;
        const auto end = chain::step(state, row().transaction, over, {});
        EXPECT_EQ(state.stage, chain::Stage::expired);
        EXPECT_THAT(end.at(0).evidence, HasSubstr(reason));
    }
}

// --- Nine that were polled from before they were sent until FINAL ---

struct Play {
    std::string path;  // "included 3154, …"
    std::string verdict;
};

// An outcome is first told when the node's head is the block that executed it.
std::map<std::string, chain::BlockHeight> places_in(const json& steps) {
    std::map<std::string, chain::BlockHeight> places;
    for (const auto& each : steps) {
        const auto& answer = each["answer"];
        if (!answer.is_object() || !answer.contains("transaction_outcome")) continue;
        places.try_emplace(answer["transaction_outcome"]["block_hash"], each["optimistic_height"]);
        for (const auto& outcome : answer["receipts_outcome"])
            places.try_emplace(outcome["block_hash"], each["optimistic_height"]);
    }
    return places;
}

chain::TreeSeen seen_at(const json& answer, const std::map<std::string, chain::BlockHeight>& places,
                        chain::BlockHeight final_height) {
    rpc::FinalBlocks blocks;
    for (const auto& [hash, height] : places) {
        if (height > final_height) continue;
        blocks[hash].hash = hash;
        blocks[hash].height = height;
        blocks[hash].timestamp_nanosec = height;
    }
    rpc::TreeSource::Tree tree;
    auto status = chain::decode_transaction_status_answer(json{{"result", answer}}.dump());
    if (!status) throw std::runtime_error(status.error().to_string());
    tree.status = std::move(*status);
    return chain::tree_seen(rpc::judge_final(tree, blocks, std::nullopt));
}

Play play(const json& trace) {
    const auto places = places_in(trace["steps"]);
    chain::WatchState state;
    chain::WatchedTransaction transaction;
    transaction.valid_until = 90'000;
    chain::BlockHeight before = 0;
    Play played;
    for (const auto& each : trace["steps"]) {
        const auto& answer = each["answer"];
        if (!answer.is_object() || !answer.contains("transaction_outcome")) continue;
        const chain::BlockHeight final_height = each["final_height"];
        for (const auto& made : chain::step(state, transaction, seen_at(answer, places, final_height), {})) {
            EXPECT_LE(made.at->height, final_height) << "told before its block is final";
            EXPECT_GT(made.at->height, before) << "could have been told an answer earlier";
            played.path += (played.path.empty() ? "" : ", ") + std::string(chain::stage_name(made.to)) + " " +
                           std::to_string(made.at->height);
        }
        EXPECT_EQ(state.stage == chain::Stage::final, answer["final_execution_status"] == "FINAL")
            << trace["name"] << " at " << final_height;
        before = final_height;
    }
    if (state.verdict) played.verdict = std::string(chain::verdict_name(*state.verdict));
    return played;
}

TEST(TracedTransactions, PassTheStagesAtTheHeightsOfTheNode) {
    const std::map<std::string, std::pair<const char*, const char*>> expected{
        {"call_panic", {"included 3175, completed 3176, final 3177", "failed"}},
        {"call_value", {"included 3169, executing 3170, completed 3170, final 3171", "succeeded"}},
        {"callback_fails_quietly",
         {"included 3197, executing 3198, completed 3200, final 3201", "callback_failed"}},
        {"callback_ok", {"included 3189, executing 3190, completed 3192, final 3193", "succeeded"}},
        {"detached_chain_fails_late",
         {"included 3205, executing 3206, completed 3209, final 3210", "receipt_failed"}},
        {"returned_chain", {"included 3181, executing 3182, completed 3184, final 3185", "succeeded"}},
        {"transfer", {"included 3154, executing 3155, completed 3155, final 3155", "succeeded"}},
        {"transfer_self", {"included 3159, executing 3159, completed 3159, final 3159", "succeeded"}},
        {"transfer_to_nobody", {"included 3163, completed 3164, final 3165", "failed"}}};
    std::size_t plays = 0;
    for (const auto& trace : recorded("trace")) {
        const std::string name = trace["name"];
        SCOPED_TRACE(name);
        const auto played = play(trace);
        EXPECT_EQ(played.path, expected.at(name).first);
        EXPECT_EQ(played.verdict, expected.at(name).second);
        ++plays;
    }
    EXPECT_EQ(plays, expected.size());
}

// --- Thirteen whose block hash was about to expire, where it is good for 100 heights ---

TEST(ExpiringTransactions, DoNotEndBeforeTheLastBlockThatCouldCarryThem) {
    unsigned included = 0;
    const auto all = recorded("expiry");
    ASSERT_EQ(all.size(), 13u);
    for (const auto& each : all) {
        ChainFacts facts;
        facts.block.emplace().height = each["base"];
        facts.head.height = each["final_when_sent"];
        facts.validity_blocks = 100;
        chain::WatchedTransaction transaction;
        transaction.valid_until = valid_until(facts);
        const bool was_included = each.contains("included") && each["included"].is_number();
        // The last block that carried one stood 101 above its block hash; none stood higher.
        const chain::BlockHeight last = was_included ? each["included"].get<chain::BlockHeight>()
                                                     : each["base"].get<chain::BlockHeight>() + 101;
        EXPECT_LE(last, *transaction.valid_until) << each["base"];
        chain::WatchState state;
        chain::NotIncludedUpTo seen;
        seen.height = last - 1;
        EXPECT_TRUE(chain::step(state, transaction, seen, {}).empty()) << each["base"];
        included += was_included ? 1 : 0;
        if (was_included) continue;
        seen.height = last;
        chain::step(state, transaction, seen, {});
        EXPECT_EQ(state.stage, chain::Stage::expired) << each["base"];
    }
    EXPECT_EQ(included, 5u);
}

}  // namespace
}  // namespace receiptd::watch::testing
