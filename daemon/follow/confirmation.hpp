// Asks the hosts whether they agree on what is stored. A block that fits the tip is stored at once, whoever
// told it; the others are asked for it soon after.
#pragma once

#include "follow/agreement.hpp"
#include "follow/state.hpp"
#include "storage/block_store.hpp"

#include <boost/asio/any_io_executor.hpp>

namespace receiptd::follow {

class Confirmation {
public:
    // All of them outlive it.
    Confirmation(base::asio::any_io_executor executor, Agreement& agreement, storage::BlockStore& blocks,
                 State& state);

    // Until stop is requested. With one host only, what is stored counts as agreed on.
    base::Task<void> run();

private:
    bool is_due(const chain::BlockRef& tip) const;
    base::Task<void> ask_about(chain::BlockRef tip);
    base::Task<chain::BlockRef> lowest_unconfirmed(chain::BlockRef tip);
    base::Task<void> look_for_contradiction(chain::BlockRef unconfirmed);
    base::Task<void> begin_again(base::Height since, const std::string& because);

    base::asio::any_io_executor executor_;
    Agreement& agreement_;
    storage::BlockStore& blocks_;
    State& state_;
    base::Height asked_about_ = 0;
    base::SteadyTime asked_at_{};
};

}  // namespace receiptd::follow
