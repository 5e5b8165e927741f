// Judged trees -> SVG: milliseconds and bytes of a picture, by how many receipts the tree has.
//
//     draw_bench [ROUNDS]
//
// The trees are made up at random, the same in every run; of each the quickest round counts. A tree of 500
// receipts should take less than 200 ms.
#include "draw/svg.hpp"

#include "bench/machine.hpp"
#include "tests/unit/draw/made_up.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>

int main(int argc, char** argv) {
    using Clock = std::chrono::steady_clock;
    const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 20;
    receiptd::bench::print_machine();
    std::printf("%10s %10s %10s\n", "receipts", "ms", "kB");
    for (const std::size_t receipts : {10, 50, 100, 500, 2'000}) {
        const receiptd::draw::testing::MadeUp made_up(1, receipts, 6);
        double best = std::numeric_limits<double>::max();
        std::size_t bytes = 0;
        for (int round = 0; round < rounds; ++round) {
            const auto start = Clock::now();
            bytes = receiptd::draw::tree_svg("TX", made_up.transaction, made_up.tree).size();
            best = std::min(best, std::chrono::duration<double, std::milli>(Clock::now() - start).count());
        }
        std::printf("%10zu %10.2f %10.1f\n", receipts, best, static_cast<double>(bytes) / 1e3);
    }
}
