// Accounts, keys, code and contract data, with every past value, so that any height can be looked at.
#pragma once

#include "sandbox/sim/model.hpp"

#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace receiptd::sandbox::sim {

struct Account {
    u128 amount = 0;
    u128 locked = 0;
    CryptoHash code_hash;  // zero: no contract
    std::uint64_t storage_usage = 0;
    friend bool operator==(const Account&, const Account&) = default;
};

// As it stands after all chunks of the newest applied block.
inline constexpr Height kNewest = std::numeric_limits<Height>::max();

using KeyList = std::vector<std::pair<PublicKey, wire::AccessKey>>;  // by key text
using DataList = std::vector<std::pair<std::string, std::string>>;   // by key

// What EXPERIMENTAL_changes_in_block names.
enum class Touch : std::uint8_t { account, access_key, data, contract_code };

class State {
public:
    // As it stood after the block at `at` was applied.
    std::optional<Account> account(std::string_view id, Height at = kNewest) const;
    std::optional<wire::AccessKey> access_key(std::string_view id, const PublicKey& key,
                                              Height at = kNewest) const;
    KeyList access_keys(std::string_view id, Height at = kNewest) const;
    std::optional<Bytes> code(std::string_view id, Height at = kNewest) const;
    std::optional<std::string> data(std::string_view id, std::string_view key, Height at = kNewest) const;
    DataList data_with_prefix(std::string_view id, std::string_view prefix, Height at = kNewest) const;

    // Of the block at that height, in order, without repeats.
    std::vector<std::pair<std::string, Touch>> touched(Height height) const;
    // Commits to all changes so far.
    const CryptoHash& root() const;
    // Sum of amount and locked of all accounts.
    u128 total_balance() const;
};

}  // namespace receiptd::sandbox::sim
