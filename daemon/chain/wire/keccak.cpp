#include "chain/wire/keccak.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace receiptd::chain {

namespace {

using State = std::array<std::uint64_t, 25>;
constexpr std::size_t kRate = 136;  // bytes absorbed per permutation for a 256-bit digest

constexpr std::array<std::uint64_t, 24> kRoundConstants = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000, 0x000000000000808b,
    0x0000000080000001, 0x8000000080008081, 0x8000000000008009, 0x000000000000008a, 0x0000000000000088,
    0x0000000080008009, 0x000000008000000a, 0x000000008000808b, 0x800000000000008b, 0x8000000000008089,
    0x8000000000008003, 0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008};

void theta(State& a) {
    std::array<std::uint64_t, 5> column;
    for (std::size_t x = 0; x < 5; ++x) column[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
    for (std::size_t x = 0; x < 5; ++x) {
        const std::uint64_t mix = column[(x + 4) % 5] ^ std::rotl(column[(x + 1) % 5], 1);
        for (std::size_t y = 0; y < 25; y += 5) a[x + y] ^= mix;
    }
}

// Walks the lanes in the order of pi; the rotation offsets of rho are the triangular numbers.
void rho_pi(State& a) {
    std::size_t x = 1;
    std::size_t y = 0;
    std::uint64_t lane = a[1];
    for (int t = 0; t < 24; ++t) {
        const std::size_t next_y = (2 * x + 3 * y) % 5;
        x = y;
        y = next_y;
        std::swap(lane, a[x + 5 * y]);
        a[x + 5 * y] = std::rotl(a[x + 5 * y], (t + 1) * (t + 2) / 2 % 64);
    }
}

void chi(State& a) {
    for (std::size_t y = 0; y < 25; y += 5) {
        std::array<std::uint64_t, 5> row;
        std::copy_n(a.begin() + static_cast<std::ptrdiff_t>(y), 5, row.begin());
        for (std::size_t x = 0; x < 5; ++x) a[y + x] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]);
    }
}

void permute(State& state) {
    for (const std::uint64_t constant : kRoundConstants) {
        theta(state);
        rho_pi(state);
        chi(state);
        state[0] ^= constant;
    }
}

void absorb(State& state, ByteView block) {
    for (std::size_t i = 0; i < block.size(); ++i) state[i / 8] ^= std::uint64_t{block[i]} << (8 * (i % 8));
}

CryptoHash sponge(ByteView bytes, std::uint8_t domain) {
    State state{};
    for (; bytes.size() >= kRate; bytes = bytes.subspan(kRate)) {
        absorb(state, bytes.first(kRate));
        permute(state);
    }
    std::array<std::uint8_t, kRate> last{};
    std::copy(bytes.begin(), bytes.end(), last.begin());
    last[bytes.size()] = domain;
    last[kRate - 1] |= 0x80;
    absorb(state, last);
    permute(state);
    CryptoHash hash;
    for (std::size_t i = 0; i < hash.bytes.size(); ++i)
        hash.bytes[i] = static_cast<std::uint8_t>(state[i / 8] >> (8 * (i % 8)));
    return hash;
}

}  // namespace

CryptoHash keccak256(ByteView bytes) { return sponge(bytes, 0x01); }

CryptoHash sha3_256(ByteView bytes) { return sponge(bytes, 0x06); }

}  // namespace receiptd::chain
