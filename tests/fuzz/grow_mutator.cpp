// One of eight mutations of libFuzzer makes an input deep or long.
#include "fuzz/grow.hpp"

#include <cstdint>
#include <random>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
    std::minstd_rand random(seed);
    if (random() % 8 != 0) return LLVMFuzzerMutate(data, size, max_size);
    const std::string input(reinterpret_cast<const char*>(data), size);
    const auto output = receiptd::fuzz::grown(input, random, max_size);
    std::copy(output.begin(), output.end(), data);
    return output.size();
}
