// Waiting for INSERT INTO watches, by whomever (schema/15_watch_notify.sql).
#include "storage/watch_sql.hpp"

#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <memory>

namespace receiptd::storage::sql {
namespace {

using namespace std::chrono_literals;

constexpr auto kStopEvery = 250ms;  // how late a stop is seen

// The library's own way forgets what arrives between two calls.
class Listening {
public:
    explicit Listening(pqxx::transaction_base& session) : connection_(shim::raw_connection(session)) {}

    bool notified() {
        if (PQconsumeInput(connection_) != 1) throw pqxx::broken_connection(PQerrorMessage(connection_));
        bool any = false;
        while (const auto notification =
                   std::unique_ptr<PGnotify, void (*)(void*)>(PQnotifies(connection_), &PQfreemem))
            any = true;
        return any;
    }

    void wait(std::chrono::milliseconds time) const {
        pollfd descriptor{PQsocket(connection_), POLLIN, 0};
        poll(&descriptor, 1, static_cast<int>(time.count()));
    }

private:
    PGconn* connection_;
};

bool listens_already(pqxx::transaction_base& session) {
    return !session.exec("SELECT FROM pg_listening_channels() AS c WHERE c = 'receiptd_watches'").empty();
}

}  // namespace

bool wait_for_watches(pqxx::connection& connection, std::chrono::milliseconds timeout,
                      const std::function<bool()>& stopped) {
    const auto until = std::chrono::steady_clock::now() + timeout;
    pqxx::nontransaction session(connection);
    Listening listening(session);
    if (listening.notified()) return true;
    if (!listens_already(session)) {
        session.exec("LISTEN receiptd_watches");
        return true;  // somebody may have inserted before
    }
    while (!stopped()) {
        if (listening.notified()) return true;
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        if (left <= 0ms) return false;
        listening.wait(std::min<std::chrono::milliseconds>(left, kStopEvery));
    }
    return false;
}

}  // namespace receiptd::storage::sql
