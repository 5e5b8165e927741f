// Speed of decoding: MB/s (bytes of a file / CPU time inside the decoder), one thread, warm cache.
//
//   decode_bench [folder of whole blocks]     default ../shared/data/whole-block
//
// The text is copied before and the model freed after the clock runs. The hash of each header is measured
// apart.
#include "chain/json/decode.hpp"
#include "chain/proof/header_hash.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace chain = receiptd::chain;
namespace fs = std::filesystem;

constexpr int kRounds = 25;
constexpr double kMega = 1e6;

struct Input {
    std::string name;
    std::string json;
};

struct Speed {
    std::size_t bytes = 0;
    double best_seconds = 0;
    double median_seconds = 0;
    Speed& operator+=(const Speed& other) {
        bytes += other.bytes;
        best_seconds += other.best_seconds;
        median_seconds += other.median_seconds;
        return *this;
    }
};

std::string first_line(const char* command) {
    std::string line;
    if (FILE* pipe = popen(command, "r")) {
        std::array<char, 256> buffer{};
        if (std::fgets(buffer.data(), static_cast<int>(buffer.size()), pipe) != nullptr) line = buffer.data();
        pclose(pipe);
    }
    while (!line.empty() && line.back() == '\n') line.pop_back();
    return line.empty() ? "unknown" : line;
}

// The time of this thread alone, page faults included: other programs on the machine do not slow it down.
double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

std::vector<Input> read_folder(const fs::path& folder) {
    std::vector<Input> inputs;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() != ".json") continue;
        std::ifstream file(entry.path(), std::ios::binary);
        std::string json{std::istreambuf_iterator<char>(file), {}};
        inputs.push_back({entry.path().filename().string(), std::move(json)});
    }
    std::sort(inputs.begin(), inputs.end(), [](const Input& a, const Input& b) { return a.name < b.name; });
    return inputs;
}

template <class Decode>
Speed measure(const Input& input, Decode decode) {
    std::vector<double> seconds;
    for (int round = 0; round < kRounds; ++round) {
        std::string text;
        text.reserve(input.json.size() + chain::kJsonPadding);
        text = input.json;
        const double start = cpu_seconds();
        const auto decoded = decode(std::move(text), chain::Parts::all);
        const double spent = cpu_seconds() - start;
        if (!decoded) {
            std::printf("%s: %s\n", input.name.c_str(), decoded.error().to_string().c_str());
            return {};
        }
        seconds.push_back(spent);
    }
    std::sort(seconds.begin(), seconds.end());
    return {input.json.size(), seconds.front(), seconds[seconds.size() / 2]};
}

void print(const std::string& name, const Speed& speed) {
    const double size = static_cast<double>(speed.bytes) / kMega;
    std::printf("%-28s %9.3f MB   best %7.0f MB/s   median %7.0f MB/s\n", name.c_str(), size,
                size / speed.best_seconds, size / speed.median_seconds);
}

template <class Decode>
void bench_folder(const fs::path& folder, const std::string& label, bool each, Decode decode) {
    if (!fs::is_directory(folder)) {
        std::printf("%s is absent: %s not measured\n", folder.string().c_str(), label.c_str());
        return;
    }
    Speed total;
    for (const Input& input : read_folder(folder)) {
        const Speed speed = measure(input, decode);
        if (speed.bytes == 0) continue;
        if (each) print(input.name, speed);
        total += speed;
    }
    if (total.bytes > 0) print("total " + label, total);
}

// Microseconds of the quickest round.
double header_microseconds(const Input& input) {
    double best = std::numeric_limits<double>::max();
    for (int round = 0; round < kRounds; ++round) {
        const auto decoded = chain::decode_whole_block(input.json);
        if (!decoded) return 0;
        const double start = cpu_seconds();
        chain::header_hash(*decoded->document, decoded->value.block.header);
        best = std::min(best, cpu_seconds() - start);
    }
    return best * kMega;
}

void bench_headers(const fs::path& folder) {
    if (!fs::is_directory(folder)) return;
    std::vector<double> spent;
    for (const Input& input : read_folder(folder)) spent.push_back(header_microseconds(input));
    if (spent.empty()) return;
    std::sort(spent.begin(), spent.end());
    std::printf("header hashes of whole blocks   median %.0f us, slowest %.0f us\n", spent[spent.size() / 2],
                spent.back());
}

}  // namespace

int main(int argc, char** argv) {
    const fs::path blocks = argc > 1 ? argv[1] : "../shared/data/whole-block";
    const fs::path rpc = blocks.parent_path() / "rpc" / "mainnet-v83";
    std::printf("machine: %s, %u cores\n",
                first_line("sed -n 's/^model name[^:]*: //p' /proc/cpuinfo").c_str(),
                std::thread::hardware_concurrency());
    std::printf("commit: %s\n", first_line("git describe --always --dirty 2>/dev/null").c_str());
    std::printf("%d rounds\n", kRounds);
    bench_folder(blocks, "whole blocks", true, chain::decode_whole_block);
    bench_headers(blocks);
    bench_folder(rpc / "block", "blocks", false, chain::decode_block);
    bench_folder(rpc / "chunk", "chunks", false, chain::decode_chunk);
    bench_folder(rpc / "tx", "transactions", false, chain::decode_transaction_status);
    return 0;
}
