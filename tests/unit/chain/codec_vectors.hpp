// The vector files of tests/data/vectors and transactions made from their JSON.
#pragma once

#include "chain/proof/merkle.hpp"
#include "chain/wire/hex.hpp"
#include "chain/wire/transaction.hpp"
#include "sandbox/sim/secret_key.hpp"

#include "support/read_file.hpp"

#include <nlohmann/json.hpp>

#include <stdexcept>
#include <string>

namespace receiptd::chain::vector_data {

using Json = nlohmann::json;
using sandbox::sim::SecretKey;

inline Json load_vectors(const std::string& name) {
    return Json::parse(test::read_file(std::string(RECEIPTD_TEST_DATA) + "/vectors/" + name));
}

// One member of a file, by value: a loop over load_vectors(…).at(…) would outlive what it walks.
inline Json load_vectors(const std::string& name, const char* member) {
    Json found = load_vectors(name).at(member);
    if (found.empty()) throw std::runtime_error("no vectors in " + name);
    return found;
}

inline Bytes unhex(const Json& text) { return hex_decode(text.get<std::string>()).value(); }
inline CryptoHash hash(const Json& text) { return CryptoHash::parse(text.get<std::string>()).value(); }
inline PublicKey key(const Json& text) { return PublicKey::parse(text.get<std::string>()).value(); }
inline Signature signature(const Json& text) { return Signature::parse(text.get<std::string>()).value(); }
inline base::u128 u128(const Json& text) { return base::parse_u128(text.get<std::string>()).value(); }
inline std::uint64_t u64(const Json& text) { return static_cast<std::uint64_t>(u128(text)); }

inline SecretKey secret_key(const Json& vector_key) {
    const bool secp = vector_key.at("type") == "secp256k1";
    return SecretKey::from_seed(secp ? KeyType::secp256k1 : KeyType::ed25519,
                                unhex(vector_key.at(secp ? "secret_hex" : "seed_hex")))
        .value();
}

wire::StateInit state_init(const Json& json);
wire::Action action(const Json& json);
std::vector<wire::Action> actions(const Json& json);
wire::TransactionNonce nonce(const Json& json);
wire::Transaction transaction(const Json& vector);
wire::DelegateAction delegate_action(const Json& json);
wire::DelegateActionV2 delegate_action_v2(const Json& json);

inline ProofPath proof_path(const Json& json) {
    ProofPath path;
    for (const auto& step : json) path.push_back({hash(step.at("hash")), step.at("direction") == "Left"});
    return path;
}

}  // namespace receiptd::chain::vector_data
