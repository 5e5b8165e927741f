// A judged tree as a JSON value, for the writers of transaction_json.cpp. Pure.
#pragma once

#include "chain/tree/receipt_tree.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace receiptd::watch {

using Json = nlohmann::ordered_json;

inline Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }
template <class T>
Json or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json();
}

// Height 0 and time 0 are not known.
Json height_or_null(const std::optional<chain::ExecutedAt>& at);
Json time_or_null(const std::optional<chain::ExecutedAt>& at);
Json effect_or_null(const std::optional<chain::Effect>& effect);
Json near_status_or_null(const std::optional<chain::NearStatus>& status);

Json tree_json(const std::optional<chain::TransactionFacts>& transaction, const chain::Judgement& tree);

}  // namespace receiptd::watch
