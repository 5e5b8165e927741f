// The shard layouts of epochs, each asked for once.
#pragma once

#include "base/clock.hpp"
#include "base/event.hpp"
#include "chain/rows/rows.hpp"
#include "rpc/source.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace receiptd::rpc {

class ShardLayouts {
public:
    using Witness = TreeSource::ShardWitness;

    // source and clock outlive this object.
    ShardLayouts(base::asio::any_io_executor executor, TreeSource& source, const base::Clock& clock);

    // The layout of the block's epoch. nullptr: its epoch is not known, or no host tells the layout; then the
    // hosts are asked again after a minute. `witness` is of the same epoch.
    base::Task<std::shared_ptr<const chain::ShardLayout>> of(chain::BlockRef block,
                                                             std::optional<Witness> witness,
                                                             Priority priority);

private:
    struct Epoch {
        std::shared_ptr<const chain::ShardLayout> layout;
        base::SteadyTime ask_at{};
        bool asking = false;
    };

    TreeSource& source_;
    const base::Clock& clock_;
    base::Event answered_;
    std::map<std::string, Epoch> epochs_;  // by id
};

}  // namespace receiptd::rpc
