// The daemon's decoder reads what the sandbox serves.
#include "chain/json/decode.hpp"
#include "sandbox/replay/passers_by.hpp"
#include "sandbox/replay/whole_block_run.hpp"
#include "support/read_file.hpp"
#include "unit/sandbox_replay/fixtures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::sandbox {
namespace {

template <class Decode>
std::size_t decode_all(const std::filesystem::path& folder, Decode decode) {
    std::size_t files = 0;
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
        const auto decoded = decode(receiptd::test::read_file(file.path()), chain::Parts::all);
        EXPECT_TRUE(decoded.has_value()) << file.path() << ": " << decoded.error().to_string();
        ++files;
    }
    return files;
}

TEST(Decoder, ReadsEveryFileOfTheSample) {
    EXPECT_EQ(decode_all(test::sample() / "rpc/block", chain::decode_block), 36u);
    EXPECT_EQ(decode_all(test::sample() / "rpc/chunk", chain::decode_chunk), 107u);
    EXPECT_EQ(decode_all(test::sample() / "rpc/tx", chain::decode_transaction_status), 39u);
    EXPECT_EQ(decode_all(test::sample() / "whole-block", chain::decode_whole_block), 36u);
}

// The users of a recording, with their names in the first round.
class Users {
public:
    explicit Users(const WholeBlockRun& recorded) {
        std::vector<std::string_view> texts;
        for (std::uint64_t i = 0; i < recorded.size(); ++i) texts.push_back(*recorded.text(i));
        accounts_ = passers_by(texts);
    }
    // The text with the new names, wherever one stands between quotes.
    std::string renamed(std::string_view text) const {
        std::string result(text);
        for (std::size_t begin = 0; begin < text.size();) {
            const auto end = std::min(text.find('"', begin), text.size());
            const auto word = text.substr(begin, end - begin);
            if (accounts_.contains(word)) {
                const auto group = name_group(word);
                first_round_.apply(group, word.data() + group.offset, result.data() + begin + group.offset);
            }
            begin = end + 1;
        }
        return result;
    }

private:
    Accounts accounts_;
    NameShift first_round_{1};
};

// Blocks of a repeated run, against the recorded ones they are made from.
void expect_same_contents(const std::filesystem::path& folder) {
    const WholeBlockRun recorded(folder, std::nullopt);
    const Users users(recorded);
    Repeat repeat;
    repeat.blocks = recorded.size();
    const WholeBlockRun run(folder, repeat);
    for (std::uint64_t i = 0; i < run.size(); ++i) {
        const auto made = chain::decode_whole_block(*run.text(i));
        const auto original = chain::decode_whole_block(*recorded.text(i));
        ASSERT_TRUE(made.has_value()) << recorded.height(i) << ": " << made.error().to_string();
        ASSERT_TRUE(original.has_value()) << recorded.height(i) << ": " << original.error().to_string();
        EXPECT_EQ(made->value.block.header.height, run.height(i));
        EXPECT_EQ(made->value.block.header.timestamp_nanosec,
                  repeat.first_timestamp_nanosec + i * repeat.block_time_nanosec);
        ASSERT_EQ(made->value.shards.size(), original->value.shards.size());
        for (std::size_t s = 0; s < made->value.shards.size(); ++s) {
            const auto& a = made->value.shards[s];
            const auto& b = original->value.shards[s];
            EXPECT_EQ(a.transactions.size(), b.transactions.size());
            EXPECT_EQ(a.listed_data.size(), b.listed_data.size());
            ASSERT_EQ(a.executed.size(), b.executed.size());
            for (std::size_t r = 0; r < a.executed.size(); ++r) {
                EXPECT_EQ(a.executed[r].outcome.block_hash, made->value.block.header.hash);
                EXPECT_EQ(a.executed[r].outcome.id, a.executed[r].receipt.receipt_id);
                EXPECT_NE(a.executed[r].outcome.id, b.executed[r].outcome.id);
                EXPECT_EQ(a.executed[r].outcome.gas_burnt, b.executed[r].outcome.gas_burnt);
                std::vector<std::string> logs;
                for (const auto log : b.executed[r].outcome.logs) logs.push_back(users.renamed(log));
                EXPECT_TRUE(std::equal(logs.begin(), logs.end(), a.executed[r].outcome.logs.begin(),
                                       a.executed[r].outcome.logs.end()));
                EXPECT_EQ(a.executed[r].receipt.actions_json,
                          users.renamed(b.executed[r].receipt.actions_json));
            }
        }
    }
}

TEST(Decoder, FindsTheSameContentsInARepeatedRunOfTheSample) {
    expect_same_contents(test::sample() / "whole-block");
}

class DecoderOfMainnet : public receiptd::test::Recordings {};
RECEIPTD_WHERE_RECORDED(DecoderOfMainnet);

TEST_P(DecoderOfMainnet, FindsTheSameContentsInARepeatedRun) { expect_same_contents(root() / "whole-block"); }

TEST_P(DecoderOfMainnet, FindsOtherUsersInEachRoundAndTheSameContracts) {
    const auto folder = root() / "whole-block";
    const auto size = WholeBlockRun(folder, std::nullopt).size();
    Repeat repeat;
    repeat.blocks = 3 * size;
    const WholeBlockRun run(folder, repeat);
    const auto receivers = [&](std::uint64_t position) {
        const auto whole = chain::decode_whole_block(*run.text(position));
        std::vector<std::string> ids;
        for (const auto& shard : whole->value.shards) {
            for (const auto& item : shard.executed) {
                EXPECT_EQ(item.receipt.receiver_id, item.outcome.executor_id);
                ids.emplace_back(item.receipt.receiver_id);
            }
        }
        return ids;
    };
    std::size_t users = 0, contracts = 0;
    for (std::uint64_t i = 0; i < size; ++i) {
        const auto first = receivers(i), second = receivers(i + size), third = receivers(i + 2 * size);
        ASSERT_EQ(first.size(), second.size());
        for (std::size_t r = 0; r < first.size(); ++r) {
            const bool stays = first[r] == second[r];
            EXPECT_EQ(stays, second[r] == third[r]) << first[r];
            ++(stays ? contracts : users);
        }
    }
    EXPECT_GT(users, 0u);
    EXPECT_GT(contracts, 0u);
}

}  // namespace
}  // namespace receiptd::sandbox
