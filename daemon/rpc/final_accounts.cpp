#include "rpc/final_accounts.hpp"

#include "base/coroutine.hpp"
#include "rpc/block_source.hpp"
#include "rpc/questions.hpp"
#include "rpc/second_word.hpp"

#include <utility>

namespace receiptd::rpc {
namespace {

constexpr auto kFinal = "final";

chain::u128 amount_of(const LookedAccount& looked) { return looked.view ? looked.view->amount : 0; }

// The smaller nonce, but as of the later height: until then the transaction may have used it itself. A key
// that is missing was missing at the lower of two heights, as far as both tell: one may have been added
// since.
LookedKey milder_key(LookedKey one, LookedKey other) {
    if (one.view && other.view) {
        const auto height = std::max(one.at, other.at);
        auto& milder = other.view->nonce < one.view->nonce ? other : one;
        milder.at = height;
        return std::move(milder);
    }
    if (one.view || other.view) return std::move(one.view ? other : one);
    one.has_no_account = one.has_no_account && other.has_no_account;
    one.at = std::min(one.at, other.at);
    return one;
}

LookedAccount milder_balance(LookedAccount one, LookedAccount other) {
    if (!one.view || !other.view) return std::move(one.view ? one : other);
    const auto height = std::max(one.at, other.at);
    auto& milder = other.view->amount > one.view->amount ? other : one;
    milder.at = height;
    return std::move(milder);
}

}  // namespace

std::vector<std::string> RpcFinalAccounts::names_of(const std::vector<std::size_t>& hosts) const {
    std::vector<std::string> names;
    for (const auto host : hosts) names.push_back(router_->hosts()[host]->name());
    return names;
}

base::Task<base::Result<FinalKey, Unavailable>> RpcFinalAccounts::key(std::string account_id,
                                                                      std::string public_key,
                                                                      std::uint64_t own_nonce) {
    Question<LookedKey> question;
    const auto call = ask_access_key(account_id, public_key, kFinal, Priority::watch);
    question.method = call.request.method;
    question.ask = [this, call](std::set<std::size_t> except) {
        auto again = call;
        again.except = std::move(except);
        return call_access_key(*router_, pool_, std::move(again));
    };
    question.is_grave = [own_nonce](const LookedKey& looked) {
        return !looked.view || looked.view->nonce >= own_nonce;
    };
    question.milder = milder_key;
    auto word = co_await ask_twice_if_grave<LookedKey>(*router_, std::move(question));
    if (!word) co_return unavailable(word.error());
    FinalKey key;
    key.hosts = names_of(word->hosts);
    key.height = word->value.at;
    key.has_no_account = word->value.has_no_account;
    if (word->value.view) key.nonce = word->value.view->nonce;
    co_return std::move(key);
}

base::Task<base::Result<FinalBalance, Unavailable>> RpcFinalAccounts::balance(std::string account_id,
                                                                              chain::u128 cost) {
    Question<LookedAccount> question;
    const auto call = ask_account(account_id, kFinal, Priority::watch);
    question.method = call.request.method;
    question.ask = [this, call](std::set<std::size_t> except) {
        auto again = call;
        again.except = std::move(except);
        return call_account(*router_, pool_, std::move(again));
    };
    question.is_grave = [cost](const LookedAccount& looked) { return amount_of(looked) < cost; };
    question.milder = milder_balance;
    auto word = co_await ask_twice_if_grave<LookedAccount>(*router_, std::move(question));
    if (!word) co_return unavailable(word.error());
    FinalBalance balance;
    balance.hosts = names_of(word->hosts);
    balance.height = word->value.at;
    if (word->value.view) balance.amount = word->value.view->amount;
    co_return std::move(balance);
}

}  // namespace receiptd::rpc
