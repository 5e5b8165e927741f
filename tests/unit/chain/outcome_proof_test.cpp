// The answer of light_client_proof, read and checked.
#include "chain/proof/outcome_proof.hpp"

#include "codec_vectors.hpp"

#include <gtest/gtest.h>

namespace receiptd::chain {
namespace {

using vector_data::Json;
using vector_data::load_vectors;

class OutcomeProofs : public ::testing::Test {
protected:
    // As a host answers.
    static Json answer(const Json& vector) {
        Json result;
        for (const char* member : {"outcome_proof", "outcome_root_proof", "block_header_lite", "block_proof"})
            if (vector.contains(member)) result[member] = vector.at(member);
        auto& lite = result["block_header_lite"]["inner_lite"];
        if (lite["timestamp_nanosec"].is_number())
            lite["timestamp_nanosec"] = std::to_string(lite["timestamp_nanosec"].get<std::uint64_t>());
        return {{"jsonrpc", "2.0"}, {"id", "receiptd"}, {"result", result}};
    }
    const Json vectors = load_vectors("light_client_proofs.json", "vectors");
};

TEST_F(OutcomeProofs, OfTheChainAreValid) {
    for (const auto& vector : vectors) {
        const auto proof = decode_outcome_proof_answer(answer(vector).dump());
        ASSERT_TRUE(proof) << proof.error().to_string();
        EXPECT_EQ(proof->value.outcome.id, vector.at("outcome_proof").at("id").get<std::string>());
        const auto light = light_client_proof(proof->value);
        ASSERT_TRUE(light);
        EXPECT_EQ(check_light_client_proof(*light, std::nullopt), ProofVerdict::valid);
    }
}

TEST_F(OutcomeProofs, AreRefusedIfAnythingIsChanged) {
    auto gas = answer(vectors.at(0));
    gas["result"]["outcome_proof"]["outcome"]["gas_burnt"] = 1;
    const auto changed = decode_outcome_proof_answer(gas.dump());
    ASSERT_TRUE(changed);
    EXPECT_EQ(check_light_client_proof(*light_client_proof(changed->value), std::nullopt),
              ProofVerdict::outcome_root_differs);
    auto height = answer(vectors.at(0));
    height["result"]["block_header_lite"]["inner_lite"]["height"] = 1;
    const auto moved = decode_outcome_proof_answer(height.dump());
    ASSERT_TRUE(moved);
    EXPECT_EQ(check_light_client_proof(*light_client_proof(moved->value), std::nullopt),
              ProofVerdict::block_hash_differs);
}

TEST_F(OutcomeProofs, WithoutAMemberAreNoAnswer) {
    auto broken = answer(vectors.at(0));
    broken["result"].erase("block_header_lite");
    EXPECT_FALSE(decode_outcome_proof_answer(broken.dump()));
    EXPECT_FALSE(decode_outcome_proof_answer("{}"));
}

}  // namespace
}  // namespace receiptd::chain
