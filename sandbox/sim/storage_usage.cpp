#include "sandbox/sim/storage_usage.hpp"

#include "sandbox/sim/limits.hpp"

namespace receiptd::sandbox::sim {

namespace {

constexpr std::uint64_t kHashBytes = 32;
constexpr std::uint64_t kNonceBytes = 8;
constexpr std::uint64_t kNonceIndexBytes = 2;
constexpr std::uint64_t kGasKeyInfoBytes = 18;  // balance and num_nonces
constexpr std::uint64_t kLengthBytes = 4;
constexpr std::uint64_t kTagBytes = 1;
constexpr std::uint64_t kBalanceBytes = 16;

std::uint64_t public_key_storage(const PublicKey& key) {
    return kTagBytes + (key.type() == chain::KeyType::ml_dsa_65 ? kHashBytes : key.raw().size());
}

std::uint64_t permission_storage(const wire::FunctionCallPermission& permission) {
    std::uint64_t bytes = kTagBytes + (permission.allowance ? kBalanceBytes : 0) + kLengthBytes +
                          permission.receiver_id.size() + kLengthBytes;
    for (const std::string& name : permission.method_names) bytes += kLengthBytes + name.size();
    return bytes;
}

std::uint64_t permission_storage(const wire::Permission& permission) {
    if (const auto* call = std::get_if<wire::FunctionCallPermission>(&permission))
        return kTagBytes + permission_storage(*call);
    if (const auto* call = std::get_if<wire::GasKeyFunctionCall>(&permission))
        return kTagBytes + kGasKeyInfoBytes + permission_storage(call->function_call);
    if (std::holds_alternative<wire::GasKeyFullAccess>(permission)) return kTagBytes + kGasKeyInfoBytes;
    return kTagBytes;
}

}  // namespace

std::uint64_t key_storage(const PublicKey& key, const wire::AccessKey& access_key) {
    const std::uint64_t key_bytes = public_key_storage(key);
    std::uint64_t bytes = key_bytes + kNonceBytes + permission_storage(access_key.permission) + kRecordBytes;
    if (const auto* gas_key = gas_key_info(access_key))
        bytes += gas_key->num_nonces * (key_bytes + kNonceIndexBytes + kNonceBytes + kRecordBytes);
    return bytes;
}

std::uint64_t data_storage(std::string_view key, std::string_view value) {
    return key.size() + value.size() + kRecordBytes;
}

std::uint64_t contract_id_storage(const wire::GlobalContractId& contract) {
    const auto* account = std::get_if<std::string>(&contract);
    return account ? account->size() : kHashBytes;
}

std::optional<u128> storage_shortfall(const Account& account) {
    if (account.storage_usage <= kFreeStorageBytes) return std::nullopt;
    const u128 required = kStoragePricePerByte * account.storage_usage;
    const u128 available = account.amount + account.locked;
    return available >= required ? std::nullopt : std::optional<u128>(required - available);
}

}  // namespace receiptd::sandbox::sim
