// Ethereum transactions as a wallet signs them: type 2 in RLP, calls in Solidity's ABI.
#pragma once

#include "chain/wire/base64.hpp"
#include "chain/wire/keccak.hpp"
#include "sandbox/contracts/eth_transaction.hpp"
#include "sandbox/contracts/wallet.hpp"
#include "sandbox/sim/secret_key.hpp"

#include <string>
#include <vector>

namespace receiptd::sandbox {

using EthBytes = std::string;

inline EthBytes number_bytes(sim::u128 value) {
    EthBytes bytes;
    for (; value > 0; value >>= 8)
        bytes.insert(bytes.begin(), static_cast<char>(static_cast<std::uint8_t>(value)));
    return bytes;
}

inline EthBytes rlp(const EthBytes& payload, std::uint8_t base) {
    if (base == 0x80 && payload.size() == 1 && static_cast<std::uint8_t>(payload[0]) < 0x80) return payload;
    if (payload.size() <= 55) return static_cast<char>(base + payload.size()) + payload;
    const EthBytes size = number_bytes(payload.size());
    return static_cast<char>(base + 55 + size.size()) + size + payload;
}

inline EthBytes rlp_list(const std::vector<EthBytes>& items) {
    EthBytes payload;
    for (const EthBytes& item : items) payload += item;
    return rlp(payload, 0xc0);
}

inline EthBytes abi_word(sim::u128 value) {
    const EthBytes bytes = number_bytes(value);
    return EthBytes(32 - bytes.size(), '\0') + bytes;
}

inline EthBytes abi_bytes(const EthBytes& content) {
    return abi_word(content.size()) + content + EthBytes((32 - content.size() % 32) % 32, '\0');
}

inline EthBytes selector(const char* signature) {
    return EthBytes(chain::text_of(chain::keccak256(chain::bytes_of(signature)).view().first(4)));
}

inline EthBytes eth_function_call(const std::string& receiver, const std::string& method,
                                  const EthBytes& args, sim::Gas gas, std::uint32_t yocto = 0) {
    const EthBytes first = abi_bytes(receiver), second = abi_bytes(method);
    const std::size_t head = 5 * 32;
    return selector("functionCall(string,string,bytes,uint64,uint32)") + abi_word(head) +
           abi_word(head + first.size()) + abi_word(head + first.size() + second.size()) + abi_word(gas) +
           abi_word(yocto) + first + second + abi_bytes(args);
}

inline EthBytes eth_transfer(const std::string& receiver, std::uint32_t yocto) {
    return selector("transfer(string,uint32)") + abi_word(64) + abi_word(yocto) + abi_bytes(receiver);
}

struct EthWish {
    std::string target;
    EthBytes data;
    std::uint64_t nonce = 0;
    EthBytes value{};  // big-endian wei
    std::uint64_t chain_id = kEthChainId;
};

struct EthWallet {
    sim::SecretKey key = *sim::SecretKey::from_seed(
        chain::KeyType::secp256k1, chain::sha256(chain::bytes_of("an Ethereum wallet")).view());

    std::string account_id() const {
        const auto hash = chain::keccak256(key.public_key().raw());
        EthAddress address{};
        std::copy(hash.bytes.end() - 20, hash.bytes.end(), address.begin());
        return eth_account_id(address);
    }
    EthBytes sign(const EthWish& wish) const {
        const EthAddress to = eth_address_of(wish.target);
        std::vector<EthBytes> fields;
        for (const EthBytes& field :
             {number_bytes(wish.chain_id), number_bytes(wish.nonce), number_bytes(1), number_bytes(1),
              number_bytes(500'000), EthBytes(to.begin(), to.end()), wish.value, wish.data})
            fields.push_back(rlp(field, 0x80));
        fields.push_back(rlp_list({}));
        const auto signature = key.sign(chain::keccak256(chain::bytes_of("\2" + rlp_list(fields))).view());
        const EthBytes raw(chain::text_of(signature.raw()));
        fields.push_back(rlp(number_bytes(static_cast<std::uint8_t>(raw[64])), 0x80));
        for (const std::size_t at : {std::size_t{0}, std::size_t{32}}) {
            EthBytes part = raw.substr(at, 32);
            part.erase(0, part.find_first_not_of('\0'));
            fields.push_back(rlp(part, 0x80));
        }
        return "\2" + rlp_list(fields);
    }
    // What a relayer brings to rlp_execute.
    std::string args(const EthWish& wish) const {
        return R"({"target":")" + wish.target + R"(","tx_bytes_b64":")" +
               chain::base64_encode(chain::bytes_of(sign(wish))) + "\"}";
    }
};

}  // namespace receiptd::sandbox
