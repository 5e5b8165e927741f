// Deliveries, groups of alerts and silences as values. Pure.
#pragma once

#include "base/clock.hpp"
#include "page/render.hpp"
#include "storage/delivery_access.hpp"
#include "storage/page_store.hpp"
#include "storage/silence_store.hpp"

#include <string_view>

namespace receiptd::page {

// Every state of a delivery.
Json state_choices(std::string_view chosen);

Json delivery_values(const storage::DeliveryRow& row, base::WallTime now);
Json alert_group_values(const storage::AlertGroup& group, base::WallTime now);
Json silence_values(const storage::SilenceRow& row, base::WallTime now);

}  // namespace receiptd::page
