#include "config/reload_entries.hpp"

#include "rule/canonical.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <unordered_map>

namespace receiptd::config {

namespace {

// Entries are matched by name. `compare` says what differs between two of one name; nothing where nothing
// does.
template <class Entry, class Compare>
std::vector<Change> replace_entries(const std::string& section, std::vector<Entry>& running,
                                    const std::vector<Entry>& read, const Compare& compare) {
    std::vector<Change> changes;
    const auto title = [&](const Entry& entry) { return section + " (" + entry.name + ")"; };
    std::unordered_map<std::string_view, const Entry*> now;
    for (const auto& entry : read) now.emplace(entry.name, &entry);
    std::unordered_map<std::string_view, const Entry*> before;
    for (const auto& entry : running) {
        before.emplace(entry.name, &entry);
        const auto twin = now.find(entry.name);
        if (twin == now.end())
            changes.push_back({title(entry), "present", "removed", true});
        else if (auto [from, to] = compare(entry, *twin->second); from != to)
            changes.push_back({title(entry), std::move(from), std::move(to), true});
    }
    for (const auto& entry : read)
        if (!before.contains(entry.name)) changes.push_back({title(entry), "absent", "added", true});
    running = read;
    return changes;
}

std::string count(std::size_t accounts) {
    return std::to_string(accounts) + (accounts == 1 ? " account" : " accounts");
}

std::pair<std::string, std::string> compare_lists(const AccountList& before, const AccountList& after) {
    auto old_ones = before.accounts;
    auto new_ones = after.accounts;
    std::sort(old_ones.begin(), old_ones.end());
    std::sort(new_ones.begin(), new_ones.end());
    std::vector<std::string> came;
    std::vector<std::string> went;
    std::set_difference(new_ones.begin(), new_ones.end(), old_ones.begin(), old_ones.end(),
                        std::back_inserter(came));
    std::set_difference(old_ones.begin(), old_ones.end(), new_ones.begin(), new_ones.end(),
                        std::back_inserter(went));
    if (came.empty() && went.empty()) return {};
    return {count(old_ones.size()), count(new_ones.size()) + " (" + std::to_string(came.size()) + " new, " +
                                        std::to_string(went.size()) + " removed)"};
}

}  // namespace

std::vector<Change> reload_rules(Settings& running, const Settings& read) {
    return replace_entries("rule", running.rules, read.rules,
                           [](const AlertRule& before, const AlertRule& after) {
                               return before.json == after.json ? std::pair<std::string, std::string>()
                                                                : rule::difference(before.json, after.json);
                           });
}

std::vector<Change> reload_lists(Settings& running, const Settings& read) {
    return replace_entries("list", running.lists, read.lists, compare_lists);
}

}  // namespace receiptd::config
