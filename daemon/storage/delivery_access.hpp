// Alerts and deliveries as people see them and send them anew.
#pragma once

#include "base/task.hpp"
#include "chain/tree/finding.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::storage {

// The states of a delivery; the same words are in the CHECK of deliveries.state.
inline constexpr std::array<std::string_view, 8> kDeliveryStates = {
    "pending", "delivered", "dead", "grouped", "silenced", "withheld", "late", "overtaken"};
inline constexpr const char* kDeliveryStatesInWords =
    "pending, delivered, dead, grouped, silenced, withheld, late or overtaken";
bool is_delivery_state(std::string_view text);

struct DeliveryRow {
    std::string alert_id, endpoint, state, kind, tx_hash, last_error, last_answer;
    unsigned attempts = 0;
    int last_status = 0;
    std::string created_at, next_attempt_at, delivered_at;  // ISO 8601; empty: none
    std::vector<std::string> rules = {};                    // that matched: "payments@3"
    std::int64_t group_id = 0;    // of which it is a member, or which it is about; 0: none
    std::int64_t silence_id = 0;  // that matched; 0: none
    bool late = false;
    std::string dead_because = {};  // "attempts", "gone", "expired" or "unserved"; empty: it is not dead
};

// A place in a list of deliveries: the newest alerts come first, those of one time by id and endpoint.
struct DeliveryCursor {
    std::string created_at;
    std::string endpoint;  // the name of one has no comma
    std::string alert_id;
};
std::string delivery_cursor(const DeliveryRow& row);
// nullopt: not made by delivery_cursor().
std::optional<DeliveryCursor> parse_delivery_cursor(const std::string& text);

// Empty texts choose any.
struct DeliveryFilter {
    std::string state;
    std::string endpoint;
    std::string alert_id;
    std::string rule;  // its name
    std::optional<std::int64_t> group_id;
    std::string since;     // ISO 8601; alerts that were made then or later
    std::string until;     // ISO 8601; alerts that were made before
    std::string cursor;    // of a list: delivery_cursor() of the last one seen; empty: from the newest on
    unsigned limit = 100;  // 0: none
};

struct StoredAlert {
    std::string alert_id, kind, tx_hash, created_at;
    std::optional<chain::Finding> finding;  // nullopt: forgotten by retention, or it is about something else
    std::string told_json;                  // of a cause that no finding tells; empty: there is none
    std::string payload;                    // without the rules of a delivery; empty: not made yet
    std::vector<DeliveryRow> deliveries;    // by endpoint
};

class DeliveryAccess {
public:
    virtual ~DeliveryAccess() = default;

    virtual base::Task<std::vector<DeliveryRow>> list_deliveries(DeliveryFilter filter) = 0;
    virtual base::Task<std::uint64_t> count_deliveries(DeliveryFilter filter) = 0;
    virtual base::Task<std::optional<StoredAlert>> alert(std::string alert_id) = 0;
    // Makes deliveries pending and due again, and switches their endpoints on; how many.
    virtual base::Task<std::uint64_t> resend(DeliveryFilter filter) = 0;
};

}  // namespace receiptd::storage
