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

template <class Whole, class Field>
Field field_of(Field Whole::*);
template <auto Member>
inline constexpr bool is_secret = std::is_same_v<decltype(field_of(Member)), base::Secret>;

template <auto Member>
constexpr Binding setting() {
    return {[](const Draft& draft, std::size_t) { return to_value(draft.settings.*Member); },
            [](Draft& draft, std::size_t, const Value& value) { assign(draft.settings.*Member, value); }};
}

template <auto Part, auto Member>
constexpr Binding setting() {
    Binding binding{
        [](const Draft& draft, std::size_t) { return to_value(draft.settings.*Part.*Member); },
        [](Draft& draft, std::size_t, const Value& value) { assign(draft.settings.*Part.*Member, value); }};
    if constexpr (is_secret<Member>)
        binding.secret = [](Settings& settings, std::size_t) -> base::Secret& {
            return settings.*Part.*Member;
        };
    return binding;
}

// A member of the entries of a list.
template <auto List, auto Member>
constexpr Binding entry() {
    Binding binding{[](const Draft& draft, std::size_t item) {
                        return to_value((draft.settings.*List).at(item).*Member);
                    },
                    [](Draft& draft, std::size_t item, const Value& value) {
                        assign((draft.settings.*List).at(item).*Member, value);
                    }};
    if constexpr (is_secret<Member>)
        binding.secret = [](Settings& settings, std::size_t item) -> base::Secret& {
            return (settings.*List).at(item).*Member;
        };
    return binding;
}

template <auto Member>
constexpr Binding upstream() {
    return entry<&Settings::upstreams, Member>();
}

template <auto Member>
constexpr Binding endpoint() {
    return entry<&Settings::endpoints, Member>();
}

template <auto Member>
constexpr Binding watch_rule() {
    return entry<&Settings::watch_rules, Member>();
}

template <auto Member>
constexpr Binding expected_failure() {
    return entry<&Settings::expected, Member>();
}

template <auto Member>
constexpr Binding neardata() {
    Binding binding{
        [](const Draft& draft, std::size_t) { return to_value(draft.settings.neardata.value().*Member); },
        [](Draft& draft, std::size_t, const Value& value) {
            assign(draft.settings.neardata.value().*Member, value);
        }};
    if constexpr (is_secret<Member>)
        binding.secret = [](Settings& settings, std::size_t) -> base::Secret& {
            return settings.neardata.value().*Member;
        };
    return binding;
}

inline Value hidden(const Draft&, std::size_t) { return std::string(); }

// The place of the secret that is member `Member`.
template <auto Member, auto Secret, auto Place>
constexpr Binding upstream_secret() {
    return {hidden,
            [](Draft& draft, std::size_t item, const Value& value) {
                draft.upstream_secrets.at(item).*Secret.*Place = std::get<std::string>(value);
            },
            upstream<Member>().secret};
}

// A member of the endpoint's channel.
template <auto Member>
constexpr Binding endpoint_channel() {
    Binding binding{[](const Draft& draft, std::size_t item) {
                        return to_value(draft.settings.endpoints.at(item).channel.*Member);
                    },
                    [](Draft& draft, std::size_t item, const Value& value) {
                        assign(draft.settings.endpoints.at(item).channel.*Member, value);
                    }};
    if constexpr (is_secret<Member>)
        binding.secret = [](Settings& settings, std::size_t item) -> base::Secret& {
            return settings.endpoints.at(item).channel.*Member;
        };
    return binding;
}

// The place of a secret of an endpoint; `whole` is the binding of its value.
template <auto Secret, auto Place>
constexpr Binding endpoint_secret(Binding whole) {
    return {hidden,
            [](Draft& draft, std::size_t item, const Value& value) {
                draft.endpoint_secrets.at(item).*Secret.*Place = std::get<std::string>(value);
            },
            whole.secret};
}

template <auto Member, auto Secret, auto Place>
constexpr Binding neardata_secret() {
    return {hidden,
            [](Draft& draft, std::size_t, const Value& value) {
                draft.neardata_secrets.*Secret.*Place = std::get<std::string>(value);
            },
            neardata<Member>().secret};
}

// The place of the secret that is member `Member` of `Part`.
template <auto Secret, auto Place, auto Part, auto Member>
constexpr Binding secret_place() {
    return {hidden,
            [](Draft& draft, std::size_t, const Value& value) {
                draft.*Secret.*Place = std::get<std::string>(value);
            },
            setting<Part, Member>().secret};
}

}  // namespace receiptd::config::binding
