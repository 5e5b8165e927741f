#include "follow/scope.hpp"

namespace receiptd::follow {

chain::Scope scope_of(const config::Follow& settings) {
    chain::Scope scope;
    switch (settings.scope) {
        case config::ScopeName::headers: scope.kind = chain::ScopeKind::headers; break;
        case config::ScopeName::accounts: scope.kind = chain::ScopeKind::accounts; break;
        case config::ScopeName::all: scope.kind = chain::ScopeKind::all; break;
    }
    scope.accounts.insert(settings.accounts.begin(), settings.accounts.end());
    return scope;
}

}  // namespace receiptd::follow
