// Random programs over several shards. World counts all tokens after every block and fails on one yocto
// too many or too few, and on a receipt executed twice.
#include "world.hpp"

#include "chain/wire/delegate.hpp"
#include "chain/wire/hex.hpp"

#include <nlohmann/json.hpp>

#include <random>
#include <set>

namespace receiptd::sandbox::sim {
namespace {

const std::vector<std::string> kPrograms{"alpha.test", "bravo.test", "charlie.test", "delta.test"};

class Random {
public:
    explicit Random(std::string_view seed) : engine_(seed_of(seed)) {}
    // 0 to n - 1.
    std::uint64_t below(std::uint64_t n) { return engine_() % n; }
    bool one_in(std::uint64_t n) { return below(n) == 0; }
    const std::string& of(const std::vector<std::string>& choices) { return choices[below(choices.size())]; }

private:
    static std::uint64_t seed_of(std::string_view text) {
        std::uint64_t seed = 0;
        for (std::size_t i = 0; i < 8; ++i) seed = seed << 8 | chain::sha256(chain::bytes_of(text)).bytes[i];
        return seed;
    }
    std::mt19937_64 engine_;
};

// One call of the program: some promises, then it returns, panics or runs out of gas. What it does
// depends on its input and its account alone.
class Program {
public:
    explicit Program(Host& host)
        : host_(host), random_(text(host.input()) + host.current_account_id()), targets_(kPrograms) {
        targets_.push_back("nobody.test");
    }

    void run() {
        host_.use_gas(random_.below(3 * kTera));
        for (std::uint64_t left = random_.below(4); left > 0; --left) step(left);
        if (random_.one_in(6)) host_.panic("by chance");
        if (random_.one_in(20)) host_.use_gas(2000 * kTera);
        if (!promises_.empty() && random_.one_in(2)) return host_.promise_return(any());
        if (random_.one_in(2)) host_.return_value(Bytes(random_.below(200)));
    }

private:
    void step(std::uint64_t left) {
        switch (random_.below(7)) {
            case 0:
            case 1: return act(host_.promise_batch_create(random_.of(targets_)), left);
            case 2:
                if (!promises_.empty()) act(host_.promise_batch_then(any(), random_.of(targets_)), left);
                return;
            case 3:
                if (promises_.size() > 1)
                    act(host_.promise_batch_then(host_.promise_and({any(), any()}), random_.of(targets_)),
                        left);
                return;
            case 4: return yield();
            case 5: return resume();
            default: host_.storage_write("k" + std::to_string(left), std::string(random_.below(100), 'v'));
        }
    }
    PromiseIndex any() { return promises_[random_.below(promises_.size())]; }

    void act(PromiseIndex promise, std::uint64_t left) {
        const u128 deposit = random_.one_in(3) ? random_.below(1'000'000) * (kNear / 1'000'000) : 0;
        if (random_.one_in(4)) host_.promise_add_action(promise, transfer_action(deposit));
        const bool weighed = random_.one_in(3);
        const Gas gas = weighed ? random_.below(kTera)
                                : 1 + random_.below((host_.prepaid_gas() - host_.used_gas()) / (2 * left));
        host_.promise_add_action(
            promise, call_action("run", gas, deposit, text(host_.input()) + "/" + std::to_string(left)),
            weighed ? 1 + random_.below(3) : 0);
        promises_.push_back(promise);
    }
    void yield() {
        const Host::Yield made =
            host_.promise_yield_create("run", bytes("yielded"), 2 * kTera, random_.below(2));
        host_.storage_write("yield", std::string(made.data_id.bytes.begin(), made.data_id.bytes.end()));
        promises_.push_back(made.promise);
    }
    void resume() {
        const auto stored = host_.storage_read("yield");
        if (!stored) return;
        CryptoHash id;
        std::copy(stored->begin(), stored->end(), id.bytes.begin());
        host_.promise_yield_resume(id, bytes("payload"));
    }

    Host& host_;
    Random random_;
    std::vector<std::string> targets_;
    std::vector<PromiseIndex> promises_;
};

wire::Action delegate(const std::string& sender, const std::string& receiver,
                      std::vector<wire::Action> actions, std::uint64_t nonce, Height until) {
    wire::SignedDelegate made;
    made.delegate_action = {sender, receiver, std::move(actions), nonce, until, key_of(sender).public_key()};
    made.signature = key_of(sender).sign(wire::delegate_hash(made.delegate_action).view());
    return {made};
}

class RandomTraffic {
public:
    RandomTraffic(World& world, std::string_view seed) : world_(world), random_(seed) {
        signers_ = {kAlice, kBob, kCarol, "dave.test", "erin.test"};
    }

    void send(std::uint64_t number) {
        const std::string& signer = random_.of(signers_);
        const std::string& receiver = random_.of(random_.one_in(2) ? signers_ : kPrograms);
        const u128 amount = random_.below(10) * kNear;
        const std::string input = std::to_string(number);
        const std::string implicit = chain::hex_encode(chain::sha256(chain::bytes_of(input)).view());
        switch (random_.below(10)) {
            case 0: world_.send(signer, receiver, {transfer_action(amount)}); break;
            case 1: world_.send(signer, implicit, {transfer_action(amount)}); break;
            case 2:
                world_.send(signer, receiver,
                            {delegate(receiver, random_.of(kPrograms),
                                      {call_action("run", 20 * kTera, amount, input)}, 1'000'000 + number,
                                      random_.one_in(5) ? 1 : 100'000)});
                break;
            case 3:
                world_.send(signer, "n" + input + "." + signer,
                            {{wire::CreateAccount{}},
                             transfer_action(amount),
                             {wire::AddKey{key_of(input).public_key(), {}}}});
                break;
            case 4:
                if (random_.one_in(12)) world_.send(signer, signer, {{wire::DeleteAccount{receiver}}});
                break;
            case 5:
                world_.send(signer, signer,
                            {{wire::Stake{amount, key_of(signer).public_key()}}, transfer_action(1)});
                break;
            default:
                world_.send(signer, random_.of(kPrograms),
                            {transfer_action(amount),
                             call_action("run", (1 + random_.below(200)) * kTera, amount, input)});
        }
    }

private:
    World& world_;
    Random random_;
    std::vector<std::string> signers_;
};

World random_world(std::size_t shards, std::uint32_t protocol_version) {
    World world(shards, protocol_version);
    world.block().yield_timeout_blocks = 6;
    for (const std::string& id : kPrograms)
        world.add_contract(id, {{"run", [](Host& host) { Program(host).run(); }}});
    world.add_account("dave.test");
    world.add_account("erin.test", kNear);
    return world;
}

// The events as one text per block: equal texts, equal chains.
std::string run_traffic(const std::string& seed, std::size_t shards, World& world) {
    std::string trace;
    Random random(seed);
    RandomTraffic traffic(world, seed + " traffic");
    std::uint64_t number = 0;
    for (int block = 0; block < 60; ++block) {
        for (std::uint64_t i = random.below(6); i > 0; --i) traffic.send(number++);
        world.set_gas_limit(random.one_in(4) ? 30 * kTera : 1000 * kTera);
        world.block().gas_price = kGasPrice + random.below(50'000'000);
        world.step();
        for (std::size_t i = 0; i < shards; ++i)
            trace += world.state_of(std::string(1, static_cast<char>('a' + i))).root().to_string();
    }
    world.set_gas_limit(1000 * kTera);
    for (int block = 0; block < 200 && world.is_busy(); ++block) world.step();
    return trace;
}

TEST(Conservation, NoYoctoIsMadeOrLostWhateverContractsDo) {
    std::set<std::string> failures;
    for (int seed = 0; seed < 12; ++seed) {
        const std::size_t shards = 1 + static_cast<std::size_t>(seed) % 4;
        World world = random_world(shards, seed % 2 == 0 ? 84 : 86);
        run_traffic("seed " + std::to_string(seed), shards, world);
        ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
        EXPECT_FALSE(world.is_busy());
        world.for_each_executed([&](const World::Executed& executed) {
            const Json kind = kind_of(executed.outcome);
            if (kind.is_object()) failures.insert(kind.begin().key());
            if (kind.is_string()) failures.insert(kind.get<std::string>());
        });
    }
    // That the programs do reach the cases where tokens could get lost.
    for (const char* kind : {"FunctionCallError", "AccountDoesNotExist", "DelegateActionExpired"})
        EXPECT_TRUE(failures.contains(kind)) << kind;
}

TEST(Conservation, TheSameInputsGiveTheSameChain) {
    World first = random_world(3, 86);
    World second = random_world(3, 86);
    World other = random_world(3, 86);
    const std::string trace = run_traffic("x", 3, first);
    EXPECT_EQ(trace, run_traffic("x", 3, second));
    EXPECT_NE(trace, run_traffic("y", 3, other));
}

}  // namespace
}  // namespace receiptd::sandbox::sim
