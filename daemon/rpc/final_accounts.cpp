#include "rpc/final_accounts.hpp"

#include "rpc/block_source.hpp"

#include <utility>

namespace receiptd::rpc {

base::Task<base::Result<std::optional<FinalKey>, Unavailable>> RpcFinalAccounts::key(std::string account_id,
                                                                                     std::string public_key) {
    auto answer = co_await call_access_key(*router_, pool_, std::move(account_id), std::move(public_key),
                                           "final", Priority::watch);
    if (!answer) co_return unavailable(answer.error());
    if (!answer->value) co_return std::optional<FinalKey>();
    FinalKey key;
    key.nonce = answer->value->nonce;
    key.height = answer->value->block_height;
    key.host = router_->hosts()[answer->host]->name();
    co_return std::optional<FinalKey>(std::move(key));
}

base::Task<base::Result<std::optional<FinalBalance>, Unavailable>> RpcFinalAccounts::balance(
    std::string account_id) {
    auto answer = co_await call_account(*router_, pool_, std::move(account_id), "final", Priority::watch);
    if (!answer) co_return unavailable(answer.error());
    if (!answer->value) co_return std::optional<FinalBalance>();
    FinalBalance balance;
    balance.amount = answer->value->amount;
    balance.height = answer->value->block_height;
    balance.host = router_->hosts()[answer->host]->name();
    co_return std::optional<FinalBalance>(std::move(balance));
}

}  // namespace receiptd::rpc
