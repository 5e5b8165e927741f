// Judged trees -> the body of a request of OTLP: spans a second of CPU.
//
//     trace_bench [ROUNDS]
//
// The trees are made up at random, the same in every run. bench/traces.py says what a span costs the daemon.
#include "bench/machine.hpp"
#include "tests/unit/draw/made_up.hpp"
#include "trace/otlp.hpp"
#include "trace/tree_trace.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 200;
    receiptd::bench::print_machine();
    std::printf("%10s %16s %16s\n", "receipts", "spans a second", "bytes a span");
    for (const std::size_t receipts : {10, 100, 1'000}) {
        const receiptd::draw::testing::MadeUp made_up(1, receipts, 6);
        receiptd::trace::Transaction transaction;
        transaction.tx_hash = "TX";
        transaction.facts = &made_up.transaction;
        transaction.tree = &made_up.tree;
        std::size_t spans = 0, bytes = 0;
        const auto start = std::clock();
        for (int round = 0; round < rounds; ++round) {
            receiptd::trace::ServiceNames services(receiptd::trace::kMostServices);
            const auto trace = receiptd::trace::trace_of(transaction, services);
            bytes += receiptd::trace::to_request({trace.resource_spans}).size();
            spans += trace.spans;
        }
        const auto seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        std::printf("%10zu %16.0f %16.0f\n", receipts, static_cast<double>(spans) / seconds,
                    static_cast<double>(bytes) / static_cast<double>(spans));
    }
}
