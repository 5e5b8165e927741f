#include "chain/proof/outcome_proof.hpp"

#include "chain/json/decode_parts.hpp"
#include "chain/proof/outcomes_root.hpp"

#include <memory>
#include <utility>

namespace receiptd::chain {

namespace decoding {

static bool members(Reader& reader, ondemand::object& object, OutcomeProof::Header& out) {
    const auto inner = [&](Value value) {
        const auto time = [&](Value text) {
            Text digits;
            return decode(reader, text, digits) && bigint(reader, digits, out.timestamp_nanosec);
        };
        return reader.object(value, required("height", out.height), required("epoch_id", Hash{out.epoch_id}),
                             required("next_epoch_id", Hash{out.next_epoch_id}),
                             required("prev_state_root", Hash{out.prev_state_root}),
                             required("outcome_root", Hash{out.outcome_root}),
                             required("timestamp_nanosec", time),
                             required("next_bp_hash", Hash{out.next_bp_hash}),
                             required("block_merkle_root", Hash{out.block_merkle_root}));
    };
    return reader.object(object, required("prev_block_hash", Hash{out.prev_block_hash}),
                         required("inner_rest_hash", Hash{out.inner_rest_hash}),
                         required("inner_lite", inner));
}

static bool members(Reader& reader, ondemand::object& object, OutcomeProof& out) {
    return reader.object(object, required("outcome_proof", out.outcome),
                         required("outcome_root_proof", out.outcome_root_path),
                         required("block_header_lite", out.header), optional("block_proof", out.block_path));
}

}  // namespace decoding

namespace {

// Remembers whether every text was a hash.
class Hashes {
public:
    CryptoHash of(Text text) {
        const auto hash = CryptoHash::parse(text);
        good_ = good_ && hash;
        return hash.value_or(CryptoHash());
    }
    bool good() const { return good_; }

private:
    bool good_ = true;
};

LightHeader light_header(const OutcomeProof::Header& header, Hashes& hashes) {
    LightHeader light;
    light.prev_block_hash = hashes.of(header.prev_block_hash);
    light.inner_rest_hash = hashes.of(header.inner_rest_hash);
    auto& lite = light.inner_lite;
    lite.height = header.height;
    lite.epoch_id = hashes.of(header.epoch_id);
    lite.next_epoch_id = hashes.of(header.next_epoch_id);
    lite.prev_state_root = hashes.of(header.prev_state_root);
    lite.outcome_root = hashes.of(header.outcome_root);
    lite.timestamp_nanosec = header.timestamp_nanosec;
    lite.next_bp_hash = hashes.of(header.next_bp_hash);
    lite.block_merkle_root = hashes.of(header.block_merkle_root);
    return light;
}

}  // namespace

DecodeResult<OutcomeProof> decode_outcome_proof_answer(std::string envelope) {
    Decoded<OutcomeProof> decoded{std::make_unique<Document>(std::move(envelope)), OutcomeProof{}};
    Document& document = *decoded.document;
    auto error = decoding::parse(document.json(), document.capacity(), document,
                                 [&](decoding::Reader& reader, decoding::ondemand::object& root) {
                                     return reader.object(root, decoding::required("result", decoded.value));
                                 });
    if (error) return std::move(*error);
    return decoded;
}

std::optional<LightClientProof> light_client_proof(const OutcomeProof& proof) {
    Hashes hashes;
    const auto& outcome = proof.outcome;
    LightClientProof light;
    auto committed = commitment(outcome);
    auto path = proof_path(outcome.proof);
    auto root_path = proof_path(proof.outcome_root_path);
    auto block_path = proof_path(proof.block_path);
    if (!committed || !path || !root_path || !block_path) return std::nullopt;
    light.outcome = std::move(*committed);
    light.outcome_path = std::move(*path);
    light.outcome_root_path = std::move(*root_path);
    light.block_path = std::move(*block_path);
    light.block_hash = hashes.of(outcome.block_hash);
    light.block_header_lite = light_header(proof.header, hashes);
    if (!hashes.good()) return std::nullopt;
    return light;
}

CryptoHash chunk_outcome_root(const LightClientProof& proof) {
    return fold_path(outcome_leaf(proof.outcome), proof.outcome_path);
}

}  // namespace receiptd::chain
