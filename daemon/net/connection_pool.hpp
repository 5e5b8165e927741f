// The client's connections to one origin: how many there may be, which of them are kept, who waits.
#pragma once

#include "base/task.hpp"
#include "net/http_client.hpp"
#include "net/stream.hpp"

#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace receiptd::net {

class ConnectionPool : public std::enable_shared_from_this<ConnectionPool> {
public:
    // The right to use one connection. Gone with its holder, however that ends; a connection that
    // was not given back by keep() is closed.
    class Lease {
    public:
        Lease() = default;
        explicit Lease(std::shared_ptr<ConnectionPool> pool) : pool_(std::move(pool)) {}
        Lease(Lease&& other) noexcept = default;
        Lease& operator=(Lease&&) = delete;
        ~Lease();

        explicit operator bool() const { return pool_ != nullptr; }
        // A kept connection that seems to be alive; null: none.
        std::shared_ptr<Stream> take_kept();
        // A new one, not open yet.
        std::shared_ptr<Stream> create();
        void keep();
        void drop();
        // From now on its connection takes the place of no other one, and is closed at the end.
        void step_aside();

    private:
        std::shared_ptr<ConnectionPool> pool_;
        std::shared_ptr<Stream> stream_;
        bool aside_ = false;
    };

    ConnectionPool(boost::asio::any_io_executor executor, HttpClientOptions options);

    // Waits for its turn, first come first served. An empty lease says that the pool was closed.
    // Cancelled while waiting it throws operation_aborted.
    static base::Task<Lease> acquire(std::shared_ptr<ConnectionPool> pool);
    // Ends everything: what runs and what waits.
    void close();

    bool closed() const { return closed_; }
    const HttpClientOptions& options() const { return options_; }
    boost::asio::ssl::context* tls() { return tls_ ? &*tls_ : nullptr; }
    // Why TLS cannot be had; empty if it can or is not needed.
    const std::string& tls_problem() const { return tls_problem_; }
    // Where large answers of this origin wait before they are read, those for each room by themselves.
    std::shared_ptr<AnswerRoom> door_of(const std::shared_ptr<AnswerRoom>& room);

private:
    struct Waiter;
    struct Kept {
        std::shared_ptr<Stream> stream;
        std::chrono::steady_clock::time_point since;
    };

    void release();
    void drop_outdated();

    boost::asio::any_io_executor executor_;
    HttpClientOptions options_;
    std::optional<boost::asio::ssl::context> tls_;
    std::string tls_problem_;
    std::vector<Kept> kept_;  // the latest last, and used first
    std::size_t leased_ = 0;
    std::list<Waiter*> waiters_;
    std::set<Stream*> running_;
    std::map<std::shared_ptr<AnswerRoom>, std::shared_ptr<AnswerRoom>> doors_;
    bool closed_ = false;
};

}  // namespace receiptd::net
