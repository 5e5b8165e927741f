// Latency of reading stored trees as the daemon does it (bench/tree.py fills the database):
//
//   stored_tree_bench < hashes        one of a transaction a line; RECEIPTD_BENCH_DATABASE names the database
//
// One after the other over one connection, from the call to the judged tree.
#include "base/clock.hpp"
#include "base/coroutine.hpp"
#include "metrics/registry.hpp"
#include "storage/pg_watch_store.hpp"
#include "storage/stored_tree.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

namespace {

namespace rd = receiptd;
using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

struct Reading {
    std::vector<double> milliseconds;
    std::size_t receipts = 0;
    std::size_t missing = 0;
    std::size_t unsettled = 0;
};

void note(Reading& reading, const std::string& tx_hash,
          const std::map<std::string, rd::storage::StoredTree>& found) {
    const auto tree = found.find(tx_hash);
    if (tree == found.end()) {
        ++reading.missing;
        return;
    }
    const auto judgement = rd::storage::tree_of(tx_hash, tree->second).judge();
    if (!judgement.settled) ++reading.unsettled;
    reading.receipts += judgement.receipts.size();
}

rd::base::Task<Reading> read_all(rd::storage::PgWatchStore& store, std::vector<std::string> tx_hashes) {
    Reading reading;
    for (const auto& tx_hash : tx_hashes) {
        std::vector<std::string> one(1, tx_hash);
        const auto start = Clock::now();
        const auto found = co_await store.stored_trees(std::move(one));
        note(reading, tx_hash, found);
        reading.milliseconds.push_back(milliseconds_since(start));
    }
    co_return reading;
}

rd::base::Task<double> read_together(rd::storage::PgWatchStore& store, std::vector<std::string> tx_hashes) {
    const auto start = Clock::now();
    const auto found = co_await store.stored_trees(std::move(tx_hashes));
    co_return milliseconds_since(start);
}

template <class T>
T run(rd::base::Task<T> task) {
    boost::asio::io_context io;
    auto future = boost::asio::co_spawn(io, std::move(task), boost::asio::use_future);
    io.run();
    return future.get();
}

double quantile(const std::vector<double>& sorted, double share) {
    return sorted[std::min(sorted.size() - 1,
                           static_cast<std::size_t>(share * static_cast<double>(sorted.size())))];
}

}  // namespace

int main() {
    const char* url = std::getenv("RECEIPTD_BENCH_DATABASE");
    std::vector<std::string> tx_hashes;
    for (std::string line; std::getline(std::cin, line);) tx_hashes.push_back(line);
    if (url == nullptr || tx_hashes.empty()) {
        std::fputs("stored_tree_bench: RECEIPTD_BENCH_DATABASE and hashes on standard input, please\n",
                   stderr);
        return 2;
    }
    rd::metrics::Registry registry;
    rd::metrics::StorageSeries series(registry);
    rd::base::SystemClock clock;
    rd::storage::DatabaseOptions options;
    options.url = rd::base::Secret(url);
    rd::storage::Database database(options, series);
    rd::storage::PgWatchStore watches(database, clock);

    const std::vector<std::string> first(1, tx_hashes.front());
    const double first_read = run(read_together(watches, first));
    auto reading = run(read_all(watches, tx_hashes));
    const auto batch = std::min<std::size_t>(tx_hashes.size(), 500);
    const double together = run(
        read_together(watches, {tx_hashes.begin(), tx_hashes.begin() + static_cast<std::ptrdiff_t>(batch)}));
    auto& times = reading.milliseconds;
    std::sort(times.begin(), times.end());
    std::printf("reads %zu receipts_a_tree %.1f missing %zu unsettled %zu\n", times.size(),
                static_cast<double>(reading.receipts) / static_cast<double>(times.size()), reading.missing,
                reading.unsettled);
    std::printf("first %.2f p50 %.2f p90 %.2f p99 %.2f max %.2f\n", first_read, quantile(times, 0.5),
                quantile(times, 0.9), quantile(times, 0.99), times.back());
    std::printf("batch %zu together %.1f\n", batch, together);
    return reading.missing == 0 && reading.unsettled == 0 ? 0 : 1;
}
