// Headers from which the block's hash does not follow: taken, or asked for elsewhere.
#include "rpc/header_check.hpp"
#include "chain/proof/header_hash.hpp"
#include "metrics/registry.hpp"
#include "rpc/block_source.hpp"
#include "rpc/neardata_service.hpp"
#include "rpc/tree_source.hpp"
#include "rpc/witnesses.hpp"
#include "support/read_file.hpp"
#include "unit/rpc/world.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::rpc {
namespace {

using namespace testing;
using Json = nlohmann::json;
using Word = Witness::Word;
using chain::HeaderHash;

constexpr chain::BlockHeight kRecordedBlock = 232'952'651;

Witness shows(const std::string& part, HeaderHash hash_is) {
    return {"other", Word::has, chain::BlockRef(), "", hash_is, part};
}
Witness says(Word word) { return {"other", word, std::nullopt}; }

TEST(JudgedHeaders, AreProvenByAFormFromWhichTheHashFollows) {
    EXPECT_EQ(judge_header("part", {shows("part", HeaderHash::equal)}), HeaderWord::proven);
    EXPECT_EQ(judge_header("part", {shows("another", HeaderHash::equal)}), HeaderWord::false_);
    EXPECT_EQ(
        judge_header("part", {shows("part", HeaderHash::different), shows("another", HeaderHash::equal)}),
        HeaderWord::false_)
        << "two that lie alike";
}

TEST(JudgedHeaders, AreTakenWhereASecondHostShowsTheSame) {
    EXPECT_EQ(judge_header("part", {shows("part", HeaderHash::unknown_form)}), HeaderWord::alike);
    EXPECT_EQ(judge_header(
                  "part", {shows("another", HeaderHash::unknown_form), shows("part", HeaderHash::different)}),
              HeaderWord::alike);
}

TEST(JudgedHeaders, AreTakenWhereNoOtherHostCanTell) {
    EXPECT_EQ(judge_header("part", {}), HeaderWord::alone);
    EXPECT_EQ(judge_header("part", {says(Word::unable)}), HeaderWord::alone);
}

TEST(JudgedHeaders, AreUnclearWhereAnotherHostMayComeToTell) {
    for (const auto word : {Word::silent, Word::denies})
        EXPECT_EQ(judge_header("part", {says(word)}), HeaderWord::unclear);
    EXPECT_EQ(judge_header("part", {shows("another", HeaderHash::unknown_form)}), HeaderWord::unclear);
}

TEST(JudgedHeaders, AreFalseWhereTwoShowAnotherAlike) {
    const auto another = shows("another", HeaderHash::unknown_form);
    EXPECT_EQ(judge_header("part", {another, another}), HeaderWord::false_);
    EXPECT_EQ(judge_header("part", {another, shows("a third", HeaderHash::unknown_form)}),
              HeaderWord::unclear);
}

class CheckedHeaders : public ::testing::Test {
protected:
    using Change = std::function<void(Json& header)>;

    void host(const std::string& name, Change change, HostKind kind = HostKind::archival) {
        Json told = block_;
        change(told["header"]);
        world.host(name, kind).script = [this, told](const auto&) {
            ++asked;
            return result(told.dump());
        };
    }
    std::shared_ptr<HeaderCheck> headers() {
        witnesses_ = std::make_unique<ConfiguredWitnesses>(world.io.get_executor(), world.pool,
                                                           world.router(), nullptr);
        return std::make_shared<HeaderCheck>(*witnesses_, &series);
    }
    // The block, as it is asked for where a tree was executed in it.
    base::Result<chain::BlockRef, Unavailable> final_block() {
        RpcTreeSource trees(world.io.get_executor(), world.pool, world.router(),
                            std::make_shared<BlockCache>(), headers());
        return world.run(trees.final_block(block_["header"]["hash"], kRecordedBlock, Priority::watch));
    }
    FetchResult fetch() {
        source_ = std::make_unique<RpcBlockSource>(world.io.get_executor(), world.pool, world.router(),
                                                   std::make_shared<BlockCache>(), headers());
        world.router()->hosts().front()->saw_block(kRecordedBlock + 10);
        return world.run(source_->fetch(kRecordedBlock, Priority::head, false));
    }
    const chain::BlockHeader& taken(const FetchResult& fetched) {
        return std::get<std::unique_ptr<BlockContents>>(fetched)->block().header;
    }
    static void truth(Json&) {}
    static void month_ago(Json& header) { header["timestamp_nanosec"] = "1700000000000000000"; }
    static void of_another_state(Json& header) { header["prev_state_root"] = header["prev_hash"]; }
    static void without_a_member(Json& header) { header.erase("random_value"); }
    static void of_tomorrow(Json& header) { header["latest_protocol_version"] = 9'999; }

    World world;
    metrics::Registry registry;
    metrics::RpcSeries series{registry};
    unsigned asked = 0;

private:
    Json block_ = Json::parse(test::read_file(RECEIPTD_TEST_DATA "/recorded/whole-block/" +
                                              std::to_string(kRecordedBlock) + ".json"))["block"];
    std::unique_ptr<ConfiguredWitnesses> witnesses_;
    std::unique_ptr<RpcBlockSource> source_;
};

TEST_F(CheckedHeaders, CostNoQuestionWhereTheHashFollows) {
    host("first", truth);
    host("second", truth);
    EXPECT_EQ(taken(fetch()).on_trust, "");
    EXPECT_EQ(asked, 1u);
}

TEST_F(CheckedHeaders, ThatAnotherHostProvesCoverTheirChunks) {
    host("first", of_another_state);
    host("second", truth);
    const auto fetched = fetch();
    const auto& block = std::get<std::unique_ptr<BlockContents>>(fetched)->block();
    EXPECT_EQ(std::get<std::unique_ptr<BlockContents>>(fetched)->host, "first");
    EXPECT_EQ(block.header.on_trust, "");
    EXPECT_TRUE(block.covers_chunks);
}

TEST_F(CheckedHeaders, ThatAnotherHostProvesCoverNoChunksByRootsOfTheirOwn) {
    host("first", [](Json& header) {
        of_another_state(header);
        header["outcome_root"] = header["prev_hash"];
    });
    host("second", truth);
    const auto fetched = fetch();
    const auto& block = std::get<std::unique_ptr<BlockContents>>(fetched)->block();
    EXPECT_EQ(block.header.on_trust, "");
    EXPECT_EQ(block.header.chunk_headers_root, "");
    EXPECT_FALSE(block.covers_chunks);
}

TEST_F(CheckedHeaders, OfAFalseTimeAreTakenFromAnotherHost) {
    host("first", month_ago);
    host("second", truth);
    const auto fetched = fetch();
    EXPECT_EQ(std::get<std::unique_ptr<BlockContents>>(fetched)->host, "second");
    EXPECT_EQ(taken(fetched).on_trust, "");
    EXPECT_NE(taken(fetched).timestamp_nanosec, 1'700'000'000'000'000'000u);
    EXPECT_TRUE(world.router()->hosts().front()->doubted());
}

TEST_F(CheckedHeaders, OfAFalseTimeInAFormThatCannotBeCheckedAreTakenFromAnotherHost) {
    for (const auto& hide : {without_a_member, of_tomorrow}) {
        SCOPED_TRACE(hide == of_tomorrow);
        host(hide == of_tomorrow ? "first" : "zeroth", [hide](Json& header) {
            month_ago(header);
            hide(header);
        });
    }
    host("second", truth);
    EXPECT_EQ(std::get<std::unique_ptr<BlockContents>>(fetch())->host, "second");
}

TEST_F(CheckedHeaders, ThatAnotherHostProvesAreTakenWithoutAMark) {
    host("first", without_a_member);
    host("second", truth);
    const auto fetched = fetch();
    EXPECT_EQ(std::get<std::unique_ptr<BlockContents>>(fetched)->host, "first");
    EXPECT_EQ(taken(fetched).on_trust, "");
    EXPECT_EQ(taken(fetched).hash_is, HeaderHash::equal);
}

TEST_F(CheckedHeaders, ThatAllShowAlikeAreTakenAndMarked) {
    host("first", without_a_member);
    host("second", without_a_member);
    EXPECT_EQ(taken(fetch()).on_trust, chain::trust::kHashUnknown);
}

TEST_F(CheckedHeaders, OfTheOnlyHostAreTakenAndMarked) {
    host("first", month_ago);
    EXPECT_EQ(taken(fetch()).on_trust, chain::trust::kHashDifferent);
    EXPECT_EQ(asked, 1u);
}

TEST_F(CheckedHeaders, ThatNoOtherHostConfirmsAreNotTaken) {
    host("first", month_ago);
    host("second", without_a_member);
    const auto fetched = fetch();
    const auto& refused = std::get<Unavailable>(fetched);
    EXPECT_EQ(refused.reason, kHeaderNotConfirmed);
    EXPECT_NE(refused.detail.find("second: another header"), std::string::npos) << refused.detail;
}

TEST_F(CheckedHeaders, OfABlockOfATreeThatNoOtherHostConfirmsAreNotTaken) {
    host("first", month_ago);
    host("second", without_a_member);
    EXPECT_EQ(final_block().error().reason, kHeaderNotConfirmed);
}

}  // namespace
}  // namespace receiptd::rpc
