// The final state of an account and a key: evidence that a transaction can never be included any more.
#pragma once

#include "rpc/account_calls.hpp"
#include "rpc/source.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::rpc {

// The key at a final height; 0: the hosts named none. The names of the hosts are part of the evidence.
struct FinalKey {
    std::optional<std::uint64_t> nonce;  // nullopt: the key does not exist
    bool has_no_account = false;
    chain::BlockHeight height = 0;
    std::vector<std::string> hosts;
};
struct FinalBalance {
    std::optional<chain::u128> amount;  // nullopt: the account does not exist
    chain::BlockHeight height = 0;
    std::vector<std::string> hosts;
};

class FinalAccounts {
public:
    virtual ~FinalAccounts() = default;
    // A used nonce, a missing key, or a balance that does not cover the cost, is told by two hosts where two
    // have a word (second_word.hpp); else it is Unavailable.
    virtual base::Task<base::Result<FinalKey, Unavailable>> key(std::string account_id,
                                                                std::string public_key,
                                                                std::uint64_t own_nonce) = 0;
    virtual base::Task<base::Result<FinalBalance, Unavailable>> balance(std::string account_id,
                                                                        chain::u128 cost) = 0;
};

class RpcFinalAccounts final : public FinalAccounts {
public:
    RpcFinalAccounts(base::asio::thread_pool& pool, std::shared_ptr<Router> router)
        : pool_(pool), router_(std::move(router)) {}

    base::Task<base::Result<FinalKey, Unavailable>> key(std::string account_id, std::string public_key,
                                                        std::uint64_t own_nonce) override;
    base::Task<base::Result<FinalBalance, Unavailable>> balance(std::string account_id,
                                                                chain::u128 cost) override;

private:
    std::vector<std::string> names_of(const std::vector<std::size_t>& hosts) const;

    base::asio::thread_pool& pool_;
    std::shared_ptr<Router> router_;
};

}  // namespace receiptd::rpc
