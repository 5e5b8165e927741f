#include "world.hpp"

#include "sandbox/sim/derive.hpp"

namespace receiptd::sandbox::sim {
namespace {

const std::string kYielder = "yielder.test";

// `request` yields and keeps the id in storage, `respond` resumes with "late", on_resume answers.
World yielding_world() {
    World world;
    world.block().yield_timeout_blocks = 5;
    const auto id_of = [](Host& host) {
        CryptoHash id;
        const std::string stored = host.storage_read("id").value_or(std::string(32, '\0'));
        std::copy(stored.begin(), stored.end(), id.bytes.begin());
        return id;
    };
    const auto request = [](Host& host) {
        const Host::Yield made = host.promise_yield_create("on_resume", bytes("args"), 20 * kTera, 0);
        host.storage_write("id", std::string(made.data_id.bytes.begin(), made.data_id.bytes.end()));
        host.promise_return(made.promise);
    };
    const auto respond = [id_of](Host& host) {
        const bool found = host.promise_yield_resume(id_of(host), bytes("late"));
        host.return_value(bytes(found ? "resumed" : "nothing"));
    };
    world.add_contract(
        kYielder, {{"request", request},
                   {"respond", respond},
                   {"respond_twice",
                    [id_of](Host& host) {
                        const bool first = host.promise_yield_resume(id_of(host), bytes("1"));
                        const bool second = host.promise_yield_resume(id_of(host), bytes("2"));
                        host.return_value(bytes(first && second ? "both" : "not both"));
                    }},
                   {"request_and_respond",
                    [request, respond](Host& host) {
                        request(host);
                        respond(host);
                    }},
                   {"request_and_panic",
                    [request](Host& host) {
                        request(host);
                        host.panic("no");
                    }},
                   {"too_long", [id_of](Host& host) { host.promise_yield_resume(id_of(host), Bytes(1025)); }},
                   {"on_resume", return_results}});
    world.add_contract("stranger.test", {{"respond", respond}});
    return world;
}

TEST(Yield, WaitsOnItsShardAndIsInNoChunk) {
    World world = yielding_world();
    const CryptoHash hash = world.send_call(kYielder, "request");
    world.run(2);
    const ShardResult& result = world.result(kYielder);
    ASSERT_EQ(result.instant.size(), 1U);
    const Receipt& waiting = result.instant[0];
    const auto& body = std::get<ActionReceipt>(waiting.body);
    EXPECT_TRUE(body.is_promise_yield);
    EXPECT_EQ(waiting.predecessor_id, kYielder);
    EXPECT_EQ(waiting.receiver_id, kYielder);
    EXPECT_EQ(body.input_data_ids.size(), 1U);
    for (const Receipt& listed : result.outgoing) EXPECT_EQ(listed.predecessor_id, kSystemAccount);
    const World::Executed& parent = world.initial(hash);
    EXPECT_EQ(parent.outcome.receipt_ids.at(0), waiting.receipt_id) << "the outcome lists it";
    EXPECT_EQ(std::get<SuccessReceiptId>(parent.outcome.status).receipt_id, waiting.receipt_id);
    EXPECT_FALSE(world.has_outcome(waiting.receipt_id));
}

TEST(Yield, IsResumedByADataReceiptInTheNextBlock) {
    World world = yielding_world();
    const CryptoHash request = world.send_call(kYielder, "request");
    world.run(2);
    const CryptoHash respond = world.send_call(kYielder, "respond");
    world.run(2);
    const World::Executed& answer = world.initial(respond);
    EXPECT_EQ(value_of(answer.outcome), "resumed");
    // Listed among the receipts, in no outcome, with an id that counts.
    const Receipt& resume = world.result(kYielder).outgoing.at(0);
    EXPECT_EQ(resume.receipt_id, sim::child_receipt_id(answer.outcome.id, answer.height, 0));
    EXPECT_EQ(resume.predecessor_id, kYielder);
    EXPECT_EQ(resume.receiver_id, kYielder);
    EXPECT_TRUE(std::get<DataReceipt>(resume.body).is_promise_resume);
    ASSERT_EQ(answer.outcome.receipt_ids.size(), 1U);
    EXPECT_EQ(answer.outcome.receipt_ids[0], sim::child_receipt_id(answer.outcome.id, answer.height, 1));
    world.step();
    const World::Executed& resumed = world.child(world.initial(request), 0);
    EXPECT_EQ(value_of(resumed.outcome), "[late]");
    EXPECT_EQ(resumed.height, answer.height + 1);
    EXPECT_TRUE(resumed.is_instant);
}

TEST(Yield, TimesOutWithFailedData) {
    World world = yielding_world();
    const CryptoHash request = world.send_call(kYielder, "request");
    world.run(2);
    const World::Executed parent = world.initial(request);
    const auto& body = std::get<ActionReceipt>(world.result(kYielder).instant.at(0).body);
    const CryptoHash data_id = body.input_data_ids[0];
    world.run(4);
    EXPECT_TRUE(world.result(kYielder).outgoing.empty());
    world.step();
    EXPECT_EQ(world.block().height, parent.height + 5);
    const Receipt& resume = world.result(kYielder).outgoing.at(0);
    EXPECT_EQ(resume.receipt_id, sim::derive_id(data_id, world.block().height, 0));
    EXPECT_TRUE(std::get<DataReceipt>(resume.body).is_promise_resume);
    EXPECT_FALSE(std::get<DataReceipt>(resume.body).data.has_value());
    world.step();
    const World::Executed& resumed = world.child(parent, 0);
    EXPECT_EQ(value_of(resumed.outcome), "<failed>");
    EXPECT_EQ(resumed.height, parent.height + 6);
    world.run(10);
    EXPECT_FALSE(world.is_busy());
}

TEST(Yield, ResumedInTheBlockOfItsTimeoutGetsTheAnswer) {
    World world = yielding_world();
    const CryptoHash request = world.send_call(kYielder, "request");
    world.run(5);
    world.send_call(kYielder, "respond");
    world.run(2);  // the answer is executed at the very height of the timeout
    EXPECT_EQ(world.block().height, world.initial(request).height + 5);
    ASSERT_GE(world.result(kYielder).outgoing.size(), 2U);
    world.run(2);
    EXPECT_EQ(value_of(world.child(world.initial(request), 0).outcome), "[late]");
}

TEST(Yield, ResumedTwiceTakesTheFirstPayload) {
    World world = yielding_world();
    const CryptoHash request = world.send_call(kYielder, "request");
    world.run(2);
    const CryptoHash respond = world.send_call(kYielder, "respond_twice");
    world.run(4);
    EXPECT_EQ(value_of(world.initial(respond).outcome), "both");
    EXPECT_EQ(value_of(world.child(world.initial(request), 0).outcome), "[1]");
}

TEST(Yield, CanBeResumedByTheCallThatMadeIt) {
    World world = yielding_world();
    const CryptoHash hash = world.send_call(kYielder, "request_and_respond");
    world.run_until_idle();
    const World::Executed& parent = world.initial(hash);
    EXPECT_EQ(value_of(parent.outcome), "resumed");
    EXPECT_EQ(value_of(world.child(parent, 0).outcome), "[late]");
    EXPECT_EQ(world.child(parent, 0).height, parent.height + 1);
}

TEST(Yield, ThatNobodyWaitsForIsNotResumed) {
    World world = yielding_world();
    const CryptoHash hash = world.send_call(kYielder, "respond");
    world.run(2);
    EXPECT_EQ(value_of(world.initial(hash).outcome), "nothing");
    const CryptoHash request = world.send_call(kYielder, "request");
    world.run(2);
    world.send_call(kYielder, "respond");
    world.run(3);
    ASSERT_TRUE(world.has_outcome(world.initial(request).outcome.receipt_ids[0]));
    const CryptoHash again = world.send_call(kYielder, "respond");
    world.run(2);
    EXPECT_EQ(value_of(world.initial(again).outcome), "nothing");
}

TEST(Yield, OfAnotherAccountIsNotResumed) {
    World world = yielding_world();
    world.send_call(kYielder, "request");
    world.run(2);
    const std::string id = *world.state_of(kYielder).data(kYielder, "id");
    StateUpdate update(world.state_of("stranger.test"));
    update.set_data("stranger.test", "id", id);
    update.commit(world.block().height);
    const CryptoHash hash = world.send_call("stranger.test", "respond");
    world.run(2);
    EXPECT_EQ(value_of(world.initial(hash).outcome), "nothing");
}

TEST(Yield, OfACallThatFailsNeverWas) {
    World world = yielding_world();
    world.send_call(kYielder, "request_and_panic");
    world.run(2);
    EXPECT_TRUE(world.result(kYielder).instant.empty());
    world.run(10);
    EXPECT_FALSE(world.is_busy());
}

TEST(Yield, TakesAPayloadOf1024BytesAtMost) {
    World world = yielding_world();
    const CryptoHash hash = world.send_call(kYielder, "too_long");
    world.run(2);
    EXPECT_EQ(execution_error(world.initial(hash).outcome),
              "Yield resume payload is 1025 bytes which exceeds the 1024 byte limit");
}

}  // namespace
}  // namespace receiptd::sandbox::sim
