// Answers that NEAR's documentation and its nodes gave: the vectors and the recordings, counted
// independently.
#include "decode_fixtures.hpp"
#include "support/recordings.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace receiptd::chain {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using testing::error_of;

struct DecodedCounts {
    std::size_t transactions = 0, receipts = 0, data_receipts = 0, outcomes = 0, failures = 0, logs = 0,
                log_bytes = 0, actions = 0, chunks = 0;
    bool operator==(const DecodedCounts&) const = default;
};

std::ostream& operator<<(std::ostream& out, const DecodedCounts& counts) {
    return out << counts.transactions << " transactions, " << counts.receipts << " receipts ("
               << counts.data_receipts << " data), " << counts.outcomes << " outcomes (" << counts.failures
               << " failed), " << counts.logs << " logs of " << counts.log_bytes << " bytes, "
               << counts.actions << " actions, " << counts.chunks << " chunks";
}

// --- counted by the decoder ---

void count(DecodedCounts& to, const SignedTransaction& transaction) {
    ++to.transactions;
    to.actions += transaction.actions.size();
    EXPECT_TRUE(Json::accept(transaction.actions_json));
}

void count(DecodedCounts& to, const Receipt& receipt) {
    ++to.receipts;
    if (receipt.kind == ReceiptKind::data) ++to.data_receipts;
    to.actions += receipt.actions.size();
    EXPECT_TRUE(Json::accept(receipt.json));
}

void count(DecodedCounts& to, const Outcome& outcome) {
    ++to.outcomes;
    if (outcome.status.kind == StatusKind::failure) {
        ++to.failures;
        EXPECT_TRUE(Json::accept(outcome.status.failure_json));
    }
    to.logs += outcome.logs.size();
    for (const Text log : outcome.logs) to.log_bytes += log.size();
}

template <class List>
void count_all(DecodedCounts& to, const List& list) {
    for (const auto& item : list) count(to, item);
}

DecodedCounts counts_of(const TransactionStatus& status) {
    DecodedCounts to;
    if (status.transaction) count(to, *status.transaction);
    if (status.transaction_outcome) count(to, *status.transaction_outcome);
    count_all(to, status.receipts_outcome);
    if (status.receipts) count_all(to, *status.receipts);
    return to;
}

DecodedCounts counts_of(const Chunk& chunk) {
    DecodedCounts to;
    count_all(to, chunk.transactions);
    count_all(to, chunk.receipts);
    return to;
}

DecodedCounts counts_of(const Block& block) {
    DecodedCounts to;
    to.chunks = block.chunks.size();
    return to;
}

DecodedCounts counts_of(const WholeBlock& block) {
    DecodedCounts to = counts_of(block.block);
    for (const auto& shard : block.shards) {
        for (const auto& executed : shard.transactions) {
            count(to, executed.transaction);
            if (executed.outcome) count(to, *executed.outcome);
        }
        count_all(to, shard.listed_data);
        for (const auto& executed : shard.executed) {
            count(to, executed.outcome);
            count(to, executed.receipt);
        }
    }
    return to;
}

// --- counted without it ---

void count_json(DecodedCounts& to, const Json& object);

void count_json_list(DecodedCounts& to, const Json& owner, const char* member) {
    if (!owner.contains(member)) return;
    for (const auto& item : owner.at(member)) count_json(to, item);
}

// Transactions, receipts and outcomes, told apart by their members.
void count_json(DecodedCounts& to, const Json& object) {
    if (object.contains("receipt_id")) {
        ++to.receipts;
        const Json& body = object.at("receipt");
        if (body.contains("Data")) ++to.data_receipts;
        if (body.contains("Action")) to.actions += body.at("Action").at("actions").size();
    } else if (object.contains("actions")) {
        ++to.transactions;
        to.actions += object.at("actions").size();
    } else {
        ++to.outcomes;
        const Json& outcome = object.at("outcome");
        const Json& status = outcome.at("status");
        if (status.is_object() && status.contains("Failure")) ++to.failures;
        to.logs += outcome.at("logs").size();
        for (const auto& log : outcome.at("logs")) to.log_bytes += log.get_ref<const std::string&>().size();
    }
}

DecodedCounts json_counts_of_status(const Json& status) {
    DecodedCounts to;
    for (const char* member : {"transaction", "transaction_outcome"}) {
        if (status.contains(member)) count_json(to, status.at(member));
    }
    for (const char* member : {"receipts_outcome", "receipts"}) count_json_list(to, status, member);
    return to;
}

// Receipts of a chunk's lists, each id once.
void count_json_receipts(DecodedCounts& to, const Json& chunk) {
    std::vector<std::string> known;
    for (const char* member : {"receipts", "local_receipts", "instant_receipts"}) {
        if (!chunk.contains(member)) continue;
        for (const auto& receipt : chunk.at(member)) {
            const auto id = receipt.at("receipt_id").get<std::string>();
            if (std::find(known.begin(), known.end(), id) != known.end()) continue;
            known.push_back(id);
            count_json(to, receipt);
        }
    }
}

DecodedCounts json_counts_of_chunk(const Json& chunk) {
    DecodedCounts to;
    count_json_list(to, chunk, "transactions");
    count_json_receipts(to, chunk);
    return to;
}

DecodedCounts json_counts_of_whole_block(const Json& block) {
    DecodedCounts to;
    const bool lists_chunks = block.at("block").contains("chunks");
    if (lists_chunks) to.chunks = block.at("block").at("chunks").size();
    for (const auto& shard : block.at("shards")) {
        for (const auto& executed : shard.at("receipt_execution_outcomes")) {
            count_json(to, executed.at("execution_outcome"));
            count_json(to, executed.at("receipt"));
        }
        const Json& chunk = shard.at("chunk");
        if (chunk.is_null()) continue;
        if (!lists_chunks) ++to.chunks;
        for (const char* list : {"receipts", "local_receipts", "instant_receipts"})
            if (chunk.contains(list))
                for (const auto& receipt : chunk.at(list))
                    if (receipt.at("receipt").contains("Data")) count_json(to, receipt);
        for (const auto& transaction : chunk.at("transactions")) {
            count_json(to, transaction.at("transaction"));
            count_json(to, transaction.at("outcome").at("execution_outcome"));
        }
    }
    return to;
}

// --- the recordings ---

class DecodeRecordings : public test::Recordings {
protected:
    // Decodes each file of the folders and compares.
    template <class Decode, class Count>
    static void compare(std::initializer_list<const char*> folders, Decode decode, Count independent) {
        for (const char* folder : folders) {
            for (const fs::path& path : files(folder)) {
                const std::string text = test::read_file(path);
                const auto decoded = decode(text, Parts::all);
                EXPECT_TRUE(decoded) << path << ": " << error_of(decoded);
                if (!decoded) continue;
                EXPECT_EQ(counts_of(decoded->value), independent(Json::parse(text))) << path;
            }
        }
    }
};
RECEIPTD_WHERE_RECORDED(DecodeRecordings);

TEST_P(DecodeRecordings, WholeBlocks) {
    compare({"whole-block"}, decode_whole_block, json_counts_of_whole_block);
}

TEST_P(DecodeRecordings, Blocks) {
    const auto independent = [](const Json& block) {
        DecodedCounts counts;
        counts.chunks = block.at("chunks").size();
        return counts;
    };
    compare({"rpc/mainnet-76538229/block", "rpc/mainnet-v83/block"}, decode_block, independent);
}

TEST_P(DecodeRecordings, Chunks) {
    compare({"rpc/mainnet-76538229/chunk", "rpc/mainnet-v83/chunk"}, decode_chunk, json_counts_of_chunk);
}

TEST_P(DecodeRecordings, Transactions) {
    compare({"tx", "rpc/mainnet-76538229/tx", "rpc/mainnet-v83/tx"}, decode_transaction_status,
            json_counts_of_status);
}

TEST_P(DecodeRecordings, Errors) {
    for (const auto& path : files("errors")) {
        const std::string text = test::read_file(path);
        const auto envelope = read_envelope(text);
        ASSERT_TRUE(envelope) << path << ": " << error_of(envelope);
        EXPECT_EQ(envelope->kind, Envelope::Kind::error) << path;
        const Json error = Json::parse(text).at("error");
        EXPECT_EQ(envelope->error.code, error.at("code"));
        EXPECT_EQ(envelope->error.cause, error.contains("cause") ? error["cause"].value("name", "") : "");
        EXPECT_EQ(Json::parse(envelope->error.data_json), error.at("data"));
    }
}

// --- the vectors ---

std::string decode_as(const std::string& method, const std::string& body, const Json& params) {
    if (method == "block") return error_of(decode_block_answer(body));
    if (method == "chunk") return error_of(decode_chunk_answer(body));
    if (method == "tx" || method == "EXPERIMENTAL_tx_status" || method == "send_tx") {
        return error_of(decode_transaction_status_answer(body));
    }
    if (method == "EXPERIMENTAL_receipt") return error_of(decode_receipt_answer(body));
    if (method != "query") return "";
    const std::string request = params.at("request_type");
    if (request == "view_access_key") return error_of(decode_view_access_key(body));
    if (request == "view_access_key_list") return error_of(decode_view_access_key_list(body));
    return request == "call_function" ? error_of(decode_call_function(body)) : "";
}

TEST(DecodeVectors, EverySampleReadsAsWhatItIs) {
    const Json samples =
        Json::parse(test::read_file(fs::path(RECEIPTD_TEST_DATA) / "vectors" / "rpc_samples.json"))
            .at("samples");
    EXPECT_GE(samples.size(), 38);
    for (const Json& sample : samples) {
        SCOPED_TRACE(sample.at("name").get<std::string>());
        const Json& response = sample.at("response");
        const std::string body = response.dump();
        const auto envelope = read_envelope(body);
        ASSERT_TRUE(envelope) << error_of(envelope);
        if (response.contains("error")) {
            EXPECT_EQ(envelope->kind, Envelope::Kind::error);
            EXPECT_EQ(envelope->error.name, response["error"].value("name", ""));
            EXPECT_EQ(envelope->error.cause, response["error"]["cause"].value("name", ""));
            continue;
        }
        const Json& result = response.at("result");
        EXPECT_EQ(envelope->kind, result.is_null() ? Envelope::Kind::null_result : Envelope::Kind::result);
        const std::string soft = result.is_object() ? result.value("error", "") : "";
        EXPECT_EQ(envelope->soft_error, soft);
        if (result.is_null()) continue;
        const Json& request = sample.at("request");
        const std::string error = decode_as(request.at("method"), body, request.at("params"));
        EXPECT_EQ(error, soft.empty() ? "" : "result.error: " + soft);
    }
}

}  // namespace
}  // namespace receiptd::chain
