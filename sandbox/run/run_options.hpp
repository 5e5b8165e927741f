// Options of `receiptd-sandbox run`.
#pragma once

#include "base/secret.hpp"
#include "sandbox/ledger/options.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::sandbox {

struct RunOptions {
    std::vector<std::string> listen{"127.0.0.1:3030"};  // a regular host each
    std::string archival_listen = "127.0.0.1:3031";
    std::string control_listen = "127.0.0.1:3032";
    std::chrono::milliseconds block_time{600};  // 0: blocks come by hand only
    LedgerOptions ledger;                       // its accounts and its block time are filled in by `run`
    std::uint64_t retention_blocks = 2'500;     // of the regular host; 0: all
    std::vector<base::Secret> api_keys;
    bool require_key = false;
    double rate_limit = 0;  // requests per second and key; 0: no limit
    std::chrono::milliseconds longest_wait{10'000};
    std::optional<std::string> traffic;  // a profile
    double tps = 20;
    std::filesystem::path keys_out;  // empty: no file
    bool quiet = false;
};

inline constexpr std::size_t kMostRegularHosts = 8;

// Keyless requests together have this part of a key's limit.
inline constexpr double kKeylessShare = 0.5;

// Throws std::invalid_argument that says which versions there are.
const sim::Protocol* find_protocol(std::uint32_t version);

// "EPOCH:VERSION". Throws std::invalid_argument that says what is expected.
std::pair<std::uint64_t, const sim::Protocol*> parse_upgrade(const std::string& text);

// "EPOCH:ACCOUNT". Throws std::invalid_argument that says what is expected.
std::pair<std::uint64_t, std::string> parse_split(const std::string& text);

// RFC 3339 in UTC ("2026-01-01T00:00:00Z"), ns since 1970, or "now". Throws std::invalid_argument that says
// what is expected.
std::uint64_t parse_genesis_time(const std::string& text, std::uint64_t now_nanosec);

}  // namespace receiptd::sandbox
