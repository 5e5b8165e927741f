// Derived identifiers, outcome trees and light-client proofs.
#include "chain/proof/light_client.hpp"
#include "chain/proof/merkle.hpp"
#include "chain/wire/base64.hpp"
#include "codec_vectors.hpp"
#include "sandbox/sim/derive.hpp"

#include <gtest/gtest.h>

namespace receiptd::chain {
namespace {

namespace sim = sandbox::sim;
using vector_data::hash;
using vector_data::Json;
using vector_data::load_vectors;
using vector_data::proof_path;
using vector_data::u64;

// Views point into `entry`.
OutcomeCommitment commitment(const Json& entry) {
    const auto& outcome = entry.at("outcome");
    OutcomeCommitment result;
    result.id = hash(entry.at("id"));
    for (const auto& id : outcome.at("receipt_ids")) result.receipt_ids.push_back(hash(id));
    result.gas_burnt = outcome.at("gas_burnt").get<std::uint64_t>();
    result.tokens_burnt = vector_data::u128(outcome.at("tokens_burnt"));
    result.executor_id = outcome.at("executor_id").get_ref<const std::string&>();
    for (const auto& log : outcome.at("logs")) result.logs.push_back(log.get_ref<const std::string&>());
    const auto& status = outcome.at("status");
    if (status.contains("Failure")) result.status = OutcomeCommitment::Failure{};
    if (status.contains("SuccessValue"))
        result.status = base64_decode(status.at("SuccessValue").get<std::string>()).value();
    if (status.contains("SuccessReceiptId")) result.status = hash(status.at("SuccessReceiptId"));
    return result;
}

TEST(DerivedIds, MatchTheVectors) {
    for (const auto& vector : load_vectors("receipt_ids.json", "vectors")) {
        const CryptoHash base = hash(vector.at("base"));
        const std::uint64_t salt = u64(vector.at("salt"));
        const CryptoHash derived =
            vector.contains("block_hash")
                ? sim::derive_id_by_block_hash(base, hash(vector.at("block_hash")), salt)
                : sim::derive_id(base, u64(vector.at("block_height")), salt);
        EXPECT_EQ(derived.to_string(), vector.at("result")) << vector.at("what");
    }
}

TEST(DerivedIds, HaveNamesForTheirRules) {
    const CryptoHash base = sha256({});
    EXPECT_EQ(sim::initial_receipt_id(base, 9), sim::derive_id(base, 9, 0));
    EXPECT_EQ(sim::child_receipt_id(base, 9, 3), sim::derive_id(base, 9, 3));
    EXPECT_EQ(sim::action_hash(base, 9, 1), sim::derive_id(base, 9, ~std::uint64_t{0} - 1));
    EXPECT_EQ(sim::data_id(base, 9, 2), sim::derive_id(base, 9, 2));
    EXPECT_EQ(sim::random_seed(base, base), sha256_pair(base, base));
}

class OutcomeTrees : public ::testing::Test {
protected:
    const Json vectors = load_vectors("outcomes_merkle.json", "synthetic");

    std::vector<CryptoHash> leaves(std::size_t count) const {
        std::vector<CryptoHash> result;
        for (std::size_t i = 0; i < count; ++i)
            result.push_back(outcome_leaf(commitment(vectors.at("outcomes").at(i))));
        return result;
    }
};

TEST_F(OutcomeTrees, HashEveryKindOfOutcome) {
    for (const auto& entry : vectors.at("outcomes")) {
        const OutcomeCommitment outcome = commitment(entry);
        EXPECT_EQ(hex_encode(partial_outcome_borsh(outcome)), entry.at("partial_outcome_borsh_hex"));
        EXPECT_EQ(outcome_leaf(outcome).to_string(), entry.at("leaf_hash"));
    }
}

TEST_F(OutcomeTrees, HaveTheirRootsAndPaths) {
    for (const auto& entry : vectors.at("trees_over_first_n_outcomes")) {
        const auto below = leaves(entry.at("outcome_count").get<std::size_t>());
        const MerkleTree tree = make_merkle_tree(below);
        EXPECT_EQ(tree.root.to_string(), entry.at("outcome_root"));
        ASSERT_EQ(tree.paths.size(), entry.at("proofs").size());
        for (std::size_t i = 0; i < below.size(); ++i)
            EXPECT_EQ(tree.paths[i], proof_path(entry.at("proofs").at(i))) << i;
    }
}

TEST_F(OutcomeTrees, GiveTheBlockItsRoot) {
    const auto& entry = vectors.at("block_outcome_root");
    std::vector<CryptoHash> roots;
    for (const auto& root : entry.at("chunk_outcome_roots")) roots.push_back(hash(root));
    const MerkleTree tree = make_block_outcome_tree(roots);
    EXPECT_EQ(tree.root.to_string(), entry.at("root"));
    for (std::size_t i = 0; i < roots.size(); ++i)
        EXPECT_EQ(tree.paths[i], proof_path(entry.at("outcome_root_proofs").at(i))) << i;
}

TEST_F(OutcomeTrees, KnowTheEmptyOnes) {
    EXPECT_EQ(merkle_root({}).to_string(), vectors.at("empty_tree_root"));
    EXPECT_EQ(make_merkle_tree({}).root, CryptoHash{});
    EXPECT_EQ(sha256(CryptoHash{}.view()).to_string(), vectors.at("sha256_of_zero_root"));
    const std::vector<CryptoHash> two(2);
    EXPECT_EQ(make_block_outcome_tree(two).root.to_string(), vectors.at("two_empty_chunks_node"));
}

TEST(MerkleTrees, LeadFromEveryLeafToTheRoot) {
    std::vector<CryptoHash> leaves;
    for (std::size_t count = 1; count < 70; ++count) {
        leaves.push_back(sha256(bytes_of(std::to_string(count))));
        const MerkleTree tree = make_merkle_tree(leaves);
        EXPECT_EQ(tree.root, merkle_root(leaves));
        for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(fold_path(leaves[i], tree.paths[i]), tree.root);
    }
}

struct ProofVector {
    LightClientProof proof;
    std::optional<CryptoHash> head;
};

ProofVector proof_vector(const Json& vector) {
    const auto& header = vector.at("block_header_lite");
    const auto& lite = header.at("inner_lite");
    const auto& outcome = vector.at("outcome_proof");
    ProofVector result;
    result.proof.outcome = commitment(outcome);
    result.proof.block_hash = hash(outcome.at("block_hash"));
    result.proof.outcome_path = proof_path(outcome.at("proof"));
    result.proof.outcome_root_path = proof_path(vector.at("outcome_root_proof"));
    result.proof.block_header_lite = {
        {lite.at("height").get<std::uint64_t>(), hash(lite.at("epoch_id")), hash(lite.at("next_epoch_id")),
         hash(lite.at("prev_state_root")), hash(lite.at("outcome_root")), u64(lite.at("timestamp_nanosec")),
         hash(lite.at("next_bp_hash")), hash(lite.at("block_merkle_root"))},
        hash(header.at("inner_rest_hash")),
        hash(header.at("prev_block_hash"))};
    if (vector.contains("block_proof") && !vector.at("block_proof").is_null())
        result.proof.block_path = proof_path(vector.at("block_proof"));
    const auto& head = vector.at("light_client_head_block_merkle_root");
    if (!head.is_null()) result.head = hash(head);
    return result;
}

class RealProofs : public ::testing::Test {
protected:
    const Json vectors = load_vectors("light_client_proofs.json", "vectors");
};

TEST_F(RealProofs, RecomputeEveryIntermediateValue) {
    for (const auto& vector : vectors) {
        const LightClientProof proof = proof_vector(vector).proof;
        const auto& expect = vector.at("expect");
        const CryptoHash leaf = outcome_leaf(proof.outcome);
        EXPECT_EQ(hex_encode(partial_outcome_borsh(proof.outcome)), expect.at("partial_outcome_borsh_hex"));
        EXPECT_EQ(leaf.to_string(), expect.at("leaf_hash"));
        EXPECT_EQ(fold_path(leaf, proof.outcome_path).to_string(), expect.at("chunk_outcome_root"));
        const Bytes lite = inner_lite_borsh(proof.block_header_lite.inner_lite);
        EXPECT_EQ(lite.size(), 208u);
        EXPECT_EQ(hex_encode(lite), expect.at("inner_lite_borsh_hex"));
        EXPECT_EQ(sha256(lite).to_string(), expect.at("inner_lite_hash"));
        EXPECT_EQ(block_hash(proof.block_header_lite).to_string(), expect.at("block_hash"));
    }
}

TEST_F(RealProofs, AreValid) {
    for (const auto& vector : vectors) {
        const ProofVector entry = proof_vector(vector);
        EXPECT_EQ(check_light_client_proof(entry.proof, entry.head), ProofVerdict::valid)
            << vector.at("name");
    }
}

TEST_F(RealProofs, FailAtTheStepThatWasForged) {
    const ProofVector good = proof_vector(vectors.at(0));
    ASSERT_TRUE(good.head);
    LightClientProof forged = good.proof;
    ++forged.outcome.gas_burnt;
    EXPECT_EQ(check_light_client_proof(forged, good.head), ProofVerdict::outcome_root_differs);
    forged = good.proof;
    ++forged.block_header_lite.inner_lite.height;
    EXPECT_EQ(check_light_client_proof(forged, good.head), ProofVerdict::block_hash_differs);
    EXPECT_EQ(check_light_client_proof(good.proof, CryptoHash{}), ProofVerdict::head_differs);
    EXPECT_EQ(check_light_client_proof(good.proof, std::nullopt), ProofVerdict::valid);
}

}  // namespace
}  // namespace receiptd::chain
