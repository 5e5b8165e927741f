// Transactions of Ethereum wallets, as an ETH-implicit account's owner signs them (NEP-518): EIP-1559 (type
// 2) in RLP, with a call in Solidity's ABI inside.
#pragma once

#include "base/u128.hpp"
#include "chain/wire/bytes.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace receiptd::sandbox {

// The last 20 bytes of a Keccak-256.
using EthAddress = std::array<std::uint8_t, 20>;

// "0x" and 40 hex digits: the account of that address.
std::string eth_account_id(const EthAddress& address);
// The address that stands for a NEAR account in an Ethereum transaction: that of a 0x account is its own,
// another's is made from its name.
EthAddress eth_address_of(std::string_view account_id);

struct EthTransaction {
    std::uint64_t chain_id = 0;
    std::uint64_t nonce = 0;
    EthAddress to{};
    std::optional<base::u128> value;  // in wei; nullopt: more than 128 bits
    chain::Bytes data;
    EthAddress signer{};  // recovered from the signature
};
// nullopt: not the bytes of a type 2 transaction to somebody, or nobody can have signed them.
std::optional<EthTransaction> read_eth_transaction(chain::ByteView bytes);

// The calls that a wallet carries out.
struct EthFunctionCall {
    std::string receiver_id;
    std::string method_name;
    chain::Bytes args;
    std::uint64_t gas = 0;
    std::uint32_t yocto_near = 0;
};
struct EthTransfer {
    std::string receiver_id;
    std::uint32_t yocto_near = 0;
};
struct UnknownSelector {};
struct MalformedArguments {};
using EthCall = std::variant<EthFunctionCall, EthTransfer, UnknownSelector, MalformedArguments>;
EthCall read_eth_call(chain::ByteView data);

}  // namespace receiptd::sandbox
