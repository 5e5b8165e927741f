// Listener to commits (app/ puts the tracker of watches here). Called on the event loop, right before and
// after the commit; must be quick.
#pragma once

#include "chain/rows/rows.hpp"
#include "chain/tree/lifecycle.hpp"

#include <string>
#include <vector>

namespace receiptd::follow {

class CommitListener {
public:
    virtual ~CommitListener() = default;

    // Whether the sightings of blocks are needed; called for each block.
    virtual bool listening() const = 0;
    // Whether the transaction is watched, or will be once its block is: it is in scope then.
    virtual bool watches(const chain::SignedTransaction& transaction) const = 0;
    // Watches that rules ask for, to be stored with the blocks.
    virtual std::vector<chain::WantedWatch> wanted(const chain::Sightings& seen) const = 0;
    // A watched transaction waits for a block: blocks are worth a look before they are final.
    virtual bool awaits_inclusion() const = 0;
    // A transaction that wants() names is in a block that is not final yet.
    virtual void seen_early(const std::string& tx_hash, const chain::SeenEarly& seen) = 0;
    virtual void committed(const chain::CommitFacts& facts) = 0;
    // The rows of these heights are gone: a block was not of this chain, or the database went back.
    virtual void lost(const base::HeightSet& heights) = 0;
    // Verdicts and findings of trees that cross a seam.
    virtual void settled(const chain::DecidedCounts& decided) = 0;

    // Whether it is watched. Source rpc: reports the final part of a wanted tree before all of it is final,
    // and later its commit.
    virtual bool wants(const std::string& tx_hash) const = 0;
    virtual void progressed(const std::string& tx_hash, const chain::TreeSeen& seen) = 0;
    virtual void tree_committed(const std::string& tx_hash, const chain::DecidedCounts& decided) = 0;
};

}  // namespace receiptd::follow
