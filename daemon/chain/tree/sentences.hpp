// A transaction in a few sentences for somebody who has never seen its contracts: what broke, where, why, and
// what became of the money. Pure.
#pragma once

#include "chain/tree/judgement.hpp"

#include <optional>
#include <string>
#include <vector>

namespace receiptd::chain {

// One sentence each. Accounts, methods and error texts are the chain's: no line ends or control characters,
// but anything else.
struct Sentences {
    std::string headline;
    std::vector<std::string> causes;  // what failed first, last and why; empty: nothing did
    std::vector<std::string> money;
};
Sentences sentences_of(const std::optional<TransactionFacts>& transaction, const Judgement& tree);

// The word between the name of a method or action and its receiver: "ft_transfer of token.near", but
// "Transfer to bob.near", because "of" would make bob the giver; of several actions "at".
Text joint_of(const JudgedReceipt& receipt);
// A finding does not tell the action from a method of that name: "Transfer at bob.near" is true of both.
Text joint_of(const Finding& finding);
// "ft_transfer"; of several actions all: "CreateAccount, Transfer, AddKey".
std::string actions_in_words(const JudgedReceipt& receipt);
std::string actions_in_words(const TransactionFacts& transaction);
// "1 yield timed out"; empty: none did.
std::string timeouts_in_words(const Judgement& tree);
// One sentence about the tokens of a finding of kind burnt_tokens: which ones, and why nobody has them.
std::string burnt_in_words(const Finding& finding);
// "ft_transfer of token.near"; what is not known is left out.
std::string call_in_words(const JudgedReceipt& receipt);
// "block 123, shard 2"; empty: neither is known.
std::string place_in_words(const JudgedReceipt& receipt);

}  // namespace receiptd::chain
