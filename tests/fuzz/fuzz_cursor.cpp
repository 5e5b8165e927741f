// Cursors and parameters of the API as clients hand them back. What is taken for a cursor leads to the same
// place again.
#include "api/query.hpp"
#include "fuzz/visit_model.hpp"
#include "storage/delivery_access.hpp"
#include "storage/finding_store.hpp"
#include "storage/watch_store.hpp"

namespace {

using namespace receiptd;

constexpr std::int64_t kYear2200 = 7'258'118'400'000'000;  // in microseconds, what a clock can hold

void watch_list(std::string_view text) {
    const auto position = storage::parse_watch_cursor(text);
    if (!position) return;
    fuzz::require(storage::is_transaction_hash(position->tx_hash), "a hash", position->tx_hash);
    if (position->created_at_microseconds < 0 || position->created_at_microseconds > kYear2200) return;
    storage::Watch watch;
    watch.tx_hash = position->tx_hash;
    watch.created_at = base::WallTime(std::chrono::microseconds(position->created_at_microseconds));
    const auto again = storage::parse_watch_cursor(storage::watch_cursor(watch));
    fuzz::require(again && again->tx_hash == position->tx_hash &&
                      again->created_at_microseconds == position->created_at_microseconds,
                  "a cursor is stable", text);
}

void finding_list(const std::string& text) {
    const auto position = storage::parse_finding_cursor(text);
    if (!position) return;
    fuzz::require(position->block_time + "," + position->finding_id == text, "a cursor is stable", text);
}

void delivery_list(const std::string& text) {
    const auto position = storage::parse_delivery_cursor(text);
    if (!position) return;
    storage::DeliveryRow row;
    row.created_at = position->created_at;
    row.endpoint = position->endpoint;
    row.alert_id = position->alert_id;
    fuzz::require(storage::delivery_cursor(row) == text, "a cursor is stable", text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    watch_list(text);
    finding_list(text);
    delivery_list(text);
    api::is_time(text);
    if (const auto number = api::parse_number(text))
        fuzz::require(*number >= 0, "a number that is not negative", text);
    return 0;
}
