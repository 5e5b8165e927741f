// A fuzz target's work on a decoded model: it touches every view, so that AddressSanitizer sees a
// dangling one, and holds the decoder to its promises.
#pragma once

#include "chain/json/decode.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

namespace receiptd::fuzz {

inline void require(bool kept, const char* promise, std::string_view what = {}) {
    if (kept) return;
    std::cerr << "broken promise: " << promise << ": " << what << std::endl;
    std::abort();
}

inline volatile unsigned char sink = 0;  // so that the reads are not optimised away

inline void visit(chain::Text text) {
    unsigned char sum = 0;
    for (const char c : text) sum = static_cast<unsigned char>(sum + static_cast<unsigned char>(c));
    sink = sum;
}

// A verbatim span is JSON. What the other library refuses beyond the grammar (numbers that no
// double holds, escapes of lone surrogates) is not compared.
inline void visit_json(chain::Text json) {
    visit(json);
    if (json.empty() || json.find("\\u") != chain::Text::npos) return;
    for (std::size_t i = 1; i < json.size(); ++i) {
        const bool exponent = (json[i] == 'e' || json[i] == 'E') && json[i - 1] >= '0' && json[i - 1] <= '9';
        if (exponent) return;
    }
    if (json.size() > 300) {  // a run of digits that long may not fit a double either
        std::size_t run = 0;
        for (const char c : json) {
            run = c >= '0' && c <= '9' ? run + 1 : 0;
            if (run > 300) return;
        }
    }
    require(nlohmann::json::accept(json), "a verbatim span is JSON", json);
}

inline void visit_hash(chain::Text text) { require(text.size() >= 32 && text.size() <= 44, "a hash", text); }
inline void visit_account(chain::Text text) {
    require(text.size() >= 2 && text.size() <= 64, "an account", text);
}
inline void visit_bigint(std::uint64_t value) { require(value <= INT64_MAX, "fits bigint"); }

inline void visit(const chain::ChunkHeader& header) {
    visit_hash(header.chunk_hash);
    visit_hash(header.prev_block_hash);
    for (const auto text : {header.chunk_hash, header.prev_block_hash, header.outcome_root, header.tx_root}) {
        visit(text);
    }
    for (const auto number :
         {header.height_created, header.height_included, header.shard_id, header.gas_used.value_or(0),
          header.gas_limit.value_or(0), header.encoded_length.value_or(0)}) {
        visit_bigint(number);
    }
}

inline void visit(const chain::Block& block) {
    const auto& header = block.header;
    visit_hash(header.hash);
    visit_hash(header.prev_hash);
    for (const auto text : {block.author, header.hash, header.prev_hash, header.epoch_id,
                            header.next_epoch_id, header.outcome_root, header.last_final_block}) {
        visit(text);
    }
    for (const auto number : {header.height, header.prev_height.value_or(0), header.timestamp_nanosec}) {
        visit_bigint(number);
    }
    for (const auto& chunk : block.chunks) visit(chunk);
}

inline void visit(const chain::Action& action) {
    for (const auto text : {action.name, action.method_name, action.args, action.beneficiary_id,
                            action.delegate_sender_id, action.delegate_receiver_id}) {
        visit(text);
    }
    visit_json(action.json);
    require(!action.json.empty(), "an action has its text");
    visit_bigint(action.gas);
    for (const auto& inner : action.delegate_actions) visit(inner);
}

inline void visit(const chain::SignedTransaction& transaction) {
    visit_hash(transaction.hash);
    visit_account(transaction.signer_id);
    visit_account(transaction.receiver_id);
    visit(transaction.public_key);
    visit(transaction.signature);
    visit_bigint(transaction.nonce);
    visit_json(transaction.actions_json);
    for (const auto& action : transaction.actions) visit(action);
}

inline void visit(const chain::Receipt& receipt) {
    visit_hash(receipt.receipt_id);
    visit_account(receipt.predecessor_id);
    visit_account(receipt.receiver_id);
    visit_json(receipt.json);
    visit_json(receipt.actions_json);
    for (const auto text : {receipt.signer_id, receipt.signer_public_key, receipt.refund_to, receipt.data_id,
                            receipt.data.value_or("")}) {
        visit(text);
    }
    for (const auto& receiver : receipt.output_data_receivers)
        visit(receiver.data_id), visit(receiver.receiver_id);
    for (const auto id : receipt.input_data_ids) visit(id);
    for (const auto& action : receipt.actions) visit(action);
}

inline void visit(const chain::ExecutionStatus& status) {
    visit(status.success_value);
    visit(status.success_receipt_id);
    visit_json(status.failure_json);
    visit_json(status.json);
}

inline void visit(const chain::Outcome& outcome) {
    visit_hash(outcome.id);
    visit_hash(outcome.block_hash);
    for (const auto& item : outcome.proof) visit(item.hash);
    for (const auto log : outcome.logs) visit(log);
    for (const auto id : outcome.receipt_ids) visit_hash(id);
    visit(outcome.executor_id);
    visit_bigint(outcome.gas_burnt);
    visit(outcome.status);
}

inline void visit(const chain::Chunk& chunk) {
    visit(chunk.author);
    visit(chunk.header);
    for (const auto& transaction : chunk.transactions) visit(transaction);
    for (const auto& receipt : chunk.receipts) visit(receipt);
}

inline void visit(const chain::TransactionStatus& status) {
    visit(status.final_execution_status);
    if (status.transaction) visit(*status.transaction);
    if (status.transaction_outcome) visit(*status.transaction_outcome);
    for (const auto& outcome : status.receipts_outcome) visit(outcome);
    if (status.receipts) {
        for (const auto& receipt : *status.receipts) visit(receipt);
    }
    if (status.status) visit(*status.status);
}

inline void visit(const chain::WholeBlock& block) {
    visit(block.block);
    for (const auto& shard : block.shards) {
        visit_bigint(shard.shard_id);
        if (shard.chunk_header) visit(*shard.chunk_header);
        for (const auto& executed : shard.transactions) {
            visit(executed.transaction);
            if (executed.outcome) visit(*executed.outcome);
        }
        for (const auto& receipt : shard.listed_data) visit(receipt);
        for (const auto& receipt : shard.listed_contracts) visit(receipt);
        for (const auto& executed : shard.executed) {
            visit(executed.outcome);
            visit(executed.receipt);
            visit(executed.tx_hash);
        }
    }
}

// A body as the HTTP client hands it over: with spare bytes behind its end.
inline std::string body(const std::uint8_t* data, std::size_t size) {
    std::string text;
    text.reserve(size + chain::kJsonPadding);
    text.assign(reinterpret_cast<const char*>(data), size);
    return text;
}

template <class Result>
void visit_result(const Result& result) {
    if (result) return visit(result->value);
    require(!result.error().reason.empty(), "an error has a reason");
}

}  // namespace receiptd::fuzz
