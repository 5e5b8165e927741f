#include "chain/proof/merkle.hpp"

#include "chain/wire/borsh.hpp"

namespace receiptd::chain {

Bytes partial_outcome_borsh(const OutcomeCommitment& outcome) {
    Writer writer;
    writer.count(outcome.receipt_ids.size());
    for (const CryptoHash& id : outcome.receipt_ids) writer.hash(id);
    writer.u64(outcome.gas_burnt);
    writer.u128(outcome.tokens_burnt);
    writer.string(outcome.executor_id);
    writer.u8(static_cast<std::uint8_t>(outcome.status.index()));
    if (const auto* value = std::get_if<OutcomeCommitment::SuccessValue>(&outcome.status))
        writer.bytes(*value);
    if (const auto* id = std::get_if<OutcomeCommitment::SuccessReceiptId>(&outcome.status)) writer.hash(*id);
    return writer.take();
}

CryptoHash outcome_leaf(const OutcomeCommitment& outcome) {
    Writer entries;
    entries.count(2 + outcome.logs.size());
    Sha256 leaf;
    leaf.add(entries.result());
    leaf.add(outcome.id.view());
    leaf.add(sha256(partial_outcome_borsh(outcome)).view());
    for (const std::string_view log : outcome.logs) leaf.add(sha256(bytes_of(log)).view());
    return leaf.result();
}

MerkleTree make_merkle_tree(std::span<const CryptoHash> leaves) {
    MerkleTree tree;
    tree.paths.resize(leaves.size());
    std::vector<CryptoHash> level(leaves.begin(), leaves.end());
    for (std::size_t width = 1; level.size() > 1; width *= 2) {  // leaves below each node of the level
        for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
            const std::size_t sibling = (leaf / width) ^ 1;
            if (sibling < level.size()) tree.paths[leaf].push_back({level[sibling], sibling % 2 == 0});
        }
        std::vector<CryptoHash> above;
        above.reserve((level.size() + 1) / 2);
        for (std::size_t i = 0; i + 1 < level.size(); i += 2)
            above.push_back(sha256_pair(level[i], level[i + 1]));
        if (level.size() % 2 == 1) above.push_back(level.back());
        level = std::move(above);
    }
    if (!level.empty()) tree.root = level.front();
    return tree;
}

CryptoHash merkle_root(std::span<const CryptoHash> leaves) {
    std::vector<CryptoHash> level(leaves.begin(), leaves.end());
    while (level.size() > 1) {
        std::size_t above = 0;
        for (std::size_t i = 0; i + 1 < level.size(); i += 2)
            level[above++] = sha256_pair(level[i], level[i + 1]);
        if (level.size() % 2 == 1) level[above++] = level.back();
        level.resize(above);
    }
    return level.empty() ? CryptoHash{} : level.front();
}

CryptoHash fold_path(const CryptoHash& leaf, const ProofPath& path) {
    CryptoHash hash = leaf;
    for (const ProofStep& step : path)
        hash = step.left ? sha256_pair(step.hash, hash) : sha256_pair(hash, step.hash);
    return hash;
}

MerkleTree make_block_outcome_tree(std::span<const CryptoHash> chunk_outcome_roots) {
    std::vector<CryptoHash> leaves;
    leaves.reserve(chunk_outcome_roots.size());
    for (const CryptoHash& root : chunk_outcome_roots) leaves.push_back(sha256(root.view()));
    return make_merkle_tree(leaves);
}

}  // namespace receiptd::chain
