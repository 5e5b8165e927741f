#include "rpc/account_calls.hpp"

#include <utility>
#include "base/coroutine.hpp"

namespace receiptd::rpc {
namespace {

// Soft errors (rpc.md §6.1) and those of old nodes come as text.
constexpr std::string_view kMissing = "does not exist while viewing";

template <class View, auto decode>
base::Result<Looked<View>, std::string> read(const std::string& body) {
    auto view = decode(body);
    if (!view) return refuse<Looked<View>>(view.error());
    const auto at = view->block_height;
    return Looked<View>{std::move(*view), false, at};
}

bool says_no_account(const CallError& error) { return error.reason == "UNKNOWN_ACCOUNT"; }

bool says_no_access_key(const CallError& error) {
    if (error.reason == "UNKNOWN_ACCESS_KEY" || says_no_account(error)) return true;
    return error.reason == "query_error" && error.detail.find(kMissing) != std::string::npos;
}

// The word of the host that said that it does not exist.
template <class View>
Answer<Looked<View>> absent(const Router& router, const CallError& error) {
    Answer<Looked<View>> answer;
    answer.value = {std::nullopt, says_no_account(error), error.looked_at};
    answer.host = router.find(error.host).value_or(0);
    return answer;
}

}  // namespace

base::Task<base::Result<AccountAnswer, CallError>> call_account(Router& router, base::asio::thread_pool& pool,
                                                                Call call) {
    Decoder<LookedAccount> decode = read<chain::AccountView, chain::decode_view_account>;
    auto answer = co_await decoded_call<LookedAccount>(router, pool, std::move(call), std::move(decode));
    if (!answer && says_no_account(answer.error()))
        co_return absent<chain::AccountView>(router, answer.error());
    co_return answer;
}

base::Task<base::Result<AccessKeyAnswer, CallError>> call_access_key(Router& router,
                                                                     base::asio::thread_pool& pool,
                                                                     Call call) {
    Decoder<LookedKey> decode = read<chain::AccessKeyView, chain::decode_view_access_key>;
    auto answer = co_await decoded_call<LookedKey>(router, pool, std::move(call), std::move(decode));
    if (!answer && says_no_access_key(answer.error()))
        co_return absent<chain::AccessKeyView>(router, answer.error());
    co_return answer;
}

}  // namespace receiptd::rpc
