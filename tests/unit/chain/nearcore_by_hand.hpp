// The truth about the scripted trees of ../shared/data/nearcore-84* and -86, written by hand from what was
// done: the recordings do not tell it. Accounts without the network's ending; "wallet" is the 0x account.
#pragma once

#include <map>
#include <set>
#include <string>

namespace receiptd::chain::testing {

struct Told {
    std::string effect = {};
    std::string root_cause = {};  // role and account of the receipt
    // Kind, role and account, then: handled, effect, tokens returned, root cause.
    std::multiset<std::string> findings = {};
    std::string user = {};  // behind a relayer, who has signed
    friend bool operator==(const Told&, const Told&) = default;
};

// A receipt that failed of itself, and nothing more.
inline Told only(const std::string& receipt, const std::string& user = {}) {
    return {"", receipt, {"failed_receipt " + receipt}, user};
}
// The same, and the deposit came back.
inline Told refunded(const std::string& receipt) {
    return {"refunded", receipt, {"failed_receipt " + receipt}};
}
// The same, handled.
inline Told handled(const std::string& receipt, const std::string& effect, const std::string& user = {}) {
    return {effect, receipt, {"failed_receipt " + receipt + " handled " + effect}, user};
}

inline const std::map<std::string, Told>& told_by_hand() {
    static const std::string wide = "failed_receipt promise other handled told";
    static const std::map<std::string, Told> all{
        {"transfer_to_nobody", refunded("initial nobody")},
        {"call_panic", only("initial app")},
        {"call_deposit_panic", refunded("initial app")},
        {"no_method", only("initial app")},
        {"no_code", only("initial bob")},
        {"no_gas", only("initial app")},
        {"detached_fails", only("detached other")},
        {"returned_fails", only("returned other")},
        {"returned_twice_fails", only("returned third")},
        {"callback_observes", handled("promise other", "told")},
        {"callback_fails_returned", only("callback app")},
        {"callback_fails_quietly", only("callback app")},
        {"callback_fails_of_failure",
         {"",
          "promise other",
          {"failed_receipt promise other", "failed_receipt callback app because promise other"}}},
        {"callback_fails_observed", only("callback other")},
        {"joint_one_fails", handled("promise other", "told")},
        {"two_receivers", only("callback third")},
        {"callback_spawns", only("detached third")},
        {"yield_timed_out", {"", "", {"yield_timed_out callback other handled"}}},
        {"yield_timed_out_panics",
         {"", "callback third", {"failed_receipt callback third", "yield_timed_out callback third"}}},
        {"batch_fails_second", refunded("initial bob")},
        {"create_account_exists", refunded("initial bob")},
        {"contract_pays_nobody", only("detached nobody")},
        {"delete_account_bad_beneficiary", {"tokens_lost", "", {"burnt_tokens payout nobody"}}},
        {"refund_to_deleted",
         {"tokens_lost",
          "initial app",
          {"failed_receipt initial app", "burnt_tokens refund gone3", "burnt_tokens refund gone3"}}},
        {"delegate_ok", {"", "", {}, "alice"}},
        {"delegate_inner_fails", only("detached app", "alice")},
        {"delegate_repeated", only("initial alice")},
        {"delegate_expired", only("initial alice")},
        {"ft_unregistered", only("initial ft")},
        {"ft_call_part",
         {"refunded_in_part", "", {"tokens_returned callback ft refunded_in_part 40 of 100"}}},
        {"ft_call_refused", {"refunded", "", {"tokens_returned callback ft refunded 100 of 100"}}},
        {"ft_call_panics", handled("promise app", "refunded")},
        {"ft_call_no_contract", handled("promise bob", "refunded")},
        {"stake_too_little", only("initial alice")},
        {"eth_call_ok", {"", "", {}, "wallet"}},
        {"eth_call_fails", handled("promise app", "told", "wallet")},
        {"eth_bad_nonce", {"", "", {"wallet_refused initial wallet"}}},
        {"eth_transfer", {"", "", {}, "wallet"}},
        {"wide", {"told", "promise other", {wide, wide, wide, wide}}},
        {"deep", only("returned app")},
    };
    return all;
}

// What is otherwise, or not there, in ../shared/data/nearcore-86: every transaction has a gas refund, and
// nobody has deployed the contract of wallets.
inline const std::map<std::string, Told>& told_by_hand_86() {
    static const Told no_wallet = only("initial wallet");
    static const std::map<std::string, Told> all{
        {"delete_account", {"", "", {"burnt_tokens refund gone expected"}}},
        {"delete_account_bad_beneficiary",
         {"tokens_lost", "", {"burnt_tokens payout nobody", "burnt_tokens refund gone2 expected"}}},
        {"delegate_v2", {"", "", {}, "alice"}},
        {"delegate_v2_gas_key", only("detached app", "alice")},
        {"eth_bad_nonce", no_wallet},
        {"eth_call_fails", no_wallet},
        {"eth_call_ok", no_wallet},
        {"eth_transfer", no_wallet},
        {"gas_key_call", handled("promise other", "told")},
        {"gas_key_deleted", {"tokens_lost", "", {"burnt_tokens initial alice"}}},
        {"gas_key_panic_deposit", refunded("initial app")},
        {"mldsa_call_panics", only("initial app")},
        {"nul_method_called", only("initial app")},
    };
    return all;
}

}  // namespace receiptd::chain::testing
