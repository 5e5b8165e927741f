// A call whose answer is judged, decoded and checked on the CPU pool, as part of the call: what does not
// decode is the host's fault, and another one is asked. What can be read in part is taken if no host tells
// more.
#pragma once

#include "base/offload.hpp"
#include "rpc/router.hpp"

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::rpc {

// The value, or why the answer cannot be right.
template <class T>
using Decoder = std::function<base::Result<T, std::string>(std::string body)>;

// A value with a member `room` keeps the room of its answer.
template <class T>
concept KeepsRoom = requires(T& value, net::AnswerRoom::Share room) {
    value.room = room;
};

// A value with a member `unreadable` names the parts of its answer that it lacks, as they cannot be read.
template <class T>
concept NamesUnreadable = requires(const T& value) {
    { value.unreadable } -> std::convertible_to<const std::vector<chain::UnreadablePart>&>;
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
    std::optional<T> value;  // also where the verdict is that another host may tell more that can be read
};

// The values that the answers of a call have brought.
template <class T>
struct Slot {
    std::optional<T> value;
    std::optional<T> in_part;  // by `upstream`: taken if no host tells all of it
    std::string upstream;
};

// No large answer is kept while another host is asked: two calls would wait for each other's room.
template <class T>
bool holds_room(const T& value) {
    if constexpr (KeepsRoom<T>) return static_cast<bool>(value.room);
    return false;
}

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
    if (!missing.empty()) {
        answer.verdict = lacking(missing);
        return answer;
    }
    if constexpr (NamesUnreadable<T>)
        if (!decoded->unreadable.empty())
            answer.verdict = readable_in_part(decoded->unreadable.front().shape());
    answer.value.emplace(std::move(*decoded));
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
base::Task<Verdict> read_into(std::shared_ptr<Slot<T>> slot, base::asio::thread_pool& pool, Decoder<T> decode,
                              Lacking<T> lacks, Received received) {
    auto upstream = received.upstream;
    auto answer = co_await read_on<T>(pool, std::move(decode), std::move(lacks), std::move(received));
    if (answer.verdict.error_class == ErrorClass::ok) {
        slot->value = std::move(answer.value);
    } else if (answer.value && !holds_room(*answer.value)) {
        slot->in_part = std::move(answer.value);
        slot->upstream = std::move(upstream);
    } else if (answer.value) {
        answer.verdict = wrong_contents(answer.verdict.text);
    }
    co_return std::move(answer.verdict);
}

}  // namespace detail

template <class T>
base::Task<base::Result<Answer<T>, CallError>> decoded_call(Router& router, base::asio::thread_pool& pool,
                                                            Call call, Decoder<T> decode,
                                                            Lacking<T> lacks = {}) {
    auto slot = std::make_shared<detail::Slot<T>>();
    call.read = [slot, &pool, decode = std::move(decode), lacks = std::move(lacks)](Received received) {
        return detail::read_into<T>(slot, pool, decode, lacks, std::move(received));
    };
    auto host = co_await router.call(std::move(call));
    if (host) {
        Answer<T> answer{std::move(*slot->value), *host};
        co_return std::move(answer);
    }
    if (!slot->in_part) co_return host.error();
    Answer<T> answer{std::move(*slot->in_part), router.find(slot->upstream).value_or(0)};
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
