// WatchUpstream over JSON-RPC.
#pragma once

#include "rpc/final_keys.hpp"
#include "rpc/final_tree.hpp"
#include "rpc/source.hpp"
#include "watch/watch_upstream.hpp"

#include <string>

namespace receiptd::watch {

class RpcWatchUpstream final : public WatchUpstream {
public:
    // `cpu` judges trees.
    RpcWatchUpstream(base::asio::thread_pool& cpu, rpc::TreeSource& trees, rpc::FinalKeys& keys)
        : cpu_(cpu), trees_(trees), keys_(keys) {}

    base::Task<TreeAnswer> tree(std::string tx_hash, std::string sender_id,
                                chain::BlockHeight final_height) override;
    base::Task<std::optional<bool>> holds_blocks(base::HeightRange heights) override {
        return trees_.holds_blocks(heights, rpc::Priority::watch);
    }
    base::Task<std::optional<Sender>> sender(SenderQuestion question) override;

private:
    base::Task<void> confirm(Known& known, const rpc::TreeSource::Tree& tree);

    base::asio::thread_pool& cpu_;
    rpc::TreeSource& trees_;
    rpc::FinalKeys& keys_;
};

}  // namespace receiptd::watch
