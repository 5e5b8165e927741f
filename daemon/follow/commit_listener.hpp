// Listener to commits (app/ puts the tracker of watches here). Called on the event loop, right after the
// commit; must be quick.
#pragma once

#include "base/task.hpp"
#include "chain/rows/rows.hpp"
#include "chain/tree/lifecycle.hpp"

#include <string>

namespace receiptd::follow {

class CommitListener {
public:
    virtual ~CommitListener() = default;

    // Whether anybody cares what blocks show; asked for each of them.
    virtual bool listening() const = 0;
    // Whether the transaction is watched, or will be once its block is: it is in scope then.
    virtual bool watches(const chain::SignedTransaction& transaction) const = 0;
    // Before the commit, which waits for it: what must not be missing if the block counts as stored.
    virtual base::Task<void> committing(const chain::Sightings& seen) = 0;
    // A batch without its rows: blocks, heights, `seen`, `decided`.
    virtual void committed(const chain::RowBatch& facts) = 0;
    // Verdicts and findings of trees that cross a seam.
    virtual void settled(const chain::DecidedCounts& decided) = 0;

    // Source rpc: what of a tree is final before all of it is, for who wants it; and that it is stored.
    virtual bool wants(const std::string& tx_hash) const = 0;
    virtual void progressed(const std::string& tx_hash, const chain::TreeSeen& seen) = 0;
    virtual void tree_committed(const std::string& tx_hash, const chain::DecidedCounts& decided) = 0;
};

}  // namespace receiptd::follow
