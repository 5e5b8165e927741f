// A world without sockets and without waiting: scripted hosts, and a time that jumps to the next
// deadline whenever nobody has anything left to do.
#pragma once

#include "base/sleep.hpp"
#include "rpc/router.hpp"
#include "rpc/time_and_chance.hpp"
#include "rpc/transport.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::rpc::testing {

class FakeTime final : public TimeAndChance {
public:
    base::SteadyTime now() const override { return now_; }
    base::WallTime wall() const override { return wall_at_zero + (now_ - base::SteadyTime{}); }
    double chance() override { return chance_value; }

    base::Task<void> sleep(base::asio::steady_timer& timer, base::Duration delay) override {
        const auto entry = deadlines_.emplace(now_ + delay, &timer);
        timer.expires_at(std::chrono::steady_clock::time_point::max());
        boost::system::error_code ignored;
        co_await timer.async_wait(base::asio::redirect_error(base::asio::use_awaitable, ignored));
        deadlines_.erase(entry);
    }

    // Goes to the earliest deadline and wakes its sleeper; false if nobody sleeps.
    bool jump() {
        if (deadlines_.empty()) return false;
        now_ = std::max(now_, deadlines_.begin()->first);
        deadlines_.begin()->second->cancel();
        return true;
    }
    void advance(base::Duration by) { now_ += by; }

    base::WallTime wall_at_zero = std::chrono::sys_days(std::chrono::year(2024) / 11 / 6);
    double chance_value = 0.5;

private:
    base::SteadyTime now_{std::chrono::hours(1)};
    std::multimap<base::SteadyTime, base::asio::steady_timer*> deadlines_;
};

inline Transport::Reply http(int status, std::string body, std::vector<net::Header> headers = {}) {
    net::HttpResponse response;
    response.status = status;
    response.headers = std::move(headers);
    body.reserve(body.size() + 64);
    response.wire_bytes = body.size();
    response.body = std::move(body);
    return response;
}

inline Transport::Reply broken(net::TransportFault fault, std::string text = "broken") {
    return net::TransportError{fault, std::move(text)};
}

inline Transport::Reply result(const std::string& json) {
    return http(200, R"({"jsonrpc":"2.0","result":)" + json + R"(,"id":"receiptd"})");
}

inline Transport::Reply error(const std::string& cause, int status = 200,
                              const std::string& name = "HANDLER_ERROR", const std::string& data = "\"x\"") {
    return http(status, R"({"jsonrpc":"2.0","error":{"name":")" + name + R"(","cause":{"info":{},"name":")" +
                            cause + R"("},"code":-32000,"message":"Server error","data":)" + data +
                            R"(},"id":"receiptd"})");
}

class FakeHost final : public Transport {
public:
    using Script = std::function<Reply(const net::HttpRequest&)>;
    explicit FakeHost(base::asio::any_io_executor executor) : released_(std::move(executor)) {}

    base::Task<Reply> send(net::HttpRequest request, std::chrono::milliseconds timeout) override {
        seen.push_back(request);
        timeouts.push_back(timeout);
        while (held) co_await released_.wait();
        co_return script(request);
    }
    void release() {
        held = false;
        released_.notify_all();
    }
    // How many requests had this in their body or target.
    std::size_t asked(const std::string& text) const {
        std::size_t count = 0;
        for (const auto& request : seen)
            if ((request.body + " " + request.target).find(text) != std::string::npos) ++count;
        return count;
    }

    Script script = [](const net::HttpRequest&) { return result("{}"); };
    std::vector<net::HttpRequest> seen;
    std::vector<std::chrono::milliseconds> timeouts;  // of those that were seen
    bool held = false;

private:
    base::Event released_;
};

class World {
public:
    World() : time(std::make_shared<FakeTime>()) {}

    FakeHost& host(const std::string& name, HostKind kind, Credential credential = {},
                   Admission::Limits limits = {}, std::string target = "/") {
        UpstreamOptions options;
        options.url.target = std::move(target);
        options.name = name;
        options.kind = kind;
        options.url.host = name + ".test";
        options.credential = std::move(credential);
        options.limits = limits;
        auto transport = std::make_shared<FakeHost>(io.get_executor());
        hosts_.push_back(
            std::make_unique<Upstream>(io.get_executor(), time, transport, std::move(options), nullptr));
        transports_.push_back(transport);
        return *transport;
    }

    std::shared_ptr<Router> router() {
        if (!router_) router_ = std::make_shared<Router>(io.get_executor(), time, std::move(hosts_));
        return router_;
    }

    // Lets everything happen that can, without letting time pass.
    void settle() {
        do {
            std::promise<void> idle;
            boost::asio::post(pool, [&] { idle.set_value(); });
            idle.get_future().wait();
            io.restart();
        } while (io.poll() > 0);
    }

    template <class T>
    T run(base::Task<T> task) {
        std::optional<T> value;
        boost::asio::co_spawn(io, std::move(task), [&](std::exception_ptr failure, T got) {
            if (failure) std::rethrow_exception(failure);
            value.emplace(std::move(got));
        });
        settle();
        for (unsigned jumps = 0; !value; ++jumps) {
            if (jumps > 10'000 || !time->jump()) throw std::logic_error("the task waits for nothing");
            settle();
        }
        return std::move(*value);
    }

    boost::asio::io_context io{1};
    boost::asio::thread_pool pool{1};
    std::shared_ptr<FakeTime> time;

private:
    std::vector<std::unique_ptr<Upstream>> hosts_;
    std::vector<std::shared_ptr<FakeHost>> transports_;
    std::shared_ptr<Router> router_;
};

// A router over scripted hosts.
class RouterTest : public ::testing::Test {
protected:
    base::Result<std::size_t, CallError> ask(Call call) {
        return world.run(world.router()->call(std::move(call)));
    }
    Upstream& upstream(std::size_t index) { return *world.router()->hosts()[index]; }
    World world;
};

// Chain data, as small as the decoders accept.
inline std::string zero_hash() { return std::string(32, '1'); }

inline std::string chunk_header(const std::string& hash, int included, int shard) {
    return R"({"chunk_hash":")" + hash + R"(","prev_block_hash":")" + zero_hash() + R"(","outcome_root":")" +
           zero_hash() + R"(","prev_state_root":")" + zero_hash() + R"(","encoded_merkle_root":")" +
           zero_hash() + R"(","encoded_length":8,"height_created":)" + std::to_string(included) +
           R"(,"height_included":)" + std::to_string(included) + R"(,"shard_id":)" + std::to_string(shard) +
           R"(,"gas_used":0,"gas_limit":1000000000000000,"rent_paid":"0","validator_reward":"0","balance_burnt":"0",)" +
           R"("outgoing_receipts_root":")" + zero_hash() + R"(","tx_root":")" + zero_hash() +
           R"(","validator_proposals":[],"signature":"ed25519:1"})";
}

inline std::string block_header(std::int64_t height, const std::string& hash) {
    return R"({"height":)" + std::to_string(height) + R"(,"prev_height":)" + std::to_string(height - 1) +
           R"(,"epoch_id":")" + zero_hash() + R"(","next_epoch_id":")" + zero_hash() + R"(","hash":")" +
           hash + R"(","prev_hash":")" + zero_hash() + R"(","prev_state_root":")" + zero_hash() +
           R"(","outcome_root":")" + zero_hash() + R"(","last_final_block":")" + zero_hash() +
           R"(","timestamp":1700000000000000000,"timestamp_nanosec":"1700000000000000000","chunks_included":2,)" +
           R"("gas_price":"100000000","total_supply":"1","latest_protocol_version":70})";
}

inline std::string block_json(std::int64_t height, const std::string& chunks = "",
                              const std::string& hash = "4XXtr7JrRNaquPXe7RZ1PSgJ645dgSpsRyE6gmvhvQV4") {
    return R"({"author":"pool.near","header":)" + block_header(height, hash) + R"(,"chunks":[)" + chunks +
           "]}";
}

inline std::string chunk_json(const std::string& hash, int included, int shard) {
    return R"({"author":"pool.near","header":)" + chunk_header(hash, included, shard) +
           R"(,"transactions":[],"receipts":[]})";
}

}  // namespace receiptd::rpc::testing
