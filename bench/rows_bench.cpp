// Whole blocks -> COPY binary: CPU milliseconds and bytes per block.
//
//     rows_bench [DIRECTORY] [ROUNDS]
//
// The blocks of the directory follow each other again and again, linked as `receiptd-sandbox replay --repeat`
// links them, so that trees complete and are judged on the way. Of each block the quickest round counts,
// those left out in which parents lie before the start. Decoding is not part of the time (decode_bench has
// that). The columns behind tell what 10,000 alert rules and 100,000 listed accounts add: to the rows, and to
// the commit, where what receipts did is matched.
#include "chain/json/decode.hpp"
#include "chain/rows/rows.hpp"
#include "chain/tree/lineage.hpp"
#include "chain/tree/live_trees.hpp"
#include "sandbox/replay/whole_block_run.hpp"
#include "storage/happening_subjects.hpp"
#include "storage/rule_interest.hpp"

#include "bench/machine.hpp"
#include "bench/rows_bench_rules.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace receiptd;

constexpr std::uint64_t kRoundsToFill = 4;  // until no parent lies before the start

struct Measured {
    std::string name;
    double json_bytes = 0;
    double copy_bytes = 0;
    double rows = 0;
    double executed = 0;
    double results = 0;     // trees that it completes
    double happenings = 0;  // that rules may match
    double matches = 0;
    double milliseconds = std::numeric_limits<double>::max();
    double asked = std::numeric_limits<double>::max();    // milliseconds with rules
    double matched = std::numeric_limits<double>::max();  // milliseconds to match what receipts did
};

double cpu_milliseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// In the order of a run: by height.
std::vector<Measured> blocks_of(const std::filesystem::path& directory) {
    std::vector<Measured> blocks;
    for (const auto& entry : std::filesystem::directory_iterator(directory))
        if (entry.path().extension() == ".json") blocks.push_back({.name = entry.path().stem().string()});
    std::sort(blocks.begin(), blocks.end(),
              [](const Measured& a, const Measured& b) { return std::stoull(a.name) < std::stoull(b.name); });
    return blocks;
}

class Bench {
public:
    Bench(const std::filesystem::path& directory, std::uint64_t rounds) : blocks_(blocks_of(directory)) {
        if (blocks_.empty()) return;
        sandbox::Repeat repeat;
        repeat.blocks = (kRoundsToFill + rounds) * blocks_.size();
        run_ = sandbox::WholeBlockRun(directory, repeat);
        std::set<std::string> customers;
        for (std::uint64_t at = 0; at < blocks_.size(); ++at)
            bench::add_customers(decoded(at).value, customers);
        interest_ = std::make_shared<const storage::RuleInterest>(bench::many_rules(customers));
        asking_.interest = interest_;
    }

    std::vector<Measured> measure() {
        for (std::uint64_t at = 0; at < run_.size(); ++at) {
            auto& block = blocks_[at % blocks_.size()];
            if (at < kRoundsToFill * blocks_.size()) {
                Measured ignored{.name = block.name};
                measure(at, ignored);
            } else {
                measure(at, block);
            }
        }
        return std::move(blocks_);
    }

private:
    chain::Decoded<chain::WholeBlock> decoded(std::uint64_t at) {
        auto block = chain::decode_whole_block(std::string(*run_.text(at)));
        if (block) return std::move(*block);
        std::fprintf(stderr, "%s: %s\n", blocks_[at % blocks_.size()].name.c_str(),
                     block.error().to_string().c_str());
        std::exit(1);
    }

    void measure(std::uint64_t at, Measured& block) {
        const auto contents = decoded(at);
        const auto& value = contents.value;
        block.json_bytes = static_cast<double>(run_.text(at)->size());
        block.executed = 0;
        for (const auto& shard : value.shards) block.executed += static_cast<double>(shard.executed.size());
        measure_asked(value, at, block);
        const double start = cpu_milliseconds();
        const auto batch = chain::whole_block_rows(value, run_.height(at) - 1, {}, lineage_, &live_trees_);
        block.milliseconds = std::min(block.milliseconds, cpu_milliseconds() - start);
        block.copy_bytes = static_cast<double>(batch.bytes());
        block.rows = static_cast<double>(batch.rows());
        block.results = static_cast<double>(batch[chain::Table::transaction_results].rows);
    }

    void measure_asked(const chain::WholeBlock& value, std::uint64_t at, Measured& block) {
        const double start = cpu_milliseconds();
        const auto batch =
            chain::whole_block_rows(value, run_.height(at) - 1, asking_, asked_lineage_, &asked_trees_);
        const double made = cpu_milliseconds();
        std::size_t matches = 0;
        for (const auto& happening : batch.happened.chosen)
            matches += interest_->rules().match(storage::subject_of(happening)).size();
        block.asked = std::min(block.asked, made - start);
        block.matched = std::min(block.matched, cpu_milliseconds() - made);
        block.happenings = static_cast<double>(batch.happened.chosen.size());
        block.matches = static_cast<double>(matches);
    }

    std::vector<Measured> blocks_;
    std::shared_ptr<const storage::RuleInterest> interest_;
    chain::Scope asking_;
    chain::Lineage asked_lineage_;
    chain::LiveTrees asked_trees_;
    sandbox::WholeBlockRun run_;
    chain::Lineage lineage_;
    chain::LiveTrees live_trees_;
};

void print(const char* name, const Measured& block) {
    std::printf("%-16s %10.0f %9.0f %7.0f %7.0f %10.0f %9.3f %8.0f %9.3f %10.0f %7.0f %9.3f %11.2f\n", name,
                block.json_bytes, block.executed, block.results, block.rows, block.copy_bytes,
                block.milliseconds, block.copy_bytes / 1e3 / block.milliseconds, block.asked,
                block.happenings, block.matches, block.matched,
                (block.asked + block.matched - block.milliseconds) * 1e3 / block.executed);
}

Measured mean_of(const std::vector<Measured>& blocks) {
    Measured mean{.name = "mean", .milliseconds = 0, .asked = 0, .matched = 0};
    for (const auto& block : blocks) {
        const auto share = 1.0 / static_cast<double>(blocks.size());
        mean.json_bytes += block.json_bytes * share;
        mean.copy_bytes += block.copy_bytes * share;
        mean.rows += block.rows * share;
        mean.executed += block.executed * share;
        mean.results += block.results * share;
        mean.milliseconds += block.milliseconds * share;
        mean.asked += block.asked * share;
        mean.matched += block.matched * share;
        mean.happenings += block.happenings * share;
        mean.matches += block.matches * share;
    }
    return mean;
}

}  // namespace

int main(int argc, char** argv) {
    const std::filesystem::path directory = argc > 1 ? argv[1] : "../shared/data/whole-block";
    const auto rounds = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 20;
    auto blocks = Bench(directory, rounds).measure();
    if (blocks.empty()) {
        std::fprintf(stderr, "no *.json in %s\n", directory.c_str());
        return 1;
    }
    bench::print_machine();
    std::printf("%-16s %10s %9s %7s %7s %10s %9s %8s %9s %10s %7s %9s %11s\n", "block", "JSON bytes",
                "receipts", "trees", "rows", "COPY bytes", "CPU ms", "MB/s", "ms asked", "happenings",
                "matches", "ms match", "us/receipt");
    std::sort(blocks.begin(), blocks.end(),
              [](const Measured& a, const Measured& b) { return a.milliseconds < b.milliseconds; });
    for (const auto& block : blocks) print(block.name.c_str(), block);
    print("median", blocks[blocks.size() / 2]);
    print("mean", mean_of(blocks));
}
