// Waiting for INSERT INTO watches, by whomever (schema/15_watch_notify.sql).
#include "storage/watch_sql.hpp"

#include <algorithm>

namespace receiptd::storage::sql {
namespace {

using namespace std::chrono_literals;

constexpr auto kStopEvery = 250ms;  // how late a stop is seen

bool listens_already(pqxx::transaction_base& session) {
    return !session.exec("SELECT FROM pg_listening_channels() AS c WHERE c = 'receiptd_watches'").empty();
}

}  // namespace

bool wait_for_watches(pqxx::connection& connection, std::chrono::milliseconds timeout,
                      const std::function<bool()>& stopped) {
    const auto until = std::chrono::steady_clock::now() + timeout;
    pqxx::nontransaction session(connection);
    if (shim::take_notifications(session)) return true;
    if (!listens_already(session)) {
        session.exec("LISTEN receiptd_watches");
        return true;  // somebody may have inserted before
    }
    while (!stopped()) {
        if (shim::take_notifications(session)) return true;
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        if (left <= 0ms) return false;
        shim::wait_for_server(session, std::min<std::chrono::milliseconds>(left, kStopEvery));
    }
    return false;
}

}  // namespace receiptd::storage::sql
