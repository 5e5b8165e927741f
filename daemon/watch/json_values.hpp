// Values of the product's JSON: what is not known is null.
#pragma once

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

}  // namespace receiptd::watch
