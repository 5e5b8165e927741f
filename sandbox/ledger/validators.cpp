#include "sandbox/ledger/validators.hpp"

#include "chain/wire/borsh.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::sandbox {

using chain::CryptoHash;

namespace {

sim::SecretKey validator_key(std::uint64_t seed, std::size_t index) {
    const std::string text =
        "sandbox validator " + std::to_string(index) + " of seed " + std::to_string(seed);
    return *sim::SecretKey::from_seed(chain::KeyType::ed25519, chain::sha256(chain::bytes_of(text)).view());
}

}  // namespace

Validators::Validators(std::uint64_t seed, std::size_t count) {
    chain::Writer writer;
    writer.u32(static_cast<std::uint32_t>(count));
    for (std::size_t i = 0; i < count; ++i) {
        Validator validator{"validator-" + std::to_string(i) + ".sandbox", validator_key(seed, i), kStake};
        writer.u8(0);  // ValidatorStake::V1
        writer.string(validator.account_id);
        validator.key.public_key().write(writer);
        writer.u128(validator.stake);
        validators_.push_back(std::move(validator));
    }
    hash_ = chain::sha256(writer.result());
}

std::vector<chain::Signature> Validators::approve(sim::Height parent, const CryptoHash& parent_hash,
                                                  sim::Height height) const {
    chain::Writer writer;
    if (height == parent + 1) {
        writer.u8(0);  // Endorsement
        writer.raw(parent_hash.view());
    } else {
        writer.u8(1);  // Skip
        writer.u64(parent);
    }
    writer.u64(height);
    std::vector<chain::Signature> approvals;
    for (const Validator& validator : validators_) approvals.push_back(validator.key.sign(writer.result()));
    return approvals;
}

sim::Json Validators::stakes_json() const {
    sim::Json stakes = sim::Json::array();
    for (const Validator& validator : validators_) {
        stakes.push_back({{"validator_stake_struct_version", "V1"},
                          {"account_id", validator.account_id},
                          {"public_key", validator.key.public_key().to_string()},
                          {"stake", base::to_string(validator.stake)}});
    }
    return stakes;
}

}  // namespace receiptd::sandbox
