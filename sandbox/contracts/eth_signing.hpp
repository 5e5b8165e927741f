// Ethereum transactions as the owner of a "0x…" account signs them: the other side of eth_transaction.hpp.
#pragma once

#include "sandbox/contracts/eth_transaction.hpp"
#include "sandbox/contracts/wallet.hpp"
#include "sandbox/sim/secret_key.hpp"

#include <string>

namespace receiptd::sandbox {

using EthBytes = std::string;

// Big-endian, without leading zeros.
EthBytes number_bytes(sim::u128 value);

// Calls of the wallet, in Solidity's ABI: `data` of a transaction.
EthBytes eth_function_call(const std::string& receiver, const std::string& method, const EthBytes& args,
                           sim::Gas gas, std::uint32_t yocto = 0);
EthBytes eth_transfer(const std::string& receiver, std::uint32_t yocto);

struct EthWish {
    std::string target;  // a NEAR account
    EthBytes data;
    std::uint64_t nonce = 0;
    EthBytes value{};  // big-endian wei
    std::uint64_t chain_id = kEthChainId;
};

// An owner, by a secp256k1 key.
class EthOwner {
public:
    explicit EthOwner(sim::SecretKey key) : key_(std::move(key)) {}

    std::string account_id() const;
    // A transaction of type 2.
    EthBytes sign(const EthWish& wish) const;
    // The arguments with which a relayer brings it to rlp_execute.
    std::string args(const EthWish& wish) const;

private:
    sim::SecretKey key_;
};

}  // namespace receiptd::sandbox
