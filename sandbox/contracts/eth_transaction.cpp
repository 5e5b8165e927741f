#include "sandbox/contracts/eth_transaction.hpp"

#include "chain/wire/account_id.hpp"
#include "chain/wire/hex.hpp"
#include "chain/wire/keccak.hpp"
#include "chain/wire/keys.hpp"

#include <algorithm>
#include <vector>

namespace receiptd::sandbox {

namespace {

using chain::Bytes;
using chain::ByteView;

constexpr std::uint8_t kType2 = 0x02;
constexpr std::size_t kSignedFields = 9;  // chain id … access list; behind them parity, r and s
constexpr std::size_t kFields = kSignedFields + 3;
constexpr std::size_t kWord = 32;  // of the ABI

EthAddress last_20(const chain::CryptoHash& hash) {
    EthAddress address{};
    std::copy(hash.bytes.end() - 20, hash.bytes.end(), address.begin());
    return address;
}

// An item of RLP with its place: `whole` includes the prefix.
struct RlpItem {
    bool is_list = false;
    ByteView payload;
    ByteView whole;
};

template <class Number>
std::optional<Number> big_endian(ByteView bytes) {
    if (bytes.size() > sizeof(Number)) return std::nullopt;
    Number value = 0;
    for (const std::uint8_t byte : bytes) value = value << 8 | byte;
    return value;
}

// The first item of the bytes; nullopt: there is none.
std::optional<RlpItem> first_item(ByteView bytes) {
    if (bytes.empty()) return std::nullopt;
    const std::uint8_t first = bytes.front();
    const bool is_list = first >= 0xc0;
    if (first < 0x80) return RlpItem{false, bytes.first(1), bytes.first(1)};
    const std::size_t tag = first - (is_list ? 0xc0U : 0x80U);
    std::size_t header = 1;
    std::size_t size = tag;
    if (tag > 55) {
        const std::size_t size_bytes = tag - 55;
        if (bytes.size() < 1 + size_bytes) return std::nullopt;
        const auto told = big_endian<std::size_t>(bytes.subspan(1, size_bytes));
        if (!told) return std::nullopt;
        header += size_bytes;
        size = *told;
    }
    if (bytes.size() - header < size) return std::nullopt;
    return RlpItem{is_list, bytes.subspan(header, size), bytes.first(header + size)};
}

std::optional<std::vector<RlpItem>> items_of(ByteView payload) {
    std::vector<RlpItem> items;
    while (!payload.empty()) {
        const auto item = first_item(payload);
        if (!item) return std::nullopt;
        items.push_back(*item);
        payload = payload.subspan(item->whole.size());
    }
    return items;
}

Bytes rlp_list(ByteView payload) {
    Bytes list;
    if (payload.size() <= 55) {
        list.push_back(static_cast<std::uint8_t>(0xc0 + payload.size()));
    } else {
        Bytes size;
        for (std::size_t rest = payload.size(); rest > 0; rest >>= 8)
            size.insert(size.begin(), static_cast<std::uint8_t>(rest));
        list.push_back(static_cast<std::uint8_t>(0xf7 + size.size()));
        list.insert(list.end(), size.begin(), size.end());
    }
    list.insert(list.end(), payload.begin(), payload.end());
    return list;
}

// Finds the signer: it signed Keccak-256 of the type and the list of the fields before the signature.
std::optional<EthAddress> signer_of(const std::vector<RlpItem>& fields) {
    const ByteView r = fields[kSignedFields + 1].payload;
    const ByteView s = fields[kSignedFields + 2].payload;
    const auto parity = big_endian<std::size_t>(fields[kSignedFields].payload);
    if (r.size() > kWord || s.size() > kWord || !parity || *parity > 1) return std::nullopt;
    Bytes raw(2 * kWord + 1);
    std::copy(r.begin(), r.end(), raw.begin() + static_cast<std::ptrdiff_t>(kWord - r.size()));
    std::copy(s.begin(), s.end(), raw.begin() + static_cast<std::ptrdiff_t>(2 * kWord - s.size()));
    raw.back() = static_cast<std::uint8_t>(*parity);
    const auto signature = chain::Signature::from_raw(chain::KeyType::secp256k1, raw);
    if (!signature) return std::nullopt;
    Bytes signed_fields;
    for (std::size_t i = 0; i < kSignedFields; ++i)
        signed_fields.insert(signed_fields.end(), fields[i].whole.begin(), fields[i].whole.end());
    Bytes message = rlp_list(signed_fields);
    message.insert(message.begin(), kType2);
    const auto key = chain::recover_secp256k1(*signature, chain::keccak256(message).view());
    if (!key) return std::nullopt;
    return last_20(chain::keccak256(key->raw()));
}

// Solidity's ABI: words of 32 bytes; what has no fixed size stands behind them, at an offset that its word
// tells.
class AbiReader {
public:
    explicit AbiReader(ByteView data) : data_(data) {}

    std::uint64_t number(std::uint64_t most) {
        const ByteView word = next_word();
        const auto value = failed_ ? std::nullopt : small(word);
        if (!value || *value > most) failed_ = true;
        return value.value_or(0);
    }
    Bytes bytes() {
        const auto offset = number(data_.size());
        if (failed_ || data_.size() - offset < kWord) return fail();
        const auto size = small(data_.subspan(offset, kWord));
        if (!size || data_.size() - offset - kWord < *size) return fail();
        const ByteView content = data_.subspan(offset + kWord, *size);
        return Bytes(content.begin(), content.end());
    }
    std::string text() { return std::string(chain::text_of(bytes())); }
    bool failed() const { return failed_; }

private:
    ByteView next_word() {
        if (data_.size() < at_ + kWord) {
            failed_ = true;
            return {};
        }
        return data_.subspan(std::exchange(at_, at_ + kWord), kWord);
    }
    static std::optional<std::uint64_t> small(ByteView word) {
        const ByteView high = word.first(kWord - sizeof(std::uint64_t));
        if (std::any_of(high.begin(), high.end(), [](std::uint8_t byte) { return byte != 0; }))
            return std::nullopt;
        return big_endian<std::size_t>(word.last(sizeof(std::uint64_t)));
    }
    Bytes fail() {
        failed_ = true;
        return {};
    }

    ByteView data_;
    std::size_t at_ = 0;
    bool failed_ = false;
};

bool is_call_of(ByteView data, std::string_view signature) {
    const auto hash = chain::keccak256(chain::bytes_of(signature));
    return data.size() >= 4 && std::equal(data.begin(), data.begin() + 4, hash.bytes.begin());
}

}  // namespace

std::string eth_account_id(const EthAddress& address) { return "0x" + chain::hex_encode(ByteView(address)); }

EthAddress eth_address_of(std::string_view account_id) {
    if (chain::account_kind(account_id) != chain::AccountKind::eth_implicit)
        return last_20(chain::keccak256(chain::bytes_of(account_id)));
    const Bytes raw = chain::hex_decode(account_id.substr(2)).value();
    EthAddress address{};
    std::copy(raw.begin(), raw.end(), address.begin());
    return address;
}

std::optional<EthTransaction> read_eth_transaction(ByteView bytes) {
    if (bytes.empty() || bytes.front() != kType2) return std::nullopt;
    const auto list = first_item(bytes.subspan(1));
    if (!list || !list->is_list || list->whole.size() + 1 != bytes.size()) return std::nullopt;
    const auto fields = items_of(list->payload);
    if (!fields || fields->size() != kFields) return std::nullopt;
    const auto chain_id = big_endian<std::size_t>((*fields)[0].payload);
    const auto nonce = big_endian<std::size_t>((*fields)[1].payload);
    const ByteView to = (*fields)[5].payload;
    const auto signer = signer_of(*fields);
    if (!chain_id || !nonce || to.size() != EthAddress().size() || !signer) return std::nullopt;
    EthTransaction transaction;
    transaction.chain_id = *chain_id;
    transaction.nonce = *nonce;
    std::copy(to.begin(), to.end(), transaction.to.begin());
    transaction.value = big_endian<base::u128>((*fields)[6].payload);
    const ByteView data = (*fields)[7].payload;
    transaction.data.assign(data.begin(), data.end());
    transaction.signer = *signer;
    return transaction;
}

EthCall read_eth_call(ByteView data) {
    constexpr std::uint64_t kU32 = 0xffff'ffff;
    constexpr std::uint64_t kU64 = ~std::uint64_t{0};
    if (is_call_of(data, "functionCall(string,string,bytes,uint64,uint32)")) {
        AbiReader reader(data.subspan(4));
        EthFunctionCall call;
        call.receiver_id = reader.text();
        call.method_name = reader.text();
        call.args = reader.bytes();
        call.gas = reader.number(kU64);
        call.yocto_near = static_cast<std::uint32_t>(reader.number(kU32));
        return reader.failed() ? EthCall(MalformedArguments{}) : EthCall(std::move(call));
    }
    if (is_call_of(data, "transfer(string,uint32)")) {
        AbiReader reader(data.subspan(4));
        EthTransfer transfer;
        transfer.receiver_id = reader.text();
        transfer.yocto_near = static_cast<std::uint32_t>(reader.number(kU32));
        return reader.failed() ? EthCall(MalformedArguments{}) : EthCall(std::move(transfer));
    }
    return UnknownSelector{};
}

}  // namespace receiptd::sandbox
