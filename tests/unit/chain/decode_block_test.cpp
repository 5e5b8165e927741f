#include "decode_fixtures.hpp"

#include <gmock/gmock.h>

namespace receiptd::chain {
namespace {

using testing::Changed;
using ::testing::ElementsAre;
using testing::error_of;
using testing::fixture;
using testing::OrderedJson;

std::string header_error(const std::string& json) { return error_of(decode_block(json)); }
std::string header_error(const Changed& json) { return header_error(json.text()); }

std::string chunk_hash(const Changed& block, int index) {
    return OrderedJson::parse(block.text())["chunks"][index]["chunk_hash"].dump();
}

TEST(DecodeBlock, ReadsHeaderAndChunkHeaders) {
    const auto decoded = decode_block(fixture("block/full.json"));
    ASSERT_TRUE(decoded) << error_of(decoded);
    const Block& block = decoded->value;
    EXPECT_EQ(block.author, "pool.near");
    EXPECT_EQ(block.header.height, 150000000);
    EXPECT_EQ(block.header.prev_height, 149999999);
    EXPECT_EQ(block.header.hash.size(), 44);
    EXPECT_EQ(block.header.timestamp_nanosec, 1700000000123456789);
    EXPECT_EQ(block.header.chunks_included, 1);
    EXPECT_EQ(base::to_string(block.header.total_supply), "1271483921739172839172839172839172");
    EXPECT_EQ(block.header.latest_protocol_version, 86);
    ASSERT_EQ(block.chunks.size(), 2);
    const ChunkHeader& chunk = block.chunks[1];
    EXPECT_EQ(chunk.shard_id, 11);
    EXPECT_EQ(chunk.height_included, 149999999);
    EXPECT_EQ(chunk.gas_used, 2428000000000);
    EXPECT_EQ(base::to_string(chunk.balance_burnt.value()), "242800000000000000000");
    EXPECT_EQ(chunk.encoded_length, 308);
}

TEST(DecodeBlock, WhitespaceDoesNotMatter) {
    const auto spaced = decode_block(fixture("block/spaced.json"));
    const auto dense = decode_block(fixture("block/full.json"));
    ASSERT_TRUE(spaced && dense);
    EXPECT_EQ(spaced->value.header.hash, dense->value.header.hash);
    EXPECT_EQ(spaced->value.chunks.size(), dense->value.chunks.size());
}

TEST(DecodeBlock, ReadsTheResultInsideItsEnvelope) {
    const auto decoded = decode_block_answer(fixture("block/answer.json"));
    ASSERT_TRUE(decoded) << error_of(decoded);
    EXPECT_EQ(decoded->value.header.height, 9);
    EXPECT_EQ(error_of(decode_block_answer(Changed("block/answer.json").remove("/result/author").text())),
              "result.author: missing");
    EXPECT_EQ(error_of(decode_block_answer(R"({"result":null,"error":{}})")), "result: missing");
    EXPECT_EQ(error_of(decode_block_answer(R"({"error":{"name":"HANDLER_ERROR","cause":{"name":"NEW"}}})")),
              "an error in place of a result: HANDLER_ERROR NEW");
    EXPECT_EQ(error_of(decode_block_answer(R"({"error":{"cause":{"name":"NEW"}}})")),
              "an error in place of a result: NEW");
}

TEST(DecodeBlock, ViewsStayValidWhenTheThreadDecodesOtherDocuments) {
    auto first = decode_block(fixture("block/full.json"));
    ASSERT_TRUE(first);
    auto moved = std::move(first);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(decode_chunk(fixture("chunk/full.json")));
    EXPECT_EQ(moved->value.author, "pool.near");
    EXPECT_GE(moved->value.author.data(), moved->document->json().data());
}

TEST(DecodeBlock, OldHeadersLackTheParentsHeightAndTheVersion) {
    const auto decoded = decode_block(Changed("block/full.json")
                                          .set("/header/prev_height", "null")
                                          .remove("/header/latest_protocol_version")
                                          .remove("/header/next_epoch_id")
                                          .text());
    ASSERT_TRUE(decoded) << error_of(decoded);
    EXPECT_FALSE(decoded->value.header.prev_height);
    EXPECT_EQ(decoded->value.header.latest_protocol_version, 0);
    EXPECT_TRUE(decoded->value.header.next_epoch_id.empty());
}

TEST(DecodeBlock, TheExactTimeWinsOverTheRoundedOne) {
    const auto time_of = [](const Changed& json) {
        const auto decoded = decode_block(json.text());
        return decoded ? std::to_string(decoded->value.header.timestamp_nanosec) : error_of(decoded);
    };
    Changed json("block/full.json");
    EXPECT_EQ(time_of(json.set("/header/timestamp", "1700000000123457000")), "1700000000123456789");
    EXPECT_EQ(time_of(json.set("/header/timestamp", "1.7e18")), "1700000000123456789");
    EXPECT_EQ(time_of(json.set("/header/timestamp", "18446744073709551616")), "1700000000123456789");
    EXPECT_EQ(time_of(json.remove("/header/timestamp")), "1700000000123456789");
    EXPECT_EQ(time_of(json.set("/header/timestamp_nanosec", "\"9223372036854775808\"")),
              "header.timestamp_nanosec: beyond bigint");
    EXPECT_EQ(time_of(json.set("/header/timestamp_nanosec", "\"soon\"")),
              "header.timestamp_nanosec: not a number");
    EXPECT_EQ(time_of(json.remove("/header/timestamp_nanosec")), "header.timestamp_nanosec: missing");
    EXPECT_EQ(time_of(json.set("/header/timestamp", "1700000000123457000")), "1700000000123457000");
    EXPECT_EQ(time_of(json.set("/header/timestamp", "1.5")), "header.timestamp: not an integer");
}

TEST(DecodeBlock, NamesTheMemberThatIsMissing) {
    for (const std::string pointer : {"/author",
                                      "/header",
                                      "/chunks",
                                      "/header/height",
                                      "/header/hash",
                                      "/header/prev_hash",
                                      "/header/epoch_id",
                                      "/header/gas_price",
                                      "/header/total_supply",
                                      "/header/chunks_included",
                                      "/chunks/1/chunk_hash",
                                      "/chunks/1/prev_block_hash",
                                      "/chunks/1/height_created",
                                      "/chunks/1/height_included",
                                      "/chunks/1/shard_id",
                                      "/chunks/1/gas_used",
                                      "/chunks/1/gas_limit",
                                      "/chunks/1/balance_burnt",
                                      "/chunks/1/encoded_length",
                                      "/chunks/1/outcome_root",
                                      "/chunks/1/tx_root"}) {
        std::string path = pointer.substr(1);
        if (path.starts_with("chunks/1/")) path = "chunks[1]." + path.substr(9);
        if (path.starts_with("header/")) path = "header." + path.substr(7);
        EXPECT_EQ(header_error(Changed("block/full.json").remove(pointer)), path + ": missing");
        EXPECT_EQ(header_error(Changed("block/full.json").set(pointer, "null")), path + ": missing");
    }
}

TEST(DecodeBlock, NumbersMustFitTheDatabase) {
    const auto height = [](const std::string& raw) {
        return header_error(Changed("block/full.json").set("/header/height", raw));
    };
    EXPECT_EQ(height("9223372036854775807"), "");
    EXPECT_EQ(height("9223372036854775808"), "header.height: beyond bigint");
    EXPECT_EQ(height("99999999999999999999999"), "header.height: beyond bigint");
    EXPECT_EQ(height("-1"), "header.height: negative");
    EXPECT_EQ(height("1.0"), "header.height: not an integer");
    EXPECT_EQ(height("1e3"), "header.height: not an integer");
    EXPECT_EQ(height("007"), "header.height: not a number");
    EXPECT_EQ(height("12x"), "header.height: not a number");
    EXPECT_EQ(height("\"12\""), "header.height: not a number");
    EXPECT_EQ(height("true"), "header.height: not a number");
    EXPECT_EQ(height("[1]"), "header.height: not a number");
    EXPECT_EQ(header_error(Changed("block/full.json").set("/chunks/0/shard_id", "9223372036854775808")),
              "chunks[0].shard_id: beyond bigint");
    EXPECT_EQ(header_error(Changed("block/full.json").set("/chunks/0/gas_used", "9223372036854775808")),
              "chunks[0].gas_used: beyond bigint");
    EXPECT_EQ(header_error(Changed("block/full.json").set("/header/latest_protocol_version", "4294967295")),
              "header.latest_protocol_version: beyond int");
}

TEST(DecodeBlock, BalancesAreExactTo128Bits) {
    const auto supply = [](const std::string& raw) {
        const auto decoded = decode_block(Changed("block/full.json").set("/header/total_supply", raw).text());
        return decoded ? base::to_string(decoded->value.header.total_supply) : error_of(decoded);
    };
    EXPECT_EQ(supply("\"0\""), "0");
    EXPECT_EQ(supply("\"9999999999999999999\""), "9999999999999999999");
    EXPECT_EQ(supply("\"10000000000000000000\""), "10000000000000000000");
    EXPECT_EQ(supply("\"99999999999999999999999999999999999999\""), "99999999999999999999999999999999999999");
    EXPECT_EQ(supply("\"340282366920938463463374607431768211455\""),
              "340282366920938463463374607431768211455");
    EXPECT_EQ(supply("1271483921739172839172839172839172"), "1271483921739172839172839172839172");
    for (const std::string bad : {"\"340282366920938463463374607431768211456\"", "\"\"", "\"-1\"", "\"1.5\"",
                                  "\"1e9\"", "\" 1\"", "1.5", "-1"}) {
        EXPECT_EQ(supply(bad), "header.total_supply: not a decimal number of 128 bits") << bad;
    }
    EXPECT_EQ(supply("{}"), "header.total_supply: neither a decimal string nor a number");
    EXPECT_EQ(supply("00"), "header.total_supply: neither a decimal string nor a number");
}

TEST(DecodeBlock, HashesAreBase58OfPlausibleLength) {
    const auto hash = [](const std::string& text) {
        return header_error(Changed("block/full.json").set("/header/hash", "\"" + text + "\""));
    };
    EXPECT_EQ(hash(std::string(kZeroHash)), "");
    EXPECT_EQ(hash(std::string(44, 'z')), "");
    EXPECT_EQ(hash(std::string(31, '1')), "header.hash: not a hash");
    EXPECT_EQ(hash(std::string(45, 'z')), "header.hash: not a hash");
    EXPECT_EQ(hash(std::string(43, '1') + "0"), "header.hash: not a hash");
    EXPECT_EQ(hash(std::string(42, '1') + "\\u0031"), "header.hash: not a hash");
    EXPECT_EQ(header_error(Changed("block/full.json").set("/header/prev_hash", "12")),
              "header.prev_hash: not a string");
}

TEST(DecodeBlock, ItsAuthorIsAnAccount) {
    const std::string long_name = '"' + std::string(6'000, 'a') + '"';
    EXPECT_EQ(header_error(Changed("block/full.json").set("/author", long_name)),
              "author: not an account id");
    EXPECT_EQ(error_of(decode_chunk(Changed("chunk/full.json").set("/author", long_name).text())),
              "author: not an account id");
}

TEST(DecodeBlock, NoShardAndNoChunkIsListedTwice) {
    const Changed full("block/full.json");
    EXPECT_EQ(header_error(Changed(full).set("/chunks/1/shard_id", "6")),
              "chunks[1]: its shard is listed before");
    EXPECT_EQ(header_error(Changed(full).set("/chunks/1/chunk_hash", chunk_hash(full, 0))),
              "chunks[1]: its hash is listed before");
    Changed twice(full);
    twice.set("/chunks/1/shard_id", "6").set("/chunks/1/chunk_hash", chunk_hash(full, 0));
    EXPECT_EQ(header_error(Changed(twice).set("/chunks/1/height_included", "150000000")),
              "chunks[1]: it is listed before");
    const auto decoded = decode_block(twice.text());
    ASSERT_TRUE(decoded) << "the children of a split shard show its last chunk while they have none";
    EXPECT_EQ(decoded->value.chunks.size(), 2) << "covers_chunks() needs all";
}

TEST(DecodeBlock, AMemberGivenTwiceIsAnError) {
    EXPECT_EQ(header_error(R"({"author":"a.near","author":"b.near"})"), "author: given twice");
}

TEST(DecodeBlock, NamesOfMembersMayBeEscaped) {
    std::string json = fixture("block/full.json");
    json.replace(json.find("\"author\""), 8, R"("\u0061uthor")");
    const auto decoded = decode_block(json);
    ASSERT_TRUE(decoded) << error_of(decoded);
    EXPECT_EQ(decoded->value.author, "pool.near");
}

TEST(DecodeBlock, UnknownMembersArePassedOver) {
    EXPECT_EQ(header_error(Changed("block/full.json")
                               .set("/header/spice_root", R"({"author":[{"hash":1},[]],"x":"\"}"})")
                               .set("/a", "\"b\"")
                               .set("/header/z", "-1.5e-3")),
              "");
}

TEST(DecodeChunk, ReadsEveryListOfReceiptsWithoutRepeats) {
    const auto decoded = decode_chunk(fixture("chunk/full.json"));
    ASSERT_TRUE(decoded) << error_of(decoded);
    const Chunk& chunk = decoded->value;
    EXPECT_EQ(chunk.author, "pool.near");
    EXPECT_EQ(chunk.header.shard_id, 6);
    EXPECT_EQ(chunk.transactions.size(), 2);
    std::vector<ReceiptKind> kinds;
    for (const Receipt& receipt : chunk.receipts) kinds.push_back(receipt.kind);
    // 5 listed; 2 local, one of them listed as well; 2 instant, one of them local as well
    EXPECT_THAT(kinds, ElementsAre(ReceiptKind::action, ReceiptKind::data, ReceiptKind::data,
                                   ReceiptKind::global_contract_distribution, ReceiptKind::unknown,
                                   ReceiptKind::action, ReceiptKind::action));
}

TEST(DecodeChunk, ReadsTheResultInsideItsEnvelope) {
    const auto decoded = decode_chunk_answer(fixture("chunk/answer.json"));
    ASSERT_TRUE(decoded) << error_of(decoded);
    EXPECT_TRUE(decoded->value.receipts.empty());
}

TEST(DecodeChunk, NamesTheMemberThatIsMissing) {
    for (const std::string member : {"author", "header", "transactions", "receipts"}) {
        EXPECT_EQ(error_of(decode_chunk(Changed("chunk/full.json").remove("/" + member).text())),
                  member + ": missing");
    }
}

}  // namespace
}  // namespace receiptd::chain
