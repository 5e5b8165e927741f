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

}  // namespace

std::optional<Rules::Match> Rules::match(const chain::SeenTransaction& transaction) const {
    const auto first_of = [&](const std::string& account) -> const config::WatchRule* {
        const auto found = std::find_if(rules_.begin(), rules_.end(), [&](const config::WatchRule& rule) {
            return fits(rule.signer, account) && fits(rule.receiver, transaction.receiver_id) &&
                   calls(transaction.methods, rule.method);
        });
        return found == rules_.end() ? nullptr : &*found;
    };
    if (const auto* rule = first_of(transaction.signer_id)) return Match{rule, false};
    if (transaction.named_user.empty()) return std::nullopt;
    if (const auto* rule = first_of(transaction.named_user)) return Match{rule, true};
    return std::nullopt;
}

}  // namespace receiptd::watch
