#include "rule/lists.hpp"

#include "rule/text_map.hpp"

#include <algorithm>
#include <optional>

namespace receiptd::rule {
namespace {

// More changed accounts than this are put into the table.
constexpr std::size_t kMostChanges = 1'024;

using ListNames = std::vector<std::string>;

std::optional<ListId> find_list(const ListNames& names, std::string_view list) {
    const auto found = std::find(names.begin(), names.end(), list);
    if (found == names.end()) return std::nullopt;
    return static_cast<ListId>(found - names.begin());
}

}  // namespace

struct Lists::Table {
    TextMap<std::vector<ListId>> lists_of;
};

Lists::Lists() : names_(std::make_shared<ListNames>()), table_(std::make_shared<Table>()) {}

Lists::Lists(const std::vector<AccountList>& lists) {
    ListNames names;
    Table table;
    for (auto list = lists.begin(); list != lists.end(); ++list) {
        const bool replaced = std::any_of(list + 1, lists.end(),
                                          [&](const AccountList& later) { return later.name == list->name; });
        if (replaced) continue;
        const auto id = static_cast<ListId>(names.size());
        names.push_back(list->name);
        for (const auto& account : list->accounts) {
            auto& ids = table.lists_of[account];
            if (ids.empty() || ids.back() != id) ids.push_back(id);
        }
    }
    names_ = std::make_shared<const ListNames>(std::move(names));
    table_ = std::make_shared<const Table>(std::move(table));
}

Lists Lists::with(std::string_view list, std::string_view account) const {
    return changed(list, account, true);
}

Lists Lists::without(std::string_view list, std::string_view account) const {
    return changed(list, account, false);
}

Lists Lists::changed(std::string_view list, std::string_view account, bool in) const {
    auto successor = *this;
    auto id = find_list(*names_, list);
    if (!id) {
        if (!in) return successor;
        auto names = *names_;
        names.emplace_back(list);
        id = static_cast<ListId>(names.size() - 1);
        successor.names_ = std::make_shared<const ListNames>(std::move(names));
    }
    const auto before = of(account);
    if (std::binary_search(before.begin(), before.end(), *id) == in) return successor;
    std::vector<ListId> ids(before.begin(), before.end());
    if (in)
        ids.insert(std::upper_bound(ids.begin(), ids.end(), *id), *id);
    else
        std::erase(ids, *id);
    auto changes = changes_ ? *changes_ : Table{};
    changes.lists_of[std::string(account)] = std::move(ids);
    if (changes.lists_of.size() <= kMostChanges) {
        successor.changes_ = std::make_shared<const Table>(std::move(changes));
        return successor;
    }
    auto table = *table_;
    for (auto& [changed_account, now_in] : changes.lists_of) {
        if (now_in.empty())
            table.lists_of.erase(changed_account);
        else
            table.lists_of[changed_account] = now_in;
    }
    successor.table_ = std::make_shared<const Table>(std::move(table));
    successor.changes_.reset();
    return successor;
}

std::span<const ListId> Lists::of(std::string_view account) const {
    if (changes_)
        if (const auto found = changes_->lists_of.find(account); found != changes_->lists_of.end())
            return found->second;
    const auto found = table_->lists_of.find(account);
    if (found == table_->lists_of.end()) return {};
    return found->second;
}

bool Lists::contains(std::string_view list, std::string_view account) const {
    const auto ids = of(account);
    return std::any_of(ids.begin(), ids.end(), [&](ListId id) { return (*names_)[id] == list; });
}

std::span<const std::string> Lists::names() const { return *names_; }

}  // namespace receiptd::rule
