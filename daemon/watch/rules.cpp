#include "watch/rules.hpp"

#include <algorithm>

namespace receiptd::watch {
namespace {

bool is_any(std::string_view glob) { return glob.empty() || glob == "*"; }

bool calls(const std::vector<std::string>& methods, std::string_view glob) {
    return is_any(glob) || std::any_of(methods.begin(), methods.end(),
                                       [&](const auto& method) { return matches_glob(glob, method); });
}

}  // namespace

bool matches_glob(std::string_view glob, std::string_view text) {
    if (is_any(glob)) return true;
    std::size_t at = 0;
    std::size_t in = 0;
    std::size_t star = std::string_view::npos;  // the latest one, and what it has taken so far
    std::size_t taken_to = 0;
    while (in < text.size()) {
        if (at < glob.size() && glob[at] == '*') {
            star = at++;
            taken_to = in;
        } else if (at < glob.size() && (glob[at] == '?' || glob[at] == text[in])) {
            ++at;
            ++in;
        } else if (star != std::string_view::npos) {
            at = star + 1;
            in = ++taken_to;
        } else {
            return false;
        }
    }
    return glob.find_first_not_of('*', at) == std::string_view::npos;
}

namespace {

// Who signs, or for whom a relayer does.
bool signs(const chain::SeenTransaction& transaction, std::string_view glob) {
    return matches_glob(glob, transaction.signer_id) ||
           (!transaction.user_id.empty() && matches_glob(glob, transaction.user_id));
}

}  // namespace

const config::WatchRule* Rules::match(const chain::SeenTransaction& transaction) const {
    for (const auto& rule : rules_)
        if (signs(transaction, rule.signer) && matches_glob(rule.receiver, transaction.receiver_id) &&
            calls(transaction.methods, rule.method))
            return &rule;
    return nullptr;
}

}  // namespace receiptd::watch
