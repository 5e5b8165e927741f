// Blocks whose hash does not follow from their header are counted, said once for each host, and taken.
#include "metrics/registry.hpp"
#include "rpc/block_source.hpp"
#include "rpc/neardata_service.hpp"
#include "support/read_file.hpp"
#include "unit/rpc/world.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace receiptd::rpc {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using Json = nlohmann::json;

constexpr chain::BlockHeight kRecorded = 232'952'651;

class ShownHashes : public ::testing::Test {
protected:
    std::shared_ptr<Router> router(HostKind kind, FakeHost::Script script) {
        UpstreamOptions options;
        options.name = "main";
        options.kind = kind;
        options.url.host = "main.test";
        auto transport = std::make_shared<FakeHost>(world.io.get_executor());
        transport->script = std::move(script);
        std::vector<std::unique_ptr<Upstream>> hosts;
        hosts.push_back(std::make_unique<Upstream>(world.io.get_executor(), world.time, transport,
                                                   std::move(options), &series));
        return std::make_shared<Router>(world.io.get_executor(), world.time, std::move(hosts));
    }
    std::string count(const char* result) {
        const std::string name = "receiptd_header_hash_total{result=\"" + std::string(result) + "\"} ";
        const auto text = registry.serialize();
        const auto at = text.find(name) + name.size();
        return text.substr(at, text.find('\n', at) - at);
    }

    World world;
    metrics::Registry registry;
    metrics::RpcSeries series{registry};
    Json whole_block = Json::parse(
        test::read_file(RECEIPTD_TEST_DATA "/recorded/whole-block/" + std::to_string(kRecorded) + ".json"));
};

TEST_F(ShownHashes, OfWholeBlocksAreCounted) {
    NeardataService source(
        world.pool, router(HostKind::neardata, [&](const auto&) { return http(200, whole_block.dump()); }));
    EXPECT_EQ(world.run(source.head())->block.height, kRecorded);
    EXPECT_EQ(count("equal"), "1");
    EXPECT_TRUE(std::holds_alternative<std::unique_ptr<BlockContents>>(
        world.run(source.fetch(kRecorded, Priority::head, true))));
    EXPECT_EQ(count("equal"), "1") << "the head's block is kept, and counted once";
    whole_block["block"]["header"]["random_value"] = whole_block["block"]["header"]["prev_hash"];
    EXPECT_TRUE(std::holds_alternative<std::unique_ptr<BlockContents>>(
        world.run(source.fetch(kRecorded, Priority::head, true))))
        << "nothing is refused for it";
    EXPECT_EQ(count("different"), "1");
    whole_block["block"]["header"].erase("random_value");
    EXPECT_TRUE(std::holds_alternative<std::unique_ptr<BlockContents>>(
        world.run(source.fetch(kRecorded, Priority::head, true))));
    EXPECT_EQ(count("unknown_form"), "1");
}

TEST_F(ShownHashes, OfBlocksByRpcAreCounted) {
    RpcBlockSource source(
        world.io.get_executor(), world.pool,
        router(HostKind::archival, [&](const auto&) { return result(whole_block["block"].dump()); }),
        std::make_shared<BlockCache>());
    EXPECT_EQ(world.run(source.head())->height, kRecorded);
    EXPECT_EQ(count("equal"), "1");
    whole_block["block"]["header"]["hash"] = whole_block["block"]["header"]["prev_hash"];
    EXPECT_EQ(world.run(source.head())->height, kRecorded);
    EXPECT_EQ(count("different"), "1");
    EXPECT_TRUE(std::holds_alternative<std::unique_ptr<BlockContents>>(
        world.run(source.fetch(kRecorded, Priority::head, false))));
    EXPECT_TRUE(std::holds_alternative<std::unique_ptr<BlockContents>>(
        world.run(source.fetch(kRecorded, Priority::head, false))));
    EXPECT_EQ(count("different"), "2") << "what the head brought is not asked for again";
}

}  // namespace
}  // namespace receiptd::rpc
