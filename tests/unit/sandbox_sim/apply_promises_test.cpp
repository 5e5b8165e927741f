#include "world.hpp"

#include "sandbox/sim/derive.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::sandbox::sim {
namespace {

const std::string kCaller = "caller.test";
const std::string kCallee = "delta.test";
const std::string kOther = "echo.test";

// caller's `run` does what the test says; callee and other answer.
World world_with(Method run, std::size_t shards = 2) {
    World world(shards);
    world.add_contract(kCaller, {{"run", std::move(run)}, {"callback", return_results}});
    const std::map<std::string, Method, std::less<>> answers{
        {"one", [](Host& host) { host.return_value(bytes("1")); }},
        {"two", [](Host& host) { host.return_value(bytes("2")); }},
        {"nothing", [](Host&) {}},
        {"fail", [](Host& host) { host.panic("no"); }},
        {"forward", [](Host& host) { host.promise_return(call(host, kOther, "one", 10 * kTera)); }},
    };
    world.add_contract(kCallee, answers);
    world.add_contract(kOther, answers);
    return world;
}

TEST(Promises, ACallIsExecutedInTheNextBlock) {
    World world = world_with([](Host& host) { call(host, kCallee, "one", 10 * kTera); });
    const CryptoHash hash = world.send_call(kCaller, "run");
    world.run_until_idle();
    const World::Executed& parent = world.initial(hash);
    EXPECT_EQ(value_of(parent.outcome), "") << "a promise that is not returned is no result";
    const World::Executed& child = world.child(parent, 0);
    EXPECT_EQ(child.height, parent.height + 1);
    EXPECT_EQ(child.receipt.predecessor_id, kCaller);
    EXPECT_EQ(value_of(child.outcome), "1");
    const auto& body = std::get<ActionReceipt>(child.receipt.body);
    EXPECT_EQ(body.signer_id, kAlice);
    EXPECT_EQ(body.signer_public_key, key_of(kAlice).public_key());
    EXPECT_EQ(body.gas_price, kGasPrice);
}

TEST(Promises, TheResultOfACallIsSeenByItsCallbackAlone) {
    World world = world_with([](Host& host) {
        const auto called = call(host, kCallee, "one", 10 * kTera);
        host.promise_return(then(host, called, kCaller, "callback", 10 * kTera));
        EXPECT_EQ(host.promise_results_count(), 0U);
    });
    const CryptoHash hash = world.send_call(kCaller, "run");
    world.run_until_idle();
    const World::Executed& parent = world.initial(hash);
    EXPECT_TRUE(std::holds_alternative<SuccessReceiptId>(parent.outcome.status));
    EXPECT_EQ(value_of(world.child(parent, 1).outcome), "[1]");
    EXPECT_GT(world.child(parent, 1).height, world.child(parent, 0).height);
}

TEST(Promises, ACallToTheOwnAccountTakesTheNextBlockToo) {
    World world = world_with([](Host& host) { call(host, kCaller, "callback", 10 * kTera); });
    const CryptoHash hash = world.send_call(kCaller, "run");
    world.run_until_idle();
    const World::Executed& parent = world.initial(hash);
    EXPECT_EQ(world.child(parent, 0).height, parent.height + 1);
}

TEST(Promises, AReturnedPromiseIsTheResult) {
    World world = world_with([](Host& host) {
        call(host, kCallee, "two", 10 * kTera);
        host.promise_return(call(host, kCallee, "one", 10 * kTera));
    });
    const CryptoHash hash = world.send_call(kCaller, "run");
    world.run_until_idle();
    const World::Executed& parent = world.initial(hash);
    ASSERT_TRUE(std::holds_alternative<SuccessReceiptId>(parent.outcome.status));
    EXPECT_EQ(std::get<SuccessReceiptId>(parent.outcome.status).receipt_id, parent.outcome.receipt_ids[1]);
    EXPECT_EQ(value_of(world.child(parent, 1).outcome), "1");
}

TEST(Promises, ACallbackGetsTheValueWithADataReceipt) {
    World world = world_with([](Host& host) {
        host.promise_return(
            then(host, call(host, kCallee, "one", 10 * kTera), kCaller, "callback", 10 * kTera));
    });
    const CryptoHash hash = world.send_call(kCaller, "run");
    world.run_until_idle();
    const World::Executed& parent = world.initial(hash);
    const World::Executed& callee = world.child(parent, 0);
    const World::Executed& callback = world.child(parent, 1);
    EXPECT_EQ(value_of(callback.outcome), "[1]");
    EXPECT_EQ(callback.height, callee.height + 1);
    EXPECT_EQ(callback.receipt.predecessor_id, kCaller);

    const auto& producer = std::get<ActionReceipt>(callee.receipt.body).output_data_receivers;
    const auto& awaited = std::get<ActionReceipt>(callback.receipt.body).input_data_ids;
    ASSERT_EQ(producer.size(), 1U);
    ASSERT_EQ(awaited.size(), 1U);
    EXPECT_EQ(producer[0].data_id, awaited[0]);
    EXPECT_EQ(producer[0].receiver_id, kCaller);
    const CryptoHash action = sim::action_hash(parent.outcome.id, parent.height, 0);
    EXPECT_EQ(awaited[0], sim::data_id(action, parent.height, 0));
}

TEST(Promises, ADataReceiptHasAnIdOfItsOwnButIsListedInNoOutcome) {
    World world = world_with([](Host& host) {
        then(host, call(host, kCallee, "one", 10 * kTera), kCaller, "callback", 10 * kTera);
    });
    const CryptoHash hash = world.send_call(kCaller, "run");
    world.run(3);
    const World::Executed& callee = world.child(world.initial(hash), 0);
    const std::vector<Receipt>& outgoing = world.result(kCallee).outgoing;
    ASSERT_EQ(callee.outcome.receipt_ids.size(), 1U) << "the gas refund";
    ASSERT_EQ(outgoing.size(), 2U);
    EXPECT_EQ(outgoing[0].receipt_id, callee.outcome.receipt_ids[0]);
    EXPECT_EQ(outgoing[1].receipt_id, sim::child_receipt_id(callee.outcome.id, callee.height, 1));
    EXPECT_EQ(outgoing[1].predecessor_id, kCallee);
    const auto& data = std::get<DataReceipt>(outgoing[1].body);
    EXPECT_EQ(data.data, bytes("1"));
    EXPECT_FALSE(data.is_promise_resume);
}

TEST(Promises, AFunctionThatReturnsNothingSendsEmptyDataAndAFailingOneNone) {
    World world = world_with([](Host& host) {
        const PromiseIndex nothing = call(host, kCallee, "nothing", 10 * kTera);
        const PromiseIndex fail = call(host, kCallee, "fail", 10 * kTera);
        host.promise_return(then(host, host.promise_and({nothing, fail}), kCaller, "callback", 10 * kTera));
    });
    const CryptoHash hash = world.send_call(kCaller, "run");
    world.run_until_idle();
    EXPECT_EQ(value_of(world.child(world.initial(hash), 2).outcome), "[]<failed>");
}

TEST(Promises, JointResultsComeInOrderWhateverArrivesFirst) {
    // other.forward takes a block longer than callee.two.
    World world = world_with([](Host& host) {
        const PromiseIndex late = call(host, kCallee, "forward", 30 * kTera);
        const PromiseIndex early = call(host, kOther, "two", 10 * kTera);
        host.promise_return(then(host, host.promise_and({late, early}), kCaller, "callback", 10 * kTera));
    });
    const CryptoHash hash = world.send_call(kCaller, "run");
    world.run_until_idle();
    const World::Executed& parent = world.initial(hash);
    const World::Executed& callback = world.child(parent, 2);
    EXPECT_EQ(value_of(callback.outcome), "[1][2]");
    EXPECT_EQ(callback.height, parent.height + 3);
}

TEST(Promises, WhoReturnsAPromiseHandsItsReceiversOn) {
    World world = world_with([](Host& host) {
        then(host, call(host, kCallee, "forward", 30 * kTera), kCaller, "callback", 10 * kTera);
    });
    const CryptoHash hash = world.send_call(kCaller, "run");
    world.run_until_idle();
    const World::Executed& parent = world.initial(hash);
    const World::Executed& forward = world.child(parent, 0);
    ASSERT_TRUE(std::holds_alternative<SuccessReceiptId>(forward.outcome.status));
    const World::Executed& leaf = world.child(forward, 0);
    const auto& awaited = std::get<ActionReceipt>(world.child(parent, 1).receipt.body).input_data_ids;
    const auto& receivers = std::get<ActionReceipt>(leaf.receipt.body).output_data_receivers;
    ASSERT_EQ(receivers.size(), 1U);
    EXPECT_EQ(receivers[0].data_id, awaited[0]);
    EXPECT_EQ(receivers[0].receiver_id, kCaller);
    EXPECT_EQ(value_of(world.child(parent, 1).outcome), "[1]");
}

TEST(Promises, AValueGoesToEveryCallbackOfThePromise) {
    World world = world_with([](Host& host) {
        const PromiseIndex one = call(host, kCallee, "one", 10 * kTera);
        then(host, one, kCaller, "callback", 10 * kTera);
        then(host, one, kCaller, "callback", 10 * kTera);
    });
    const CryptoHash hash = world.send_call(kCaller, "run");
    world.run_until_idle();
    const World::Executed& parent = world.initial(hash);
    EXPECT_EQ(value_of(world.child(parent, 1).outcome), "[1]");
    EXPECT_EQ(value_of(world.child(parent, 2).outcome), "[1]");
}

TEST(Promises, ACallbackOnAMissingAccountFailsAndItsChainGoesOn) {
    World world = world_with([](Host& host) {
        const PromiseIndex lost =
            then(host, call(host, kCallee, "one", 10 * kTera), "nobody.test", "x", kTera);
        then(host, lost, kCaller, "callback", 10 * kTera);
    });
    const CryptoHash hash = world.send_call(kCaller, "run");
    world.run_until_idle();
    const World::Executed& parent = world.initial(hash);
    EXPECT_EQ(kind_of(world.child(parent, 1).outcome)["AccountDoesNotExist"]["account_id"], "nobody.test");
    EXPECT_EQ(value_of(world.child(parent, 2).outcome), "<failed>");
}

TEST(Promises, AreDroppedWhenTheCallFails) {
    World world = world_with([](Host& host) {
        call(host, kCallee, "one", 10 * kTera);
        host.panic("after all not");
    });
    const CryptoHash hash = world.send_call(kCaller, "run");
    world.run_until_idle();
    const World::Executed& parent = world.initial(hash);
    EXPECT_EQ(execution_error(parent.outcome), "Smart contract panicked: after all not");
    ASSERT_EQ(parent.outcome.receipt_ids.size(), 1U);
    EXPECT_EQ(world.child(parent, 0).receipt.predecessor_id, kSystemAccount);
}

TEST(Promises, TheLastActionOfABatchGivesTheResult) {
    World world = world_with([](Host& host) { host.return_value(bytes("value")); });
    const CryptoHash call_last =
        world.send(kAlice, kCaller, {transfer_action(1), call_action("run", 10 * kTera)});
    const CryptoHash call_first =
        world.send(kAlice, kCaller, {call_action("run", 10 * kTera), transfer_action(1)});
    world.run_until_idle();
    EXPECT_EQ(value_of(world.initial(call_last).outcome), "value");
    EXPECT_EQ(value_of(world.initial(call_first).outcome), "");
}

TEST(Promises, OfASecondCallInABatchAreCountedBehindThoseOfTheFirst) {
    World world = world_with([](Host& host) { host.promise_return(call(host, kCallee, "one", 10 * kTera)); });
    const CryptoHash hash =
        world.send(kAlice, kCaller, {call_action("run", 40 * kTera), call_action("run", 40 * kTera)});
    world.run_until_idle();
    const World::Executed& parent = world.initial(hash);
    ASSERT_GE(parent.outcome.receipt_ids.size(), 2U);
    EXPECT_EQ(std::get<SuccessReceiptId>(parent.outcome.status).receipt_id, parent.outcome.receipt_ids[1]);
}

TEST(Promises, ABatchPromiseCarriesSeveralActions) {
    World world = world_with([](Host& host) {
        const PromiseIndex batch = host.promise_batch_create("sub.caller.test");
        host.promise_add_action(batch, {wire::CreateAccount{}});
        host.promise_add_action(batch, transfer_action(3 * kNear));
        host.promise_add_action(batch, {wire::AddKey{key_of("x").public_key(), {}}});
        host.promise_return(batch);
    });
    const CryptoHash hash = world.send_call(kCaller, "run", 50 * kTera, 3 * kNear);
    world.run_until_idle();
    const World::Executed& batch = world.child(world.initial(hash), 0);
    EXPECT_TRUE(succeeded(batch.outcome)) << failure_of(batch.outcome);
    EXPECT_EQ(world.balance("sub.caller.test"), 3 * kNear);
}

TEST(Promises, AContractThatOnlyDeletesItselfIsGoneAtOnce) {
    World world = world_with([](Host& host) {
        const PromiseIndex batch = host.promise_batch_create(kCaller);
        host.promise_add_action(batch, {wire::DeleteAccount{kBob}});
    });
    const CryptoHash hash = world.send_call(kCaller, "run");
    world.run_until_idle();
    const World::Executed& parent = world.initial(hash);
    const World::Executed& deletion = world.child(parent, 0);
    EXPECT_TRUE(succeeded(deletion.outcome)) << failure_of(deletion.outcome);
    EXPECT_EQ(deletion.height, parent.height);
    EXPECT_TRUE(deletion.is_instant);
    EXPECT_EQ(world.child(deletion, 0).receipt.receiver_id, kBob) << "the payout is listed as others are";
    EXPECT_EQ(world.child(deletion, 0).height, parent.height + 1);
    EXPECT_FALSE(world.state_of(kCaller).account(kCaller));
}

TEST(Promises, ADeletionThatWaitsOrDoesMoreTravels) {
    World world = world_with([](Host& host) {
        const PromiseIndex first = host.promise_batch_create(kCaller);
        host.promise_add_action(first, transfer_action(1));
        const PromiseIndex then = host.promise_batch_then(first, kCaller);
        host.promise_add_action(then, {wire::DeleteAccount{kBob}});
    });
    const CryptoHash hash = world.send_call(kCaller, "run");
    world.run_until_idle();
    const World::Executed& deletion = world.child(world.initial(hash), 1);
    EXPECT_TRUE(succeeded(deletion.outcome)) << failure_of(deletion.outcome);
    EXPECT_FALSE(deletion.is_instant);
    EXPECT_GT(deletion.height, world.initial(hash).height);
}

TEST(Promises, WhatAContractPutsTogetherWronglyFailsItsCall) {
    World world = world_with([](Host& host) {
        const PromiseIndex batch = host.promise_batch_create(kCaller);
        host.promise_add_action(batch, {wire::DeleteAccount{kAlice}});
        host.promise_add_action(batch, transfer_action(1));
    });
    const CryptoHash hash = world.send_call(kCaller, "run");
    world.run_until_idle();
    const Json error = failure_of(world.initial(hash).outcome)["ActionError"];
    EXPECT_EQ(error["index"], 0);
    EXPECT_EQ(error["kind"]["NewReceiptValidationError"]["ActionsValidation"], "DeleteActionMustBeFinal");
}

}  // namespace
}  // namespace receiptd::sandbox::sim
