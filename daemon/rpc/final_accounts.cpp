#include "rpc/final_accounts.hpp"

#include "base/coroutine.hpp"
#include "rpc/block_source.hpp"

#include <utility>

namespace receiptd::rpc {

base::Task<base::Result<FinalKey, Unavailable>> RpcFinalAccounts::key(std::string account_id,
                                                                      std::string public_key) {
    auto answer = co_await call_access_key(*router_, pool_, std::move(account_id), std::move(public_key),
                                           "final", Priority::watch);
    if (!answer) co_return unavailable(answer.error());
    FinalKey key;
    key.host = router_->hosts()[answer->host]->name();
    if (!answer->value) co_return std::move(key);
    key.nonce = answer->value->nonce;
    key.height = answer->value->block_height;
    co_return std::move(key);
}

base::Task<base::Result<FinalBalance, Unavailable>> RpcFinalAccounts::balance(std::string account_id) {
    auto answer = co_await call_account(*router_, pool_, std::move(account_id), "final", Priority::watch);
    if (!answer) co_return unavailable(answer.error());
    FinalBalance balance;
    balance.host = router_->hosts()[answer->host]->name();
    if (!answer->value) co_return std::move(balance);
    balance.amount = answer->value->amount;
    balance.height = answer->value->block_height;
    co_return std::move(balance);
}

}  // namespace receiptd::rpc
