// Options of a sandbox chain.
#pragma once

#include "sandbox/sim/host.hpp"
#include "sandbox/sim/protocol.hpp"
#include "sandbox/sim/secret_key.hpp"
#include "sandbox/sim/state.hpp"

#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace receiptd::sandbox {

struct GenesisAccount {
    std::string account_id;
    sim::u128 amount = 0;
    sim::u128 locked = 0;
    sim::KeyList access_keys;
    // Known to the ledger only to sign what makes a drop real (Ledger::drop); need not be there.
    std::vector<sim::SecretKey> secret_keys;
    sim::Bytes code;  // empty: no contract
    sim::DataList data;
};

struct LedgerOptions {
    std::string chain_id = "sandbox";
    const sim::Protocol* protocol = &sim::usual_protocol();  // of the first epoch
    std::map<std::uint64_t, const sim::Protocol*> upgrades;  // by the index of the epoch that begins with it
    // By the index of the epoch that begins with it: the first account of the upper half of the shard that is
    // split.
    std::map<std::uint64_t, std::string> splits;
    std::uint64_t seed = 1;
    std::size_t shards = 4;
    std::size_t validators = 4;
    sim::Height genesis_height = 100'000'000;
    std::uint64_t genesis_time_nanosec = 1'767'225'600'000'000'000;  // 2026-01-01T00:00:00Z
    std::uint64_t block_time_nanosec = 600'000'000;                  // of one height, skipped ones included
    std::uint64_t epoch_blocks = 500;                                // heights
    std::uint64_t validity_blocks = 86'400;  // heights a transaction's block_hash may be old
    std::uint64_t yield_timeout_blocks = 200;
    sim::Gas gas_limit = 1000 * sim::kTera;  // of a chunk
    sim::u128 gas_price = 100'000'000;       // of the first block; it moves between the two below
    sim::u128 min_gas_price = 100'000'000;
    sim::u128 max_gas_price = 2'000'000'000;
    double missing_chunk_probability = 0;   // of each chunk
    double skipped_height_probability = 0;  // of each height
    // Delayed gas at which a shard counts as fully congested (NEP-539).
    sim::Gas congestion_gas = 400'000 * sim::kTera;
    // Blocks that are kept, with their transactions and the state after them; 0: all. More than the validity
    // window. A tree that is under way keeps all blocks since it began. Such a chain makes no forks.
    std::uint64_t history_blocks = 0;
    std::vector<GenesisAccount> accounts;

    const sim::Protocol& protocol_in(std::uint64_t epoch_index) const {
        const auto later = upgrades.upper_bound(epoch_index);
        return later == upgrades.begin() ? *protocol : *std::prev(later)->second;
    }
};

}  // namespace receiptd::sandbox
