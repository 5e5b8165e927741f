// The final state of an access key: evidence that a transaction can never be included any more.
#pragma once

#include "rpc/key_calls.hpp"
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

class FinalKeys {
public:
    virtual ~FinalKeys() = default;

    struct Query {
        std::string account_id;
        std::string public_key;
        std::optional<std::uint16_t> nonce_index;  // of a gas key
        std::uint64_t own_nonce = 0;               // of the transaction
    };
    // A used nonce or a missing key is told by two hosts where two have a word (second_word.hpp); else it is
    // Unavailable.
    virtual base::Task<base::Result<FinalKey, Unavailable>> key(Query query) = 0;
};

class RpcFinalKeys final : public FinalKeys {
public:
    RpcFinalKeys(base::asio::thread_pool& pool, std::shared_ptr<Router> router)
        : pool_(pool), router_(std::move(router)) {}

    base::Task<base::Result<FinalKey, Unavailable>> key(Query query) override;

private:
    base::asio::thread_pool& pool_;
    std::shared_ptr<Router> router_;
};

}  // namespace receiptd::rpc
