#include "sandbox/run/genesis.hpp"

#include "sandbox/contracts/builtin.hpp"
#include "sandbox/contracts/ft.hpp"
#include "sandbox/sim/limits.hpp"

#include <algorithm>

namespace receiptd::sandbox {

namespace {

using sim::u128;

constexpr u128 kReadyTokens = 10'000;
constexpr u128 kContractTokens = 1'000;

GenesisAccount ready_made(const ReadyAccount& ready) {
    GenesisAccount account;
    account.account_id = ready.account_id;
    account.amount = kReadyTokens * sim::kOneToken;
    account.access_keys = {{ready.key.public_key(), {}}};
    account.secret_keys = {ready.key};
    return account;
}

GenesisAccount contract(const BuiltinContract& builtin, const std::vector<TokenHolder>& holders) {
    GenesisAccount account;
    account.account_id = std::string(builtin.account_id);
    account.amount = kContractTokens * sim::kOneToken;
    account.code.assign(builtin.code.begin(), builtin.code.end());
    if (builtin.code == kFtCode) account.data = ft_initial_records(holders);
    return account;
}

// Both contracts receive tokens in ft_transfer_call; users register themselves.
std::vector<TokenHolder> token_holders(const std::vector<TrafficAccount>& traffic) {
    std::vector<TokenHolder> holders{{"receiver.sandbox", 0}, {"script.sandbox", 0}};
    for (const auto& account : traffic) {
        if (!account.is_ready_made) holders.push_back({account.account_id, account.token_balance});
    }
    return holders;
}

void add_traffic_account(std::vector<GenesisAccount>& accounts, const TrafficAccount& wanted) {
    auto account = std::find_if(accounts.begin(), accounts.end(), [&](const GenesisAccount& each) {
        return each.account_id == wanted.account_id;
    });
    if (account == accounts.end()) {
        account = accounts.emplace(accounts.end());
        account->account_id = wanted.account_id;
        account->amount = wanted.balance;
    }
    for (const auto& key : wanted.keys) account->access_keys.emplace_back(key, sim::wire::AccessKey{});
    if (wanted.secret_key) account->secret_keys.push_back(*wanted.secret_key);
}

}  // namespace

std::vector<GenesisAccount> genesis_accounts(const std::vector<ReadyAccount>& ready,
                                             const std::vector<TrafficAccount>& traffic) {
    std::vector<GenesisAccount> accounts;
    for (const auto& account : ready) accounts.push_back(ready_made(account));
    const auto holders = token_holders(traffic);
    for (const auto& builtin : kBuiltinContracts) accounts.push_back(contract(builtin, holders));
    for (const auto& account : traffic) add_traffic_account(accounts, account);
    return accounts;
}

}  // namespace receiptd::sandbox
