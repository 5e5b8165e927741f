#include "world.hpp"

namespace receiptd::sandbox::sim {
namespace {

const std::string kPromising = "contract.test";

// The error that a call that does this fails with.
std::string error_of(Method method, Gas gas = 1000 * kTera) {
    World world;
    world.add_contract(kPromising, {{"run", std::move(method)}});
    const CryptoHash hash = world.send_call(kPromising, "run", gas);
    world.run_until_idle();
    return execution_error(world.initial(hash).outcome);
}

TEST(HostPromises, AJointPromiseCanNeitherBeReturnedNorActedOn) {
    EXPECT_EQ(error_of([](Host& host) {
                  const PromiseIndex one = call(host, kBob, "x", kTera);
                  host.promise_return(host.promise_and({one, one}));
              }),
              "Returning joint promise is currently prohibited.");
    EXPECT_EQ(error_of([](Host& host) {
                  const PromiseIndex one = call(host, kBob, "x", kTera);
                  host.promise_add_action(host.promise_and({one}), transfer_action(1));
              }),
              "Actions can only be appended to non-joint promise.");
}

TEST(HostPromises, AnIndexThatWasNotGivenOutFails) {
    const std::string expected = "5 does not correspond to existing promises";
    EXPECT_EQ(error_of([](Host& host) { host.promise_return(5); }), expected);
    EXPECT_EQ(error_of([](Host& host) { host.promise_and({5}); }), expected);
    EXPECT_EQ(error_of([](Host& host) { host.promise_batch_then(5, kBob); }), expected);
    EXPECT_EQ(error_of([](Host& host) { host.promise_add_action(5, transfer_action(1)); }), expected);
    EXPECT_EQ(error_of([](Host& host) { host.promise_result(5); }),
              "Accessed invalid promise result index: 5");
}

TEST(HostPromises, ACallMakes1024AtMost) {
    const auto make = [](std::size_t count) {
        return [count](Host& host) {
            for (std::size_t i = 0; i < count; ++i) host.promise_batch_create(kBob);
        };
    };
    EXPECT_EQ(error_of(make(1025)),
              "The number of promises within a FunctionCall 1025 exceeds the limit 1024");
    EXPECT_EQ(error_of(make(1024)), "none: null");
}

TEST(HostPromises, ACallbackAwaits128AtMost) {
    const auto join = [](std::size_t count) {
        return [count](Host& host) {
            const std::vector<PromiseIndex> same(count, call(host, kBob, "x", kTera));
            host.promise_and(same);
        };
    };
    EXPECT_EQ(error_of(join(129)), "The number of input data dependencies 129 exceeds the limit 128");
    EXPECT_EQ(error_of(join(128)), "none: null");
    EXPECT_EQ(error_of([](Host& host) {
                  const PromiseIndex half =
                      host.promise_and(std::vector<PromiseIndex>(65, call(host, kBob, "x", kTera)));
                  host.promise_and({half, half});
              }),
              "The number of input data dependencies 130 exceeds the limit 128");
}

TEST(HostPromises, NamesMustBeValid) {
    EXPECT_EQ(error_of([](Host& host) { host.promise_batch_create("Not.Valid"); }),
              "VM Logic returned an invalid account id");
    EXPECT_EQ(error_of([](Host& host) { host.promise_batch_then(call(host, kBob, "x", kTera), ""); }),
              "VM Logic returned an invalid account id");
    EXPECT_EQ(error_of([](Host& host) {
                  const PromiseIndex promise = host.promise_batch_create(kPromising);
                  host.promise_add_action(promise, {wire::DeleteAccount{"-"}});
              }),
              "VM Logic returned an invalid account id");
    EXPECT_EQ(error_of([](Host& host) { call(host, kBob, "", kTera); }),
              "Tried to call an empty method name.");
    EXPECT_EQ(error_of([](Host& host) { host.promise_yield_create("", {}, kTera, 0); }),
              "Tried to call an empty method name.");
}

TEST(HostPromises, CodeBeyond4MbAndDelegateActionsCannotBeMade) {
    EXPECT_EQ(error_of([](Host& host) {
                  const PromiseIndex promise = host.promise_batch_create(kPromising);
                  host.promise_add_action(promise, {wire::DeployContract{Bytes(4194305)}});
              }),
              "The size of a contract code in DeployContract action 4194305 exceeds the limit 4194304");
    EXPECT_EQ(error_of([](Host& host) {
                  const PromiseIndex promise = host.promise_batch_create(kPromising);
                  host.promise_add_action(promise, {wire::SignedDelegate{}});
              }),
              "Smart contract panicked: a contract cannot make this action");
}

TEST(HostPromises, APromiseOfNoOthersWaitsForNothing) {
    World world;
    world.add_contract(kPromising,
                       {{"run",
                         [](Host& host) {
                             const PromiseIndex none = host.promise_and({});
                             host.promise_return(then(host, none, kPromising, "callback", 10 * kTera));
                         }},
                        {"callback", return_results}});
    const CryptoHash hash = world.send_call(kPromising, "run");
    world.run_until_idle();
    EXPECT_EQ(value_of(world.child(world.initial(hash), 0).outcome), "");
}

}  // namespace
}  // namespace receiptd::sandbox::sim
