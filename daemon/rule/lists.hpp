// Named lists of accounts: one table from an account to the lists that hold it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::rule {

struct AccountList {
    std::string name;  // a-z 0-9 _ -
    std::vector<std::string> accounts;
    friend bool operator==(const AccountList&, const AccountList&) = default;
};

using ListId = std::uint32_t;  // counts from 0

// Immutable. Copies, and successors that differ in a few accounts, share the large table.
class Lists {
public:
    static constexpr std::size_t kMostAccounts = 100'000;  // of one list
    static constexpr std::size_t kMostLists = 1'000;
    static constexpr std::size_t kMostListed = 1'000'000;  // of all lists together

    Lists();
    // If two lists have one name, the later one counts; an account that a list names twice is in it once.
    explicit Lists(const std::vector<AccountList>& lists);

    // A successor. The list is made if it is not there; an account that is in it already, or is not in it,
    // changes nothing.
    Lists with(std::string_view list, std::string_view account) const;
    Lists without(std::string_view list, std::string_view account) const;

    bool contains(std::string_view list, std::string_view account) const;
    // The lists that hold the account, ascending. Valid as long as this object.
    std::span<const ListId> of(std::string_view account) const;
    std::span<const std::string> names() const;  // by ListId

private:
    struct Table;
    Lists changed(std::string_view list, std::string_view account, bool in) const;
    std::shared_ptr<const std::vector<std::string>> names_;
    std::shared_ptr<const Table> table_;
    std::shared_ptr<const Table> changes_;  // accounts whose lists changed since; null: none
};

}  // namespace receiptd::rule
