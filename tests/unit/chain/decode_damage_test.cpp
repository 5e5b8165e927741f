// Documents that broke on the way: an error, whatever the damage, and never a crash.
#include "decode_fixtures.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <thread>

namespace receiptd::chain {
namespace {

using testing::error_of;
using testing::fixture;

struct Case {
    std::string name;
    std::string seed;
    std::function<std::string(std::string)> decode;  // the error, empty for none
};

const std::vector<Case>& cases() {
    static const std::vector<Case> all = {
        {"Block", "block/full.json",
         [](std::string json) { return error_of(decode_block(std::move(json))); }},
        {"SpacedBlock", "block/spaced.json",
         [](std::string json) { return error_of(decode_block(std::move(json))); }},
        {"BlockAnswer", "block/answer.json",
         [](std::string json) { return error_of(decode_block_answer(std::move(json))); }},
        {"Chunk", "chunk/full.json",
         [](std::string json) { return error_of(decode_chunk(std::move(json))); }},
        {"ChunkAnswer", "chunk/answer.json",
         [](std::string json) { return error_of(decode_chunk_answer(std::move(json))); }},
        {"TransactionStatus", "tx_status/full.json",
         [](std::string json) { return error_of(decode_transaction_status(std::move(json))); }},
        {"TransactionStatusAnswer", "tx_status/none.json",
         [](std::string json) { return error_of(decode_transaction_status_answer(std::move(json))); }},
        {"WholeBlock", "whole_block/full.json",
         [](std::string json) { return error_of(decode_whole_block(std::move(json))); }},
        {"OldWholeBlock", "whole_block/old.json",
         [](std::string json) { return error_of(decode_whole_block(std::move(json))); }},
        {"Error", "error/structured.json", [](std::string json) { return error_of(read_envelope(json)); }},
        {"OldError", "error/old.json", [](std::string json) { return error_of(read_envelope(json)); }},
    };
    return all;
}

class DecodeDamaged : public ::testing::TestWithParam<Case> {};

TEST_P(DecodeDamaged, TheUndamagedDocumentIsGood) {
    EXPECT_EQ(GetParam().decode(fixture(GetParam().seed)), "");
}

TEST_P(DecodeDamaged, CutOffAnywhereIsAnError) {
    const std::string whole = fixture(GetParam().seed);
    for (std::size_t size = 0; size < whole.size(); ++size) {
        EXPECT_NE(GetParam().decode(whole.substr(0, size)), "") << "cut to " << size << " bytes";
    }
}

TEST_P(DecodeDamaged, CutOffBeforeSpareBytesThatWouldCompleteItIsAnError) {
    const std::string whole = fixture(GetParam().seed);
    for (std::size_t size = whole.size() - std::min<std::size_t>(whole.size(), 200); size < whole.size();
         ++size) {
        std::string cut = whole;
        cut.reserve(whole.size() + 2 * kJsonPadding);
        cut.resize(size);  // the rest stays behind the end
        EXPECT_NE(GetParam().decode(std::move(cut)), "") << "cut to " << size << " bytes";
    }
}

TEST_P(DecodeDamaged, TextBehindTheEndIsAnError) {
    const std::string whole = fixture(GetParam().seed);
    EXPECT_EQ(GetParam().decode(whole + " \r\n\t"), "");
    for (const std::string tail : {"}", "]", "{}", "x", "1", "\"a\"", ",", ":", "\x01"}) {
        EXPECT_NE(GetParam().decode(whole + tail), "") << tail;
    }
    EXPECT_NE(GetParam().decode(whole + std::string(1, '\0')), "");
    EXPECT_NE(GetParam().decode(whole + whole), "");
}

TEST_P(DecodeDamaged, ALostByteNeverCrashes) {
    const std::string whole = fixture(GetParam().seed);
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string damaged = whole;
        damaged.erase(at, 1);
        const std::string error = GetParam().decode(std::move(damaged));
        const bool outermost = at == 0 || at + 1 == whole.size();
        EXPECT_FALSE(outermost && error.empty());
    }
}

INSTANTIATE_TEST_SUITE_P(EachKind, DecodeDamaged, ::testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

TEST(DecodeNesting, TooDeepIsAnError) {
    const std::size_t deep = 100000;
    const auto nested = [deep](const std::string& open, const std::string& close) {
        std::string text;
        for (std::size_t i = 0; i < deep; ++i) text += open;
        text += "1";
        for (std::size_t i = 0; i < deep; ++i) text += close;
        return text;
    };
    const auto error = [](const std::string& action) {
        return error_of(decode_chunk(
            testing::Changed("chunk/full.json").set("/transactions/1/actions/0", action).text()));
    };
    EXPECT_THAT(error("{\"New\":" + nested("[", "]") + "}"), ::testing::EndsWith("nested too deeply"));
    EXPECT_THAT(error("{\"New\":" + nested("{\"a\":", "}") + "}"), ::testing::EndsWith("nested too deeply"));
    EXPECT_THAT(error(nested("{\"Delegate\":{\"delegate_action\":{\"actions\":[", "]}}}")),
                ::testing::EndsWith("nested too deeply"));
    EXPECT_EQ(error_of(decode_block(nested("[", "]"))), "not an object");
    EXPECT_NE(error_of(decode_block(nested("{\"header\":", "}"))), "");
}

TEST(DecodeNesting, WhatIsPassedOverMayBeDeep) {
    std::string deep(5000, '[');
    deep += std::string(5000, ']');
    EXPECT_EQ(error_of(decode_block(testing::Changed("block/full.json").set("/header/new", deep).text())),
              "");
}

// A transaction adds up to 100 keys, each for methods of 2,000 bytes with one beside each name; a chunk takes
// five that are so large, and lists what they become.
TEST(DecodeSize, ABlockOfManyNamelessMethodsIsGood) {
    std::string names = "\"\"";
    for (int i = 1; i < 2'000; ++i) names += ",\"\"";
    const std::string key =
        R"({"AddKey":{"public_key":"ed25519:11111111111111111111111111111111","access_key":)"
        R"({"nonce":0,"permission":{"FunctionCall":{"allowance":null,"receiver_id":"a.near",)"
        R"("method_names":[)" +
        names + "]}}}}}";
    std::string keys = key;
    for (int i = 1; i < 1'000; ++i) keys += "," + key;
    const auto chunk =
        testing::Changed("chunk/full.json").set("/transactions/1/actions", "[" + keys + "]").text();
    EXPECT_GT(chunk.size(), 6'000'000);
    EXPECT_EQ(error_of(decode_chunk(chunk)), "");
}

TEST(DecodeSize, MoreActionsThanGasPaysForAreAnError) {
    std::string actions = "[\"CreateAccount\"";
    for (int i = 0; i < 500'000; ++i) actions += ",\"CreateAccount\"";
    const auto chunk =
        testing::Changed("chunk/full.json").set("/transactions/1/actions", actions + "]").text();
    EXPECT_THAT(error_of(decode_chunk(chunk)), ::testing::EndsWith("more values than any block has"));
}

TEST(DecodeSize, MoreLogsThanGasPaysForAreAnError) {
    std::string logs = "[\"\"";
    for (int i = 0; i < 5'000'000; ++i) logs += ",\"\"";
    const auto tree =
        testing::Changed("tx_status/full.json").set("/receipts_outcome/0/outcome/logs", logs + "]").text();
    EXPECT_THAT(error_of(decode_transaction_status(tree)),
                ::testing::EndsWith("more values than any block has"));
}

TEST(DecodeSize, MoreTokensThanAnyBlockHasAreAnError) {
    const auto with = [](const std::string& value) {
        return error_of(decode_block(testing::Changed("block/full.json").set("/header/new", value).text()));
    };
    const auto many = [](std::string_view piece, int times) {
        std::string list = "[1";
        for (int i = 0; i < times; ++i) list += piece;
        return list + "]";
    };
    EXPECT_EQ(with(many(",1", 8'500'000)), "more tokens than any block has");
    EXPECT_EQ(with(many(",\"\"", 8'500'000)), "more tokens than any block has");
    EXPECT_EQ(with('"' + many("[{,:\\\"}]", 2'500'000) + '"'), "") << "a text may have as much as it likes";
}

TEST(DecodeSize, MoreThanTheLargestBodyIsAnError) {
    const std::string json = "{\"author\":\"" + std::string(std::size_t{64} << 20, 'a') + "\"}";
    const auto decoded = decode_block(json);
    ASSERT_FALSE(decoded);
    EXPECT_THAT(decoded.error().reason, ::testing::StartsWith("broken JSON: "));
    EXPECT_TRUE(decode_block(fixture("block/full.json")));  // and the thread's parser still works
}

TEST(DecodeThreads, EachThreadHasItsOwnParser) {
    std::vector<std::thread> threads;
    std::vector<std::string> errors(4);
    for (std::size_t i = 0; i < errors.size(); ++i) {
        threads.emplace_back([&error = errors[i]] {
            for (int round = 0; round < 50 && error.empty(); ++round) {
                error = error_of(decode_whole_block(fixture("whole_block/full.json")));
                if (error.empty()) error = error_of(decode_chunk(fixture("chunk/full.json")));
            }
        });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_THAT(errors, ::testing::Each(""));
}

}  // namespace
}  // namespace receiptd::chain
