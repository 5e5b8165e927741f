#include "storage/pg_trace_store.hpp"

#include "chain/tree/facts.hpp"
#include "storage/stored_trees.hpp"
#include "storage/trace_outbox.hpp"
#include "storage/watch_rows.hpp"

#include <set>
#include <utility>

namespace receiptd::storage {
namespace {

const std::string kClaimTraces =
    "UPDATE trace_outbox o SET "
    "  claimed_until = now() + " +
    std::to_string(kTraceLease.count()) + " * interval '1 second', done_at = CASE WHEN " + kTooOldToTrace +
    " THEN now() END "
    "FROM (SELECT tx_hash, included_height FROM trace_outbox WHERE done_at IS NULL "
    "  AND (claimed_until IS NULL OR claimed_until < now()) ORDER BY queued_at LIMIT $1 FOR UPDATE SKIP "
    "LOCKED) "
    "due WHERE o.tx_hash = due.tx_hash AND o.included_height = due.included_height "
    "RETURNING o.tx_hash, o.included_height, o.done_at IS NOT NULL";

// Rows of the outbox that two arrays name.
const std::string kTheseTraces =
    " FROM unnest($1::text[], $2::bigint[]) AS t (hash, height) WHERE tx_hash = hash AND included_height = "
    "height";

constexpr const char* kArgumentsOfTrees =
    "SELECT split_part(tree_id, '@', 1), receipt_id, actions FROM tree_receipts($1::text[], '-infinity', "
    "'infinity') WHERE actions IS NOT NULL";

// A database without a daemon that sends keeps its rows until one comes.
constexpr const char* kForgetTraces = "DELETE FROM trace_outbox WHERE done_at < now() - interval '1 hour'";

constexpr const char* kTracesCrowdedOut =
    "UPDATE trace_outbox SET done_at = now() WHERE done_at IS NULL AND queued_at < (SELECT queued_at "
    "FROM trace_outbox WHERE done_at IS NULL ORDER BY queued_at DESC OFFSET $1 LIMIT 1)";

const std::string kTracesWaiting =
    "SELECT count(*), coalesce(greatest(extract(epoch FROM now() - min(queued_at)), 0) * 1000, 0)::bigint "
    "FROM trace_outbox WHERE done_at IS NULL";

void update_traces(pqxx::transaction_base& tx, const std::string& set,
                   const std::vector<QueuedTrace>& traces) {
    std::vector<std::string> hashes, heights;
    for (const auto& trace : traces) {
        hashes.push_back(trace.tx_hash);
        heights.push_back(std::to_string(trace.included_height));
    }
    shim::query(tx, "UPDATE trace_outbox SET " + set + kTheseTraces, text_array(hashes), text_array(heights));
}

ClaimedTraces claim_due(pqxx::connection& connection, unsigned most) {
    ClaimedTraces claimed;
    pqxx::work tx(connection);
    for (const auto& row : shim::query(tx, kClaimTraces, most)) {
        if (row[2].as<bool>()) {
            ++claimed.too_old;
            continue;
        }
        TraceFacts facts;
        facts.queued = {row[0].as<std::string>(), row[1].as<chain::BlockHeight>()};
        claimed.traces.push_back(std::move(facts));
    }
    tx.commit();
    return claimed;
}

void load_watches(pqxx::connection& connection, const std::vector<std::string>& hashes,
                  std::vector<TraceFacts>& traces) {
    pqxx::read_transaction tx(connection);
    std::map<std::string, Watch> watches;
    for (auto& watch : select_watches(tx, "WHERE tx_hash = ANY ($1::text[])", text_array(hashes)))
        watches.emplace(watch.tx_hash, std::move(watch));
    if (watches.empty()) return;
    const auto transitions = transitions_of(tx, hashes);
    for (auto& trace : traces) {
        const auto watch = watches.find(trace.queued.tx_hash);
        if (watch == watches.end()) continue;
        trace.watch = watch->second;
        const auto found = transitions.find(trace.queued.tx_hash);
        if (found != transitions.end()) trace.transitions = found->second;
    }
}

using ArgumentsOf = std::map<std::string, std::map<std::string, std::string>>;  // by transaction and receipt

ArgumentsOf load_arguments(pqxx::connection& connection, const std::vector<std::string>& hashes) {
    ArgumentsOf arguments;
    pqxx::read_transaction tx(connection);
    for (const auto& row : shim::query(tx, kArgumentsOfTrees, text_array(hashes))) {
        auto facts = chain::stored_action_facts(row[2].c_str());
        if (!facts.args_json.empty())
            arguments[row[0].as<std::string>()].emplace(row[1].as<std::string>(), std::move(facts.args_json));
    }
    return arguments;
}

void load_facts(pqxx::connection& connection, ClaimedTraces& claimed, bool with_arguments,
                SetAside& set_aside) {
    std::set<std::string> distinct;
    for (const auto& trace : claimed.traces) distinct.insert(trace.queued.tx_hash);
    const std::vector<std::string> hashes(distinct.begin(), distinct.end());
    if (hashes.empty()) return;
    const auto trees = stored_trees(connection, hashes, set_aside);
    load_watches(connection, hashes, claimed.traces);
    ArgumentsOf arguments;
    if (with_arguments) arguments = load_arguments(connection, hashes);
    for (auto& trace : claimed.traces) {
        const auto tree = trees.find(trace.queued.tx_hash);
        if (tree != trees.end()) trace.tree = tree->second;
        const auto given = arguments.find(trace.queued.tx_hash);
        if (given != arguments.end()) trace.arguments = given->second;
    }
}

}  // namespace

base::Task<ClaimedTraces> PgTraceStore::claim_traces(unsigned most, bool with_arguments) {
    return database_.pool.stream.run(
        [&database = database_, most, with_arguments](pqxx::connection& connection) {
            auto claimed = claim_due(connection, most);
            load_facts(connection, claimed, with_arguments, database.set_aside);
            return claimed;
        });
}

base::Task<void> PgTraceStore::traces_done(std::vector<QueuedTrace> traces) {
    return database_.pool.stream.transaction(
        [traces = std::move(traces)](pqxx::work& tx) { update_traces(tx, "done_at = now()", traces); });
}

base::Task<void> PgTraceStore::release_traces(std::vector<QueuedTrace> traces) {
    return database_.pool.stream.transaction(
        [traces = std::move(traces)](pqxx::work& tx) { update_traces(tx, "claimed_until = NULL", traces); });
}

base::Task<TraceBacklog> PgTraceStore::tend_traces() {
    return database_.pool.stream.transaction([](pqxx::work& tx) {
        TraceBacklog backlog;
        tx.exec(kForgetTraces);
        backlog.crowded_out =
            static_cast<std::uint64_t>(shim::query(tx, kTracesCrowdedOut, kMostTracesQueued).affected_rows());
        const auto row = tx.exec(kTracesWaiting)[0];
        backlog.pending = row[0].as<std::uint64_t>();
        backlog.oldest = std::chrono::milliseconds(row[1].as<std::int64_t>());
        return backlog;
    });
}

}  // namespace receiptd::storage
