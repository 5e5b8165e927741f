#include "rpc/final_accounts.hpp"

#include "base/coroutine.hpp"
#include "rpc/block_source.hpp"
#include "rpc/questions.hpp"
#include "rpc/second_word.hpp"

#include <utility>

namespace receiptd::rpc {
namespace {

constexpr auto kFinal = "final";
using KeyView = std::optional<chain::AccessKeyView>;
using BalanceView = std::optional<chain::AccountView>;

chain::u128 amount_of(const BalanceView& view) { return view ? view->amount : 0; }

// The smaller nonce, but as of the later height: until then the transaction may have used it itself.
KeyView milder_key(KeyView one, KeyView other) {
    const auto height = std::max(one->block_height, other->block_height);
    auto& milder = other->nonce < one->nonce ? other : one;
    milder->block_height = height;
    return std::move(milder);
}

BalanceView milder_balance(BalanceView one, BalanceView other) {
    if (!one || !other) return std::move(one ? one : other);
    const auto height = std::max(one->block_height, other->block_height);
    auto& milder = other->amount > one->amount ? other : one;
    milder->block_height = height;
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
    Question<KeyView> question;
    const auto call = ask_access_key(account_id, public_key, kFinal, Priority::watch);
    question.method = call.request.method;
    question.ask = [this, call](std::set<std::size_t> except) {
        auto again = call;
        again.except = std::move(except);
        return call_access_key(*router_, pool_, std::move(again));
    };
    question.is_grave = [own_nonce](const KeyView& view) { return view && view->nonce >= own_nonce; };
    question.milder = milder_key;
    auto word = co_await ask_twice_if_grave<KeyView>(*router_, std::move(question));
    if (!word) co_return unavailable(word.error());
    FinalKey key;
    key.hosts = names_of(word->hosts);
    if (!word->value) co_return std::move(key);
    key.nonce = word->value->nonce;
    key.height = word->value->block_height;
    co_return std::move(key);
}

base::Task<base::Result<FinalBalance, Unavailable>> RpcFinalAccounts::balance(std::string account_id,
                                                                              chain::u128 cost) {
    Question<BalanceView> question;
    const auto call = ask_account(account_id, kFinal, Priority::watch);
    question.method = call.request.method;
    question.ask = [this, call](std::set<std::size_t> except) {
        auto again = call;
        again.except = std::move(except);
        return call_account(*router_, pool_, std::move(again));
    };
    question.is_grave = [cost](const BalanceView& view) { return amount_of(view) < cost; };
    question.milder = milder_balance;
    auto word = co_await ask_twice_if_grave<BalanceView>(*router_, std::move(question));
    if (!word) co_return unavailable(word.error());
    FinalBalance balance;
    balance.hosts = names_of(word->hosts);
    if (!word->value) co_return std::move(balance);
    balance.amount = word->value->amount;
    balance.height = word->value->block_height;
    co_return std::move(balance);
}

}  // namespace receiptd::rpc
