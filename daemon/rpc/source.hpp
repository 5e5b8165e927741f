// Sources of block contents: `rpc` (block + chunks), `neardata` and `indexer` (whole blocks).
#pragma once

#include "base/clock.hpp"
#include "base/height_set.hpp"
#include "base/result.hpp"
#include "base/task.hpp"
#include "chain/json/decode.hpp"
#include "chain/json/model.hpp"
#include "chain/rows/rows.hpp"
#include "net/answer_room.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace receiptd::rpc {

// Order in which requests share an upstream's budget (product.md "The daemon" 9).
enum class Priority { submit, head, watch, gap, backfill };
const char* to_string(Priority priority);

// A receipt, and what its views point into.
struct ReceiptBody {
    std::shared_ptr<const void> document;
    chain::Receipt receipt;
};

// Everything a source has of one height, decoded.
class BlockContents {
public:
    explicit BlockContents(std::string told_by) : host(std::move(told_by)) {}
    virtual ~BlockContents() = default;

    const std::string host;  // the upstream's name

    virtual const chain::Block& block() const = 0;
    // Whether it has the outcomes of its receipts. If not, the trees of its transactions are fetched.
    virtual bool tells_outcomes() const = 0;
    // Whether something in it cannot be read.
    virtual bool is_in_part() const { return false; }
    // Stored with the block: one of chain::trust.
    virtual void mark(chain::Text on_trust) = 0;
    virtual void for_each_transaction(
        const std::function<void(const chain::SignedTransaction&)>& visit) const = 0;

    // The rows in scope. Call in height order with the same `lineage` and `live_trees`, which link receipts
    // to the blocks before and judge their trees, where outcomes come with the block.
    struct RowsSettings {
        std::optional<chain::BlockHeight> prev_height;  // where the header does not tell it
        const chain::Scope& scope;
        chain::Lineage& lineage;
        chain::LiveTrees& live_trees;
        bool collect_sightings = false;
    };
    virtual chain::RowBatch rows(const RowsSettings& settings) const = 0;

    // Answers of other hosts about trees that were executed in this block in part.
    struct Amendment {
        std::map<chain::ShardId, std::vector<std::string>> roots;  // that outcomes of these shards lead to
        std::vector<chain::Decoded<chain::TransactionStatus>> statuses;
        std::vector<ReceiptBody> bodies;  // that the statuses lack
        std::set<std::string> stored;     // ids of outcomes in these shards, as they were stored
    };
    // Takes the outcomes from there that lead to these roots, in place of its own (rpc/amend.hpp). Before
    // rows().
    virtual void amend(Amendment) {}
};

// No block at this height on any host that should know: skipped, if the child proves it.
struct NoSuchHeight {
    std::string evidence;  // who answered what
};
// Above the head.
struct NotYet {};
// Every host was asked and none could answer; worth trying again later.
struct Unavailable {
    std::string reason;  // short and stable: "UNKNOWN_CHUNK", "http_500", "timeout", "malformed"
    std::string detail;  // for people: which host said what about which object
};
using FetchResult = std::variant<std::unique_ptr<BlockContents>, NoSuchHeight, NotYet, Unavailable>;
// A block that need not be final: a fork may take it back.
struct EarlyBlock {
    chain::BlockRef block;
    std::string host;                    // the upstream that shows it
    std::vector<std::string> tx_hashes;  // that its new chunks list, as far as they could be had
};

// The block of a result; null: it has none.
const BlockContents* contents_of(const FetchResult& result);
// A block with its outcomes.
bool is_whole(const FetchResult& result);

class BlockSource {
public:
    virtual ~BlockSource() = default;

    // Works beside the questions along the head, until it is cancelled.
    virtual base::Task<void> run();

    // The newest final block, or why it could not be had. At start, and to learn how far behind
    // we are; source rpc keeps the block, so that fetching its height costs no second `block`.
    virtual base::Task<base::Result<chain::BlockRef, Unavailable>> head() = 0;

    // One attempt over all suitable hosts (retries within a host's fault handling included), with
    // chunks if `with_chunks`. Never throws for upstream faults. A source that tells outcomes may give a
    // block without them: at Priority::head where its service does not answer in time, else where it cannot
    // make it.
    virtual base::Task<FetchResult> fetch(chain::BlockHeight height, Priority priority, bool with_chunks) = 0;

    // The same from hosts of another kind, where fetch() asks one service that may leave blocks out: without
    // outcomes, and not final for certain. NoSuchHeight: there are no such hosts.
    virtual base::Task<FetchResult> fetch_elsewhere(chain::BlockHeight height, Priority priority,
                                                    bool with_chunks);

    // Whether fetch() of the next height waits by itself until the block exists (long poll).
    virtual bool waits_for_next() const = 0;

    // Whether blocks come with their receipts' outcomes.
    virtual bool tells_outcomes() const = 0;
};

// The word of one configured host about the block at a height.
struct Witness {
    enum class Word {
        has,
        denies,
        unable,  // the host no longer holds that height, as far as its answers tell, or is of another network
        silent,  // a fault, or it is put aside
    };
    std::string host;
    Word word = Word::silent;
    std::optional<chain::BlockRef> block;  // with Word::has
    std::string fault{};                   // with Word::silent
    // With Word::has, of its header; chain::stored_part(), chain::chunk_roots().
    chain::HeaderHash hash_is = chain::HeaderHash::equal;
    std::string stored_part{};
    std::string chunk_roots{};
};

// All configured hosts, each asked alone: for what no single answer may decide.
class Witnesses {
public:
    virtual ~Witnesses() = default;

    virtual std::size_t count() const = 0;
    // `except`: a host that is not asked, nor among the answers.
    virtual base::Task<std::vector<Witness>> ask(chain::BlockHeight height, std::string except = {}) = 0;

    // The host has told what is not of this chain: for some time its heads are not believed, and it is asked
    // only where no other host can answer.
    virtual void doubt(const std::string& host) = 0;
    // The same, for each host that has told a head at or above `height`.
    virtual void doubt_heads(chain::BlockHeight height) = 0;
};

inline constexpr const char* kOfAFork = "OF_A_FORK";
inline constexpr const char* kUnknownBlock = "UNKNOWN_BLOCK";
inline constexpr const char* kNoHostTracksShard = "NO_HOST_TRACKS_SHARD";

// Transaction trees over JSON-RPC, for source rpc and for `receiptd tx`.
class TreeSource {
public:
    virtual ~TreeSource() = default;

    struct Tree {
        chain::Decoded<chain::TransactionStatus> status;
        // Bodies missing from status.receipts, found elsewhere: listed in chunks, told by another host.
        std::vector<ReceiptBody> extra_receipts;
        // The same, as views into this tree's documents.
        std::vector<chain::Receipt> others() const;
        std::vector<std::string> missing_receipts;  // ids of the others that were executed
        std::string host;                           // who answered
        bool complete = false;                      // every id reachable through receipt_ids has an outcome
        net::AnswerRoom::Share room;                // of a large answer; let go before the source is

        // Works on it: the room's threads, if it is large.
        base::asio::thread_pool& cpu(base::asio::thread_pool& of_small) const;
    };
    struct Unknown {  // no host knows it
        std::string evidence;
        bool doubtful = false;  // by the word of one, though another one that should know did not answer
        bool by_two = false;    // two say so, one of them archival
    };
    using TreeResult = std::variant<Tree, Unknown, Unavailable>;

    // The final block that includes the transaction.
    struct Inclusion {
        chain::BlockHeight height = 0;
        std::optional<chain::ShardId> shard_id;
    };
    struct Query {
        std::string tx_hash;
        std::string sender_id;
        Priority priority = Priority::watch;
        // If given, a host that tells no outcome of the transaction lacks its shard, and another one is
        // asked.
        std::optional<Inclusion> included_in;
        std::string elsewhere_than;  // an upstream whose last answer was incomplete: others go first
        std::optional<std::size_t> only_host = std::nullopt;  // asked alone, and once
        bool holds_room = false;  // who asks has another tree in hand, which may be large
    };

    // tx_status, falling back to EXPERIMENTAL_tx_status, then to tx; wait_until NONE; regular, then archival.
    // Unavailable with reason kNoHostTracksShard: every host that was asked lacks the transaction's shard.
    virtual base::Task<TreeResult> tree(Query query) = 0;

    // The block with this hash (for outcome.block_hash), if it is the one that the chain has at its height,
    // and that is at most `final_height`. Unavailable with reason kOfAFork: the chain has another block
    // there, or none: hosts keep blocks that lost for days, and tell outcomes in them. With reason
    // kUnknownBlock: all hosts that could know it deny it. With any other one it may come later.
    virtual base::Task<base::Result<chain::BlockRef, Unavailable>> final_block(
        std::string hash, chain::BlockHeight final_height, Priority priority) = 0;

    // Everything that is remembered of blocks at these heights stops counting.
    virtual void forget_blocks(const base::HeightSet& heights) = 0;

    // Whether hosts still hold every block of these heights: a host that does not has forgotten the
    // transactions of that time. Of many heights the highest ones and the lowest are asked for. nullopt: one
    // that may hold a block did not answer.
    virtual base::Task<std::optional<bool>> holds_blocks(base::HeightRange heights, Priority priority) = 0;

    // A chunk of this shard, in a block of the same epoch, lists a transaction of this account.
    struct ShardWitness {
        std::string account_id;
        chain::ShardId shard_id = 0;
    };
    // The shard layout of the epoch of the final block at this height; nullopt: no host told one that can be
    // right.
    virtual base::Task<std::optional<chain::ShardLayout>> shard_layout(chain::BlockHeight height,
                                                                       std::optional<ShardWitness> witness,
                                                                       Priority priority) = 0;
};

// One upstream as `receiptd status`, /readyz and the metrics show it.
struct UpstreamState {
    std::string name;
    std::string kind;      // "regular", "archival", "neardata"
    std::string origin;    // without path, query or key
    double health = 1.0;   // 0..1
    bool doubted = false;  // it told blocks or a head that are not of this chain
    bool refused = false;  // it answers 401 or 403: put aside, and tried again now and then
    std::string network;   // NetworkState
    std::string network_detail;
    bool is_usable = true;   // neither refused, nor without a proof of its network
    bool is_unpaid = false;  // the credits of its plan are used up
    std::string last_error;
    std::optional<chain::BlockHeight> horizon;        // lowest height it is known to hold (learned)
    std::optional<chain::BlockHeight> said_earliest;  // its own word
    std::optional<chain::BlockHeight> head;
    std::vector<chain::ShardId> untracked_shards;  // learned: it tells nothing of them
    std::vector<std::string> missing_methods;      // learned: it does not offer them
    double budget_available = 0;
    double budget_limit = 0;                        // requests a second; 0: no limit
    std::map<std::string, std::uint64_t> requests;  // of the last day or since the start, by purpose
    base::Duration requests_since{};                // the time in which they were made
    std::uint64_t requests_a_day = 0;               // at the pace of the last hour
    unsigned in_flight = 0;
    std::optional<std::chrono::seconds> clock_ahead;  // our clock minus the time that it told last
};

}  // namespace receiptd::rpc
