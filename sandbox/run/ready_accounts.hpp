// The accounts that are there for users from the start, with their keys.
#pragma once

#include "sandbox/sim/secret_key.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace receiptd::sandbox {

struct ReadyAccount {
    std::string account_id;
    sim::SecretKey key;  // full access; follows from the seed
};

// alice, bob, carol and relayer.sandbox.
std::vector<ReadyAccount> ready_accounts(std::uint64_t seed);

// [{account, public_key, secret_key}]
nlohmann::json keys_json(const std::vector<ReadyAccount>& accounts);
// Writes a file that only its owner can read. Throws std::system_error that names it.
void write_keys(const std::filesystem::path& file, const std::vector<ReadyAccount>& accounts);

}  // namespace receiptd::sandbox
