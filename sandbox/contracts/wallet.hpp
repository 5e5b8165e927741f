// The wallet contract of ETH-implicit ("0x…") accounts (NEP-518, chain-model.md §6.5): it does what its owner
// has signed with an Ethereum wallet, whoever brings it.
//
//   rlp_execute {target, tx_bytes_b64}    the Ethereum transaction; answers, itself or by its callback,
//                                         {"success":bool,"success_value":null|[bytes],"error":null|text}
//   rlp_execute_callback {caller_deposit} private
//   get_nonce                             of the next Ethereum transaction, as a decimal string
//
// The owner can call a method and transfer tokens. Other actions of the real contract (keys, emulated
// Ethereum transfers and ERC-20 calls) are an unknown selector here.
#pragma once

#include "sandbox/sim/host.hpp"

#include <cstdint>

namespace receiptd::sandbox {

inline constexpr std::uint64_t kEthChainId = 399;  // of local networks

class WalletContract final : public sim::Contract {
public:
    bool call(std::string_view method_name, sim::Host& host) const override;
};

}  // namespace receiptd::sandbox
