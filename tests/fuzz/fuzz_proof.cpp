// Answers of EXPERIMENTAL_light_client_proof, read and checked.
#include "chain/proof/outcome_proof.hpp"
#include "fuzz/visit_model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace receiptd;
    const auto proof = chain::decode_outcome_proof_answer(fuzz::body(data, size));
    if (!proof) {
        fuzz::require(!proof.error().to_string().empty(), "an error has a reason");
        return 0;
    }
    fuzz::visit(proof->value.outcome);
    const auto light = chain::light_client_proof(proof->value);
    if (!light) return 0;
    const auto verdict = chain::check_light_client_proof(*light, std::nullopt);
    fuzz::require(verdict != chain::ProofVerdict::head_differs, "without a head none differs");
    // A head that commits to something else is never believed.
    const auto strange = chain::check_light_client_proof(*light, chain::CryptoHash{});
    fuzz::require(strange != chain::ProofVerdict::valid, "a proof holds for one head alone");
    chain::chunk_outcome_root(*light);
    return 0;
}
