#include "rpc/account_calls.hpp"

#include "base/coroutine.hpp"
#include "rpc/questions.hpp"

#include <utility>

namespace receiptd::rpc {
namespace {

// Soft errors (rpc.md §6.1) and those of old nodes come as text.
constexpr std::string_view kMissing = "does not exist while viewing";

template <class View, auto decode>
base::Result<std::optional<View>, std::string> read(const std::string& body) {
    auto view = decode(body);
    if (!view) return refuse<std::optional<View>>(view.error());
    return std::optional<View>(std::move(*view));
}

// The host that said that it does not exist.
template <class T>
Answer<T> absent(const Router& router, const CallError& error) {
    Answer<T> answer;
    for (std::size_t i = 0; i < router.hosts().size(); ++i)
        if (router.hosts()[i]->name() == error.host) answer.host = i;
    return answer;
}

}  // namespace

bool says_no_account(const CallError& error) { return error.reason == "UNKNOWN_ACCOUNT"; }

bool says_no_access_key(const CallError& error) {
    if (error.reason == "UNKNOWN_ACCESS_KEY" || error.reason == "UNKNOWN_ACCOUNT") return true;
    return error.reason == "query_error" && error.detail.find(kMissing) != std::string::npos;
}

base::Task<base::Result<AccountAnswer, CallError>> call_account(Router& router, base::asio::thread_pool& pool,
                                                                std::string account_id, std::string finality,
                                                                Priority priority) {
    using View = std::optional<chain::AccountView>;
    auto call = ask_account(account_id, finality, priority);
    Decoder<View> decode = read<chain::AccountView, chain::decode_view_account>;
    auto answer = co_await decoded_call<View>(router, pool, std::move(call), std::move(decode));
    if (!answer && says_no_account(answer.error())) co_return absent<View>(router, answer.error());
    co_return answer;
}

base::Task<base::Result<AccessKeyAnswer, CallError>> call_access_key(
    Router& router, base::asio::thread_pool& pool, std::string account_id, std::string public_key,
    std::string finality, Priority priority) {
    using View = std::optional<chain::AccessKeyView>;
    auto call = ask_access_key(account_id, public_key, finality, priority);
    Decoder<View> decode = read<chain::AccessKeyView, chain::decode_view_access_key>;
    auto answer = co_await decoded_call<View>(router, pool, std::move(call), std::move(decode));
    if (!answer && says_no_access_key(answer.error())) co_return absent<View>(router, answer.error());
    co_return answer;
}

}  // namespace receiptd::rpc
