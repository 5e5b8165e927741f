// WatchUpstream over JSON-RPC.
#pragma once

#include "rpc/final_accounts.hpp"
#include "rpc/final_tree.hpp"
#include "rpc/source.hpp"
#include "watch/watch_upstream.hpp"

#include <string>

namespace receiptd::watch {

class RpcWatchUpstream final : public WatchUpstream {
public:
    RpcWatchUpstream(rpc::TreeSource& trees, rpc::FinalAccounts& accounts)
        : trees_(trees), accounts_(accounts) {}

    base::Task<TreeAnswer> tree(std::string tx_hash, std::string sender_id,
                                chain::BlockHeight final_height) override;
    base::Task<std::optional<Sender>> sender(SenderQuestion question) override;

private:
    rpc::TreeSource& trees_;
    rpc::FinalAccounts& accounts_;
};

}  // namespace receiptd::watch
