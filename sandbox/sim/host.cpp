#include "sandbox/sim/host.hpp"

namespace receiptd::sandbox::sim {

void Contracts::add(std::string_view code, std::unique_ptr<Contract> contract) {
    by_code_hash_[chain::sha256(chain::bytes_of(code))] = std::move(contract);
}

const Contract* Contracts::find(const CryptoHash& code_hash) const {
    const auto found = by_code_hash_.find(code_hash);
    return found == by_code_hash_.end() ? nullptr : found->second.get();
}

}  // namespace receiptd::sandbox::sim
