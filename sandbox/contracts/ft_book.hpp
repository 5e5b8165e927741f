// The balances of ft.sandbox in contract storage, and the events about them.
#pragma once

#include "sandbox/contracts/json_args.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace receiptd::sandbox::contracts {

// Records as near-contract-standards writes them: "STATE" holds the total supply, "a" and the Borsh id
// the balance; both 16 bytes, little-endian. Armed failures: "f" and the Borsh id, a decimal count.
std::string ft_balance_key(std::string_view account_id);
std::string ft_failures_key(std::string_view account_id);
std::string ft_balance_record(u128 balance);
inline constexpr const char* kFtSupplyKey = "STATE";

class FtBook {
public:
    explicit FtBook(Host& host) : host_(host) {}

    // nullopt: not registered.
    std::optional<u128> balance(std::string_view account_id) const;
    u128 total_supply() const;
    void set_balance(std::string_view account_id, u128 balance);
    void set_total_supply(u128 supply);
    void unregister(std::string_view account_id);

    // All of these panic with near-contract-standards' texts.
    void transfer(const std::string& sender_id, const std::string& receiver_id, u128 amount,
                  const std::optional<std::string>& memo);
    void mint(const std::string& account_id, u128 amount, const std::optional<std::string>& memo);

    void log_transfer(const std::string& old_owner_id, const std::string& new_owner_id, u128 amount,
                      const std::optional<std::string>& memo);
    void log_burn(const std::string& owner_id, u128 amount, const std::optional<std::string>& memo);

    // How many resolves of that sender are still to panic.
    u128 armed_failures(std::string_view sender_id) const;
    void set_armed_failures(std::string_view sender_id, u128 count);

private:
    u128 registered_balance(const std::string& account_id) const;
    u128 read_u128(std::string_view key, const std::string& bytes) const;
    void log_event(const char* event, OrderedJson data, u128 amount, const std::optional<std::string>& memo);

    Host& host_;
};

}  // namespace receiptd::sandbox::contracts
