#include "chain/proof/outcomes_root.hpp"

#include "chain/proof/outcome_order.hpp"
#include "chain/wire/base64.hpp"
#include "chain/wire/borsh.hpp"

#include <utility>
#include <vector>

namespace receiptd::chain {

namespace {

std::optional<OutcomeCommitment::Status> committed_status(const ExecutionStatus& status) {
    switch (status.kind) {
        case StatusKind::unknown: return OutcomeCommitment::Unknown{};
        case StatusKind::failure: return OutcomeCommitment::Failure{};
        case StatusKind::success_receipt_id: {
            const auto id = CryptoHash::parse(status.success_receipt_id);
            return id ? std::optional<OutcomeCommitment::Status>(*id) : std::nullopt;
        }
        case StatusKind::success_value: break;
    }
    auto bytes = base64_decode(status.success_value);
    if (!bytes) return std::nullopt;
    return std::move(*bytes);
}

}  // namespace

std::optional<OutcomeCommitment> commitment(const Outcome& outcome) {
    OutcomeCommitment made;
    const auto id = CryptoHash::parse(outcome.id);
    auto status = committed_status(outcome.status);
    if (!id || !status) return std::nullopt;
    made.id = *id;
    made.status = std::move(*status);
    made.receipt_ids.reserve(outcome.receipt_ids.size());
    for (const auto text : outcome.receipt_ids) {
        const auto child = CryptoHash::parse(text);
        if (!child) return std::nullopt;
        made.receipt_ids.push_back(*child);
    }
    made.gas_burnt = outcome.gas_burnt;
    made.tokens_burnt = outcome.tokens_burnt;
    made.executor_id = outcome.executor_id;
    made.logs.assign(outcome.logs.begin(), outcome.logs.end());
    return made;
}

std::optional<ProofPath> proof_path(const List<MerklePathItem>& items) {
    ProofPath path;
    path.reserve(items.size());
    for (const auto& item : items) {
        const auto hash = CryptoHash::parse(item.hash);
        if (!hash) return std::nullopt;
        path.push_back({*hash, item.left});
    }
    return path;
}

bool covers_chunks(const Block& block) {
    if (block.header.hash_is != HeaderHash::equal || block.chunks.empty()) return false;
    std::vector<CryptoHash> outcomes, headers;
    for (const auto& chunk : block.chunks) {
        const auto root = CryptoHash::parse(chunk.outcome_root);
        const auto hash = CryptoHash::parse(chunk.chunk_hash);
        if (!root || !hash) return false;
        outcomes.push_back(*root);
        Writer header;
        header.hash(*hash);
        header.u64(chunk.height_included);
        headers.push_back(sha256(header.result()));
    }
    return make_block_outcome_tree(outcomes).root.to_string() == block.header.outcome_root &&
           merkle_root(headers).to_string() == block.header.chunk_headers_root;
}

std::optional<CryptoHash> root_by_path(const Outcome& outcome) {
    const auto made = commitment(outcome);
    const auto path = proof_path(outcome.proof);
    if (!made || !path) return std::nullopt;
    return fold_path(outcome_leaf(*made), *path);
}

std::optional<CryptoHash> outcomes_root(const WholeBlockShard& shard) {
    std::vector<CryptoHash> leaves;
    leaves.reserve(shard.transactions.size() + shard.executed.size());
    const auto add = [&leaves](const Outcome& outcome) {
        const auto made = commitment(outcome);
        if (made) leaves.push_back(outcome_leaf(*made));
        return made.has_value();
    };
    for (const auto& item : shard.transactions)
        if (item.outcome && !add(*item.outcome)) return std::nullopt;
    for (const auto place : execution_order(shard).executed)
        if (!add(shard.executed[place].outcome)) return std::nullopt;
    return merkle_root(leaves);
}

}  // namespace receiptd::chain
