#include "sandbox/ledger/chance.hpp"

#include "chain/wire/borsh.hpp"

#include <cmath>

namespace receiptd::sandbox {

chain::CryptoHash chance_hash(std::uint64_t seed, ChanceOf what, std::uint64_t height, std::uint64_t place) {
    chain::Writer writer;
    writer.string("sandbox chance");
    writer.u64(seed);
    writer.u8(static_cast<std::uint8_t>(what));
    writer.u64(height);
    writer.u64(place);
    return chain::sha256(writer.result());
}

bool happens(double probability, std::uint64_t seed, ChanceOf what, std::uint64_t height,
             std::uint64_t place) {
    if (probability <= 0) return false;
    const chain::CryptoHash hash = chance_hash(seed, what, height, place);
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < 6; ++i) bits = bits << 8 | hash.bytes[i];
    return static_cast<double>(bits) < probability * std::ldexp(1.0, 48);
}

}  // namespace receiptd::sandbox
