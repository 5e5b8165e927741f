// What is final of an account and a key: evidence of what can never be included any more.
#pragma once

#include "rpc/account_calls.hpp"
#include "rpc/source.hpp"

#include <memory>
#include <optional>
#include <string>

namespace receiptd::rpc {

// At a final height. A host's name goes with it: it is evidence.
struct FinalKey {
    std::uint64_t nonce = 0;
    chain::BlockHeight height = 0;
    std::string host;
};
struct FinalBalance {
    chain::u128 amount = 0;
    chain::BlockHeight height = 0;
    std::string host;
};

class FinalAccounts {
public:
    virtual ~FinalAccounts() = default;
    // nullopt: the key does not exist.
    virtual base::Task<base::Result<std::optional<FinalKey>, Unavailable>> key(std::string account_id,
                                                                               std::string public_key) = 0;
    // nullopt: the account does not exist.
    virtual base::Task<base::Result<std::optional<FinalBalance>, Unavailable>> balance(
        std::string account_id) = 0;
};

class RpcFinalAccounts final : public FinalAccounts {
public:
    RpcFinalAccounts(base::asio::thread_pool& pool, std::shared_ptr<Router> router)
        : pool_(pool), router_(std::move(router)) {}

    base::Task<base::Result<std::optional<FinalKey>, Unavailable>> key(std::string account_id,
                                                                       std::string public_key) override;
    base::Task<base::Result<std::optional<FinalBalance>, Unavailable>> balance(
        std::string account_id) override;

private:
    base::asio::thread_pool& pool_;
    std::shared_ptr<Router> router_;
};

}  // namespace receiptd::rpc
