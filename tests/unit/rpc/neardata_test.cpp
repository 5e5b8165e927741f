#include "rpc/neardata_service.hpp"
#include "rpc/redirects.hpp"
#include "unit/rpc/world.hpp"

#include <gtest/gtest.h>

#include <map>

namespace receiptd::rpc {
namespace {

using namespace std::chrono_literals;
using namespace testing;

std::string neardata_block(int height) { return R"({"block":)" + block_json(height) + R"(,"shards":[]})"; }

class Neardata : public ::testing::Test {
protected:
    WholeBlockSource& source() {
        if (!source_)
            source_ = std::make_unique<WholeBlockSource>(
                world.io.get_executor(), world.time,
                std::make_unique<NeardataService>(world.pool, world.router()), nullptr);
        return *source_;
    }
    FetchResult fetch(chain::BlockHeight height) {
        return world.run(source().fetch(height, Priority::head, true));
    }
    World world;

private:
    std::unique_ptr<WholeBlockSource> source_;
};

TEST_F(Neardata, GivesWholeBlocksByOneGet) {
    auto& host = world.host("neardata", HostKind::neardata);
    host.script = [](const auto&) { return http(200, neardata_block(7)); };
    const auto result = fetch(7);
    EXPECT_EQ(std::get<std::unique_ptr<BlockContents>>(result)->block().header.height, 7u);
    EXPECT_EQ(host.seen[0].method, "GET");
    EXPECT_EQ(host.seen[0].target, "/v0/block/7");
    EXPECT_TRUE(source().waits_for_next());
}

TEST_F(Neardata, NullIsAHeightWithoutABlockAndTooFarIsNotYet) {
    auto& host = world.host("neardata", HostKind::neardata);
    host.script = [](const auto&) { return http(200, "null"); };
    EXPECT_TRUE(std::holds_alternative<NoSuchHeight>(fetch(7)));
    host.script = [](const auto&) { return http(404, R"({"error":"e","type":"BLOCK_DOES_NOT_EXIST"})"); };
    EXPECT_TRUE(std::holds_alternative<NotYet>(fetch(7)));
    host.script = [](const auto&) { return http(404, R"({"error":"e","type":"BLOCK_HEIGHT_TOO_LOW"})"); };
    EXPECT_EQ(std::get<Unavailable>(fetch(7)).reason, "BLOCK_HEIGHT_TOO_LOW");
    host.script = [](const auto&) { return http(200, neardata_block(8)); };
    EXPECT_EQ(std::get<Unavailable>(fetch(7)).reason, "malformed");
}

TEST_F(Neardata, TheHeadsBlockIsFetchedOnce) {
    auto& host = world.host("neardata", HostKind::neardata);
    host.script = [](const auto&) { return http(200, neardata_block(9)); };
    EXPECT_EQ(world.run(source().head())->height, 9u);
    EXPECT_TRUE(std::holds_alternative<std::unique_ptr<BlockContents>>(fetch(9)));
    EXPECT_EQ(host.seen.size(), 1u);
    EXPECT_EQ(host.seen[0].target, "/v0/last_block/final");
}

class Redirects : public ::testing::Test {
protected:
    Redirects() {
        factory = [this](const net::Url& origin, const TransportOptions& options) {
            if (options.only_public) kept_to_public_addresses.push_back(origin.origin());
            auto& host = hosts[origin.origin()];
            if (!host) host = std::make_shared<FakeHost>(world.io.get_executor());
            host->script = [this](const net::HttpRequest& request) { return script(request); };
            ++made;
            return host;
        };
    }
    Transport::Reply send(const std::string& from, net::HttpRequest request) {
        RedirectingTransport transport(factory, *net::parse_url(from), listed, {});
        return world.run(transport.send(std::move(request), 1s));
    }
    static net::HttpRequest get(const std::string& target, bool bearer) {
        net::HttpRequest request;
        request.target = target;
        if (bearer) request.headers.push_back({"Authorization", "Bearer KEY"});
        return request;
    }
    FakeHost& host(const std::string& url) { return *hosts.at(net::parse_url(url)->origin()); }
    World world;
    TransportFactory factory;
    std::map<std::string, std::shared_ptr<FakeHost>> hosts;
    unsigned made = 0;
    std::vector<std::string> listed;
    std::vector<std::string> kept_to_public_addresses;
    std::function<Transport::Reply(const net::HttpRequest&)> script;
};

TEST_F(Redirects, AreFollowedToOtherPathsAndHostsOfTheSameSiteWithTheKey) {
    script = [](const net::HttpRequest& request) {
        if (request.target == "/v0/last_block/final") return http(302, "", {{"Location", "/v0/block/5"}});
        if (request.target == "/v0/block/5")
            return http(302, "", {{"location", "https://a0.mainnet.neardata.xyz/v0/block/5/old"}});
        return http(200, "{}");
    };
    const auto reply = send("https://mainnet.neardata.xyz/", get("/v0/last_block/final", true));
    EXPECT_EQ(reply->status, 200);
    const auto& archive = host("https://a0.mainnet.neardata.xyz");
    ASSERT_EQ(archive.seen.size(), 1u);
    ASSERT_EQ(archive.seen[0].headers.size(), 1u);
    EXPECT_EQ(archive.seen[0].headers[0].value, "Bearer KEY");
    EXPECT_EQ(kept_to_public_addresses, std::vector<std::string>{"https://a0.mainnet.neardata.xyz:443"});
}

TEST_F(Redirects, TheKeyInTheQueryFollowsOnce) {
    script = [](const net::HttpRequest& request) {
        if (request.target.find("final") != std::string::npos)
            return http(302, "", {{"Location", "/v0/block/5"}});
        if (request.target == "/v0/block/5?apiKey=KEY")
            return http(302, "", {{"Location", "/v0/block/5/old?apiKey=KEY"}});
        return http(200, "{}");
    };
    EXPECT_EQ(send("https://mainnet.neardata.xyz/", get("/final?apiKey=KEY", false))->status, 200);
    EXPECT_EQ(host("https://mainnet.neardata.xyz").seen.back().target, "/v0/block/5/old?apiKey=KEY");
}

TEST_F(Redirects, DoNotLeadToStrangersUnlessTheyAreListed) {
    script = [](const net::HttpRequest& request) {
        if (request.target == "/a") return http(302, "", {{"Location", "https://elsewhere.example/b"}});
        return http(200, "{}");
    };
    const auto refused = send("https://mainnet.neardata.xyz/", get("/a", true));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().text,
              "https://mainnet.neardata.xyz:443: redirects to https://elsewhere.example:443: refused; "
              "neardata.redirect_hosts lists the hosts that may follow");
    EXPECT_EQ(hosts.size(), 1u);

    listed = {"elsewhere.example"};
    EXPECT_EQ(send("https://mainnet.neardata.xyz/", get("/a", true))->status, 200);
    EXPECT_EQ(host("https://elsewhere.example").seen[0].headers.size(), 1u);
    EXPECT_TRUE(kept_to_public_addresses.empty());
}

TEST_F(Redirects, NeverLeadFromHttpsToHttp) {
    script = [](const auto&) { return http(302, "", {{"Location", "http://mainnet.neardata.xyz/b"}}); };
    const auto reply = send("https://mainnet.neardata.xyz/", get("/a", true));
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().fault, net::TransportFault::malformed);
    EXPECT_EQ(hosts.size(), 1u);
}

TEST_F(Redirects, EndAfterFiveHops) {
    script = [](const auto&) { return http(302, "", {{"Location", "/again"}}); };
    ASSERT_FALSE(send("http://127.0.0.1:9/", get("/a", false)));
    EXPECT_EQ(host("http://127.0.0.1:9").seen.size(), 6u);
}

TEST_F(Redirects, OnePoolServesAHostAgain) {
    script = [](const net::HttpRequest& request) {
        if (request.target == "/a") return http(302, "", {{"Location", "https://b.example/b"}});
        return http(200, "{}");
    };
    RedirectingTransport transport(factory, *net::parse_url("https://a.example/"), {"b.example"}, {});
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(world.run(transport.send(get("/a", false), 1s)));
    EXPECT_EQ(made, 2u);
}

TEST(Followed, IsTheConfiguredHostWithItsSubdomainsAndWhatIsListed) {
    const auto way = [](const char* home, const char* target) {
        return followed(*net::parse_url(home), {"listed.example", "10.0.0.6"}, *net::parse_url(target));
    };
    const auto home = "https://mainnet.neardata.xyz";
    EXPECT_EQ(way(home, "https://mainnet.neardata.xyz/v0/block/1"), Followed::anywhere);
    EXPECT_EQ(way(home, "https://a0.mainnet.neardata.xyz"), Followed::to_public_addresses);
    EXPECT_EQ(way(home, "https://mainnet.neardata.xyz:8443"), Followed::to_public_addresses);
    EXPECT_EQ(way("http://mainnet.neardata.xyz", home), Followed::to_public_addresses);
    EXPECT_EQ(way(home, "https://listed.example"), Followed::anywhere);
    EXPECT_EQ(way("http://10.0.0.5", "http://10.0.0.6:8080"), Followed::anywhere);
    EXPECT_EQ(way("http://127.0.0.1:80", "http://127.0.0.1:80"), Followed::anywhere);
}

TEST(Followed, IsNobodyElse) {
    const auto is_refused = [](const char* home, const char* target) {
        return followed(*net::parse_url(home), {"listed.example"}, *net::parse_url(target)) == Followed::no;
    };
    const auto home = "https://mainnet.neardata.xyz";
    for (const char* target :
         {"http://mainnet.neardata.xyz", "http://a0.mainnet.neardata.xyz", "http://listed.example",
          "https://a.listed.example", "https://neardata.xyz", "https://testnet.neardata.xyz",
          "https://xmainnet.neardata.xyz", "https://mainnet.neardata.xyz.example", "https://169.254.169.254"})
        EXPECT_TRUE(is_refused(home, target)) << target;
    EXPECT_TRUE(is_refused("http://127.0.0.1:80", "http://127.0.0.1:81"));
    EXPECT_TRUE(is_refused("https://10.0.0.1", "https://10.1.0.1"));
    EXPECT_TRUE(is_refused("https://10.0.0.1", "https://a.10.0.0.1"));
}

// Their last two labels are equal, and their owners are not.
TEST(Followed, IsNoNeighbourUnderAPublicSuffix) {
    const auto is_refused = [](const char* home, const char* target) {
        return followed(*net::parse_url(home), {}, *net::parse_url(target)) == Followed::no;
    };
    EXPECT_TRUE(is_refused("https://blocks.co.uk", "https://thief.co.uk"));
    EXPECT_TRUE(is_refused("https://blocks.fly.dev", "https://thief.fly.dev"));
    EXPECT_TRUE(is_refused("https://blocks.github.io", "https://thief.github.io"));
}

}  // namespace
}  // namespace receiptd::rpc
