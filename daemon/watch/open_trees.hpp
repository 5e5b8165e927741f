// Trees that are not all stored yet, as hosts know them: which receipts are still pending, and why.
#pragma once

#include "base/clock.hpp"
#include "base/task.hpp"
#include "rpc/shard_layouts.hpp"
#include "rpc/source.hpp"
#include "watch/transaction_json.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace receiptd::watch {

class OpenTrees {
public:
    // All of it outlives it. `cpu`: judges trees. `final_height`: blocks up to there count.
    OpenTrees(base::asio::any_io_executor executor, base::asio::thread_pool& cpu, rpc::TreeSource& trees,
              const base::Clock& clock, std::function<std::optional<chain::BlockHeight>()> final_height);

    // nullopt: no host knows it, or none answers. The same is asked once a second at most.
    base::Task<std::optional<OpenTree>> tree(std::string tx_hash, std::string sender_id);

private:
    struct Known {
        OpenTree tree;  // a small one
        base::SteadyTime at;
    };

    base::asio::thread_pool& cpu_;
    rpc::TreeSource& trees_;
    const base::Clock& clock_;
    std::function<std::optional<chain::BlockHeight>()> final_height_;
    rpc::ShardLayouts layouts_;
    std::map<std::string, Known> known_;
};

}  // namespace receiptd::watch
