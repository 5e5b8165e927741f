// Chain data -> rows, as PostgreSQL COPY binary. Made on the CPU pool, written by storage/.
//
// A RowBatch is one database transaction: the rows of one or more heights (or of completed trees)
// and the facts that the commit must record beside them. The column lists below are the single place that
// names the written columns; migrations/ creates them with the same names.
#pragma once

#include "base/clock.hpp"
#include "base/height_set.hpp"
#include "chain/json/listed_receipt.hpp"
#include "chain/json/model.hpp"
#include "chain/rows/new_kinds.hpp"
#include "chain/tree/finding.hpp"
#include "chain/tree/happening.hpp"
#include "chain/tree/sightings.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace receiptd::chain {

class Lineage;
class LiveTrees;

enum class Table : std::uint8_t {
    blocks,
    chunks,
    transactions,
    receipts,
    data_receipts,
    events,
    orphan_receipts,  // receipts whose parent was not seen yet (operational)
    pending_trees,    // transactions whose tree must still be fetched (operational; source rpc)
    transaction_results,
    findings,
    global_contract_distributions,
};
inline constexpr std::size_t kTableCount = 11;

struct TableSpec {
    const char* name;
    std::vector<std::string> columns;  // in the order of the rows
};
const TableSpec& table_spec(Table table);

struct TableRows {
    std::vector<std::string> pieces;  // complete rows, COPY binary format; one for each block
    std::uint64_t rows = 0;

    std::string& piece();  // that rows are written to
    std::uint64_t bytes() const;
    // Takes the pieces as they are: copied into one text, rows would be moved several times while it grows.
    void append(TableRows&& later);
};

// The facts of a block that the checkpoint needs; owns its strings.
struct BlockRef {
    BlockHeight height = 0;
    std::string hash;
    std::string prev_hash;
    std::optional<BlockHeight> prev_height;  // as told by the header, or proven by the follower
    std::uint64_t timestamp_nanosec = 0;
    std::string epoch_id = {};  // empty: not known here
};
BlockRef block_ref(const BlockHeader& header);

// Column `on_trust` of blocks: what speaks against a header that is taken all the same, because all hosts
// show it, or the only one.
namespace trust {
inline constexpr Text kHashDifferent = "hash_different";  // its hash does not follow from it
inline constexpr Text kHashUnknown = "hash_unknown";      // nor can that be told
inline constexpr Text kTimeNotAfterParent = "time_not_after_parent";
inline constexpr Text kTimeAhead = "time_ahead";  // of the agreed tip and of our clock
}  // namespace trust

// How much was judged, whether it is news or not.
struct DecidedCounts {
    std::map<Verdict, std::uint64_t> verdicts;
    std::map<std::pair<std::string, std::string>, std::uint64_t> findings;  // kind, error_class
    std::map<std::string, std::uint64_t> withheld;                          // of these, by chain::withheld

    void add(const Decided& decided);
    void add(const DecidedCounts& other);
};

// A stretch of heights that is stored at one go. At its ends a receipt and its parent may be stored by
// different runs, which is looked at when the stretch is complete.
struct Seam {
    BlockHeight from = 0;
    BlockHeight to = 0;
    bool history = false;  // ordered: nobody is told of its findings
};

// How much was dropped from memory because there was too much of it.
struct GivenUp {
    std::uint64_t in_flight = 0;  // receipts and data that were announced
    std::uint64_t trees = 0;
};

// A transaction, receipt or outcome of a block that has no row, as it cannot be read.
struct LeftOut {
    BlockHeight height = 0;
    std::string path;  // in the host's answer: "shard 3 result.transactions[5]"
    std::string reason;
};

// The facts of a commit, apart from its rows.
struct CommitFacts {
    std::vector<BlockRef> blocks;  // ascending
    base::HeightSet covered;       // the blocks' heights and the skipped heights proven below them
    base::HeightSet wanted;  // heights that should be stored by then: a hole below must not be forgotten
    DecidedCounts decided;
    Sightings seen;
    std::set<std::string> late_trees;  // have rows here and are not judged here
    GivenUp given_up;
    bool refused_before = false;  // one height, whose rows the database did not take when they came before
    bool tell_outcomes = true;    // the blocks do; else the trees of their transactions are fetched
    std::set<std::string> hosts;  // that gave the blocks
    NewKinds new_kinds;           // in its rows
    std::vector<LeftOut> left_out;
    std::optional<Seam> seam;  // that these heights belong to; nullopt: nobody has to look at its ends
    // The accounts whose rows these are, as storage/account_coverage.hpp counts their changes: the lowest of
    // its blocks.
    std::int64_t scope_serial = std::numeric_limits<std::int64_t>::max();
    std::optional<std::int64_t> epoch;  // of the head: the leader's, without which nothing is committed

    // Parts of an answer about the block of this height. `about`: before their paths; or empty.
    void saw_unreadable(BlockHeight height, const std::string& about,
                        const std::vector<UnreadablePart>& parts);
    // Appends the facts of later heights.
    void append(CommitFacts&& later);
};

// The events, transfers and keys of the receipts in the rows.
struct Happened {
    std::shared_ptr<const Interest> interest;      // that chose; null: nobody, or several
    std::vector<Happening> chosen;                 // that are news
    base::WallTime since = base::WallTime::min();  // what is older is no news; results neither

    // Appends what later rows have.
    void append(Happened&& later);
};

// A watch that a rule asks for, of a transaction in the blocks.
struct WantedWatch {
    std::string tx_hash;
    std::string sender_id;
    std::string rule;  // its name
    // Set: the rule wants it because of the named user, so it waits until that one has signed (user.hpp).
    std::optional<std::uint64_t> claimed_at = {};  // nanoseconds since 1970, of the transaction's block
};

// A transaction that is over: the account that it names did not sign (user.hpp).
struct Disowned {
    std::string tx_hash;
    std::string claimed_user_id;
    std::uint64_t timestamp_nanosec = 0;  // of the transaction's block
};

struct RowBatch {
    std::array<TableRows, kTableCount> tables;
    std::vector<Finding> findings;  // findings in the rows that are news; people are told of them
    Happened happened;
    // Source rpc, scope accounts: action receipts that touch them, of whatever transaction.
    std::vector<ListedReceipt> listed;
    std::vector<WantedWatch> watches;
    std::vector<Disowned> disowned;
    CommitFacts facts;
    base::WallTime alerts_sent_since{};  // alerts about what happened before are stored, and not sent

    TableRows& operator[](Table table) { return tables[static_cast<std::size_t>(table)]; }
    const TableRows& operator[](Table table) const { return tables[static_cast<std::size_t>(table)]; }
    std::uint64_t rows() const;
    std::uint64_t bytes() const;
    // Appends another batch's rows and facts (heights must follow this batch's).
    void append(RowBatch&& other);
    // Nobody is told of findings, results and happenings that are older.
    void withhold_before(const NewsSince& news);
};

enum class ScopeKind : std::uint8_t { headers, accounts, all };

struct Scope {
    ScopeKind kind = ScopeKind::all;
    std::set<std::string, std::less<>> accounts;      // for ScopeKind::accounts
    std::set<std::string, std::less<>> transactions;  // in scope too, by hash: they are watched
    std::shared_ptr<const Interest> interest = {};    // in what receipts do; null: nobody's
};

// Source neardata: everything of a whole block that is in scope. Call in height order with the
// same Lineage, so that receipts find the outcome that spawned them.
// `prev_height`: the parent's height where the header does not tell it.
// `live_trees`: judges the trees of the transactions in scope, one for each Lineage; nullptr: nothing is
// judged. `collect`: fills `seen`.
RowBatch whole_block_rows(const WholeBlock& block, std::optional<BlockHeight> prev_height, const Scope& scope,
                          Lineage& lineage, LiveTrees* live_trees = nullptr, bool collect = false);

// Source rpc: block and chunk rows, transactions and listed data receipts in scope, and one
// pending_trees row per transaction in scope. `chunks` are the new chunks of the block.
RowBatch block_rows(const Block& block, const std::vector<const Chunk*>& chunks,
                    std::optional<BlockHeight> prev_height, const Scope& scope, bool collect = false);

// Source rpc: a transaction whose block was not followed, or out of scope, with its pending_trees row. Its
// tree is fetched as any other.
RowBatch found_transaction_rows(const SignedTransaction& transaction, const BlockRef& included_in);

// Source rpc: a listed receipt whose transaction nobody could tell, under its own name, as an orphan.
// body, outcome: nullptr where they could not be had either. `executed_at`: where, if that is known.
RowBatch orphan_receipt_rows(const ListedReceipt& listed, const Receipt* body, const Outcome* outcome,
                             std::optional<ExecutedAt> executed_at,
                             std::shared_ptr<const Interest> interest = nullptr);

// The block that executed an outcome, looked up by the outcome's block_hash.
struct ExecutionBlock {
    std::optional<BlockHeight> height;    // nullopt: that block cannot be had
    std::uint64_t timestamp_nanosec = 0;  // of the latest known ancestor where the height is unknown
    std::optional<ShardId> shard_id;      // that executed it; nullopt: the epoch's layout is not known
};

// Source rpc: the complete tree of one transaction. `executed_in[i]` belongs to
// status.receipts_outcome[i]; `receipts` holds the bodies that could be had, in any order
// (status.receipts and what was found elsewhere). The transaction's own row exists already and is completed
// by storage (TreeCompletion). `in_vain`: as decided() has it.
enum class StoredPart : std::uint8_t { none, rows, undecided };  // the last: with the finding that says so
struct TreeCompletion {
    std::string tx_hash;
    std::uint64_t block_timestamp_nanosec = 0;  // the partition of the transaction's row
    std::string status;                         // of the transaction's conversion outcome
    std::string initial_receipt_id;             // empty on failure
    std::string error_class, error_text;        // empty unless failure
    Gas gas_burnt = 0;
    std::string tokens_burnt;
    std::vector<std::string> data_ids;     // of data receipts that belong to this tree
    std::vector<std::string> receipt_ids;  // that may have been stored as orphans before
    bool confirmed = false;                // all outcomes are those of the chain
    // Receipts of which the outcome alone is known.
    std::vector<std::string> missing_receipts;
    bool undecided = false;               // one of these may change the verdict or a finding
    std::string verdict, deciding_class;  // of the result in the rows; empty: it has none
    // Not none: these rows are a part of the tree, which stays pending and is due again after this time.
    StoredPart part = StoredPart::none;
    std::chrono::milliseconds again_after{0};
    bool replaces_part = false;     // of the tree a part was stored, and maybe told
    bool replaces_whole = false;    // that part is all of it, which is fetched again
    bool outcomes_missing = false;  // whole blocks should have brought the tree
};
struct TreeRows {
    RowBatch batch;  // receipts, events, and the tree's results and findings
    TreeCompletion completion;
};
// `others`: receipts of the tree that the answer lacks.
TreeRows tree_rows(const TransactionStatus& status, const std::vector<Receipt>& others,
                   const std::vector<ExecutionBlock>& executed_in, const BlockRef& included_in,
                   std::shared_ptr<const Interest> interest = nullptr, bool in_vain = false);

}  // namespace receiptd::chain
