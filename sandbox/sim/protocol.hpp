// The protocol versions that a chain can have, and the rules in which they differ (chain-model.md §5, §8.1,
// §11).
#pragma once

#include "sandbox/sim/model.hpp"

#include <cstdint>
#include <string>

namespace receiptd::sandbox::sim {

// One row of the fee table, in gas.
struct Fee {
    Gas send_to_self = 0;
    Gas send_to_other = 0;
    Gas exec = 0;
};

struct Share {
    std::uint64_t part = 0;
    std::uint64_t whole = 1;
};

struct Protocol {
    std::uint32_t version = 0;
    Fee create_account;
    Fee state_init;
    // Gas for later is bought at this price or at the block's, whichever is higher. It is burnt at the
    // block's price, and the surplus comes back (NEP-642). 0, before version 85: gas is bought and burnt at
    // the price of the block that converts the transaction.
    u128 min_gas_purchase_price = 0;
    u128 account_creation_charge = 0;  // yoctoNEAR that a new account costs in all; 0: only its gas
    // Gas keys, transactions V1, DelegateV2 and ML-DSA keys.
    bool has_gas_keys = false;
    bool has_delegate_v2 = false;
    Share contract_reward;  // of the gas fees of a function call, to the contract's account
    bool tells_contracts =
        false;  // outcomes of receipts have metadata 4, with the contracts that ran; else 3
    std::uint8_t chunk_header_version = 0;
    std::uint8_t block_header_version = 0;  // of the header's inner rest

    // Per gas, in yoctoNEAR.
    u128 purchase_price(u128 block_price) const;
    u128 burn_price(u128 purchase_price, u128 block_price) const;
};

// nullptr: not a version that a chain can have.
const Protocol* find_protocol(std::uint32_t version);
// 86, that of mainnet.
const Protocol& usual_protocol();
// "84, 86, … or 157", for messages.
std::string known_protocols();

}  // namespace receiptd::sandbox::sim
