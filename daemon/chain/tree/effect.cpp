#include "chain/tree/effect.hpp"

#include "base/checked.hpp"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <utility>

namespace receiptd::chain {

namespace {

namespace dom = simdjson::dom;

constexpr std::array<std::pair<Effect, Text>, 5> kEffects{{
    {Effect::refunded, "refunded"},
    {Effect::refunded_in_part, "refunded_in_part"},
    {Effect::told, "told"},
    {Effect::swallowed, "swallowed"},
    {Effect::tokens_lost, "tokens_lost"},
}};

template <class Json>
std::optional<u128> amount_in(const Json& json) {
    std::string_view text;
    if (json.get(text) != simdjson::SUCCESS) return std::nullopt;
    return base::parse_u128(text);
}

// An amount, or the sum of a list of amounts.
std::optional<u128> total_of(const simdjson::simdjson_result<dom::element>& json) {
    dom::array list;
    if (json.get(list) != simdjson::SUCCESS) return amount_in(json);
    u128 sum = 0;
    for (const dom::element each : list) {
        const auto amount = amount_in(each);
        if (!amount) return std::nullopt;
        sum = base::saturated_add(sum, *amount);
    }
    return sum;
}

}  // namespace

bool is_token_callback(Text method_name) {
    return method_name == "ft_resolve_transfer" || method_name == "nft_resolve_transfer" ||
           method_name == "mt_resolve_transfer";
}

// The value is what the receiver keeps: an amount (NEP-141), a list of them (NEP-245), or whether it keeps
// the token (NEP-171).
std::optional<TokenFlow> token_flow(Text method_name, Text args_json, Text value_json) {
    thread_local dom::parser args_parser;
    thread_local dom::parser value_parser;
    const auto value = value_parser.parse(simdjson::padded_string(value_json));
    if (method_name == "nft_resolve_transfer") {
        bool kept = false;
        if (value.get(kept) != simdjson::SUCCESS) return std::nullopt;
        return kept ? TokenFlow{1, 0} : TokenFlow{0, 1};
    }
    const auto args = args_parser.parse(simdjson::padded_string(args_json));
    const auto sent = total_of(args.at_key(method_name == "mt_resolve_transfer" ? "amounts" : "amount"));
    const auto kept = total_of(value);
    if (!sent || !kept || *kept > *sent) return std::nullopt;
    return TokenFlow{*kept, *sent - *kept};
}

Text effect_name(Effect effect) {
    for (const auto& [each, name] : kEffects)
        if (each == effect) return name;
    return {};
}

std::optional<Effect> parse_effect(Text name) {
    for (const auto& [effect, text] : kEffects)
        if (text == name) return effect;
    return std::nullopt;
}

std::optional<Effect> effect_of(const TokenFlow& flow) {
    if (flow.returned == 0) return std::nullopt;
    return flow.kept == 0 ? Effect::refunded : Effect::refunded_in_part;
}

}  // namespace receiptd::chain
