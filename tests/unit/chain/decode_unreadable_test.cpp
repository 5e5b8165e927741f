// A part of an answer that cannot be read leaves the others as they are.
#include "decode_fixtures.hpp"
#include "support/recordings.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace receiptd::chain {
namespace {

using testing::Changed;
using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;
using testing::OrderedJson;

// --- One part ----------------------------------------------------------------------------------

std::vector<std::string> parts_of(const std::vector<UnreadablePart>& unreadable) {
    std::vector<std::string> parts;
    for (const auto& part : unreadable)
        parts.push_back(part.path + " | " + part.reason + (part.is_left_out ? " | left out" : ""));
    return parts;
}

std::size_t transactions_in(const std::string& fixture) {
    return OrderedJson::parse(testing::fixture(fixture)).at("transactions").size();
}

TEST(Unreadable, AnActionStaysWithWhatCame) {
    const auto chunk = decode_chunk(
        Changed("chunk/full.json").set("/transactions/1/actions/0", R"({"Transfer":{"deposit":[]}})").text(),
        Parts::readable);
    ASSERT_TRUE(chunk) << chunk.error().to_string();
    EXPECT_THAT(
        parts_of(chunk->unreadable),
        ElementsAre("transactions[1].actions[0] | Transfer.deposit: neither a decimal string nor a number"));
    const auto& action = chunk->value.transactions.at(1).actions.at(0);
    EXPECT_EQ(action.kind, ActionKind::unknown);
    EXPECT_EQ(action.json, R"({"Unreadable":{"Transfer":{"deposit":[]}}})");
    EXPECT_EQ(chunk->value.transactions.size(), transactions_in("chunk/full.json"));
    EXPECT_EQ(chunk->unreadable[0].shape(),
              "transactions[].actions[]: Transfer.deposit: neither a decimal string nor a number");
}

TEST(Unreadable, ATransactionIsLeftOutWhereNothingLessHelps) {
    const auto chunk = decode_chunk(
        Changed("chunk/full.json").set("/transactions/0/nonce", R"("seven")").text(), Parts::readable);
    ASSERT_TRUE(chunk) << chunk.error().to_string();
    EXPECT_THAT(parts_of(chunk->unreadable), ElementsAre("transactions[0] | nonce: not a number | left out"));
    EXPECT_EQ(chunk->value.transactions.size() + 1, transactions_in("chunk/full.json"));
}

TEST(Unreadable, PartsAreFoundOneAfterTheOther) {
    const auto chunk = decode_chunk(Changed("chunk/full.json")
                                        .set("/transactions/0/hash", "5")
                                        .set("/transactions/1/signer_id", "{}")
                                        .set("/header/gas_used", R"("much")")
                                        .remove("/header/encoded_length")
                                        .text(),
                                    Parts::readable);
    ASSERT_TRUE(chunk) << chunk.error().to_string();
    EXPECT_EQ(chunk->unreadable.size(), 3u) << ::testing::PrintToString(parts_of(chunk->unreadable));
    EXPECT_EQ(chunk->value.transactions.size() + 2, transactions_in("chunk/full.json"));
    EXPECT_FALSE(chunk->value.header.gas_used);
    EXPECT_FALSE(chunk->value.header.encoded_length);
    EXPECT_TRUE(chunk->value.header.gas_limit);
}

TEST(Unreadable, WhatIsMissingIsNamedThoughNothingIsTakenOut) {
    const auto block = decode_block_answer(
        R"({"result":)" + Changed("block/full.json").remove("/header/chunks_included").text() + "}",
        Parts::readable);
    ASSERT_TRUE(block) << block.error().to_string();
    EXPECT_THAT(parts_of(block->unreadable), ElementsAre("result.header.chunks_included | missing"));
}

TEST(Unreadable, WhatAHashCoversIsNeeded) {
    for (const auto* member :
         {"/header/gas_price", "/header/epoch_id", "/header/latest_protocol_version", "/header/height"}) {
        const auto text = Changed("block/full.json").set(member, "[]").text();
        EXPECT_NE(error_of(decode_block(text, Parts::readable)), "") << member;
    }
}

TEST(Unreadable, AFaultThatStaysIsAnError) {
    const auto with = [](const std::string& pointer, const std::string& raw) {
        return error_of(decode_chunk(Changed("chunk/full.json").set(pointer, raw).text(), Parts::readable));
    };
    EXPECT_EQ(with("/header/outcome_root", "5"), "header.outcome_root: not a string");
    EXPECT_EQ(with("/header/outcome_root", "null"), "header.outcome_root: missing");
    EXPECT_EQ(with("/header/gas_used", R"(1,"gas_used":[],"gas_used":2)"), "header.gas_used: given twice");
    std::string many = "7";
    for (int i = 0; i < 2'000; ++i) many += ",7";
    EXPECT_EQ(with("/transactions", "[" + many + "]"), "transactions[0]: not an object");
}

TEST(Unreadable, PlacesInAListOfWhichAnElementIsLeftOutAreNotKnown) {
    const auto chunk = decode_chunk(
        Changed("chunk/full.json").set("/transactions/0/nonce", R"("seven")").text(), Parts::readable);
    EXPECT_TRUE(chunk->value.lacks_elements);
    EXPECT_FALSE(decode_chunk(testing::fixture("chunk/full.json"), Parts::readable)->value.lacks_elements);
}

TEST(Unreadable, AListedReceiptIsLeftOutWithItsBody) {
    const auto chunk = decode_chunk(
        Changed("chunk/full.json").set("/receipts/0/receipt", R"({"Data":{"data_id":5}})").text(),
        Parts::readable);
    ASSERT_TRUE(chunk) << chunk.error().to_string();
    EXPECT_THAT(parts_of(chunk->unreadable),
                ElementsAre("receipts[0] | receipt.Data.data_id: not a string | left out"));
}

TEST(Unreadable, AnswersAreReadWholeUnlessTheRestIsWanted) {
    const auto text = Changed("chunk/full.json").set("/transactions/0/nonce", R"("seven")").text();
    EXPECT_EQ(error_of(decode_chunk(text)), "transactions[0].nonce: not a number");
    EXPECT_TRUE(decode_chunk(testing::fixture("chunk/full.json"), Parts::readable)->unreadable.empty());
}

TEST(Unreadable, NamesInsideOfAPartAreNotRepeated) {
    const std::string name(5000, 'a');
    const auto chunk =
        decode_chunk(Changed("chunk/full.json")
                         .set("/transactions/0/actions/0", R"({"AddKey":{")" + name + R"(":"\ud800"}})")
                         .text(),
                     Parts::readable);
    if (!chunk) return;  // a text that no program can hold may be refused
    for (const auto& part : chunk->unreadable) EXPECT_LT(part.path.size() + part.reason.size(), 400u);
}

TEST(Unreadable, NoMarkIsTakenFromAHost) {
    for (const auto* text : {R"("Unreadable")", R"("left out ")"}) {
        const auto chunk =
            decode_chunk(Changed("chunk/full.json").set("/transactions/0", text).text(), Parts::readable);
        ASSERT_TRUE(chunk);
        EXPECT_THAT(parts_of(chunk->unreadable), ElementsAre("transactions[0] | not an object | left out"));
    }
}

// --- Any member of recorded answers ------------------------------------------------------------

constexpr std::array kRowLists{
    "transactions",    "receipts", "local_receipts", "instant_receipts", "receipt_execution_outcomes",
    "receipts_outcome"};
using Pointer = OrderedJson::json_pointer;
using Steps = std::vector<std::string>;

void members_of(const OrderedJson& json, Steps& at, std::vector<Steps>& found) {
    if (!json.is_structured()) return;
    for (const auto& [key, value] : json.items()) {
        at.push_back(key);
        if (json.is_object()) found.push_back(at);
        members_of(value, at, found);
        at.pop_back();
    }
}

Pointer pointer_to(const Steps& steps, std::size_t count) {
    Pointer pointer;
    for (std::size_t i = 0; i < count; ++i) pointer /= steps[i];
    return pointer;
}

// The steps to the row in which a member stands; 0: it is of the block, of a chunk or of the whole answer.
std::size_t steps_to_row(const Steps& steps) {
    for (std::size_t i = 0; i + 1 < steps.size(); ++i)
        if (std::find(kRowLists.begin(), kRowLists.end(), steps[i]) != kRowLists.end() &&
            i + 2 < steps.size())
            return i + 2;
    return 0;
}

OrderedJson mistyped(const OrderedJson& value) {
    if (value.is_string()) return 7;
    if (value.is_number()) return "seven";
    if (value.is_array()) return OrderedJson::object();
    if (value.is_object()) return OrderedJson::array();
    return "x";
}

enum class Change { rename, add, remove, mistype };

void change(OrderedJson& json, const Steps& member, Change how) {
    auto& parent = json.at(pointer_to(member, member.size() - 1));
    const auto& name = member.back();
    switch (how) {
        case Change::rename:
            parent[name + "_v2"] = parent.at(name);
            parent.erase(name);
            return;
        case Change::add: parent[name + "_v2"] = 7; return;
        case Change::remove: parent.erase(name); return;
        case Change::mistype: parent[name] = mistyped(parent.at(name));
    }
}

using RowsNamed = std::multiset<std::string>;

RowsNamed ids_of(const WholeBlock& block) {
    RowsNamed ids;
    for (const auto& shard : block.shards) {
        for (const auto& each : shard.transactions)
            ids.insert("transaction " + std::string(each.transaction.hash));
        for (const auto& each : shard.executed) ids.insert("outcome " + std::string(each.outcome.id));
        for (const auto& each : shard.listed_data) ids.insert("listed " + std::string(each.receipt_id));
        for (const auto& each : shard.listed_contracts) ids.insert("listed " + std::string(each.receipt_id));
    }
    return ids;
}
RowsNamed ids_of(const Chunk& chunk) {
    RowsNamed ids;
    for (const auto& each : chunk.transactions) ids.insert("transaction " + std::string(each.hash));
    for (const auto& each : chunk.receipts) ids.insert("listed " + std::string(each.receipt_id));
    return ids;
}
RowsNamed ids_of(const TransactionStatus& status) {
    RowsNamed ids;
    for (const auto& each : status.receipts_outcome) ids.insert("outcome " + std::string(each.id));
    if (status.receipts)
        for (const auto& each : *status.receipts) ids.insert("listed " + std::string(each.receipt_id));
    return ids;
}

struct ChangesCounted {
    unsigned read = 0, in_part = 0, lost = 0, refused = 0;
};

// Members of random places are changed at random, one in each copy of the answer.
template <class Decode>
void change_at_random(const OrderedJson& given, const Decode& decode, unsigned times, std::mt19937& random,
                      ChangesCounted& counted) {
    const auto whole = decode(given.dump());
    ASSERT_TRUE(whole) << whole.error().to_string();
    const auto ids = ids_of(whole->value);
    std::vector<Steps> members;
    Steps at;
    members_of(given, at, members);
    for (unsigned i = 0; i < times; ++i) {
        const auto& member = members[random() % members.size()];
        auto changed = given;
        change(changed, member, static_cast<Change>(random() % 4));
        const auto rest = decode(changed.dump());
        const auto where = pointer_to(member, member.size()).to_string();
        const auto to_row = steps_to_row(member);
        if (!rest) {
            EXPECT_EQ(to_row, 0u) << where << ": " << rest.error().to_string();
            EXPECT_THAT(rest.error().path, HasSubstr(member.back())) << where;
            ++counted.refused;
            continue;
        }
        ++counted.read;
        counted.in_part += rest->unreadable.empty() ? 0 : 1;
        if (to_row == 0) continue;
        const auto kept = ids_of(rest->value);
        RowsNamed lost;
        std::set_difference(ids.begin(), ids.end(), kept.begin(), kept.end(),
                            std::inserter(lost, lost.end()));
        EXPECT_LE(lost.size(), 1u) << where << " takes others with it: " << ::testing::PrintToString(lost);
        const auto row = given.at(pointer_to(member, to_row)).dump();
        for (const auto& id : lost) EXPECT_THAT(row, HasSubstr(id.substr(id.find(' ') + 1))) << where;
        counted.lost += lost.empty() ? 0 : 1;
    }
}

const auto kDecodeWhole = [](std::string json) {
    return decode_whole_block(std::move(json), Parts::readable);
};
const auto kDecodeChunk = [](std::string json) { return decode_chunk(std::move(json), Parts::readable); };
const auto kDecodeTree = [](std::string json) {
    return decode_transaction_status(std::move(json), Parts::readable);
};

TEST(UnreadableAnywhere, NoRowOfAWholeBlockIsLostButTheChangedOne) {
    std::mt19937 random(46);
    ChangesCounted counted;
    for (const auto& file : test::recordings(test::kRecorded / "whole-block"))
        change_at_random(OrderedJson::parse(test::read_file(file)), kDecodeWhole, 72, random, counted);
    EXPECT_GE(counted.read + counted.refused, 1000u);
    EXPECT_GT(counted.lost, 20u);
    EXPECT_LT(counted.refused, counted.read / 5)
        << "members of blocks and chunks that nothing can be read without";
    RecordProperty("in_part", static_cast<int>(counted.in_part));
}

TEST(UnreadableAnywhere, NoRowOfAChunkIsLostButTheChangedOne) {
    std::mt19937 random(47);
    ChangesCounted counted;
    change_at_random(OrderedJson::parse(testing::fixture("chunk/full.json")), kDecodeChunk, 1000, random,
                     counted);
    EXPECT_GT(counted.lost, 20u);
}

TEST(UnreadableAnywhere, NoOutcomeOfATreeIsLostButTheChangedOne) {
    std::mt19937 random(48);
    ChangesCounted counted;
    for (const auto& file : test::recordings(test::kRecorded / "tx")) {
        const auto answer = OrderedJson::parse(test::read_file(file));
        change_at_random(answer.contains("result") ? answer["result"] : answer, kDecodeTree, 60, random,
                         counted);
    }
    EXPECT_GE(counted.read + counted.refused, 1000u);
    EXPECT_GT(counted.lost, 20u);
}

}  // namespace
}  // namespace receiptd::chain
