#include "sandbox/traffic/profile.hpp"

#include <initializer_list>
#include <utility>

namespace receiptd::sandbox {

namespace {

constexpr std::array<std::string_view, kKinds> kKindNames{
    "transfer",
    "implicit_account",
    "create_account",
    "delete_account",
    "key_rotation",
    "token_transfer",
    "token_kept",
    "token_refunded",
    "token_receiver_fails",
    "token_callback_fails",
    "token_callback_fails_unseen",
    "deep_tree",
    "joint_promise",
    "handled_failure",
    "callback_fails",
    "detached_failure",
    "yield_resumed",
    "yield_answer",
    "yield_timed_out",
    "delegate",
    "delegate_inner_fails",
    "delegate_expired",
    "failing_batch",
    "failing_call",
    "missing_receiver",
    "heavy_call",
    "wide_fan_out",
    "dropped_expired",
    "dropped_superseded",
    "dropped_balance",
    "refill",
    "dropped_forwarding",
    "stale_block_hash",
    "eth_wallet",
    "wallet_call",
    "wallet_call_fails",
    "wallet_refused",
    "gas_key",
    "gas_key_spends",
    "gas_key_removed",
    "wrong_nonce",
};

constexpr std::array<std::string_view, kProfiles> kProfileNames{"mixed", "transfers", "tokens", "failures",
                                                                "storm"};

constexpr Proportions parts(std::initializer_list<std::pair<Kind, std::uint16_t>> shares) {
    Proportions all{};
    for (const auto& [kind, share] : shares) all[static_cast<std::size_t>(kind)] = share;
    return all;
}

constexpr std::array<Proportions, kProfiles> kProportions{
    parts({{Kind::transfer, 230},
           {Kind::implicit_account, 30},
           {Kind::create_account, 20},
           {Kind::key_rotation, 20},
           {Kind::token_transfer, 200},
           {Kind::token_kept, 80},
           {Kind::token_refunded, 50},
           {Kind::token_receiver_fails, 30},
           {Kind::token_callback_fails, 15},
           {Kind::token_callback_fails_unseen, 15},
           {Kind::deep_tree, 40},
           {Kind::joint_promise, 40},
           {Kind::handled_failure, 20},
           {Kind::callback_fails, 15},
           {Kind::detached_failure, 15},
           {Kind::yield_resumed, 20},
           {Kind::yield_timed_out, 10},
           {Kind::delegate, 40},
           {Kind::delegate_inner_fails, 10},
           {Kind::delegate_expired, 5},
           {Kind::failing_batch, 10},
           {Kind::failing_call, 15},
           {Kind::missing_receiver, 10},
           {Kind::dropped_expired, 5},
           {Kind::dropped_superseded, 5},
           {Kind::dropped_balance, 5},
           {Kind::dropped_forwarding, 5},
           {Kind::stale_block_hash, 5},
           {Kind::eth_wallet, 20},
           {Kind::gas_key, 10},
           {Kind::wrong_nonce, 5}}),
    parts({{Kind::transfer, 800},
           {Kind::implicit_account, 100},
           {Kind::create_account, 60},
           {Kind::key_rotation, 40}}),
    parts({{Kind::transfer, 100},
           {Kind::token_transfer, 400},
           {Kind::token_kept, 180},
           {Kind::token_refunded, 120},
           {Kind::token_receiver_fails, 80},
           {Kind::token_callback_fails, 60},
           {Kind::token_callback_fails_unseen, 60}}),
    parts({{Kind::transfer, 100},
           {Kind::implicit_account, 10},
           {Kind::create_account, 10},
           {Kind::token_transfer, 60},
           {Kind::token_receiver_fails, 90},
           {Kind::token_callback_fails, 80},
           {Kind::token_callback_fails_unseen, 80},
           {Kind::handled_failure, 60},
           {Kind::callback_fails, 80},
           {Kind::detached_failure, 80},
           {Kind::yield_timed_out, 30},
           {Kind::delegate_inner_fails, 50},
           {Kind::delegate_expired, 20},
           {Kind::failing_batch, 60},
           {Kind::failing_call, 70},
           {Kind::missing_receiver, 40},
           {Kind::dropped_expired, 15},
           {Kind::dropped_superseded, 15},
           {Kind::dropped_balance, 15},
           {Kind::dropped_forwarding, 15},
           {Kind::stale_block_hash, 10},
           {Kind::wrong_nonce, 10}}),
    parts({{Kind::transfer, 60},
           {Kind::token_transfer, 200},
           {Kind::token_kept, 100},
           {Kind::deep_tree, 140},
           {Kind::joint_promise, 100},
           {Kind::heavy_call, 200},
           {Kind::wide_fan_out, 200}}),
};

constexpr bool all_sum_to_a_thousand() {
    for (const Proportions& shares : kProportions) {
        unsigned sum = 0;
        for (const std::uint16_t share : shares) sum += share;
        if (sum != 1000) return false;
    }
    return true;
}
static_assert(all_sum_to_a_thousand());

}  // namespace

std::string_view kind_name(Kind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }
std::string_view profile_name(Profile profile) { return kProfileNames[static_cast<std::size_t>(profile)]; }

std::optional<Profile> parse_profile(std::string_view name) {
    for (std::size_t i = 0; i < kProfiles; ++i) {
        if (kProfileNames[i] == name) return static_cast<Profile>(i);
    }
    return std::nullopt;
}

const Proportions& proportions(Profile profile) { return kProportions[static_cast<std::size_t>(profile)]; }

}  // namespace receiptd::sandbox
