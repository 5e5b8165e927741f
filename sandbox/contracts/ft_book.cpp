#include "sandbox/contracts/ft_book.hpp"

#include "chain/wire/borsh.hpp"

namespace receiptd::sandbox::contracts {

namespace {

constexpr std::size_t kBalanceBytes = 16;
constexpr u128 kMaxU128 = ~u128{0};

std::string prefixed(char prefix, std::string_view account_id) {
    chain::Writer writer;
    writer.string(account_id);
    return prefix + std::string(chain::text_of(writer.result()));
}

}  // namespace

std::string ft_balance_key(std::string_view account_id) { return prefixed('a', account_id); }
std::string ft_failures_key(std::string_view account_id) { return prefixed('f', account_id); }

std::string ft_balance_record(u128 balance) {
    std::string bytes(kBalanceBytes, '\0');
    for (char& byte : bytes) {
        byte = static_cast<char>(static_cast<unsigned char>(balance & 0xFFU));
        balance >>= 8U;
    }
    return bytes;
}

u128 FtBook::read_u128(std::string_view key, const std::string& bytes) const {
    // Only other code on the same account could have written something else.
    if (bytes.size() != kBalanceBytes)
        host_.panic("Cannot deserialize the record " + std::string(key.substr(0, 1)));
    u128 value = 0;
    for (std::size_t i = kBalanceBytes; i-- > 0;)
        value = (value << 8U) | static_cast<unsigned char>(bytes[i]);
    return value;
}

std::optional<u128> FtBook::balance(std::string_view account_id) const {
    const std::string key = ft_balance_key(account_id);
    const auto bytes = host_.storage_read(key);
    if (!bytes) return std::nullopt;
    return read_u128(key, *bytes);
}

u128 FtBook::total_supply() const {
    const auto bytes = host_.storage_read(kFtSupplyKey);
    // Code that was just deployed: the token needs no init call.
    return bytes ? read_u128(kFtSupplyKey, *bytes) : 0;
}

void FtBook::set_balance(std::string_view account_id, u128 balance) {
    host_.storage_write(ft_balance_key(account_id), ft_balance_record(balance));
}

void FtBook::set_total_supply(u128 supply) { host_.storage_write(kFtSupplyKey, ft_balance_record(supply)); }
void FtBook::unregister(std::string_view account_id) { host_.storage_remove(ft_balance_key(account_id)); }

u128 FtBook::registered_balance(const std::string& account_id) const {
    const auto found = balance(account_id);
    if (!found) host_.panic("The account " + account_id + " is not registered");
    return *found;
}

void FtBook::transfer(const std::string& sender_id, const std::string& receiver_id, u128 amount,
                      const std::optional<std::string>& memo) {
    if (sender_id == receiver_id) host_.panic("Sender and receiver should be different");
    if (amount == 0) host_.panic("The amount should be a positive number");
    const u128 from = registered_balance(sender_id);
    if (from < amount) host_.panic("The account doesn't have enough balance");
    // The sum of all balances is the total supply, which fits: so does every one of them.
    const u128 to = registered_balance(receiver_id);
    set_balance(sender_id, from - amount);
    set_balance(receiver_id, to + amount);
    log_transfer(sender_id, receiver_id, amount, memo);
}

void FtBook::mint(const std::string& account_id, u128 amount, const std::optional<std::string>& memo) {
    if (amount == 0) host_.panic("The amount should be a positive number");
    const u128 supply = total_supply();
    if (amount > kMaxU128 - supply) host_.panic("Total supply overflow");
    set_balance(account_id, balance(account_id).value_or(0) + amount);
    set_total_supply(supply + amount);
    OrderedJson data;
    data["owner_id"] = account_id;
    log_event("ft_mint", std::move(data), amount, memo);
}

void FtBook::log_transfer(const std::string& old_owner_id, const std::string& new_owner_id, u128 amount,
                          const std::optional<std::string>& memo) {
    OrderedJson data;
    data["old_owner_id"] = old_owner_id;
    data["new_owner_id"] = new_owner_id;
    log_event("ft_transfer", std::move(data), amount, memo);
}

void FtBook::log_burn(const std::string& owner_id, u128 amount, const std::optional<std::string>& memo) {
    OrderedJson data;
    data["owner_id"] = owner_id;
    log_event("ft_burn", std::move(data), amount, memo);
}

void FtBook::log_event(const char* event, OrderedJson data, u128 amount,
                       const std::optional<std::string>& memo) {
    data["amount"] = amount_text(amount);
    if (memo) data["memo"] = *memo;
    OrderedJson whole;
    whole["standard"] = "nep141";
    whole["version"] = "1.0.0";
    whole["event"] = event;
    whole["data"] = OrderedJson::array({std::move(data)});
    host_.log("EVENT_JSON:" + whole.dump());
}

u128 FtBook::armed_failures(std::string_view sender_id) const {
    const auto text = host_.storage_read(ft_failures_key(sender_id));
    return text ? base::parse_u128(*text).value_or(0) : 0;
}

void FtBook::set_armed_failures(std::string_view sender_id, u128 count) {
    if (count == 0) {
        host_.storage_remove(ft_failures_key(sender_id));
    } else {
        host_.storage_write(ft_failures_key(sender_id), base::to_string(count));
    }
}

}  // namespace receiptd::sandbox::contracts
