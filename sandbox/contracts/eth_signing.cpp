#include "sandbox/contracts/eth_signing.hpp"

#include "chain/wire/base64.hpp"
#include "chain/wire/keccak.hpp"

#include <vector>

namespace receiptd::sandbox {

namespace {

constexpr std::uint8_t kRlpText = 0x80;
constexpr std::uint8_t kRlpList = 0xc0;
constexpr std::size_t kShortRlp = 55;
constexpr std::size_t kAbiWord = 32;

EthBytes rlp(const EthBytes& payload, std::uint8_t kind) {
    if (kind == kRlpText && payload.size() == 1 && static_cast<std::uint8_t>(payload[0]) < kRlpText)
        return payload;
    if (payload.size() <= kShortRlp) return static_cast<char>(kind + payload.size()) + payload;
    const EthBytes size = number_bytes(payload.size());
    return static_cast<char>(kind + kShortRlp + size.size()) + size + payload;
}

EthBytes rlp_list(const std::vector<EthBytes>& items) {
    EthBytes payload;
    for (const EthBytes& item : items) payload += item;
    return rlp(payload, kRlpList);
}

EthBytes abi_word(sim::u128 value) {
    const EthBytes bytes = number_bytes(value);
    return EthBytes(kAbiWord - bytes.size(), '\0') + bytes;
}

EthBytes abi_bytes(const EthBytes& content) {
    return abi_word(content.size()) + content +
           EthBytes((kAbiWord - content.size() % kAbiWord) % kAbiWord, '\0');
}

EthBytes selector(std::string_view signature) {
    return EthBytes(chain::text_of(chain::keccak256(chain::bytes_of(signature)).view().first(4)));
}

}  // namespace

EthBytes number_bytes(sim::u128 value) {
    EthBytes bytes;
    for (; value > 0; value >>= 8)
        bytes.insert(bytes.begin(), static_cast<char>(static_cast<std::uint8_t>(value)));
    return bytes;
}

EthBytes eth_function_call(const std::string& receiver, const std::string& method, const EthBytes& args,
                           sim::Gas gas, std::uint32_t yocto) {
    const EthBytes first = abi_bytes(receiver), second = abi_bytes(method);
    const std::size_t head = 5 * kAbiWord;
    return selector("functionCall(string,string,bytes,uint64,uint32)") + abi_word(head) +
           abi_word(head + first.size()) + abi_word(head + first.size() + second.size()) + abi_word(gas) +
           abi_word(yocto) + first + second + abi_bytes(args);
}

EthBytes eth_transfer(const std::string& receiver, std::uint32_t yocto) {
    return selector("transfer(string,uint32)") + abi_word(2 * kAbiWord) + abi_word(yocto) +
           abi_bytes(receiver);
}

std::string EthOwner::account_id() const {
    const auto hash = chain::keccak256(key_.public_key().raw());
    EthAddress address{};
    std::copy(hash.bytes.end() - address.size(), hash.bytes.end(), address.begin());
    return eth_account_id(address);
}

EthBytes EthOwner::sign(const EthWish& wish) const {
    constexpr std::size_t kHalf = 32;
    const EthAddress to = eth_address_of(wish.target);
    std::vector<EthBytes> fields;
    for (const EthBytes& field :
         {number_bytes(wish.chain_id), number_bytes(wish.nonce), number_bytes(1), number_bytes(1),
          number_bytes(500'000), EthBytes(to.begin(), to.end()), wish.value, wish.data})
        fields.push_back(rlp(field, kRlpText));
    fields.push_back(rlp_list({}));
    const auto signature = key_.sign(chain::keccak256(chain::bytes_of("\2" + rlp_list(fields))).view());
    const EthBytes raw(chain::text_of(signature.raw()));
    fields.push_back(rlp(number_bytes(static_cast<std::uint8_t>(raw[2 * kHalf])), kRlpText));
    for (const std::size_t at : {std::size_t{0}, kHalf}) {
        EthBytes part = raw.substr(at, kHalf);
        part.erase(0, part.find_first_not_of('\0'));
        fields.push_back(rlp(part, kRlpText));
    }
    return "\2" + rlp_list(fields);
}

std::string EthOwner::args(const EthWish& wish) const {
    return R"({"target":")" + wish.target + R"(","tx_bytes_b64":")" +
           chain::base64_encode(chain::bytes_of(sign(wish))) + "\"}";
}

}  // namespace receiptd::sandbox
