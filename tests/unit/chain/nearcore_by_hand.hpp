// The truth about the scripted trees of ../shared/data/nearcore-84*, written by hand from what was
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
    std::string user = {};  // behind a relayer
    friend bool operator==(const Told&, const Told&) = default;
};

// A receipt that failed of itself, and nothing more.
inline Told only(const std::string& receipt, const std::string& user = {}) {
    return {"", receipt, {"failed_receipt " + receipt}, user};
}
// The same, handled.
inline Told handled(const std::string& receipt, const std::string& effect, const std::string& user = {}) {
    return {effect, receipt, {"failed_receipt " + receipt + " handled " + effect}, user};
}

inline const std::map<std::string, Told>& told_by_hand() {
    static const std::string wide = "failed_receipt promise other handled told";
    static const std::map<std::string, Told> all{
        {"transfer_to_nobody", only("initial nobody")},
        {"call_panic", only("initial app")},
        {"call_deposit_panic", only("initial app")},
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
        {"batch_fails_second", only("initial bob")},
        {"create_account_exists", only("initial bob")},
        {"contract_pays_nobody", only("detached nobody")},
        {"delete_account_bad_beneficiary", {"", "", {"burnt_tokens payout nobody"}}},
        {"refund_to_deleted",
         {"",
          "initial app",
          {"failed_receipt initial app", "burnt_tokens refund gone3", "burnt_tokens refund gone3"}}},
        {"delegate_ok", {"", "", {}, "alice"}},
        {"delegate_inner_fails", only("detached app", "alice")},
        {"delegate_repeated", only("initial alice", "alice")},
        {"delegate_expired", only("initial alice", "alice")},
        {"ft_unregistered", only("initial ft")},
        {"ft_call_part",
         {"refunded_in_part", "", {"tokens_returned callback ft refunded_in_part 40 of 100"}}},
        {"ft_call_refused", {"refunded", "", {"tokens_returned callback ft refunded 100 of 100"}}},
        {"ft_call_panics", handled("promise app", "refunded")},
        {"ft_call_no_contract", handled("promise bob", "refunded")},
        {"stake_too_little", only("initial alice")},
        {"eth_call_ok", {"", "", {}, "wallet"}},
        {"eth_call_fails", handled("promise app", "told", "wallet")},
        {"eth_bad_nonce", {"", "", {"wallet_refused initial wallet"}, "wallet"}},
        {"eth_transfer", {"", "", {}, "wallet"}},
        {"wide", {"told", "promise other", {wide, wide, wide, wide}}},
        {"deep", only("returned app")},
    };
    return all;
}

}  // namespace receiptd::chain::testing
