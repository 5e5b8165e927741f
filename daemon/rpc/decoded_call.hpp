// A call whose answer is decoded and checked on the CPU pool, as part of the call: what does not
// decode is the host's fault, and another one is asked.
#pragma once

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

// What a value that is right lacks, and another host may have; empty: nothing. May move the value away.
template <class T>
using Lacking = std::function<std::string(T& value)>;

template <class T>
struct Answer {
    T value;
    std::size_t host = 0;
};

namespace detail {

template <class T>
base::Task<base::Result<T, std::string>> decode_on(base::asio::thread_pool& pool, Decoder<T> decode,
                                                   std::string body) {
    auto work = [decode = std::move(decode), body = std::move(body)]() mutable {
        return decode(std::move(body));
    };
    return base::offload(pool, std::move(work));
}

template <class T>
base::Task<Acceptance> accept_into(std::shared_ptr<std::optional<T>> slot, base::asio::thread_pool& pool,
                                   Decoder<T> decode, Lacking<T> lacking, std::string body) {
    auto decoded = co_await decode_on<T>(pool, std::move(decode), std::move(body));
    Acceptance acceptance;
    if (!decoded) {
        acceptance.wrong = decoded.error();
        co_return acceptance;
    }
    if (lacking) acceptance.lacking = lacking(*decoded);
    if (acceptance.lacking.empty()) slot->emplace(std::move(*decoded));
    co_return acceptance;
}

}  // namespace detail

template <class T>
base::Task<base::Result<Answer<T>, CallError>> decoded_call(Router& router, base::asio::thread_pool& pool,
                                                            Call call, Decoder<T> decode,
                                                            Lacking<T> lacking = {}) {
    auto slot = std::make_shared<std::optional<T>>();
    call.accept = [slot, &pool, decode = std::move(decode), lacking = std::move(lacking)](std::string body) {
        return detail::accept_into<T>(slot, pool, decode, lacking, std::move(body));
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
