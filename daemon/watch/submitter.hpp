// Takes signed transactions: checks them, stores them, sends them, and sends them again until a block holds
// them or they can no longer be included.
//
// A transaction is stored first and sent then. Every step can be repeated: storing it twice gives one row,
// and sending it twice gives one transaction. So after a crash the next process continues from the rows
// (open_submissions) and needs to know nothing else.
#pragma once

#include "base/backoff.hpp"
#include "base/task_group.hpp"
#include "chain/json/protocol.hpp"
#include "rpc/submit_source.hpp"
#include "rpc/time_and_chance.hpp"
#include "storage/errors.hpp"
#include "storage/watch_store.hpp"
#include "watch/preflight.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace receiptd::watch {

struct SubmitterOptions {
    // Pauses between sendings of a transaction that no block holds yet.
    base::BackoffPolicy again{std::chrono::seconds(5), std::chrono::seconds(60), 2.0, 0.3};
    std::chrono::seconds look_every{5};  // for submissions of other processes
    std::chrono::seconds give_up{300};   // no host had it for so long: forwarding_failed
    std::size_t at_once = 8;
    std::uint64_t validity_blocks = chain::protocol::kValidityBlocks;  // where no host says it
    // The hosts may lag behind the one that named the block hash: so long it is asked for again.
    std::chrono::seconds block_patience{5};
    // Longest wait for the stored rows of a transaction; after that the database counts as unreachable.
    std::chrono::seconds database_patience{2};
};

class Submitter final : public Submissions {
public:
    // All must outlive it. Lives on one single-threaded executor.
    Submitter(base::asio::any_io_executor executor, storage::WatchStore& store, rpc::SubmitSource& source,
              std::shared_ptr<rpc::TimeAndChance> time, SubmitterOptions options = {});

    base::Task<SubmitResult> submit(SubmitRequest request) override;

    // Looks and sends until it is cancelled or the storage stops.
    base::Task<void> run();
    // One round of each.
    base::Task<void> look();
    base::Task<void> send_due();

    std::size_t waiting() const { return schedule_.size(); }

private:
    struct Due {
        base::SteadyTime at{};
        base::SteadyTime since{};  // when it was first to be sent from here
        unsigned attempts = 0;
    };
    struct Asked;
    struct Round;
    // Rows of the database that belong to the submitted transaction.
    struct Stored {
        std::optional<storage::Watch> watch;
        std::string key_owner;  // the transaction that has its idempotency key; empty: none
    };
    struct LookUp;
    struct Checked {
        ChainFacts facts;
        bool included = false;  // a block holds it already
    };

    base::Task<SubmitResult> submit_read(SubmitRequest request,
                                         base::Result<ReadTransaction, SubmitError> read);
    // Whether the chain would take it.
    base::Task<base::Result<Checked, SubmitError>> check(const ReadTransaction& read);
    base::Task<base::Result<ChainFacts, SubmitError>> ask_chain(const chain::wire::Transaction& transaction);
    base::Task<void> ask_block(std::shared_ptr<Asked> asked);
    base::Task<void> ask_head(std::shared_ptr<Asked> asked);
    base::Task<void> ask_network(std::shared_ptr<Asked> asked);

    // nullopt: the database does not answer.
    base::Task<std::optional<Stored>> look_up(std::string tx_hash, std::string idempotency_key);
    base::Task<void> look_up_into(std::shared_ptr<LookUp> found, std::string tx_hash,
                                  std::string idempotency_key);
    // Keeps the key and the metadata of a repeat, if there were none.
    base::Task<std::optional<SubmitError>> complete(const storage::Watch& watch,
                                                    const SubmitRequest& request);
    base::Task<SubmitResult> go_on(storage::Watch watch);
    base::Task<SubmitResult> store_and_send(storage::NewWatch row, std::optional<chain::Stage> ended,
                                            bool included);
    // Sends once, asks the hosts' verifiers, and keeps what came of it, in `watch` too. Why it is not
    // pending, or an empty text.
    base::Task<std::string> send(storage::Watch& watch, rpc::Priority priority);
    base::Task<std::string> hear_opinions(storage::Watch& watch, std::string sent_to, rpc::Priority priority);
    // `objection`: as in WatchUpdate.
    base::Task<void> observe(storage::Watch& watch, std::optional<chain::Observation> observation,
                             std::optional<std::string> objection = std::nullopt);
    std::string objection_json(const Judged& judged, const SubmitError& error) const;
    base::Task<void> send_some(std::shared_ptr<Round> round);
    void schedule(const std::string& tx_hash, unsigned attempts);
    std::vector<std::string> longest_due(base::SteadyTime now) const;

    base::asio::any_io_executor executor_;
    storage::WatchStore& store_;
    rpc::SubmitSource& source_;
    std::shared_ptr<rpc::TimeAndChance> time_;
    SubmitterOptions options_;
    std::unordered_map<std::string, Due> schedule_;
    base::TaskGroup look_ups_;  // a database that is away leaves them here
};

}  // namespace receiptd::watch
