// The advancing tip, whole blocks, faults, and a host as clients meet it.
#include "sandbox/gateway/gateway.hpp"
#include "net/gzip.hpp"
#include "unit/sandbox_replay/fixtures.hpp"

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <future>

namespace receiptd::sandbox {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using test::FakeClock;
using test::get;

constexpr Height kFirst = 100'000'000;
constexpr Height kLast = 100'000'037;

class Host : public testing::Test {
protected:
    ReplayChain& chain() {
        if (!chain_) chain_.emplace(test::sample_chain(clock_, tip_));
        return *chain_;
    }
    Gateway& host() {
        if (!gateway_) gateway_.emplace(chain(), clock_, options_);
        return *gateway_;
    }
    net::ServerReply answer(const net::ServerRequest& request) {
        return host().answer(request, host().window());
    }
    // Through keys, limits and faults.
    net::ServerReply handle(net::ServerRequest request) {
        boost::asio::io_context context;
        auto reply =
            boost::asio::co_spawn(context, host().handle(std::move(request)), boost::asio::use_future);
        context.run();
        return reply.get();
    }
    json transaction_at(Height tip, const json& params) {
        clock_.passed = std::chrono::seconds(tip - kFirst);  // two heights of the sample have no block
        return test::json_of(answer(test::post(test::call("EXPERIMENTAL_tx_status", params))));
    }

    FakeClock clock_;
    TipOptions tip_;
    GatewayOptions options_;
    std::optional<ReplayChain> chain_;
    std::optional<Gateway> gateway_;
};

TEST_F(Host, ServesWholeBlocksAndTheirParts) {
    const json whole = test::json_of(answer(get("/v0/block/100000004")));
    EXPECT_EQ(whole["block"]["header"]["height"], 100'000'004);
    EXPECT_EQ(test::json_of(answer(get("/v0/block_opt/100000004"))), whole);
    EXPECT_EQ(test::json_of(answer(get("/v0/block/100000004/headers"))), whole["block"]);
    EXPECT_EQ(test::json_of(answer(get("/v0/block/100000004/shard/3"))), whole["shards"][1]);
    EXPECT_EQ(test::json_of(answer(get("/v0/block/100000004/chunk/3"))), whole["shards"][1]["chunk"]);
    EXPECT_EQ(test::text_of(answer(get("/v0/block/100000018/chunk/3"))), "null");
    EXPECT_EQ(test::text_of(answer(get("/v0/block/100000012"))), "null") << "a skipped height";
}

TEST_F(Host, ServesWhatWasCompressedToThoseWhoTakeGzip) {
    WholeBlockRun run(test::sample() / "whole-block", std::nullopt);
    run.compress();
    chain_.emplace(RpcRecording(), std::move(run), clock_, tip_);
    auto request = get("/v0/block/100000004");
    const auto plain = answer(request);
    EXPECT_EQ(test::header_of(plain, "Content-Encoding"), "");
    request.headers.push_back({"Accept-Encoding", "gzip"});
    const auto compressed = answer(request);
    EXPECT_EQ(test::header_of(compressed, "Content-Encoding"), "gzip");
    EXPECT_EQ(*net::gunzip(*compressed.shared_body, 1 << 20), *plain.shared_body);
    request.path = "/v0/block/100000012";
    EXPECT_EQ(test::text_of(answer(request)), "null") << "a skipped height";
}

TEST_F(Host, AnswersOtherWholeBlockPathsAsTheStreamDoes) {
    const auto newest = answer(get("/v0/last_block/final", "apiKey=k"));
    EXPECT_EQ(newest.status, 302);
    EXPECT_EQ(test::header_of(newest, "Location"), "/v0/block/100000037?apiKey=k");
    EXPECT_EQ(test::header_of(answer(get("/v0/last_block/optimistic")), "Location"),
              "/v0/block_opt/100000037");
    EXPECT_EQ(test::header_of(answer(get("/v0/first_block")), "Location"), "/v0/block/100000000");
    EXPECT_EQ(answer(get("/v0/block/x")).status, 400);
    EXPECT_EQ(test::text_of(answer(get("/v0/block/x"))), "\"Invalid argument\"");
    EXPECT_EQ(test::json_of(answer(get("/v0/block/1000000000000001")))["type"], "BLOCK_HEIGHT_TOO_HIGH");
    EXPECT_EQ(test::json_of(answer(get("/v0/block/7")))["type"], "BLOCK_HEIGHT_TOO_LOW");
    EXPECT_EQ(test::json_of(answer(get("/v0/block/100000038")))["type"], "BLOCK_DOES_NOT_EXIST");
    EXPECT_EQ(answer(get("/v0/block/100000038")).status, 404);
    EXPECT_EQ(test::json_of(answer(get("/health")))["status"], "ok");
}

TEST_F(Host, SendsOldWholeBlocksToTheArchive) {
    options_.retention_blocks = 5;
    options_.archive_origin = "http://127.0.0.1:9";
    const auto moved = answer(get("/v0/block/100000004/headers", "apiKey=k"));
    EXPECT_EQ(moved.status, 302);
    EXPECT_EQ(test::header_of(moved, "Location"), "http://127.0.0.1:9/v0/block/100000004/headers?apiKey=k");
}

TEST_F(Host, AdvancesItsTipBlockByBlock) {
    tip_ = {1s, 1, false};
    EXPECT_EQ(host().window().tip, kFirst);
    clock_.passed = 12s;
    EXPECT_EQ(host().window().tip, kFirst + 13) << "no block at 100000012";
    EXPECT_EQ(test::json_of(answer(get("/v0/block/100000014")))["type"], "BLOCK_DOES_NOT_EXIST");
    EXPECT_EQ(test::json_of(handle(get("/sandbox/tip")))["height"], kFirst + 13);
    const auto served = test::json_of(handle(get("/sandbox/served_at", "height=100000002")));
    EXPECT_EQ(served["served_at_unix_ns"], 1'800'000'002'000'000'000);
    EXPECT_EQ(handle(get("/sandbox/served_at", "height=100000014")).status, 404);
}

TEST_F(Host, KnowsWhichBlocksAreWorthWaitingFor) {
    tip_ = {1s, 1, false};
    const Neardata neardata(chain(), "mainnet", "");
    const Window window{kFirst, kFirst};
    EXPECT_EQ(neardata.awaited("/v0/block/100000001", window), kFirst + 1);
    EXPECT_EQ(neardata.awaited("/v0/block_opt/100000010/headers", window), kFirst + 10);
    EXPECT_EQ(neardata.awaited("/v0/block/100000011", window), std::nullopt);
    EXPECT_EQ(neardata.awaited("/v0/block/100000000", window), std::nullopt);
    EXPECT_EQ(chain().until(kFirst + 1), base::Duration(1s));
    EXPECT_EQ(chain().until(kFirst + 12), base::Duration(12s)) << "the block after the skipped height tells";
}

TEST_F(Host, LetsATreeGrowWithTheTip) {
    tip_ = {1s, 1, false};
    const json whole = json::parse(*chain().whole_block(kFirst + 3));
    const std::string hash = whole["shards"][0]["chunk"]["transactions"][0]["transaction"]["hash"];
    json params{{"tx_hash", hash}, {"sender_account_id", "alice.near"}, {"wait_until", "NONE"}};
    EXPECT_EQ(transaction_at(kFirst + 2, params)["error"]["cause"]["name"], "UNKNOWN_TRANSACTION");
    const json started = transaction_at(kFirst + 3, params)["result"];
    EXPECT_EQ(started["status"], "Started");
    EXPECT_EQ(started["final_execution_status"], "INCLUDED_FINAL");
    EXPECT_TRUE(started["receipts_outcome"].empty());
    EXPECT_EQ(transaction_at(kFirst + 4, params)["result"]["receipts_outcome"].size(), 1u);
    params["wait_until"] = "FINAL";
    EXPECT_EQ(transaction_at(kFirst + 4, params)["error"]["cause"]["name"], "TIMEOUT_ERROR");
    const json done = transaction_at(kFirst + 11, params)["result"];
    EXPECT_EQ(done["final_execution_status"], "FINAL");
    EXPECT_EQ(done["receipts_outcome"].size(), 6u);
}

TEST_F(Host, PutsTheSameTreeTogetherFromWholeBlocks) {
    const ReplayChain blocks(RpcRecording(), WholeBlockRun(test::sample() / "whole-block", std::nullopt),
                             clock_, {});
    const RpcRecording recording({test::sample() / "rpc"});
    std::size_t compared = 0;
    for (const auto& file : std::filesystem::directory_iterator(test::sample() / "rpc/tx")) {
        const std::string hash = file.path().stem();
        const auto view = blocks.transaction(hash, kLast);
        ASSERT_TRUE(view) << hash;
        json made = json::parse(view->json_with_receipts);
        EXPECT_EQ(made, json::parse(*recording.transaction(hash))) << hash;
        ++compared;
    }
    EXPECT_EQ(compared, 39u);
}

TEST_F(Host, GivesTheSameBlocksAndChunksFromWholeBlocks) {
    const ReplayChain blocks(RpcRecording(), WholeBlockRun(test::sample() / "whole-block", std::nullopt),
                             clock_, {});
    const RpcRecording recording({test::sample() / "rpc"});
    for (const Height height : recording.heights()) {
        const json block = json::parse(*recording.block(height));
        EXPECT_EQ(json::parse(*blocks.block(height)), block);
        for (const auto& slot : block["chunks"]) {
            const std::string hash = slot["chunk_hash"];
            EXPECT_EQ(json::parse(blocks.chunk(hash)->json), json::parse(recording.chunk(hash)->json));
        }
    }
}

TEST_F(Host, RefusesBeforeItAnswers) {
    options_.access.require_key = true;
    EXPECT_EQ(handle(get("/v0/block/100000004")).status, 401);
    EXPECT_EQ(test::header_of(handle(get("/v0/block/100000004")), "Content-Type"), "text/plain");
    EXPECT_EQ(handle(get("/sandbox/tip")).status, 200) << "benchmarks need no key";
    EXPECT_EQ(handle(get("/v0/block/100000004", "apiKey=any")).status, 200);
}

TEST_F(Host, PlaysTheFaultsItIsTold) {
    const auto request = test::post(test::call("block", {{"block_id", kFirst}}));
    const auto with = [&](Fault fault) {
        gateway_.reset();
        options_.faults = {{fault, 1.0}};
        return handle(request);
    };
    EXPECT_EQ(with(Fault::rate_limited).status, 429);
    const auto error = with(Fault::server_error);
    EXPECT_EQ(error.status, 500);
    EXPECT_EQ(test::json_of(error)["error"]["name"], "INTERNAL_ERROR");
    EXPECT_EQ(test::json_of(error)["id"], "x");
    EXPECT_THROW(with(Fault::reset), net::HangUp);
    EXPECT_TRUE(with(Fault::truncate).next_piece) << "a body that breaks off";
    EXPECT_EQ(test::header_of(with(Fault::html), "Content-Type"), "text/html");
    const auto malformed = with(Fault::malformed);
    EXPECT_EQ(malformed.status, 200);
    EXPECT_FALSE(json::accept(malformed.body));
}

TEST_F(Host, LagsBehindWhenItIsStale) {
    options_.faults = {{Fault::stale, 1.0}};
    const auto reply = handle(test::post(test::call("block", {{"finality", "final"}})));
    EXPECT_EQ(test::json_of(reply)["result"]["header"]["height"], kLast - 3);
}

TEST_F(Host, AnswersTheWholeBlockPathsWithoutWholeBlocks) {
    const ReplayChain recorded(RpcRecording({test::sample() / "rpc"}), WholeBlockRun(), clock_, {});
    const Neardata neardata(recorded, "mainnet", "");
    EXPECT_EQ(neardata.answer("/v0/last_block/final", "", {kFirst, kLast}).status, 404);
    EXPECT_EQ(neardata.awaited("/v0/block/100000038", {kFirst, kLast}), std::nullopt);
}

TEST(RecordedSession, AnswersAsTheBriefOfTheDemoSays) {
    FakeClock clock;
    ReplayChain chain(RpcRecording({receiptd::test::kRecorded / "rpc/mainnet-76538229"}), WholeBlockRun(),
                      clock, {});
    const Gateway host(chain, clock, {});
    const auto ask = [&](const std::string& method, const json& params) {
        return host.answer(test::post(test::call(method, params)), host.window());
    };
    EXPECT_EQ(ask("block", {{"block_id", 76538235}}).status, 422);
    const json block = test::json_of(ask("block", {{"block_id", 76538236}}))["result"];
    EXPECT_EQ(block["chunks"][0]["height_included"], 76538235);
    const auto chunk = ask("chunk", {{"chunk_id", block["chunks"][1]["chunk_hash"]}});
    EXPECT_EQ(test::json_of(chunk)["error"]["cause"]["name"], "UNKNOWN_CHUNK");
    const json failed{{"tx_hash", "4XXtr7JrRNaquPXe7RZ1PSgJ645dgSpsRyE6gmvhvQV4"},
                      {"sender_account_id", "anyone.near"}};
    EXPECT_EQ(ask("EXPERIMENTAL_tx_status", failed).status, 400) << "this session was recorded with tx alone";
    EXPECT_TRUE(test::json_of(ask("tx", failed))["result"].contains("receipts_outcome"));
}

}  // namespace
}  // namespace receiptd::sandbox
