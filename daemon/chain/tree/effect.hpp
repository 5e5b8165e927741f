// Tokens that came back to the sender of a transaction, as the callbacks of the token standards tell:
// ft_resolve_transfer (NEP-141), nft_resolve_transfer (NEP-171) and mt_resolve_transfer (NEP-245). A receiver
// that refuses what it is sent fails nothing: only the callback's value tells. Pure.
#pragma once

#include "base/u128.hpp"
#include "chain/json/model.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::chain {

// In the smallest unit; pieces, where each is a token of its own. Sums stop at 2^128 - 1.
struct TokenFlow {
    u128 kept = 0;
    u128 returned = 0;
    friend bool operator==(const TokenFlow&, const TokenFlow&) = default;
};

bool is_token_callback(Text method_name);
// The flow that such a callback tells when it succeeded. Its arguments and its value are JSON; nullopt: they
// are not as the standard has them.
std::optional<TokenFlow> token_flow(Text method_name, Text args_json, Text value_json);

// `tokens_lost`: burnt, and not as a fee (losses.hpp). `told` and `swallowed` are of handled failures of
// which no tokens came back (silence.hpp).
enum class Effect : std::uint8_t { refunded, refunded_in_part, told, swallowed, tokens_lost };
Text effect_name(Effect effect);
std::optional<Effect> parse_effect(Text name);
// The effect of one flow, or of several together; nullopt: nothing came back.
std::optional<Effect> effect_of(const TokenFlow& flow);

}  // namespace receiptd::chain
