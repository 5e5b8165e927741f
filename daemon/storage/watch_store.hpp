// Database access to watched transactions for the tracker and the API. As in Store, every method returns when
// it is done or storage stops.
#pragma once

#include "base/clock.hpp"
#include "base/task.hpp"
#include "chain/tree/lifecycle.hpp"
#include "chain/tree/receipt_tree.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::storage {

enum class WatchOrigin : std::uint8_t { hash, rule, submission };
const char* origin_name(WatchOrigin origin);  // as the table and the API spell it

struct NewWatch {
    std::string tx_hash;
    std::string sender_id;
    WatchOrigin origin = WatchOrigin::hash;
    std::string rule;           // its name, for WatchOrigin::rule
    std::string metadata_json;  // an object that is told with it (watch/metadata.hpp); empty: none
    std::string traceparent;    // of the caller; empty: none
    // The following are set for a submission; empty otherwise.
    std::string signed_tx_base64;
    std::string idempotency_key;
    std::string public_key;
    std::optional<std::uint64_t> nonce;
    std::optional<std::uint16_t> nonce_index;
    std::optional<chain::BlockHeight> valid_until;
    std::string block_hash;
    std::optional<chain::BlockHeight> block_hash_height;
};

struct Watch {
    std::string tx_hash;
    std::string sender_id;
    WatchOrigin origin = WatchOrigin::hash;
    chain::WatchState state;
    chain::Certainty certainty;  // of it
    chain::WatchedTransaction transaction;
    std::string evidence_json;  // of the latest transition; empty: none
    std::string idempotency_key, metadata_json;
    std::string traceparent;  // of the caller; empty: none
    std::string signed_tx_base64;
    std::string public_key;
    unsigned checks = 0;
    bool stuck = false;
    base::WallTime stage_since{};
    base::WallTime created_at{};
    base::WallTime next_check_at{};
};

struct StoredTransition {
    chain::Transition transition;
    chain::Certainty certainty;
    base::WallTime learned_at{};
};

// A global contract that a receipt of a tree deployed, on its way to the shards.
struct DeployedContract {
    std::string receipt_id;
    std::string contract_hash;        // base58; empty: an account stands for it
    std::string contract_account_id;  // empty: its hash does
    unsigned shards_with_it = 0;
    std::optional<unsigned> shards;  // of the chain; nullopt: not known
};

// A block that lists a transaction, where no outcome of it is stored.
struct UntoldListing {
    chain::ExecutedAt at;
    std::string reason;  // why its tree could not be fetched; empty: not known
};

// How the database knows a tree; enough to judge it (chain/tree/receipt_tree.hpp).
struct StoredTree {
    std::optional<chain::TransactionFacts> transaction;
    std::vector<chain::ReceiptFacts> receipts;
    std::vector<chain::OutcomeFacts> outcomes;  // the transaction's own among them
    std::vector<chain::DataFacts> data;
    std::vector<DeployedContract> contracts;  // as far as their receipts are stored
    // The block that lists the transaction: known before its outcome is (source rpc).
    std::optional<chain::ExecutedAt> listed_at;
    std::vector<UntoldListing> untold;  // in the order of their blocks
    // Rows are stored that the database cannot take apart: nothing follows from what is absent above.
    bool unreadable = false;
    // A finding says that it is undecided: receipts that decide its verdict were asked for in vain.
    bool ended_undecided = false;
    bool confirmed = false;  // it was fetched, and all its outcomes are the chain's
    bool any() const { return transaction || !outcomes.empty(); }
};

// After an observation: written in one transaction if the watch is still at `from`, with a line in
// stream_events for each transition, and for an abnormal end its finding and alerts.
struct WatchUpdate {
    std::string tx_hash;
    chain::Stage from = chain::Stage::accepted;
    chain::WatchState state;
    std::vector<chain::Transition> transitions;
    std::optional<base::WallTime> next_check_at;
    unsigned more_checks = 0;
    // Being stuck is a finding, once for each stage; leaving the stage ends it.
    std::optional<bool> stuck;
    std::optional<chain::BlockHeight> watched_since;  // the first time alone counts
    // The watched_since that it was judged with (0: none). A watch that has another one was begun anew since,
    // and the update is refused.
    std::optional<chain::BlockHeight> judged_with;
    // The block of its inclusion that is not final yet, as it was judged with; empty: none. The same.
    std::string judged_early;
    // JSON: why the hosts would not take it now; empty: they would.
    std::optional<std::string> objection;
    // The height and the end of validity of its block hash, as the chain has them, if a host told otherwise.
    struct Validity {
        chain::BlockHeight block_hash_height = 0;
        chain::BlockHeight valid_until = 0;
    };
    std::optional<Validity> validity;
    std::string sender_id;  // as the chain has it, if the watch names another one; empty: as it is
    base::WallTime alerts_sent_since{};  // alerts about what happened before are stored, and not sent
};

// That leaves the watch as it is.
WatchUpdate update_of(const Watch& watch);

struct WatchFilter {
    std::string tx_hash;  // of the one; empty: any
    std::optional<chain::Stage> stage;
    std::optional<chain::Verdict> verdict;
    std::string sender_id;
    std::string idempotency_key;
    bool open_only = false;
    std::string cursor;  // watch_cursor() of the last one seen; empty: from the newest on
    unsigned limit = 100;
};

struct OpenSubmission {
    std::string tx_hash;
    chain::Stage stage = chain::Stage::accepted;
    base::WallTime created_at{};
};

// The place where a list of watches continues: (created_at, tx_hash). New watches do not move it.
std::string watch_cursor(const Watch& watch);
struct WatchPosition {
    std::int64_t created_at_microseconds = 0;
    std::string tx_hash;
};
std::optional<WatchPosition> parse_watch_cursor(std::string_view cursor);  // nullopt: it is none

// 32 bytes in base58. Nothing else can be watched.
bool is_transaction_hash(std::string_view text);

// Operations of people on watches.
class WatchAccess {
public:
    virtual ~WatchAccess() = default;

    // Existing watches stay as they are (but a submission completes a watch that knew the hash alone). A
    // watch whose idempotency key belongs to another transaction is not added:
    // WatchStore::watch_by_idempotency_key() finds that one. A key given with the same bytes again, and
    // metadata, are kept if the watch had none. Returns the hashes that are new. NOTIFYs receiptd_watches.
    // Throws StorageError, and writes nothing, if a hash is not valid or a text holds a NUL character;
    // StorageTimeout, if another session holds one of the rows for more than a second.
    virtual base::Task<std::vector<std::string>> add_watches(std::vector<NewWatch> watches) = 0;
    virtual base::Task<bool> remove_watch(std::string tx_hash) = 0;
    virtual base::Task<std::optional<Watch>> watch(std::string tx_hash) = 0;
    virtual base::Task<std::vector<Watch>> watches(std::vector<std::string> tx_hashes) = 0;
    virtual base::Task<std::vector<Watch>> list_watches(WatchFilter filter) = 0;
    virtual base::Task<std::vector<StoredTransition>> transitions(std::string tx_hash) = 0;
    // Trees by hash; a transaction of which nothing is stored is left out.
    virtual base::Task<std::map<std::string, StoredTree>> stored_trees(
        std::vector<std::string> tx_hashes) = 0;
    // The tree that a transaction's hash or a receipt's id belongs to; nullopt: none that is stored.
    virtual base::Task<std::optional<std::string>> tree_of(std::string id) = 0;
};

// More operations, for the tracker and the submissions.
class WatchStore : public WatchAccess {
public:
    // In one transaction: removes the watch that ended at `ended`, with its transitions, and gives its place,
    // its idempotency key and its metadata to the new watch of the same hash. False, and nothing is written,
    // if it does not exist any more.
    virtual base::Task<bool> replace_ended(NewWatch watch, chain::Stage ended) = 0;
    virtual base::Task<std::optional<Watch>> watch_by_idempotency_key(std::string key) = 0;

    // Open ones in order of their hashes, after `after`: for filling memory at start.
    virtual base::Task<std::vector<Watch>> open_watches(std::string after, unsigned limit) = 0;
    // Watches that ended without a tree, and that the chain can still take back, in the same way: a block
    // above the stored ones may include them, or one of heights that are missing. `validity_blocks`: of those
    // whose block hash is not known. Some that cannot be taken back any more are among them.
    virtual base::Task<std::vector<Watch>> lost_watches(std::uint64_t validity_blocks, std::string after,
                                                        unsigned limit) = 0;
    // Adds the watches that rules ask for and that were stored with their blocks (chain::RowBatch::watches).
    // One whose hash another session has inserted and not committed yet is tried again later: call again.
    virtual base::Task<void> make_wanted_watches() = 0;
    // Open ones that nobody has looked at yet (their watched_since is not known), oldest first: however
    // they came, and however late the transaction that inserted them committed.
    virtual base::Task<std::vector<Watch>> new_watches(unsigned limit) = 0;
    // Waits until somebody inserts watches, by SQL too; false: nobody did for that long. One caller at a
    // time. May return true for nothing, and does on the first call and after each lost connection.
    virtual base::Task<bool> wait_for_watches(std::chrono::milliseconds timeout) = 0;
    // Open ones, whoever added them, in order of (created_at, tx_hash), behind that pair.
    virtual base::Task<std::vector<Watch>> watches_since(base::WallTime since, std::string after,
                                                         unsigned limit) = 0;

    // Watches that were submitted with their bytes and not seen in a block yet (accepted, pending), in order
    // of (created_at, tx_hash), behind that pair.
    virtual base::Task<std::vector<OpenSubmission>> open_submissions(base::WallTime since, std::string after,
                                                                     unsigned limit) = 0;

    // Writes all in one transaction. Returns the hashes of watches that somebody else moved or removed
    // meanwhile: nothing is written for them; read them again. If two updates name one watch, the second is
    // returned too.
    virtual base::Task<std::vector<std::string>> update_watches(std::vector<WatchUpdate> updates) = 0;
};

}  // namespace receiptd::storage
