// Stands in for libFuzzer where there is no clang: runs a fuzz target over the files of a folder
// and over deterministic damages of them, deep and long ones among these, a few seconds' worth.
#include "fuzz/grow.hpp"
#include "support/read_file.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::size_t kBytesToFeed = 24'000'000;
constexpr std::size_t kGrownBytesToFeed = 6'000'000;
std::size_t most_damages = 2'000;  // of a seed, however short it is

void feed(const std::string& input) {
    // An exact copy on the heap, so that sanitizers see a read behind its end.
    const std::vector<std::uint8_t> copy(input.begin(), input.end());
    LLVMFuzzerTestOneInput(copy.data(), copy.size());
}

// Truncations at even distances.
void feed_truncated(const std::string& seed, std::size_t budget) {
    const std::size_t runs = std::min({seed.size(), most_damages, 2 * budget / (seed.size() + 1)});
    for (std::size_t run = 0; run < runs; ++run) feed(seed.substr(0, run * seed.size() / runs));
}

// A fixed sequence of pseudo-random numbers.
class Chance {
public:
    std::size_t operator()() {
        state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<std::size_t>(state_ >> 33);
    }

private:
    std::uint64_t state_ = 0x9E3779B97F4A7C15;
};

// One changed byte each.
void feed_flipped(const std::string& seed, std::size_t budget) {
    Chance next;
    constexpr char kTelling[] = "{}[]\",:\\0-9eEntf\x80\xFF ";
    for (std::size_t run = std::min(most_damages, budget / (seed.size() + 1)); run > 0; --run) {
        std::string input = seed;
        const std::size_t at = next() % seed.size();
        const bool telling = next() % 2 == 0;
        input[at] = telling ? kTelling[next() % sizeof(kTelling)] : static_cast<char>(next());
        feed(input);
    }
}

void feed_grown(const std::vector<std::string>& seeds) {
    Chance next;
    for (std::size_t fed = 0; fed < kGrownBytesToFeed;) {
        const auto input = receiptd::fuzz::grown(seeds[next() % seeds.size()], next);
        feed(input);
        fed += input.size() + 1;
    }
}

std::vector<std::string> read_seeds(const std::filesystem::path& folder) {
    std::vector<std::string> seeds;
    if (!std::filesystem::is_directory(folder)) return seeds;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        seeds.push_back(receiptd::test::read_file(entry.path()));
    std::sort(seeds.begin(), seeds.end());
    return seeds;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2 && argc != 3) {
        std::fprintf(stderr, "usage: %s FOLDER-OF-SEEDS [MOST-DAMAGES-OF-EACH]\n", argv[0]);
        return 2;
    }
    if (argc == 3) most_damages = std::strtoul(argv[2], nullptr, 10);
    const std::vector<std::string> seeds = read_seeds(argv[1]);
    if (seeds.empty()) {
        std::fprintf(stderr, "no seeds in %s: damages of valid inputs reach further than none\n", argv[1]);
        return 1;
    }
    feed("");
    for (const std::string& seed : seeds) {
        const std::size_t budget = kBytesToFeed / seeds.size() / 2;
        feed(seed);
        if (seed.empty()) continue;
        feed_truncated(seed, budget);
        feed_flipped(seed, budget);
    }
    feed_grown(seeds);
    std::printf("%zu seeds, no crash\n", seeds.size());
    return 0;
}
