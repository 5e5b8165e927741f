#include "base/ascii.hpp"
#include "base/id_faults.hpp"
#include "config/alert_rules.hpp"
#include "rule/lists.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace receiptd::config {

namespace {

constexpr std::uintmax_t kLongestListFile = 16 << 20;
constexpr unsigned kMostFaults = 10;  // of a file: people mend the first ones, and see the rest

// Without a comment and the blanks around.
std::string_view content_of(std::string_view line) {
    return base::trimmed(line.substr(0, line.find('#')), " \t\r");
}

// Why the file cannot be read; empty: it can.
std::string unreadable_because(const std::filesystem::path& path) {
    struct stat facts {};
    if (::stat(path.c_str(), &facts) != 0) return std::strerror(errno);
    if (!S_ISREG(facts.st_mode)) return "it is no ordinary file";
    if (static_cast<std::uintmax_t>(facts.st_size) > kLongestListFile) return "it is longer than 16 MiB";
    return {};
}

}  // namespace

bool read_list(AccountList& list, const std::filesystem::path& path, std::istream& file, Report& report) {
    unsigned faults = 0;
    unsigned number = 0;
    for (std::string line; std::getline(file, line) && faults < kMostFaults;) {
        ++number;
        const auto account = content_of(line);
        if (account.empty()) continue;
        if (list.accounts.size() == rule::Lists::kMostAccounts) {
            report.error_in(path.string(), {number, 1},
                            "is one account too many: a list has at most 100,000");
            return false;
        }
        if (const auto fault = base::account_fault(account)) {
            ++faults;
            const auto column = static_cast<unsigned>(account.data() - line.data()) + 1;
            report.error_in(
                path.string(), {number, column},
                "must be one account id a line; \"" + std::string(account.substr(0, 80)) + "\" " + *fault);
        }
        list.accounts.emplace_back(account);
    }
    return faults == 0;
}

void read_lists(Settings& settings, const Places& places, const std::filesystem::path& folder,
                Report& report) {
    std::size_t listed = 0;
    for (std::size_t i = 0; i < settings.lists.size(); ++i) {
        auto& list = settings.lists[i];
        if (list.file.empty()) continue;
        const auto path = folder / list.file;
        const auto where = places.find("list[" + std::to_string(i) + "].file");
        auto problem = unreadable_because(path);
        std::ifstream file(path, std::ios::binary);
        if (problem.empty() && !file) problem = std::strerror(errno);
        if (!problem.empty()) {
            report.error(where, "list.file: cannot read \"" + path.string() + "\": " + problem);
            continue;
        }
        if (!read_list(list, path, file, report)) continue;
        listed += list.accounts.size();
        if (listed > rule::Lists::kMostListed) {
            report.error(where, "list.file: all lists together have more than 1,000,000 accounts");
            return;
        }
    }
}

}  // namespace receiptd::config
