// The validators of a sandbox chain: the same few for ever, with keys that follow from the seed.
#pragma once

#include "sandbox/sim/limits.hpp"
#include "sandbox/sim/model.hpp"
#include "sandbox/sim/secret_key.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace receiptd::sandbox {

struct Validator {
    std::string account_id;
    sim::SecretKey key;
    sim::u128 stake = 0;
};

class Validators {
public:
    static constexpr sim::u128 kStake = 50'000 * sim::kOneToken;

    Validators(std::uint64_t seed, std::size_t count);

    const std::vector<Validator>& all() const { return validators_; }
    // Validators take turns.
    const Validator& block_producer(sim::Height height) const {
        return validators_[height % validators_.size()];
    }
    const Validator& chunk_producer(sim::Height height, std::size_t shard_index) const {
        return validators_[(height + shard_index) % validators_.size()];
    }
    // Each one's approval to build a block at `height` on that parent: an endorsement, or the skip of
    // the heights between (nearcore's ApprovalInner).
    std::vector<chain::Signature> approve(sim::Height parent, const chain::CryptoHash& parent_hash,
                                          sim::Height height) const;
    // SHA-256 of the Borsh list of the validators' stakes: next_bp_hash.
    const chain::CryptoHash& hash() const { return hash_; }

    // [{validator_stake_struct_version, account_id, public_key, stake}]
    sim::Json stakes_json() const;

private:
    std::vector<Validator> validators_;
    chain::CryptoHash hash_;
};

}  // namespace receiptd::sandbox
