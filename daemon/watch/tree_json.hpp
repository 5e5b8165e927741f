// A judged tree as a JSON value, for the writers of transaction_json.cpp. Pure.
#pragma once

#include "chain/tree/receipt_tree.hpp"
#include "watch/json_values.hpp"

#include <optional>
#include <string>

namespace receiptd::watch {

// Height 0 and time 0 are not known.
Json height_or_null(const std::optional<chain::ExecutedAt>& at);
Json time_or_null(const std::optional<chain::ExecutedAt>& at);
Json effect_or_null(const std::optional<chain::Effect>& effect);
Json near_status_or_null(const std::optional<chain::NearStatus>& status);

Json tree_json(const std::optional<chain::TransactionFacts>& transaction, const chain::Judgement& tree);

}  // namespace receiptd::watch
