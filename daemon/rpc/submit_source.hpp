// What handing in a transaction asks of the chain, and the sending itself.
#pragma once

#include "rpc/account_calls.hpp"
#include "rpc/block_cache.hpp"
#include "rpc/source.hpp"

#include <memory>
#include <optional>
#include <string>
#include <variant>

namespace receiptd::rpc {

class SubmitSource {
public:
    virtual ~SubmitSource() = default;

    template <class T>
    using Told = base::Task<base::Result<T, Unavailable>>;

    // The newest the hosts have, not the final one: what was just made counts. nullopt: there is none.
    virtual Told<std::optional<chain::AccountView>> account(std::string account_id) = 0;
    virtual Told<std::optional<chain::AccessKeyView>> access_key(std::string account_id,
                                                                 std::string public_key) = 0;
    // The block with that hash; nullopt: no host knows one.
    virtual Told<std::optional<chain::BlockRef>> block(std::string hash) = 0;
    virtual Told<chain::BlockRef> final_head() = 0;
    // Of the next block.
    virtual Told<chain::u128> gas_price() = 0;
    // How many heights a block hash is good for.
    virtual Told<std::uint64_t> validity_blocks() = 0;
    // Whether a block holds the transaction.
    virtual Told<bool> is_included(std::string tx_hash, std::string sender_id) = 0;

    struct Taken {
        std::string host;
    };
    struct Refused {             // as invalid
        std::string error_json;  // the InvalidTxError
        std::string host;
    };
    // No host took it; any of them may have got it all the same.
    struct NotTaken {
        std::string detail;
    };
    using Broadcast = std::variant<Taken, Refused, NotTaken>;
    virtual base::Task<Broadcast> broadcast(std::string signed_tx_base64, std::string tx_hash,
                                            Priority priority) = 0;
};

class RpcSubmitSource final : public SubmitSource {
public:
    RpcSubmitSource(base::asio::thread_pool& pool, std::shared_ptr<Router> router,
                    std::shared_ptr<BlockCache> cache, TreeSource& trees)
        : pool_(pool), router_(std::move(router)), cache_(std::move(cache)), trees_(trees) {}

    Told<std::optional<chain::AccountView>> account(std::string account_id) override;
    Told<std::optional<chain::AccessKeyView>> access_key(std::string account_id,
                                                         std::string public_key) override;
    Told<std::optional<chain::BlockRef>> block(std::string hash) override;
    Told<chain::BlockRef> final_head() override;
    Told<chain::u128> gas_price() override;
    Told<std::uint64_t> validity_blocks() override;
    Told<bool> is_included(std::string tx_hash, std::string sender_id) override;
    base::Task<Broadcast> broadcast(std::string signed_tx_base64, std::string tx_hash,
                                    Priority priority) override;

private:
    base::asio::thread_pool& pool_;
    std::shared_ptr<Router> router_;
    std::shared_ptr<BlockCache> cache_;
    TreeSource& trees_;
    std::optional<std::uint64_t> validity_blocks_;  // it does not change
};

}  // namespace receiptd::rpc
