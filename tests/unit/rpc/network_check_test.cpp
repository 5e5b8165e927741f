// Which hosts are asked, and what for, before they are used.
#include "unit/rpc/world.hpp"

#include "base/coroutine.hpp"
#include "rpc/block_source.hpp"
#include "rpc/network_check.hpp"
#include "rpc/questions.hpp"

#include <gmock/gmock.h>

namespace receiptd::rpc::testing {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

const std::string kOurHash = "4XXtr7JrRNaquPXe7RZ1PSgJ645dgSpsRyE6gmvhvQV4";
const std::string kOtherHash = "72JMWj22x3ze1pUFQd6aE8EffpsWNtHezeqgxGENyMvc";

FakeHost::Script node(const std::string& chain_id, const std::string& genesis,
                      const std::string& hash = kOurHash) {
    return [=](const net::HttpRequest& request) {
        if (request.body.find(R"("method":"status")") == std::string::npos)
            return result(block_json(7, "", hash));
        return result(R"({"chain_id":")" + chain_id + R"(","genesis_hash":")" + genesis +
                      R"(","sync_info":{"earliest_block_height":5}})");
    };
}

FakeHost::Script whole_blocks(const std::string& hash) {
    return [=](const net::HttpRequest&) {
        return http(200, R"({"block":)" + block_json(7, "", hash) + R"(,"shards":[]})");
    };
}

Transport::Reply down(const net::HttpRequest&) { return broken(net::TransportFault::connect); }

class NetworkCheckTest : public ::testing::Test {
protected:
    ~NetworkCheckTest() override {
        if (running_) running_->cancel();
        world.settle();
    }
    void begin(const std::string& genesis = "Gen", std::optional<chain::BlockRef> stored = std::nullopt) {
        if (!check_)
            check_ = std::make_unique<NetworkCheck>(world.io.get_executor(), world.pool, world.time,
                                                    world.router(), services_);
        OwnNetwork own;
        own.identity = {"testnet", genesis};
        own.learn = [this](std::string told) { return learn(std::move(told)); };
        own.stored_block = [stored] { return ready(stored); };
        world.run(begun(std::move(own)));
    }
    // For as long as it takes until each is asked again.
    void later(base::Duration passed) {
        world.time->advance(passed);
        if (!running_) running_.emplace(world.io.get_executor()).spawn(check_->run());
        for (int i = 0; i < 8; ++i) {
            world.settle();
            world.time->jump();
        }
        world.settle();
    }
    void follow(const FakeHost::Script& script) {
        auto transport = std::make_shared<FakeHost>(world.io.get_executor());
        transport->script = script;
        UpstreamOptions options;
        options.name = "neardata";
        options.kind = HostKind::neardata;
        std::vector<std::unique_ptr<Upstream>> one;
        one.push_back(std::make_unique<Upstream>(world.io.get_executor(), world.time, transport,
                                                 std::move(options), nullptr));
        services_ = std::make_shared<Router>(world.io.get_executor(), world.time, std::move(one));
    }
    NetworkState state(std::size_t host) { return world.router()->hosts()[host]->network().state; }
    NetworkState service() { return services_->hosts()[0]->network().state; }
    std::string detail(std::size_t host) { return world.router()->hosts()[host]->state().network_detail; }
    static chain::BlockRef block(const std::string& hash) {
        chain::BlockRef block;
        block.height = 7;
        block.hash = hash;
        return block;
    }

    World world;
    std::string learned;

private:
    base::Task<bool> begun(OwnNetwork own) {
        co_await check_->begin(std::move(own));
        co_return true;
    }
    base::Task<std::string> learn(std::string told) {
        learned = std::move(told);
        co_return learned;
    }
    static base::Task<std::optional<chain::BlockRef>> ready(std::optional<chain::BlockRef> stored) {
        co_return stored;
    }

    std::shared_ptr<Router> services_;
    std::unique_ptr<NetworkCheck> check_;
    std::optional<base::TaskGroup> running_;
};

TEST_F(NetworkCheckTest, AnHonestHostIsAskedOnceAndUsed) {
    auto& host = world.host("main", HostKind::regular);
    host.script = node("testnet", "Gen");
    begin();
    EXPECT_EQ(state(0), NetworkState::proven);
    EXPECT_EQ(host.seen.size(), 1u);
    EXPECT_EQ(world.router()->hosts().front()->memory().horizon(), 5u) << "the same answer tells it";
}

TEST_F(NetworkCheckTest, AHostOfAnotherNetworkIsAskedForNothingElse) {
    auto& other = world.host("other", HostKind::regular);
    auto& main = world.host("main", HostKind::archival);
    other.script = node("mainnet", "Gen", kOtherHash);
    main.script = node("testnet", "Gen");
    begin();
    world.settle();
    EXPECT_EQ(state(0), NetworkState::other_network);
    RpcBlockSource blocks(world.io.get_executor(), world.pool, world.router(),
                          std::make_shared<BlockCache>());
    EXPECT_EQ(world.run(blocks.head())->hash, kOurHash);
    EXPECT_EQ(other.seen.size(), 1u);
    EXPECT_TRUE(world.router()->ready(HostKind::regular, "block").empty());
}

TEST_F(NetworkCheckTest, ALocalNetworkStartedAnewIsAnotherOne) {
    world.host("main", HostKind::regular).script = node("testnet", "Anew");
    begin();
    EXPECT_EQ(state(0), NetworkState::other_network);
    EXPECT_THAT(detail(0), HasSubstr("genesis block is Anew, not Gen"));
    EXPECT_FALSE(world.router()->hosts()[0]->state().is_usable);
}

TEST_F(NetworkCheckTest, TheFirstGenesisToldIsLearned) {
    world.host("main", HostKind::regular).script = node("testnet", "Gen");
    world.host("old", HostKind::archival).script = node("testnet", "Gen");
    begin("");
    EXPECT_EQ(learned, "Gen");
    EXPECT_EQ(state(0), NetworkState::proven);
    EXPECT_EQ(state(1), NetworkState::proven);
}

TEST_F(NetworkCheckTest, HostsThatDifferAboutTheFirstGenesisAreNotUsed) {
    world.host("main", HostKind::regular).script = node("testnet", "Gen");
    world.host("old", HostKind::archival).script = node("testnet", "Anew");
    begin("");
    EXPECT_EQ(learned, "");
    EXPECT_EQ(state(0), NetworkState::unproven);
    EXPECT_EQ(state(1), NetworkState::unproven);
    EXPECT_THAT(detail(1), HasSubstr("chain.genesis_hash"));
}

TEST_F(NetworkCheckTest, ADownHostIsWaitedForAndUsedWhenItHasProvenItself) {
    auto& host = world.host("main", HostKind::regular);
    host.script = down;
    begin("");
    EXPECT_EQ(state(0), NetworkState::unproven);
    host.script = node("testnet", "Gen");
    later(2s);
    EXPECT_EQ(state(0), NetworkState::proven);
    EXPECT_EQ(learned, "Gen");
}

TEST_F(NetworkCheckTest, ACallWaitsForTheProofOfTheOnlyHost) {
    auto& host = world.host("main", HostKind::regular);
    host.script = down;
    begin();
    host.script = node("testnet", "Gen");
    later(0s);
    RpcBlockSource blocks(world.io.get_executor(), world.pool, world.router(),
                          std::make_shared<BlockCache>());
    EXPECT_TRUE(world.run(blocks.head()));
    EXPECT_EQ(state(0), NetworkState::proven);
}

TEST_F(NetworkCheckTest, AQuestionToADownHostAloneWaitsForNoProof) {
    world.host("main", HostKind::regular).script = down;
    begin();
    auto call = ask_final_block(Priority::head);
    call.only_host = 0;
    const auto started = world.time->now();
    EXPECT_FALSE(world.run(world.router()->call(std::move(call))));
    EXPECT_EQ(world.time->now(), started);
}

// 2.12 has EXPERIMENTAL_tx_status, this 2.14 tx_status alone.
class UpgradedHost : public NetworkCheckTest {
protected:
    UpgradedHost() : host(world.host("main", HostKind::regular)) {
        host.script = [this](const net::HttpRequest& request) {
            const auto asks = [&](const std::string& method) {
                return request.body.find("\"method\":\"" + method + "\"") != std::string::npos;
            };
            if (asks("status"))
                return result(R"({"chain_id":"testnet","genesis_hash":"Gen","version":{"version":")" +
                              version + R"(","build":"nearcore"}})");
            const bool is_new = version == "2.14.0";
            if (asks(is_new ? "tx_status" : "EXPERIMENTAL_tx_status")) return result("{}");
            return error("METHOD_NOT_FOUND", 400, "REQUEST_VALIDATION_ERROR");
        };
        begin();
    }
    // Whether it answers; `asked` counts the requests for that method.
    bool answers(const std::string& method) {
        const auto before = host.seen.size();
        const bool told(world.run(world.router()->call(
            ask_transaction(method, {kOurHash, "a.near", Priority::watch, std::nullopt, {}}))));
        asked = host.seen.size() - before;
        return told;
    }

    FakeHost& host;
    std::string version = "2.12.0";
    std::size_t asked = 0;
};

TEST_F(UpgradedHost, IsAskedForTheMethodsThatItLackedAsSoonAsItTellsItsVersion) {
    later(9min);
    EXPECT_FALSE(answers("tx_status"));
    EXPECT_FALSE(answers("tx_status"));
    EXPECT_EQ(asked, 0u) << "it is known to lack it";
    version = "2.14.0";
    EXPECT_FALSE(answers("tx_status")) << "nobody knows of the upgrade yet";
    later(2min);
    EXPECT_TRUE(answers("tx_status"));
    later(8min);
    EXPECT_FALSE(answers("EXPERIMENTAL_tx_status"));
    version = "2.12.0";
    EXPECT_FALSE(answers("EXPERIMENTAL_tx_status")) << "nobody knows of the downgrade yet";
    later(2min);
    EXPECT_TRUE(answers("EXPERIMENTAL_tx_status"));
    EXPECT_FALSE(answers("tx_status"));
    EXPECT_EQ(asked, 1u);
}

TEST_F(NetworkCheckTest, EveryTenMinutesEachIsAskedAgain) {
    auto& host = world.host("main", HostKind::regular);
    host.script = node("testnet", "Gen");
    begin();
    later(5min);
    EXPECT_EQ(host.asked("status"), 1u);
    host.script = node("mainnet", "Gen");
    later(6min);
    EXPECT_EQ(state(0), NetworkState::other_network);
}

TEST_F(NetworkCheckTest, AHostThatWasPutAsideProvesItselfAnew) {
    auto& host = world.host("main", HostKind::regular);
    host.script = node("testnet", "Gen");
    begin();
    host.script = down;
    RpcBlockSource blocks(world.io.get_executor(), world.pool, world.router(),
                          std::make_shared<BlockCache>());
    EXPECT_FALSE(world.run(blocks.head()));
    host.script = node("mainnet", "Gen", kOtherHash);
    later(1min);
    EXPECT_EQ(state(0), NetworkState::other_network) << "another node answers behind the name";
}

TEST_F(NetworkCheckTest, AHostWithoutStatusIsComparedOrTrusted) {
    auto& host = world.host("main", HostKind::regular);
    host.script = [](const net::HttpRequest& request) {
        return request.body.find(R"("method":"status")") == std::string::npos ? result(block_json(7))
                                                                              : error("METHOD_NOT_FOUND");
    };
    begin("Gen", block(kOurHash));
    EXPECT_EQ(state(0), NetworkState::proven);
    begin("Gen", block(kOtherHash));
    EXPECT_EQ(state(0), NetworkState::other_network);
    begin("");
    EXPECT_EQ(state(0), NetworkState::on_trust);
}

TEST_F(NetworkCheckTest, AWholeBlockServiceIsComparedWithWhatIsStored) {
    world.host("main", HostKind::regular).script = node("testnet", "Gen");
    follow(whole_blocks(kOurHash));
    begin("Gen", block(kOurHash));
    EXPECT_EQ(service(), NetworkState::proven);
    begin("Gen", block(kOtherHash));
    EXPECT_EQ(service(), NetworkState::other_network);
}

TEST_F(NetworkCheckTest, AWholeBlockServiceIsComparedWithAProvenHost) {
    auto& host = world.host("main", HostKind::regular);
    host.script = node("testnet", "Gen");
    follow(whole_blocks(kOurHash));
    begin();
    EXPECT_EQ(service(), NetworkState::proven);
    host.script = node("testnet", "Gen", kOtherHash);
    begin();
    EXPECT_EQ(service(), NetworkState::other_network);
}

TEST_F(NetworkCheckTest, AWholeBlockServiceThatAnswersAloneIsTrusted) {
    auto& host = world.host("main", HostKind::regular);
    host.script = down;
    follow(whole_blocks(kOurHash));
    begin();
    EXPECT_EQ(service(), NetworkState::on_trust);
    host.script = node("testnet", "Gen");
    later(11s);
    later(11s);
    EXPECT_EQ(service(), NetworkState::proven);
}

}  // namespace
}  // namespace receiptd::rpc::testing
