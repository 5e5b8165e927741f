#include "sandbox/traffic/accounts.hpp"

#include "sandbox/sim/limits.hpp"

#include "chain/wire/borsh.hpp"

#include <array>

namespace receiptd::sandbox {

namespace {

constexpr sim::u128 kSbx = 1'000'000'000'000'000'000U;
constexpr const char* kRelayer = "relayer.sandbox";

// One for each letter, so that accounts fall on all shards whatever their boundaries are.
constexpr std::array<std::string_view, 26> kFirstNames{
    "abel", "bea",   "cyril", "dora", "emil",  "flora", "gus",   "hana",  "ivo",
    "jana", "karl",  "lena",  "milo", "nora",  "otto",  "paula", "quinn", "rosa",
    "sven", "tilda", "ugo",   "vera", "wanda", "xenia", "yuri",  "zoe"};

std::string name_of(std::size_t index, const char* infix = "-") {
    return std::string(kFirstNames[index % kFirstNames.size()]) + infix + std::to_string(index) + ".sandbox";
}

}  // namespace

sim::SecretKey traffic_key(std::uint64_t seed, std::string_view purpose, std::uint64_t number,
                           chain::KeyType type) {
    chain::Writer writer;
    writer.string("receiptd-sandbox traffic");
    writer.u64(seed);
    writer.string(purpose);
    writer.u64(number);
    return *sim::SecretKey::from_seed(type, chain::sha256(writer.result()).view());
}

std::vector<Signer> traffic_signers(std::uint64_t seed, std::size_t count) {
    std::vector<Signer> signers;
    signers.reserve(2 * count + kRelayerKeys + kPoorAccounts);
    for (std::size_t i = 0; i < count; ++i) {
        signers.push_back({name_of(i), traffic_key(seed, "account", i), SignerRole::account});
        signers.push_back({name_of(i), traffic_key(seed, "delegate", i), SignerRole::delegate});
    }
    for (std::size_t i = 0; i < kPoorAccounts; ++i) {
        signers.push_back({name_of(i, "-poor-"), traffic_key(seed, "poor", i), SignerRole::poor});
    }
    for (std::size_t i = 0; i < kRelayerKeys; ++i) {
        signers.push_back({kRelayer, traffic_key(seed, "relayer", i), SignerRole::relayer});
    }
    return signers;
}

std::vector<TrafficAccount> traffic_accounts(std::uint64_t seed, std::size_t count) {
    std::vector<TrafficAccount> accounts;
    for (const Signer& signer : traffic_signers(seed, count)) {
        if (accounts.empty() || accounts.back().account_id != signer.account_id) {
            TrafficAccount account;
            account.account_id = signer.account_id;
            account.is_ready_made = signer.role == SignerRole::relayer;
            if (signer.role == SignerRole::account) account.balance = 100'000 * sim::kOneToken;
            if (signer.role == SignerRole::account) account.token_balance = 1'000'000'000 * kSbx;
            if (signer.role == SignerRole::poor) account.balance = kPoorTokens * sim::kOneToken;
            if (!account.is_ready_made) account.secret_key = signer.key;
            accounts.push_back(std::move(account));
        }
        accounts.back().keys.push_back(signer.key.public_key());
    }
    return accounts;
}

}  // namespace receiptd::sandbox
