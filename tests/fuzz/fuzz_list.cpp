// A file with the accounts of a list, as other programs write it.
#include "base/id_faults.hpp"
#include "config/alert_rules.hpp"
#include "fuzz/visit_model.hpp"
#include "rule/lists.hpp"

#include <sstream>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace receiptd;
    std::istringstream file(std::string(reinterpret_cast<const char*>(data), size));
    config::AccountList list;
    config::Report report("r.toml");
    const bool taken = config::read_list(list, "list.txt", file, report);
    const auto problems = report.in_file_order();
    fuzz::require(taken == problems.empty(), "a refused file has a fault");
    for (const auto& problem : problems)
        fuzz::require(problem.file == "list.txt" && problem.line > 0, "a fault has a place", problem.message);
    if (!taken) return 0;
    for (const auto& account : list.accounts)
        fuzz::require(!base::account_fault(account), "only accounts are listed", account);
    const rule::Lists lists({{"listed", list.accounts}});
    return 0;
}
