#include "world.hpp"

#include "sandbox/sim/fees.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::sandbox::sim {
namespace {

const std::string kCalled = "contract.test";

// The outcome of calling a contract that does just that.
struct Called {
    explicit Called(Method method, Gas gas = 100 * kTera, u128 deposit = 0) {
        world.add_contract(kCalled, {{"run", std::move(method)}});
        const CryptoHash hash = world.send_call(kCalled, "run", gas, deposit);
        world.run_until_idle();
        outcome = world.initial(hash).outcome;
    }
    std::string error() const { return execution_error(outcome); }

    World world;
    Outcome outcome;
};

TEST(Host, TellsTheContractWhereItRuns) {
    Json seen;
    Called called(
        [&](Host& host) {
            seen = {host.current_account_id(), host.predecessor_id(), host.signer_id()};
            seen.push_back(base::to_string(host.attached_deposit()));
            seen.push_back(base::to_string(host.account_balance()));
            seen.push_back(host.block_height());
            seen.push_back(host.prepaid_gas());
            seen.push_back(host.is_view());
            seen.push_back(host.promise_results_count());
        },
        100 * kTera, 3);
    EXPECT_EQ(seen, Json({kCalled, kAlice, kAlice, "3", base::to_string(1000 * kNear + 3), 102, 100 * kTera,
                          false, 0}));
}

TEST(Host, KeepsWhatACallWroteAndDropsWhatAFailingOneDid) {
    World world;
    world.add_contract(kCalled, {{"write", [](Host& host) { host.storage_write("key", "value"); }},
                                 {"remove",
                                  [](Host& host) {
                                      host.storage_remove("key");
                                      EXPECT_FALSE(host.storage_read("key").has_value());
                                  }},
                                 {"spoil", [](Host& host) {
                                      host.storage_write("key", "spoilt");
                                      EXPECT_EQ(host.storage_read("key"), "spoilt");
                                      host.panic("no");
                                  }}});
    world.send_call(kCalled, "write");
    world.run_until_idle();
    EXPECT_EQ(world.state_of(kCalled).data(kCalled, "key"), "value");
    world.send_call(kCalled, "spoil");
    world.run_until_idle();
    EXPECT_EQ(world.state_of(kCalled).data(kCalled, "key"), "value");
    world.send_call(kCalled, "remove");
    world.run_until_idle();
    EXPECT_FALSE(world.state_of(kCalled).data(kCalled, "key").has_value());
}

TEST(Host, TheLogsOfAFailingCallAreKept) {
    Called called([](Host& host) {
        host.log("one");
        host.log("zwei \xc3\xa4");
        host.panic("no");
    });
    EXPECT_EQ(called.outcome.logs, (std::vector<std::string>{"one", "zwei \xc3\xa4"}));
}

TEST(Host, TextsThatAreNoUtf8FailTheCall) {
    EXPECT_EQ(Called([](Host& host) { host.log("\xff"); }).error(), "String encoding is bad UTF-8 sequence.");
    EXPECT_EQ(Called([](Host& host) { host.panic("\xff"); }).error(),
              "String encoding is bad UTF-8 sequence.");
}

TEST(Host, AnExceptionOfTheContractIsAPanic) {
    Called called([](Host&) { throw std::out_of_range("unexpected end"); });
    EXPECT_EQ(called.error(), "Smart contract panicked: unexpected end");
}

TEST(HostLimits, LogsAreAtMost100And16384Bytes) {
    Called many([](Host& host) {
        for (int i = 0; i < 101; ++i) host.log("x");
    });
    EXPECT_EQ(many.error(), "The number of logs will exceed the limit 100");
    EXPECT_EQ(many.outcome.logs.size(), 100U);
    Called full([](Host& host) {
        host.log(std::string(16000, 'x'));
        host.log(std::string(384, 'x'));
    });
    EXPECT_TRUE(succeeded(full.outcome));
    Called one_more([](Host& host) {
        host.log(std::string(16000, 'x'));
        host.log(std::string(385, 'x'));
    });
    EXPECT_EQ(one_more.error(), "The length of a log message 16385 exceeds the limit 16384");
}

TEST(HostLimits, StorageKeysAndValuesAreBounded) {
    EXPECT_EQ(Called([](Host& host) { host.storage_write(std::string(2049, 'k'), "v"); }).error(),
              "The length of a storage key 2049 exceeds the limit 2048");
    EXPECT_EQ(Called([](Host& host) { host.storage_write("k", std::string(4194305, 'v')); }).error(),
              "The length of a storage value 4194305 exceeds the limit 4194304");
    EXPECT_EQ(Called([](Host& host) { host.return_value(Bytes(4194305)); }).error(),
              "The length of a returned value 4194305 exceeds the limit 4194304");
}

TEST(HostLimits, AContractThatCannotPayItsStorageFailsAsAWhole) {
    World world;
    world.add_account(kCalled, kNear / 100);
    world.add_contract(kCalled,
                       {{"run", [](Host& host) { host.storage_write("k", std::string(2000, 'v')); }}});
    const CryptoHash hash = world.send_call(kCalled, "run");
    world.run_until_idle();
    const Json error = failure_of(world.initial(hash).outcome)["ActionError"];
    EXPECT_TRUE(error["index"].is_null());
    EXPECT_EQ(error["kind"]["LackBalanceForState"]["account_id"], kCalled);
}

TEST(HostGas, RunsOutWithThePrepaidGas) {
    Called called([](Host& host) { host.use_gas(6 * kTera); }, 5 * kTera);
    EXPECT_EQ(called.error(), "Exceeded the prepaid gas.");
    EXPECT_EQ(called.outcome.gas_burnt,
              5 * kTera + receipt_fee().exec +
                  action_fee(usual_protocol(), call_action("run", 5 * kTera), kCalled).exec)
        << "all of it is burnt";
}

TEST(HostGas, RunsOutWhenPromisesTakeMoreThanIsLeft) {
    Called called([](Host& host) { call(host, kBob, "x", 30 * kTera); }, 30 * kTera);
    EXPECT_EQ(called.error(), "Exceeded the prepaid gas.");
    EXPECT_LT(called.outcome.gas_burnt, 5 * kTera) << "what promises would have taken is refunded";
}

TEST(HostGas, TheLowerOfTheTwoLimitsIsTold) {
    const auto burn_all = [](Host& host) { host.use_gas(~Gas{0}); };
    EXPECT_EQ(Called(burn_all, 999 * kTera).error(), "Exceeded the prepaid gas.");
    EXPECT_EQ(Called(burn_all, 1000 * kTera).error(),
              "Exceeded the maximum amount of gas allowed to burn per contract.");
}

TEST(HostGas, SendingAPromiseIsBurntByWhoMakesItAndExecutingItIsTakenFromIt) {
    const wire::Action action = call_action("method", 10 * kTera);
    Gas burnt = 0;
    Gas used = 0;
    Called called([&](Host& host) {
        const Gas before = host.used_gas();
        const PromiseIndex promise = host.promise_batch_create(kBob);
        host.promise_add_action(promise, action);
        used = host.used_gas() - before;
        burnt = receipt_fee().send_to_other + action_fee(usual_protocol(), action, kBob).send_to_other;
    });
    EXPECT_EQ(used,
              burnt + receipt_fee().exec + action_fee(usual_protocol(), action, kBob).exec + 10 * kTera);
}

std::vector<Gas> gas_of_promises(const Outcome& outcome, const World& world) {
    std::vector<Gas> gas;
    for (const CryptoHash& id : outcome.receipt_ids) {
        const Receipt& receipt = world.executed(id).receipt;
        for (const wire::Action& action : std::get<ActionReceipt>(receipt.body).actions)
            if (const auto* made = std::get_if<wire::FunctionCall>(&action.value)) gas.push_back(made->gas);
    }
    return gas;
}

TEST(HostGas, WeightsShareWhatIsLeftAtTheEnd) {
    Gas left = 0;
    Called called([&](Host& host) {
        const std::vector<std::uint64_t> weights{3, 0, 2, 2};
        for (const std::uint64_t weight : weights) {
            const PromiseIndex promise = host.promise_batch_create(kBob);
            host.promise_add_action(promise, call_action("x", kTera, 0), weight);
        }
        host.use_gas(kTera);
        left = host.prepaid_gas() - host.used_gas();
    });
    const std::vector<Gas> gas = gas_of_promises(called.outcome, called.world);
    const Gas third = left * 3 / 7;
    const Gas second = left * 2 / 7;
    EXPECT_EQ(gas, (std::vector<Gas>{kTera + third, kTera, kTera + second, kTera + left - third - second}));
    ASSERT_EQ(called.outcome.receipt_ids.size(), 4U) << "nothing is left to refund";
}

TEST(HostGas, ACallWithoutGasCannotBeMade) {
    Called called([](Host& host) { call(host, kBob, "x", 0); });
    const Json kind = kind_of(called.outcome);
    EXPECT_EQ(kind["NewReceiptValidationError"]["ActionsValidation"], "FunctionCallZeroAttachedGas");
}

TEST(HostGas, AttachingMoreTokensThanTheAccountHasFails) {
    Called called([](Host& host) { call(host, kBob, "x", kTera, 1001 * kNear); }, 100 * kTera, kNear / 2);
    EXPECT_EQ(called.error(), "Exceeded the account balance.");
    Called spends_deposit([](Host& host) { call(host, kBob, "x", kTera, 1000 * kNear); }, 100 * kTera, kNear);
    EXPECT_TRUE(succeeded(spends_deposit.outcome));
}

TEST(FunctionCallErrors, AreToldAsNodesTellThem) {
    World world;
    world.add_contract(kCalled, {{"run", [](Host&) {}}});
    world.add_account("other.test");
    world.set_code("other.test", "\0asm of somebody");
    const CryptoHash method = world.send_call(kCalled, "unknown");
    const CryptoHash empty = world.send_call(kBob, "run");
    const CryptoHash unknown = world.send_call("other.test", "run");
    const CryptoHash missing = world.send_call("nobody.test", "run");
    world.run_until_idle();
    const auto kind = [&](const CryptoHash& hash) {
        EXPECT_EQ(failure_of(world.initial(hash).outcome)["ActionError"]["index"], 0);
        return kind_of(world.initial(hash).outcome).dump();
    };
    EXPECT_EQ(kind(method), R"({"FunctionCallError":{"MethodResolveError":"MethodNotFound"}})");
    EXPECT_EQ(kind(empty),
              R"({"FunctionCallError":{"CompilationError":{"CodeDoesNotExist":{"account_id":"bob.test"}}}})");
    EXPECT_EQ(kind(unknown),
              R"({"FunctionCallError":{"CompilationError":{"PrepareError":"Deserialization"}}})");
    EXPECT_EQ(kind(missing), R"({"AccountDoesNotExist":{"account_id":"nobody.test"}})");
}

TEST(FunctionCallErrors, AMethodThatIsNotThereDropsNothingButItsOwnReceipt) {
    World world;
    world.add_contract(kCalled, {{"run", [](Host&) {}}});
    const CryptoHash hash =
        world.send(kAlice, kCalled, {transfer_action(kNear), call_action("unknown", 10 * kTera)});
    world.run_until_idle();
    EXPECT_EQ(failure_of(world.initial(hash).outcome)["ActionError"]["index"], 1);
    EXPECT_EQ(world.initial(hash).outcome.receipt_ids.size(), 2U);
}

}  // namespace
}  // namespace receiptd::sandbox::sim
