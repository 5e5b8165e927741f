// How the rows of the key table reach their fields: getters and setters made from member pointers.
#pragma once

#include "config/keys.hpp"

#include <type_traits>

namespace receiptd::config::binding {

// Fields of Settings as Values and back.
template <class T>
Value to_value(const T& field) {
    if constexpr (std::is_enum_v<T> || std::is_same_v<T, unsigned>)
        return static_cast<std::uint64_t>(field);
    else
        return field;
}
inline Value to_value(const base::Secret&) { return std::string(); }
inline Value to_value(const std::optional<std::chrono::hours>& field) {
    return field ? Millis(*field) : kForever;
}

inline Value to_value(const std::chrono::seconds& field) { return Millis(field); }

template <class T>
void assign(T& field, const Value& value) {
    if constexpr (std::is_enum_v<T> || std::is_same_v<T, unsigned>)
        field = static_cast<T>(std::get<std::uint64_t>(value));
    else
        field = std::get<T>(value);
}
inline void assign(base::Secret& field, const Value& value) {
    field = base::Secret(std::get<std::string>(value));
}
inline void assign(std::optional<std::chrono::hours>& field, const Value& value) {
    const auto keep = std::get<Millis>(value);
    if (keep == kForever)
        field.reset();
    else
        field = std::chrono::duration_cast<std::chrono::hours>(keep);
}

inline void assign(std::chrono::seconds& field, const Value& value) {
    field = std::chrono::duration_cast<std::chrono::seconds>(std::get<Millis>(value));
}

template <auto Member>
constexpr Binding setting() {
    return {[](const Draft& draft, std::size_t) { return to_value(draft.settings.*Member); },
            [](Draft& draft, std::size_t, const Value& value) { assign(draft.settings.*Member, value); }};
}

template <auto Part, auto Member>
constexpr Binding setting() {
    return {
        [](const Draft& draft, std::size_t) { return to_value(draft.settings.*Part.*Member); },
        [](Draft& draft, std::size_t, const Value& value) { assign(draft.settings.*Part.*Member, value); }};
}

template <auto Member>
constexpr Binding upstream() {
    return {[](const Draft& draft, std::size_t item) {
                return to_value(draft.settings.upstreams.at(item).*Member);
            },
            [](Draft& draft, std::size_t item, const Value& value) {
                assign(draft.settings.upstreams.at(item).*Member, value);
            }};
}

template <auto Member>
constexpr Binding endpoint() {
    return {[](const Draft& draft, std::size_t item) {
                return to_value(draft.settings.endpoints.at(item).*Member);
            },
            [](Draft& draft, std::size_t item, const Value& value) {
                assign(draft.settings.endpoints.at(item).*Member, value);
            }};
}

template <auto Member>
constexpr Binding neardata() {
    return {[](const Draft& draft, std::size_t) { return to_value(draft.settings.neardata.value().*Member); },
            [](Draft& draft, std::size_t, const Value& value) {
                assign(draft.settings.neardata.value().*Member, value);
            }};
}

inline Value hidden(const Draft&, std::size_t) { return std::string(); }

template <auto Member>
constexpr Binding watch_rule() {
    return {[](const Draft& draft, std::size_t item) {
                return to_value(draft.settings.watch_rules.at(item).*Member);
            },
            [](Draft& draft, std::size_t item, const Value& value) {
                assign(draft.settings.watch_rules.at(item).*Member, value);
            }};
}

template <auto Place>
constexpr Binding upstream_key() {
    return {hidden, [](Draft& draft, std::size_t item, const Value& value) {
                draft.upstream_keys.at(item).*Place = std::get<std::string>(value);
            }};
}

template <auto Place>
constexpr Binding endpoint_secret() {
    return {hidden, [](Draft& draft, std::size_t item, const Value& value) {
                draft.endpoint_secrets.at(item).*Place = std::get<std::string>(value);
            }};
}

template <auto Secret, auto Place>
constexpr Binding secret_place() {
    return {hidden, [](Draft& draft, std::size_t, const Value& value) {
                draft.*Secret.*Place = std::get<std::string>(value);
            }};
}

}  // namespace receiptd::config::binding
