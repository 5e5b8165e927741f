#include "sandbox/ledger/block_json.hpp"

#include "sandbox/ledger/chain_hashes.hpp"
#include "sandbox/ledger/outcome_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace receiptd::sandbox {

namespace {

Json congestion_json(const CongestionInfo& info) {
    return {{"delayed_receipts_gas", base::to_string(info.delayed_receipts_gas)},
            {"buffered_receipts_gas", base::to_string(info.buffered_receipts_gas)},
            {"receipt_bytes", info.receipt_bytes},
            {"allowed_shard", info.allowed_shard}};
}

Json signatures_json(const std::vector<chain::Signature>& signatures) {
    Json list = Json::array();
    for (const chain::Signature& signature : signatures) list.push_back(signature.to_string());
    return list;
}

Json mask_json(const BlockRecord& block) {
    Json mask = Json::array();
    for (std::size_t i = 0; i < block.chunks.size(); ++i) mask.push_back(block.is_new(i));
    return mask;
}

Json endorsements_json(const BlockRecord& block) {
    Json list = Json::array();
    for (const chain::Bytes& bitmap : chunk_endorsements(block))
        list.push_back(Json::array_t(bitmap.begin(), bitmap.end()));
    return list;
}

void add_roots(Json& json, const BlockRecord& block) {
    const chain::InnerLite& lite = block.light.inner_lite;
    json["prev_state_root"] = lite.prev_state_root.to_string();
    json["block_body_hash"] = block.body_hash.to_string();
    json["chunk_receipts_root"] = block.chunk_receipts_root.to_string();
    json["chunk_headers_root"] = block.chunk_headers_root.to_string();
    json["chunk_tx_root"] = block.chunk_tx_root.to_string();
    json["outcome_root"] = lite.outcome_root.to_string();
    json["challenges_root"] = CryptoHash{}.to_string();
    json["random_value"] = block.random_value.to_string();
    json["next_bp_hash"] = lite.next_bp_hash.to_string();
    json["block_merkle_root"] = lite.block_merkle_root.to_string();
    json["epoch_sync_data_hash"] =
        block.epoch_sync_data_hash ? Json(block.epoch_sync_data_hash->to_string()) : Json();
}

void add_constants(Json& json, const sim::Protocol& protocol) {
    json["rent_paid"] = "0";
    json["validator_reward"] = "0";
    json["validator_proposals"] = Json::array();
    json["challenges_result"] = Json::array();
    json["latest_protocol_version"] = protocol.version;
}

Json split_json(const std::optional<ShardSplit>& split) {
    return split ? Json::array({split->shard_id, split->boundary_account}) : Json();
}

Json header_json(const BlockRecord& block) {
    const chain::InnerLite& lite = block.light.inner_lite;
    const Json mask = mask_json(block);
    Json json = {{"height", block.height},
                 {"prev_height", block.prev_height},
                 {"epoch_id", lite.epoch_id.to_string()},
                 {"next_epoch_id", lite.next_epoch_id.to_string()},
                 {"hash", block.hash.to_string()},
                 {"prev_hash", block.prev_hash().to_string()},
                 {"chunks_included", std::count(mask.begin(), mask.end(), Json(true))},
                 {"timestamp", lite.timestamp_nanosec},
                 {"timestamp_nanosec", std::to_string(lite.timestamp_nanosec)},
                 {"chunk_mask", mask},
                 {"gas_price", base::to_string(block.gas_price)},
                 {"block_ordinal", block.ordinal + 1},
                 {"total_supply", base::to_string(block.total_supply)},
                 {"last_final_block", block.last_final_block.to_string()},
                 {"last_ds_final_block", block.last_ds_final_block.to_string()},
                 {"approvals", signatures_json(block.approvals)},
                 {"signature", block.signature.to_string()},
                 {"chunk_endorsements", endorsements_json(block)}};
    add_roots(json, block);
    add_constants(json, *block.protocol);
    if (block.protocol->block_header_version >= 6) json["shard_split"] = split_json(block.shard_split);
    return json;
}

Json chunk_headers_json(const BlockRecord& block) {
    Json headers = Json::array();
    for (const ChunkPtr& chunk : block.chunks) headers.push_back(chunk_header_json(*chunk));
    return headers;
}

Json receipts_json(const std::vector<ReceiptPtr>& receipts) {
    Json list = Json::array();
    for (const ReceiptPtr& receipt : receipts) list.push_back(receipt_json(*receipt));
    return list;
}

// One shard of a whole block.
class ShardWriter {
public:
    ShardWriter(const BlockRecord& block, const ChunkRecord& chunk)
        : block_(block), chunk_(chunk), application_(*chunk.application) {
        for (const ReceiptPtr& local : application_.locals) locals_.emplace(local->receipt_id, local);
    }

    Json transactions() const {
        Json list = Json::array();
        for (std::size_t i = 0; i < application_.transactions; ++i) {
            const std::vector<CryptoHash>& ids = application_.executions[i].outcome.receipt_ids;
            const auto local = ids.empty() ? locals_.end() : locals_.find(ids.front());
            list.push_back({{"transaction", transaction_json(*chunk_.transactions[i])},
                            {"outcome",
                             {{"execution_outcome", outcome(i)},
                              {"receipt", local == locals_.end() ? Json() : receipt_json(*local->second)},
                              {"tx_hash", chunk_.transactions[i]->hash.to_string()}}}});
        }
        return list;
    }

    template <class TxHash>
    Json executed(const TxHash& tx_hash) const {
        Json list = Json::array();
        for (std::size_t i = application_.transactions; i < application_.executions.size(); ++i) {
            const Execution& execution = application_.executions[i];
            const std::optional<CryptoHash> origin = tx_hash(execution.outcome.id);
            list.push_back({{"execution_outcome", outcome(i)},
                            {"receipt", receipt_json(*execution.receipt)},
                            {"tx_hash", origin ? Json(origin->to_string()) : Json()}});
        }
        return list;
    }

private:
    Json outcome(std::size_t index) const {
        return outcome_with_id_json(application_.executions[index], block_.hash,
                                    application_.tree.path(index));
    }

    const BlockRecord& block_;
    const ChunkRecord& chunk_;
    const Application& application_;
    std::map<CryptoHash, ReceiptPtr> locals_;
};

}  // namespace

Json chunk_header_json(const ChunkRecord& chunk) {
    const Application& previous = *chunk.previous;
    Json json = {{"chunk_hash", chunk.hash.to_string()},
                 {"prev_block_hash", chunk.prev_block_hash.to_string()},
                 {"outcome_root", previous.outcome_root.to_string()},
                 {"prev_state_root", previous.state_root.to_string()},
                 {"encoded_merkle_root", chunk.encoded_merkle_root.to_string()},
                 {"encoded_length", chunk.encoded_length},
                 {"height_created", chunk.height},
                 {"height_included", chunk.height},
                 {"shard_id", chunk.shard_id()},
                 {"gas_used", previous.gas_used},
                 {"gas_limit", chunk.gas_limit},
                 {"rent_paid", "0"},
                 {"validator_reward", "0"},
                 {"balance_burnt", base::to_string(previous.tokens_burnt)},
                 {"outgoing_receipts_root", chunk.outgoing_receipts_root.to_string()},
                 {"tx_root", chunk.tx_root.to_string()},
                 {"validator_proposals", Json::array()},
                 {"congestion_info", congestion_json(previous.congestion)},
                 {"bandwidth_requests", {{"V1", {{"requests", Json::array()}}}}},
                 {"signature", chunk.signature.to_string()}};
    if (chunk.protocol->chunk_header_version >= 5) json["proposed_split"] = nullptr;
    return json;
}

Json chunk_json(const ChunkRecord& chunk) {
    Json transactions = Json::array();
    for (const TransactionPtr& transaction : chunk.transactions)
        transactions.push_back(transaction_json(*transaction));
    return {{"author", chunk.author},
            {"header", chunk_header_json(chunk)},
            {"transactions", std::move(transactions)},
            {"receipts", receipts_json(chunk.receipts)}};
}

Json block_json(const BlockRecord& block) {
    return {{"author", block.author}, {"header", header_json(block)}, {"chunks", chunk_headers_json(block)}};
}

Json whole_block_json(const BlockRecord& block,
                      const std::function<std::optional<CryptoHash>(const CryptoHash&)>& tx_hash) {
    Json shards = Json::array();
    for (std::size_t i = 0; i < block.chunks.size(); ++i) {
        Json shard = {{"shard_id", block.layout->shard_id(i)},
                      {"chunk", nullptr},
                      {"receipt_execution_outcomes", Json::array()},
                      {"state_changes", Json::array()}};
        if (block.is_new(i)) {
            const ChunkRecord& chunk = *block.chunks[i];
            const ShardWriter writer(block, chunk);
            shard["chunk"] = {{"author", chunk.author},
                              {"header", chunk_header_json(chunk)},
                              {"transactions", writer.transactions()},
                              {"receipts", receipts_json(chunk.receipts)},
                              {"local_receipts", receipts_json(chunk.application->locals)},
                              {"instant_receipts", receipts_json(chunk.application->instant)}};
            shard["receipt_execution_outcomes"] = writer.executed(tx_hash);
        }
        shards.push_back(std::move(shard));
    }
    return {{"block", block_json(block)}, {"shards", std::move(shards)}};
}

Json light_header_json(const chain::LightHeader& header) {
    const chain::InnerLite& lite = header.inner_lite;
    return {{"prev_block_hash", header.prev_block_hash.to_string()},
            {"inner_rest_hash", header.inner_rest_hash.to_string()},
            {"inner_lite",
             {{"height", lite.height},
              {"epoch_id", lite.epoch_id.to_string()},
              {"next_epoch_id", lite.next_epoch_id.to_string()},
              {"prev_state_root", lite.prev_state_root.to_string()},
              {"outcome_root", lite.outcome_root.to_string()},
              {"timestamp", lite.timestamp_nanosec},
              {"timestamp_nanosec", std::to_string(lite.timestamp_nanosec)},
              {"next_bp_hash", lite.next_bp_hash.to_string()},
              {"block_merkle_root", lite.block_merkle_root.to_string()}}}};
}

}  // namespace receiptd::sandbox
