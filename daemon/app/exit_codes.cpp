#include "app/exit_codes.hpp"

#include "app/commands.hpp"

#include <algorithm>
#include <cstdio>

namespace receiptd::app {
namespace {

struct ExitCode {
    int code;
    std::string_view commands;  // with a space around each; empty: all that have no line of their own
    const char* words;
};

constexpr ExitCode kExitCodes[] = {
    {kOk, "", "done"},
    {kOk, " watch ", "watched; with --wait: succeeded, and nothing came back"},
    {kOk, " submit ", "accepted"},
    {kOk, " status ", "a daemon answers and is ready"},
    {kOk, " verify-webhook ", "a running receiptd with this secret has sent it within five minutes"},
    {kFailed, "", "it failed; the last line on standard error says why"},
    {kFailed, " submit ", "the database or the hosts did not answer; submit it again"},
    {kFailed, " verify-webhook ", "it is not verified; the line on standard error says why"},
    {kFailed, " check-config ", "with --online: something failed; its line says what"},
    {kUsage, "", "wrong arguments or configuration; nothing was done"},
    {kUsage, " submit ", "the file is not a signed transaction"},
    {kUsage, " verify-webhook ", "the secret or the headers cannot be read"},
    {kIncomplete, " run ", "done, but heights or trees could not be had: they are listed"},
    {kIncomplete, " backfill ",
     "done, but heights, trees or rows of an account could not be had: they are listed"},
    {kIncomplete, " reindex ", "done, but heights or trees could not be had: their rows are those of before"},
    {kIncomplete, " forget ", "done, but trees that are not over stay"},
    {kTxHandled, " watch ",
     "with --wait: succeeded, but a failure was handled, a yield timed out or tokens came back"},
    {kNotReady, " status ", "no daemon answers, or it is not ready"},
    {kTxLost, " watch ", "with --wait: succeeded, and tokens were lost"},
    {kTxUndecided, " watch ",
     "with --wait: no host gives the receipts that decide the verdict, or that say whether tokens came back "
     "or were lost, or whether a yield timed out"},
    {kTxFailed, " watch ", "with --wait: verdict failed"},
    {kTxCallbackFailed, " watch ", "with --wait: verdict callback_failed"},
    {kTxReceiptFailed, " watch ", "with --wait: verdict receipt_failed"},
    {kTxRejected, " watch ", "with --wait: rejected"},
    {kTxRejected, " submit ", "rejected: the hosts do not accept it"},
    {kTxForwardingFailed, " watch ", "with --wait: forwarding_failed"},
    {kTxDropped, " watch ", "with --wait: dropped"},
    {kTxExpired, " watch ", "with --wait: expired"},
    {kTxUnknown, " watch ", "with --wait: unknown"},
    {kTxConflict, " watch ", "already watched with another sender, or with other metadata"},
    {kTxConflict, " submit ",
     "the idempotency key belongs to another transaction, or its metadata is another one"},
};

bool is_of(const ExitCode& row, std::string_view command) {
    return row.commands.find(' ' + std::string(command) + ' ') != std::string_view::npos;
}

bool has_own(int code, std::string_view command) {
    return std::any_of(std::begin(kExitCodes), std::end(kExitCodes),
                       [&](const auto& row) { return row.code == code && is_of(row, command); });
}

}  // namespace

std::string exit_codes_of(std::string_view command) {
    std::string text = "Exit codes:\n";
    for (const auto& row : kExitCodes) {
        if (!is_of(row, command) && !(row.commands.empty() && !has_own(row.code, command))) continue;
        char code[8];
        std::snprintf(code, sizeof code, "  %2d  ", row.code);
        text.append(code).append(row.words) += '\n';
    }
    return text;
}

std::vector<std::pair<std::string, std::string>> all_exit_codes() {
    std::vector<std::pair<std::string, std::string>> all;
    for (const auto& row : kExitCodes) {
        const auto code = std::to_string(row.code);
        if (all.empty() || all.back().first != code) all.emplace_back(code, "");
        auto& words = all.back().second;
        if (!words.empty()) words += "; ";
        if (!row.commands.empty())
            words += "`" + std::string(row.commands.substr(1, row.commands.size() - 2)) + "`: ";
        words += row.words;
    }
    return all;
}

}  // namespace receiptd::app
