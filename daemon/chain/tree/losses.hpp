// Tokens that a tree burnt, and not as a fee: nobody has them any more (docs/verdicts.md). Pure.
#pragma once

#include "chain/tree/finding.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::chain {

// Error classes of burnt tokens without a failed receipt.
inline constexpr Text kGasKeyBalance =
    "gas_key_balance";                              // a key or an account was deleted, with what it held
inline constexpr Text kSenderGone = "sender_gone";  // a token had nobody to give back to

// What the events of an outcome burn, in the smallest units of its contract's tokens.
u128 burnt_in_events(const List<Text>& logs);
std::string gone_in_words(u128 amount);

// Whether all that such a receipt burns beside its gas is what gas keys held: it deletes keys or accounts,
// and pays for nothing that burns tokens, too.
bool deletes_keys(const List<Action>& actions);
bool deletes_keys(const std::vector<std::string>& action_names);

class Losses {
public:
    // The outcome of the transaction: it tells the price of gas in its block.
    void conversion(Gas gas_burnt, u128 tokens_burnt);
    // The outcome of a receipt that succeeded and deletes_keys(). Returns what the keys held, at the price of
    // the transaction's block; 0: no more was burnt than gas can cost.
    u128 with_keys(Gas gas_burnt, u128 tokens_burnt);
    void deleted(Text account_id) { deleted_.emplace(account_id); }

    // Takes a finding of kind burnt_tokens. A gas refund to an account that the same tree deleted is dust:
    // the chain burns it with every deletion, so it is expected, and no loss.
    void add(Finding& finding, bool of_gas);

    u128 lost() const { return lost_; }  // yoctoNEAR
    u128 fees(u128 tokens_burnt) const { return tokens_burnt - std::min(tokens_burnt, with_keys_); }

private:
    u128 gas_price_ = 0;
    u128 lost_ = 0;
    u128 with_keys_ = 0;  // part of the outcomes' tokens_burnt
    std::set<std::string, std::less<>> deleted_;
};

}  // namespace receiptd::chain
