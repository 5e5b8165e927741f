// Whole blocks -> COPY binary: CPU milliseconds and bytes per block.
//
//     rows_bench [DIRECTORY] [PASSES]
//
// Every *.json of the directory is decoded once; each pass makes the rows of each block with a new
// Lineage, and the quickest pass counts. Decoding is not part of the time (decode_bench has that).
#include "chain/decode.hpp"
#include "chain/lineage.hpp"
#include "chain/rows.hpp"
#include "chain/tree_book.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace receiptd;

struct Measured {
    std::string name;
    double json_bytes = 0;
    double copy_bytes = 0;
    double rows = 0;
    double executed = 0;
    double milliseconds = std::numeric_limits<double>::max();
};

double cpu_milliseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

std::string read_all(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string first_line_of(const char* command) {
    std::string line;
    if (FILE* pipe = popen(command, "r")) {
        char buffer[256];
        if (std::fgets(buffer, sizeof buffer, pipe) != nullptr) line = buffer;
        pclose(pipe);
    }
    while (!line.empty() && line.back() == '\n') line.pop_back();
    return line.empty() ? "unknown" : line;
}

Measured measure(const std::filesystem::path& path, int passes) {
    auto json = read_all(path);
    Measured result;
    result.name = path.filename().string();
    result.json_bytes = static_cast<double>(json.size());
    const auto decoded = chain::decode_whole_block(std::move(json));
    if (!decoded) {
        std::fprintf(stderr, "%s: %s\n", result.name.c_str(), decoded.error().to_string().c_str());
        std::exit(1);
    }
    for (const auto& shard : decoded->value.shards)
        result.executed += static_cast<double>(shard.executed.size());
    for (int pass = 0; pass < passes; ++pass) {
        const double start = cpu_milliseconds();
        {
            chain::Lineage lineage;
            chain::TreeBook book;
            const auto batch = chain::whole_block_rows(decoded->value, std::nullopt, {}, lineage, &book);
            result.copy_bytes = static_cast<double>(batch.bytes());
            result.rows = static_cast<double>(batch.rows());
        }
        result.milliseconds = std::min(result.milliseconds, cpu_milliseconds() - start);
    }
    return result;
}

void print(const char* name, const Measured& block) {
    std::printf("%-16s %10.0f %9.0f %7.0f %10.0f %9.3f %8.0f\n", name, block.json_bytes, block.executed,
                block.rows, block.copy_bytes, block.milliseconds,
                block.copy_bytes / 1e3 / block.milliseconds);
}

}  // namespace

int main(int argc, char** argv) {
    const std::filesystem::path directory = argc > 1 ? argv[1] : "../shared/data/whole-block";
    const int passes = argc > 2 ? std::atoi(argv[2]) : 20;
    std::vector<Measured> blocks;
    for (const auto& entry : std::filesystem::directory_iterator(directory))
        if (entry.path().extension() == ".json") blocks.push_back(measure(entry.path(), passes));
    if (blocks.empty()) {
        std::fprintf(stderr, "no *.json in %s\n", directory.c_str());
        return 1;
    }
    std::printf("machine: %u x %s; commit %s\n", std::thread::hardware_concurrency(),
                first_line_of("sed -n 's/^model name.*: //p' /proc/cpuinfo").c_str(),
                first_line_of("git rev-parse --short HEAD").c_str());
    std::printf("%-16s %10s %9s %7s %10s %9s %8s\n", "block", "JSON bytes", "receipts", "rows", "COPY bytes",
                "CPU ms", "MB/s");
    std::sort(blocks.begin(), blocks.end(),
              [](const Measured& a, const Measured& b) { return a.milliseconds < b.milliseconds; });
    for (const auto& block : blocks) print(block.name.c_str(), block);
    print("median", blocks[blocks.size() / 2]);
}
