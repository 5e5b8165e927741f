#include "watch/rules.hpp"

#include "base/glob.hpp"

#include <algorithm>

namespace receiptd::watch {
namespace {

bool is_any(std::string_view glob) { return glob.empty() || glob == "*"; }

bool fits(std::string_view glob, std::string_view text) {
    return is_any(glob) || base::matches_glob(glob, text);
}

bool calls(const std::vector<std::string>& methods, std::string_view glob) {
    return is_any(glob) || std::any_of(methods.begin(), methods.end(),
                                       [&](const auto& method) { return fits(glob, method); });
}

// True if such an account signs, or a relayer signs for it.
bool signs(const chain::SeenTransaction& transaction, std::string_view glob) {
    return fits(glob, transaction.signer_id) ||
           (!transaction.user_id.empty() && fits(glob, transaction.user_id));
}

}  // namespace

const config::WatchRule* Rules::match(const chain::SeenTransaction& transaction) const {
    for (const auto& rule : rules_)
        if (signs(transaction, rule.signer) && fits(rule.receiver, transaction.receiver_id) &&
            calls(transaction.methods, rule.method))
            return &rule;
    return nullptr;
}

}  // namespace receiptd::watch
