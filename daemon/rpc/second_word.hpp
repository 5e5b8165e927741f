// Where two hosts are configured, nothing ends by the word of one: what would end a watched transaction is
// believed when a second host says it, too.
//
// A host that does not offer the method, or does not track the shard, has no word; one that is down has, and
// is waited for.
#pragma once

#include "base/coroutine.hpp"
#include "base/task_group.hpp"
#include "rpc/decoded_call.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::rpc {

// An answer with the hosts that gave it, and the milder one of two where they are grave.
template <class T>
struct Word {
    T value;
    std::vector<std::size_t> hosts;
};

template <class T>
struct Question {
    std::string method;
    // Puts it to one of the other hosts.
    std::function<base::Task<base::Result<Answer<T>, CallError>>(std::set<std::size_t> except)> ask;
    std::function<bool(const T&)> is_grave;
    std::function<T(T, T)> milder;
};

inline bool lacks_shard(const CallError& error) {
    return error.absent && (error.reason == "UNAVAILABLE_SHARD" || error.reason == "DOES_NOT_TRACK_SHARD");
}

// A grave answer comes from two hosts, or from one where no other has a word; a mild one from any host.
template <class T>
base::Task<base::Result<Word<T>, CallError>> ask_twice_if_grave(Router& router, Question<T> question) {
    std::set<std::size_t> except;
    std::optional<Word<T>> grave;
    std::optional<Word<T>> mild;
    while (except.empty() || router.is_offered(question.method, except)) {
        auto answer = co_await question.ask(except);
        if (!answer && mild) break;
        if (!answer && grave && (lacks_shard(answer.error()) || !router.is_offered(question.method, except)))
            break;
        if (!answer) co_return answer.error();
        except.insert(answer->host);
        if (!question.is_grave(answer->value)) {
            mild = Word<T>{std::move(answer->value), {answer->host}};
            if (!grave) break;
        } else if (grave) {
            grave->value = question.milder(std::move(grave->value), std::move(answer->value));
            grave->hosts.push_back(answer->host);
            co_return std::move(*grave);
        } else {
            grave = Word<T>{std::move(answer->value), {answer->host}};
        }
    }
    co_return std::move(mild ? *mild : *grave);
}

// The answers of two hosts where two can be asked at once, else that of one; none: the error.
template <class T>
base::Task<void> ask_into(Router& router, base::asio::thread_pool& pool, Call call, Decoder<T> decode,
                          std::shared_ptr<std::vector<Answer<T>>> answers) {
    auto answer = co_await decoded_call<T>(router, pool, std::move(call), std::move(decode));
    if (answer) answers->push_back(std::move(*answer));
}

template <class T>
base::Task<base::Result<std::vector<Answer<T>>, CallError>> ask_two(base::asio::any_io_executor executor,
                                                                    Router& router,
                                                                    base::asio::thread_pool& pool, Call call,
                                                                    Decoder<T> decode) {
    auto answers = std::make_shared<std::vector<Answer<T>>>();
    std::set<std::size_t> hosts;
    while (const auto host = router.ready_except(call.request.method, hosts)) {
        hosts.insert(*host);
        if (hosts.size() == 2) break;
    }
    if (hosts.size() < 2) hosts.clear();
    base::TaskGroup asking(executor);
    for (const auto host : hosts) {
        auto one = call;
        one.only_host = host;
        asking.spawn(ask_into<T>(router, pool, std::move(one), decode, answers));
    }
    co_await asking.join();
    if (!answers->empty()) co_return std::move(*answers);
    auto answer = co_await decoded_call<T>(router, pool, std::move(call), std::move(decode));
    if (!answer) co_return answer.error();
    answers->push_back(std::move(*answer));
    co_return std::move(*answers);
}

}  // namespace receiptd::rpc
