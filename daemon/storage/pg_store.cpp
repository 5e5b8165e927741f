#include "storage/pg_store.hpp"

#include "metrics/registry.hpp"
#include "storage/counting.hpp"
#include "storage/migrate.hpp"
#include "storage/uuid.hpp"

namespace receiptd::storage {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

PgStore::PgStore(const PgStoreOptions& options, metrics::StorageSeries& series, const base::Clock& clock)
    : context_(options.database, series),
      clock_(clock),
      partitions_(series),
      partition_(options.partition),
      keep_(options.keep),
      owner_(random_uuid()),
      questions_(context_),
      chores_(context_),
      maintenance_(context_) {
    for (unsigned i = 0; i < options.writers; ++i) writers_.push_back(std::make_unique<Lane>(context_));
}

PgStore::~PgStore() { request_stop(); }

void PgStore::request_stop() { context_.stop.request(); }

base::Task<void> PgStore::check_identity(std::string network, std::string scope) {
    sql::ChainIdentity configured{std::move(network), std::move(scope), partition_};
    return questions_.run([configured = std::move(configured)](pqxx::connection& connection) {
        require_current_schema(connection);
        sql::check_identity(connection, configured);
    });
}

base::Task<void> PgStore::maintain() {
    return maintenance_.run([this, keep = keep_](pqxx::connection& connection) {
        partitions_.make_ahead(connection, clock_.wall());
        if (keep) {
            partitions_.retire(connection, clock_.wall(), *keep);
            sql::forget_ended_watches(connection, clock_.wall() - *keep);
        }
        partitions_.count(connection);
        sql::forget_old_adoptions(connection);
        sql::forget_old_news(connection);
    });
}

base::Task<void> PgStore::ping() {
    return questions_.run([](pqxx::connection& connection) { pqxx::work(connection).exec("SELECT 1"); });
}

base::Task<Coverage> PgStore::load_coverage() { return questions_.run(sql::load_coverage); }

base::Task<void> PgStore::want(base::HeightRange range) {
    return questions_.run([range](pqxx::connection& connection) { sql::want(connection, range); });
}

base::Task<CommitOutcome> PgStore::commit(unsigned writer, chain::RowBatch batch) {
    return writers_.at(writer)->run([this, batch = std::move(batch)](pqxx::connection& connection) {
        const auto start = std::chrono::steady_clock::now();
        const auto outcome = sql::commit_batch(connection, batch, partitions_);
        if (outcome == CommitOutcome::committed)
            note_committed(batch, seconds_since(start));
        else
            context_.series.already_covered.Increment();
        return outcome;
    });
}

base::Task<void> PgStore::commit_tree(chain::TreeRows tree) {
    return chores_.run([this, tree = std::move(tree)](pqxx::connection& connection) {
        const auto start = std::chrono::steady_clock::now();
        if (sql::commit_tree(connection, tree, partitions_)) note_committed(tree.batch, seconds_since(start));
    });
}

void PgStore::note_committed(const chain::RowBatch& batch, double seconds) {
    if (!batch.findings.empty()) context_.on_alerts();
    auto& series = context_.series;
    for (std::size_t i = 0; i < chain::kTableCount; ++i) {
        series.tables[i].rows->Increment(static_cast<double>(batch.tables[i].rows));
        series.tables[i].bytes->Increment(static_cast<double>(batch.tables[i].copy_data.size()));
    }
    series.commit_seconds.Observe(seconds);
    series.batch_blocks.Observe(static_cast<double>(batch.blocks.size()));
    series.batch_bytes.Observe(static_cast<double>(batch.bytes()));
}

base::Task<std::vector<PendingTree>> PgStore::due_trees(unsigned limit) {
    return questions_.run(
        [limit](pqxx::connection& connection) { return sql::due_trees(connection, limit); });
}

base::Task<std::uint64_t> PgStore::pending_tree_count(base::HeightRange included_in) {
    return questions_.run([included_in](pqxx::connection& connection) {
        return sql::pending_tree_count(connection, included_in);
    });
}

base::Task<OverdueTrees> PgStore::overdue_trees(std::chrono::seconds age) {
    return questions_.run(
        [age](pqxx::connection& connection) { return sql::overdue_trees(connection, age); });
}

base::Task<void> PgStore::postpone_tree(std::string tx_hash, std::chrono::milliseconds delay,
                                        std::string reason) {
    return questions_.run(
        [tx_hash = std::move(tx_hash), delay, reason = std::move(reason)](pqxx::connection& connection) {
            sql::postpone_tree(connection, tx_hash, delay, reason);
        });
}

base::Task<void> PgStore::adopt_orphans(base::HeightRange around) {
    return chores_.run([this, around](pqxx::connection& connection) {
        context_.series.adopted.Increment(static_cast<double>(sql::adopt_orphans(connection, around)));
    });
}

base::Task<void> PgStore::settle_trees(base::HeightRange around, base::WallTime news_since) {
    return chores_.run([this, around, news_since](pqxx::connection& connection) {
        const auto settled = sql::settle_trees(connection, around, news_since, partitions_);
        for (const auto& [verdict, trees] : settled.verdicts)
            context_.series.settled.Increment(static_cast<double>(trees));
        if (!settled.findings.empty()) context_.on_alerts();
        if (context_.watch_series) count(*context_.watch_series, settled);
    });
}

base::Task<std::vector<std::string>> PgStore::announced_below(base::Height height) {
    return questions_.run(
        [height](pqxx::connection& connection) { return sql::announced_below(connection, height); });
}

base::Task<void> PgStore::record_unavailable(UnavailableHeight height) {
    return questions_.run([height = std::move(height)](pqxx::connection& connection) {
        sql::record_unavailable(connection, height);
    });
}

base::Task<std::vector<UnavailableHeight>> PgStore::unavailable_heights(unsigned limit) {
    return questions_.run(
        [limit](pqxx::connection& connection) { return sql::unavailable_heights(connection, limit); });
}

base::Task<std::optional<chain::BlockRef>> PgStore::stored_block(base::Height height) {
    return questions_.run(
        [height](pqxx::connection& connection) { return sql::stored_block(connection, height); });
}

base::Task<std::optional<chain::BlockRef>> PgStore::stored_block_above(base::Height height) {
    return questions_.run(
        [height](pqxx::connection& connection) { return sql::stored_block_above(connection, height); });
}

base::Task<std::optional<chain::BlockRef>> PgStore::stored_block_below(base::Height height) {
    return questions_.run(
        [height](pqxx::connection& connection) { return sql::stored_block_below(connection, height); });
}

base::Task<std::optional<chain::BlockRef>> PgStore::stored_block_by_hash(std::string hash) {
    return questions_.run([hash = std::move(hash)](pqxx::connection& connection) {
        return sql::stored_block_by_hash(connection, hash);
    });
}

base::Task<BackfillProgress> PgStore::claim_backfill(base::HeightRange range) {
    return questions_.run([this, range](pqxx::connection& connection) {
        return sql::claim_backfill(connection, range, owner_);
    });
}

base::Task<std::vector<BackfillProgress>> PgStore::claim_abandoned_backfills() {
    return questions_.run(
        [this](pqxx::connection& connection) { return sql::claim_abandoned_backfills(connection, owner_); });
}

base::Task<void> PgStore::renew_backfill(std::int64_t id) {
    return questions_.run(
        [this, id](pqxx::connection& connection) { sql::renew_backfill(connection, id, owner_); });
}

base::Task<void> PgStore::finish_backfill(std::int64_t id) {
    return questions_.run([id](pqxx::connection& connection) { sql::finish_backfill(connection, id); });
}

base::Task<void> PgStore::release_backfill(std::int64_t id) {
    return questions_.run(
        [this, id](pqxx::connection& connection) { sql::release_backfill(connection, id, owner_); });
}

}  // namespace receiptd::storage
