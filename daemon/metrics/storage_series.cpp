#include "metrics/storage_series.hpp"

#include "metrics/registry.hpp"

namespace receiptd::metrics {
namespace {

// chain::Table's names; metrics/ may not include chain/ (storage/ asserts that they agree).
constexpr std::array kTables = {"blocks",
                                "chunks",
                                "transactions",
                                "receipts",
                                "data_receipts",
                                "events",
                                "orphan_receipts",
                                "pending_trees",
                                "transaction_results",
                                "findings",
                                "global_contract_distributions"};

std::array<StorageSeries::PerTable, kTables.size()> per_table(Registry& registry) {
    auto& rows = registry.counter("receiptd_database_rows_total", "Rows committed.", {"table"});
    auto& bytes =
        registry.counter("receiptd_database_bytes_total", "Bytes committed, as COPY binary.", {"table"});
    std::array<StorageSeries::PerTable, kTables.size()> made{};
    for (std::size_t i = 0; i < kTables.size(); ++i)
        made[i] = {&rows.Add({{"table", kTables[i]}}), &bytes.Add({{"table", kTables[i]}})};
    return made;
}

}  // namespace

TableSeries::TableSeries(Registry& r)
    : unclosed_partitions(
          r.gauge_of_leader("receiptd_unclosed_partitions",
                            "Days of partitions that are over and not closed yet: each question by an id "
                            "looks into all of them. A day is closed within minutes after its rows have "
                            "stopped coming.")
              .Add({})),
      partitions_(r.gauge_of_leader("receiptd_partitions", "Partitions of a history table.", {"table"})),
      from_(r.gauge_of_leader("receiptd_partitions_from_timestamp_seconds",
                              "Time at which the oldest partition begins.")),
      until_(r.gauge_of_leader("receiptd_partitions_until_timestamp_seconds",
                               "Time at which the newest partition ends; more are made ahead.")),
      retention_overdue_(r.gauge_of_leader(
          "receiptd_retention_overdue_seconds",
          "For how long the oldest partition of a history table has been past its retention, as of the last "
          "attempt to drop it. 0: none is.",
          {"table"})),
      bytes_(
          r.gauge_of_leader("receiptd_table_bytes",
                            "Disk of a table with all of its partitions, and of its indexes; \"others\": all "
                            "other tables of the schema; measured every five minutes.",
                            {"table", "part"})) {}

void TableSeries::set_partition_times(double from, double until) {
    from_.Add({}).Set(from);
    until_.Add({}).Set(until);
}

void TableSeries::set_retention_overdue(const std::string& table, double seconds) {
    retention_overdue_.Add({{"table", table}}).Set(seconds);
}

void TableSeries::set_bytes(const std::string& table, double bytes, double index_bytes) {
    bytes_.Add({{"table", table}, {"part", "table"}}).Set(bytes);
    bytes_.Add({{"table", table}, {"part", "index"}}).Set(index_bytes);
}

void TableSeries::set_partitions(const std::string& table, std::uint64_t count) {
    partitions_.Add({{"table", table}}).Set(static_cast<double>(count));
}

StorageSeries::StorageSeries(Registry& r)
    : tables(per_table(r)),
      commit_seconds(r.histogram("receiptd_database_commit_seconds",
                                 "One database transaction of rows, from its start to its commit.")
                         .Add({}, seconds_buckets())),
      batch_blocks(r.histogram("receiptd_database_batch_blocks", "Blocks in one database transaction.")
                       .Add({}, size_buckets())),
      batch_bytes(
          r.histogram("receiptd_database_batch_bytes", "Bytes of COPY data in one database transaction.")
              .Add({}, size_buckets())),
      already_covered(r.counter("receiptd_database_already_covered_total",
                                "Batches not written because their heights were stored already.")
                          .Add({})),
      connected(r.gauge("receiptd_database_connected", "Open database connections.").Add({})),
      takes_no_work(
          r.gauge("receiptd_database_takes_no_work", "1 while it answers and takes no work.").Add({})),
      reconnects(
          r.counter("receiptd_database_reconnects_total", "Database connections opened again after a loss.")
              .Add({})),
      adopted(r.counter("receiptd_database_adopted_total", "Orphan receipts and data that found their tree.")
                  .Add({})),
      settled(r.counter("receiptd_database_settled_trees_total",
                        "Trees judged from the database, because no run had seen all of them.")
                  .Add({})),
      held_up(
          r.gauge(
               "receiptd_held_up_seconds",
               "For how long something of this daemon has been waiting for a lock, or for a row of watches, "
               "that a session of somebody else holds; the log and /readyz name it. 0: nothing waits.")
              .Add({})),
      stream_held_up(
          r.gauge("receiptd_stream_held_up_seconds",
                  "For how long the oldest line that /v1/stream does not tell yet has been waiting for "
                  "older transactions of the database cluster to end.")
              .Add({})),
      measured(r),
      matched_(
          r.counter("receiptd_alerts_matched_total",
                    "Alerts that a rule matched, by kind and by endpoint. An empty endpoint: no endpoint "
                    "takes a rule that matched. The daemon counts them that stores the cause.",
                    {"kind", "endpoint"})),
      set_aside_(r.gauge("receiptd_set_aside",
                         "What is not dealt with because of its own data, while all others go on: rows of "
                         "the view set_aside, by what they are.",
                         {"what"})) {}

void StorageSeries::set_aside(const std::string& what, double count) {
    set_aside_.Add({{"what", what}}).Set(count);
}

void StorageSeries::count_matched(const std::string& kind, const std::string& endpoint, double alerts) {
    matched_.Add({{"kind", kind}, {"endpoint", endpoint}}).Increment(alerts);
}

}  // namespace receiptd::metrics
