// Is the chain what it must be? Recomputed from the records, beside the counters kept on the way.
#include "sandbox/ledger/chain_hashes.hpp"
#include "sandbox/ledger/ledger.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::sandbox {

namespace {

void expect(CheckReport& report, bool holds, const std::string& problem) {
    if (!holds && report.problems.size() < CheckReport::kMostProblems) report.problems.push_back(problem);
}

std::string at(const BlockRecord& block, std::size_t shard) {
    return "block " + std::to_string(block.height) + ", shard index " + std::to_string(shard) + ": ";
}

}  // namespace

Json CheckReport::to_json() const {
    return {{"ok", ok()},
            {"problems", problems},
            {"blocks", blocks},
            {"transactions", transactions},
            {"receipts", receipts},
            {"executed", executed},
            {"proofs", proofs},
            {"genesis_tokens", base::to_string(genesis_tokens)},
            {"balances", base::to_string(balances)},
            {"under_way", base::to_string(under_way)},
            {"burnt", base::to_string(burnt)}};
}

CheckReport Ledger::check(bool proofs) const {
    CheckReport report;
    for (const std::string& violation : forest_.violations()) expect(report, false, violation);
    check_trees(report);
    check_tokens(report);
    check_blocks(report, proofs);
    return report;
}

void Ledger::check_trees(CheckReport& report) const {
    for (const TransactionTree& tree : forest_.trees()) {
        ++report.transactions;
        std::size_t open = 0;
        for (const ReceiptNode& node : tree.nodes) {
            ++report.receipts;
            node.executed ? ++report.executed : ++open;
        }
        const std::string name = "transaction " + tree.transaction->hash.to_string() + ": ";
        expect(report, open == tree.open, name + "the count of open receipts is wrong");
        expect(report, (open == 0) == (tree.done_height != 0),
               name + "is done, or not, against its receipts");
    }
}

void Ledger::check_tokens(CheckReport& report) const {
    report.genesis_tokens = genesis_tokens_;
    report.balances = account_tokens();
    report.under_way = forest_.tokens_under_way();
    report.burnt = burnt_;
    expect(report, report.balances + report.under_way + report.burnt == genesis_tokens_,
           "tokens are not conserved: balances " + base::to_string(report.balances) + ", under way " +
               base::to_string(report.under_way) + ", burnt " + base::to_string(report.burnt) + ", genesis " +
               base::to_string(genesis_tokens_));
}

void Ledger::check_blocks(CheckReport& report, bool proofs) const {
    const std::size_t oldest = store_.oldest().ordinal;
    report.blocks = store_.size() - oldest;
    // Tokens that the forgotten blocks burnt are taken from the oldest block that is known.
    u128 told_burnt = oldest == 0 ? 0 : genesis_tokens_ - store_.oldest().total_supply;
    for (std::size_t i = oldest; i < store_.size(); ++i) {
        const BlockRecord& block = store_.at_ordinal(i);
        const std::string name = "block " + std::to_string(block.height) + ": ";
        expect(report, chain::block_hash(block.light) == block.hash,
               name + "its hash is not that of its header");
        expect(report, block.light.inner_lite.block_merkle_root == store_.merkle().root(i),
               name + "block_merkle_root is not that of the blocks below");
        for (std::size_t shard = 0; shard < block.chunks.size(); ++shard) {
            if (!block.is_new(shard)) continue;
            if (i > oldest) told_burnt += block.chunks[shard]->previous->tokens_burnt;
            check_application(block, shard, report, proofs);
        }
        expect(report, block.total_supply + told_burnt == genesis_tokens_, name + "total_supply is wrong");
    }
}

void Ledger::check_application(const BlockRecord& block, std::size_t shard, CheckReport& report,
                               bool proofs) const {
    const Application& application = *block.chunks[shard]->application;
    Gas gas = 0;
    MerkleLog tree;
    for (const Execution& execution : application.executions) {
        gas += execution.outcome.gas_burnt;
        tree.append(outcome_leaf(execution.outcome));
    }
    expect(report, gas == application.gas_used, at(block, shard) + "gas_used is not the sum of gas_burnt");
    expect(report, tree.root() == application.outcome_root,
           at(block, shard) + "outcome_root is not that of the outcomes");
    const auto next = store_.next_chunk_of(block, application.shard_id);
    if (!next) return;
    expect(report, next->chunk().previous->outcome_root == application.outcome_root,
           at(block, shard) + "the next chunk tells of another application");
    check_listed(block, application, report);
    if (proofs) check_proofs(block, application, *next, report);
}

// The first child of a split shard lists the receipts that the shard produced.
void Ledger::check_listed(const BlockRecord& block, const Application& application,
                          CheckReport& report) const {
    for (std::size_t ordinal = block.ordinal + 1; ordinal < store_.size(); ++ordinal) {
        const BlockRecord& next = store_.at_ordinal(ordinal);
        const std::size_t first = next.layout->indexes_from(application.shard_id).front();
        if (!next.is_new(first)) continue;
        expect(report, next.chunks[first]->receipts == application.outgoing,
               at(block, first) + "the next chunk does not list the produced receipts");
        return;
    }
}

void Ledger::check_proofs(const BlockRecord& block, const Application& application,
                          const ChainStore::ChunkPlace& next, CheckReport& report) const {
    const BlockRecord& head = store_.newest();
    if (next.block->ordinal >= head.ordinal) return;
    std::vector<CryptoHash> roots;
    for (const ChunkPtr& chunk : next.block->chunks) roots.push_back(chunk->previous->outcome_root);
    chain::LightClientProof proof;
    proof.block_hash = next.block->hash;
    proof.outcome_root_path = chain::make_block_outcome_tree(roots).paths[next.shard];
    proof.block_header_lite = next.block->light;
    proof.block_path = store_.merkle().path(next.block->ordinal, head.ordinal);
    for (std::size_t i = 0; i < application.executions.size(); ++i) {
        proof.outcome = commitment_of(application.executions[i].outcome);
        proof.outcome_path = application.tree.path(i);
        const auto verdict = chain::check_light_client_proof(proof, head.light.inner_lite.block_merkle_root);
        expect(report, verdict == chain::ProofVerdict::valid,
               "block " + std::to_string(block.height) + ": the proof of " + proof.outcome.id.to_string() +
                   " does not verify");
        ++report.proofs;
    }
}

}  // namespace receiptd::sandbox
