// The kinds of transactions, and their proportions in each profile.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace receiptd::sandbox {

// A kind makes one transaction, some make a second one some blocks later (marked +); those count as kinds
// of their own and come on top of the shares below.
enum class Kind : std::uint8_t {
    transfer,              // to another account of the traffic, or to alice, bob or carol
    implicit_account,      // transfer to a new 64-hex account
    create_account,        // sub-account with a key of its own; deletes itself later (+ delete_account)
    delete_account,        // signed by the created account, balance back to its creator
    key_rotation,          // adds a function-call key and deletes it, one batch
    token_transfer,        // ft_transfer
    token_kept,            // ft_transfer_call, receiver keeps all
    token_refunded,        // … returns all or a part
    token_receiver_fails,  // … panics or burns its gas: refunded, a handled failure
    token_callback_fails,  // … and ft_resolve_transfer panics: the transaction fails in its callback
    token_callback_fails_unseen,  // the same under a transaction whose status is a success
    deep_tree,                    // calls in calls, 4 to 8 deep, two per level in part
    joint_promise,                // 2 to 5 promises on several contracts, joined by one callback
    handled_failure,              // a call fails, its callback succeeds
    callback_fails,               // a callback nobody returns panics under a successful transaction
    detached_failure,             // a call nobody awaits fails under a successful transaction
    yield_resumed,                // yield.sandbox request (+ yield_answer)
    yield_answer,                 // the respond to it
    yield_timed_out,              // a request that nobody answers; every second one panics then
    delegate,                     // relayer.sandbox brings a user's ft_transfer
    delegate_inner_fails,         // … whose inner call panics
    delegate_expired,             // … whose max_block_height has passed
    failing_batch,                // a batch whose last action fails
    failing_call,                 // method not found, no contract, panic with a deposit, not enough gas
    missing_receiver,             // transfer to an account that is not there
    heavy_call,                   // burns 100 to 250 Tgas on script.sandbox
    wide_fan_out,                 // 20 to 40 calls at once from script.sandbox
    dropped_expired,              // Planned::drop, see traffic.hpp
    dropped_superseded,
    dropped_balance,  // of one of the poor accounts (accounts.hpp), + refill
    refill,           // a poor account gets its tokens back
    dropped_forwarding,
    stale_block_hash,   // block hash beyond the validity window: Expired
    eth_wallet,         // a transfer makes the account of a new Ethereum address (+ one of the next three)
    wallet_call,        // relayer.sandbox brings what the address's owner signed to rlp_execute
    wallet_call_fails,  // … whose inner call panics
    wallet_refused,     // … which the wallet does not do
    gas_key,            // adds a gas key and fills it (+ gas_key_spends)
    gas_key_spends,     // it signs and pays a transfer, some of them to nobody (+ gas_key_removed)
    gas_key_removed,    // it deletes itself; what it holds is burnt
    wrong_nonce,        // nonce 0, or above the bound of the height: InvalidNonce, NonceTooLarge
};
inline constexpr std::size_t kKinds = 41;
std::string_view kind_name(Kind kind);  // "token_kept"

enum class Profile : std::uint8_t { mixed, transfers, tokens, failures, storm };
inline constexpr std::size_t kProfiles = 5;
std::string_view profile_name(Profile profile);
// nullopt: no such profile.
std::optional<Profile> parse_profile(std::string_view name);

// Parts in a thousand. Kinds that stand nowhere are follow-ups. A kind whose means are not there at the
// moment becomes a transfer (Traffic says when).
//
// | kind | mixed | transfers | tokens | failures | storm |
// |---|---|---|---|---|---|
// | transfer | 230 | 800 | 100 | 100 | 60 |
// | implicit_account | 30 | 100 | | 10 | |
// | create_account | 20 | 60 | | 10 | |
// | key_rotation | 20 | 40 | | | |
// | token_transfer | 200 | | 400 | 60 | 200 |
// | token_kept | 80 | | 180 | | 100 |
// | token_refunded | 50 | | 120 | | |
// | token_receiver_fails | 30 | | 80 | 90 | |
// | token_callback_fails | 15 | | 60 | 80 | |
// | token_callback_fails_unseen | 15 | | 60 | 80 | |
// | deep_tree | 40 | | | | 140 |
// | joint_promise | 40 | | | | 100 |
// | handled_failure | 20 | | | 60 | |
// | callback_fails | 15 | | | 80 | |
// | detached_failure | 15 | | | 80 | |
// | yield_resumed | 20 | | | | |
// | yield_timed_out | 10 | | | 30 | |
// | delegate | 40 | | | | |
// | delegate_inner_fails | 10 | | | 50 | |
// | delegate_expired | 5 | | | 20 | |
// | failing_batch | 10 | | | 60 | |
// | failing_call | 15 | | | 70 | |
// | missing_receiver | 10 | | | 40 | |
// | heavy_call | | | | | 200 |
// | wide_fan_out | | | | | 200 |
// | dropped_expired | 5 | | | 15 | |
// | dropped_superseded | 5 | | | 15 | |
// | dropped_balance | 5 | | | 15 | |
// | dropped_forwarding | 5 | | | 15 | |
// | stale_block_hash | 5 | | | 10 | |
// | eth_wallet | 20 | | | | |
// | gas_key | 10 | | | | |
// | wrong_nonce | 5 | | | 10 | |
using Proportions = std::array<std::uint16_t, kKinds>;  // by Kind, sum 1000
const Proportions& proportions(Profile profile);

}  // namespace receiptd::sandbox
