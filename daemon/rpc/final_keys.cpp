#include "rpc/final_keys.hpp"

#include "base/coroutine.hpp"
#include "rpc/block_source.hpp"
#include "rpc/questions.hpp"
#include "rpc/second_word.hpp"

#include <utility>

namespace receiptd::rpc {
namespace {

// The smaller nonce, but as of the later height: until then the transaction may have used it itself. A key
// that is missing was missing at the lower of two heights, as far as both tell: one may have been added
// since.
LookedKey milder(LookedKey one, LookedKey other) {
    if (one.nonce && other.nonce) {
        const auto height = std::max(one.at, other.at);
        auto& milder = *other.nonce < *one.nonce ? other : one;
        milder.at = height;
        return milder;
    }
    if (one.nonce || other.nonce) return one.nonce ? other : one;
    one.has_no_account = one.has_no_account && other.has_no_account;
    one.at = std::min(one.at, other.at);
    return one;
}

}  // namespace

base::Task<base::Result<FinalKey, Unavailable>> RpcFinalKeys::key(Query query) {
    Question<LookedKey> question;
    const auto ask = query.nonce_index ? ask_gas_key_nonces : ask_access_key;
    const auto call = ask(query.account_id, query.public_key, Priority::watch);
    question.method = call.request.method;
    question.ask = [this, call, index = query.nonce_index](std::set<std::size_t> except) {
        auto again = call;
        again.except = std::move(except);
        return call_key(*router_, pool_, std::move(again), index);
    };
    question.is_grave = [own_nonce = query.own_nonce](const LookedKey& looked) {
        return !looked.nonce || *looked.nonce >= own_nonce;
    };
    question.milder = milder;
    auto word = co_await ask_twice_if_grave<LookedKey>(*router_, std::move(question));
    if (!word) co_return unavailable(word.error());
    FinalKey key;
    for (const auto host : word->hosts) key.hosts.push_back(router_->hosts()[host]->name());
    key.height = word->value.at;
    key.has_no_account = word->value.has_no_account;
    key.nonce = word->value.nonce;
    co_return std::move(key);
}

}  // namespace receiptd::rpc
