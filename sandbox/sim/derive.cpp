#include "sandbox/sim/derive.hpp"

#include "chain/wire/borsh.hpp"

#include <limits>

namespace receiptd::sandbox::sim {

using chain::CryptoHash;
using chain::Writer;

CryptoHash derive_id(const CryptoHash& base, std::uint64_t height, std::uint64_t salt) {
    Writer writer;
    writer.hash(base);
    writer.u64(height);
    writer.u64(salt);
    return chain::sha256(writer.result());
}

CryptoHash derive_id_by_block_hash(const CryptoHash& base, const CryptoHash& block_hash, std::uint64_t salt) {
    Writer writer;
    writer.hash(base);
    writer.hash(block_hash);
    writer.u64(salt);
    return chain::sha256(writer.result());
}

CryptoHash initial_receipt_id(const CryptoHash& transaction_hash, std::uint64_t height) {
    return derive_id(transaction_hash, height, 0);
}

CryptoHash child_receipt_id(const CryptoHash& parent_receipt_id, std::uint64_t height, std::uint64_t index) {
    return derive_id(parent_receipt_id, height, index);
}

CryptoHash action_hash(const CryptoHash& receipt_id, std::uint64_t height, std::uint64_t action_index) {
    return derive_id(receipt_id, height, std::numeric_limits<std::uint64_t>::max() - action_index);
}

CryptoHash data_id(const CryptoHash& action_hash, std::uint64_t height, std::uint64_t index) {
    return derive_id(action_hash, height, index);
}

CryptoHash random_seed(const CryptoHash& action_hash, const CryptoHash& random_value) {
    return chain::sha256_pair(action_hash, random_value);
}

}  // namespace receiptd::sandbox::sim
