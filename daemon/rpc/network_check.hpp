// Asks each host which network it is of, and keeps asking. Until run() ends, hosts are used as their proofs
// say (network_proof.hpp).
#pragma once

#include "base/task_group.hpp"
#include "chain/rows/rows.hpp"
#include "rpc/decoded_call.hpp"
#include "rpc/network_proof.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace receiptd::rpc {

struct OwnNetwork {
    ChainIdentity identity;  // without a genesis hash: the first one told is learned
    // Keeps the genesis hash; the answer is the one that is kept.
    std::function<base::Task<std::string>(std::string genesis_hash)> learn;
    // A block that was stored a while ago; nullopt: there is none.
    std::function<base::Task<std::optional<chain::BlockRef>>()> stored_block;
};

class NetworkCheck {
public:
    // `whole_blocks` may be null.
    NetworkCheck(base::asio::any_io_executor executor, base::asio::thread_pool& pool,
                 std::shared_ptr<TimeAndChance> time, std::shared_ptr<Router> rpc,
                 std::shared_ptr<Router> whole_blocks);

    // From here on no host is used without a proof. Returns when one is proven, or each has been asked.
    base::Task<void> begin(OwnNetwork own);
    base::Task<void> run();

private:
    struct Host {
        Router* router;
        std::size_t index;
        bool tells_status;
        std::optional<ChainIdentity> told;  // of the right name, while the genesis hash is not known
        bool is_asked = false;
        bool was_asked = false;
        Upstream& upstream() const { return *router->hosts()[index]; }
    };
    using Hash = base::Result<std::string, CallError>;

    void ask(Host& host);
    base::Task<void> prove(Host& host);
    base::Task<NetworkAnswer> ask_for_proof(Host& host);
    base::Task<NetworkAnswer> compare_block(Host& host);
    base::Task<base::Result<chain::BlockRef, CallError>> block_of(Host& host,
                                                                  std::optional<chain::BlockHeight> height);
    base::Task<void> learn_genesis();
    void judge(Host& host, const NetworkAnswer& answer);
    base::Task<void> wait_until_asked(bool whole_blocks);
    Host* proven_host();

    base::asio::any_io_executor executor_;
    base::asio::thread_pool& pool_;
    std::shared_ptr<TimeAndChance> time_;
    std::shared_ptr<Router> rpc_;
    std::shared_ptr<Router> whole_blocks_;
    OwnNetwork own_;
    std::vector<Host> hosts_;
    base::asio::steady_timer asked_;  // cancelled when a host has been asked
    bool is_learning_ = false;
    base::TaskGroup questions_;
};

}  // namespace receiptd::rpc
