// Source rpc, scope accounts: receipts that touch a followed account though no rule of the scope names their
// transaction. Most come with a tree that is fetched anyway; for the others a host is asked which
// transaction they descend from, and its tree is fetched. What nobody can tell stays an orphan, with
// its outcome if that can be proven.
//
// The database remembers the waiting receipts, from the commit of their block on.
#pragma once

#include "base/task_group.hpp"
#include "follow/state.hpp"
#include "rpc/receipt_source.hpp"
#include "rpc/source.hpp"
#include "storage/block_store.hpp"
#include "storage/unplaced_store.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace receiptd::follow {

struct UnplacedSources {
    rpc::ReceiptSource& receipts;
    rpc::TreeSource& trees;
    storage::UnplacedStore& waiting;
};

class UnplacedReceipts {
public:
    UnplacedReceipts(base::asio::any_io_executor executor, UnplacedSources sources,
                     storage::BlockStore& blocks, State& state, const chain::Scope& scope);

    // Until the state is stopping.
    base::Task<void> run();

    base::Task<std::uint64_t> waiting_in(base::HeightRange listed_in);

private:
    base::Task<void> look();
    std::set<std::string> signers_asking() const;
    base::Task<void> work(storage::UnplacedReceipt unplaced);
    base::Task<void> ask_transaction(const storage::UnplacedReceipt& unplaced);
    base::Task<void> find_tree(const storage::UnplacedReceipt& unplaced, rpc::ReceiptSource::Origin origin);
    base::Task<void> place(const storage::UnplacedReceipt& unplaced, const chain::TransactionStatus& status,
                           chain::BlockRef included_in);
    base::Task<void> ask_outcome(const storage::UnplacedReceipt& unplaced);
    base::Task<void> store_orphan(const storage::UnplacedReceipt& unplaced,
                                  std::optional<rpc::ReceiptSource::Proof> proof);
    base::Task<void> postpone(const storage::UnplacedReceipt& unplaced, std::chrono::milliseconds delay,
                              bool in_vain, std::string reason);

    UnplacedSources sources_;
    storage::BlockStore& blocks_;
    State& state_;
    const chain::Scope& scope_;
    base::TaskGroup workers_;
    base::Wakeup wakeup_;
    std::deque<storage::UnplacedReceipt> queue_;  // for a free worker
    std::map<std::string, std::string> busy_;     // receipt -> signer; queued or being asked for
    base::SteadyTime look_at_{};
    bool can_ask_ = true;  // false from the first answer that nobody takes the question, until the next start
};

}  // namespace receiptd::follow
