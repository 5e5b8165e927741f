// A call whose answer is judged, decoded and checked on the CPU pool, as part of the call: what does not
// decode is the host's fault, and another one is asked.
#pragma once

#include "base/offload.hpp"
#include "rpc/router.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace receiptd::rpc {

// The value, or why the answer cannot be right.
template <class T>
using Decoder = std::function<base::Result<T, std::string>(std::string body)>;

// A value with a member `room` keeps the room of its answer.
template <class T>
concept KeepsRoom = requires(T& value, net::AnswerRoom::Share room) {
    value.room = room;
};

// Says what a right value lacks that another host may have; empty: nothing. May move the value away.
template <class T>
using Lacking = std::function<std::string(T& value)>;

template <class T>
struct Answer {
    T value;
    std::size_t host = 0;
};

namespace detail {

template <class T>
struct ReadAnswer {
    Verdict verdict;
    std::optional<T> value;
};

template <class T>
ReadAnswer<T> read_answer(const Decoder<T>& decode, const Lacking<T>& lacks, Received received) {
    ReadAnswer<T> answer;
    answer.verdict = judge(received);
    if (answer.verdict.error_class != ErrorClass::ok) return answer;
    auto decoded = decode(std::move(received.response.body));
    if (!decoded) {
        answer.verdict = wrong_contents(decoded.error());
        return answer;
    }
    if constexpr (KeepsRoom<T>) decoded->room = std::move(received.response.room);
    const auto missing = lacks ? lacks(*decoded) : std::string();
    if (missing.empty())
        answer.value.emplace(std::move(*decoded));
    else
        answer.verdict = lacking(missing);
    return answer;
}

template <class T>
base::Task<ReadAnswer<T>> read_on(base::asio::thread_pool& pool, Decoder<T> decode, Lacking<T> lacks,
                                  Received received) {
    auto& cpu = net::cpu_of(received.response.room, pool);
    auto work = [decode = std::move(decode), lacks = std::move(lacks),
                 received = std::move(received)]() mutable {
        return read_answer<T>(decode, lacks, std::move(received));
    };
    return base::offload(cpu, std::move(work));
}

template <class T>
base::Task<Verdict> read_into(std::shared_ptr<std::optional<T>> slot, base::asio::thread_pool& pool,
                              Decoder<T> decode, Lacking<T> lacks, Received received) {
    auto answer = co_await read_on<T>(pool, std::move(decode), std::move(lacks), std::move(received));
    *slot = std::move(answer.value);
    co_return std::move(answer.verdict);
}

}  // namespace detail

template <class T>
base::Task<base::Result<Answer<T>, CallError>> decoded_call(Router& router, base::asio::thread_pool& pool,
                                                            Call call, Decoder<T> decode,
                                                            Lacking<T> lacks = {}) {
    auto slot = std::make_shared<std::optional<T>>();
    call.read = [slot, &pool, decode = std::move(decode), lacks = std::move(lacks)](Received received) {
        return detail::read_into<T>(slot, pool, decode, lacks, std::move(received));
    };
    auto host = co_await router.call(std::move(call));
    if (!host) co_return host.error();
    Answer<T> answer{std::move(**slot), *host};
    co_return std::move(answer);
}

// Decode errors as the text a Decoder returns.
template <class T>
base::Result<T, std::string> refuse(const chain::DecodeError& error) {
    return base::Result<T, std::string>(boost::system::in_place_error, error.to_string());
}
template <class T>
base::Result<T, std::string> refuse(std::string why) {
    return base::Result<T, std::string>(boost::system::in_place_error, std::move(why));
}

}  // namespace receiptd::rpc
