#include "net/connection_pool.hpp"

#include "base/sleep.hpp"
#include "net/tls.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <utility>

namespace receiptd::net {

namespace asio = boost::asio;

// Lives in the waiting coroutine's frame; its end, however it comes, leaves the queue in order.
struct ConnectionPool::Waiter {
    explicit Waiter(ConnectionPool& owner) : pool(owner), turn(owner.executor_) {
        turn.expires_at(asio::steady_timer::time_point::max());
        place = pool.waiters_.insert(pool.waiters_.end(), this);
    }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    ~Waiter() {
        if (!granted)
            pool.waiters_.erase(place);
        else if (!taken)
            pool.release();
    }

    ConnectionPool& pool;
    asio::steady_timer turn;
    std::list<Waiter*>::iterator place;
    bool granted = false;  // has left the queue and owns a right
    bool taken = false;    // has made a lease of it
};

ConnectionPool::ConnectionPool(asio::any_io_executor executor, HttpClientOptions options)
    : executor_(std::move(executor)), options_(std::move(options)) {
    if (!options_.origin.tls) return;
    boost::system::error_code error;
    tls_.emplace(make_client_context(options_.ca_file, error));
    if (error) tls_problem_ = "the trusted certificates cannot be loaded: " + error.message();
}

base::Task<ConnectionPool::Lease> ConnectionPool::acquire(std::shared_ptr<ConnectionPool> pool) {
    if (pool->closed_) co_return Lease();
    if (pool->leased_ < std::max<std::size_t>(pool->options_.max_connections, 1)) {
        ++pool->leased_;
        co_return Lease(pool);
    }
    Waiter waiter(*pool);
    boost::system::error_code error;
    co_await waiter.turn.async_wait(asio::redirect_error(asio::use_awaitable, error));
    if (waiter.granted && !pool->closed_) {
        waiter.taken = true;
        co_return Lease(pool);
    }
    if (pool->closed_) co_return Lease();
    throw boost::system::system_error(asio::error::operation_aborted);
}

// The right goes to the longest waiting at once, so that nobody who comes later can take it.
void ConnectionPool::release() {
    if (waiters_.empty() || closed_) {
        --leased_;
        return;
    }
    Waiter* next = waiters_.front();
    waiters_.pop_front();
    next->granted = true;
    next->turn.cancel();
}

void ConnectionPool::close() {
    closed_ = true;
    kept_.clear();
    for (Stream* stream : running_) stream->stop();
    for (Waiter* waiter : waiters_) waiter->turn.cancel();
}

std::shared_ptr<AnswerRoom> ConnectionPool::door_of(const std::shared_ptr<AnswerRoom>& room) {
    auto& door = doors_[room];
    AnswerRoom::Limits limits;
    limits.most_bytes = options_.max_response_bytes;
    limits.small = room->small();
    if (!door) door = std::make_shared<AnswerRoom>(executor_, nullptr, limits);
    return door;
}

void ConnectionPool::drop_outdated() {
    const auto oldest = std::chrono::steady_clock::now() - options_.idle_timeout;
    std::erase_if(kept_, [&](const Kept& kept) { return kept.since < oldest; });
}

ConnectionPool::Lease::~Lease() {
    if (!pool_) return;
    drop();
    if (!aside_) pool_->release();
}

std::shared_ptr<Stream> ConnectionPool::Lease::take_kept() {
    pool_->drop_outdated();
    while (!pool_->kept_.empty()) {
        auto stream = std::move(pool_->kept_.back().stream);
        pool_->kept_.pop_back();
        if (!stream->looks_alive()) continue;
        pool_->running_.insert(stream.get());
        stream_ = std::move(stream);
        return stream_;
    }
    return nullptr;
}

std::shared_ptr<Stream> ConnectionPool::Lease::create() {
    drop();
    stream_ = std::make_shared<Stream>(pool_->executor_, pool_->options_);
    pool_->running_.insert(stream_.get());
    return stream_;
}

void ConnectionPool::Lease::keep() {
    const auto now = std::chrono::steady_clock::now();
    if (aside_ || now - stream_->opened() >= pool_->options_.longest_kept) return drop();
    pool_->running_.erase(stream_.get());
    if (!pool_->closed_) pool_->kept_.push_back({std::move(stream_), now});
    stream_.reset();
}

void ConnectionPool::Lease::drop() {
    if (!stream_) return;
    pool_->running_.erase(stream_.get());
    stream_->stop();
    stream_.reset();
}

void ConnectionPool::Lease::step_aside() {
    if (!std::exchange(aside_, true)) pool_->release();
}

}  // namespace receiptd::net
