// Rules as a service with many customers has them, some of whom take part in the measured blocks.
#pragma once

#include "chain/json/model.hpp"
#include "rule/rule_set.hpp"

#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace receiptd::bench {

inline constexpr std::size_t kRules = 10'000;
inline constexpr std::size_t kLists = 100;
inline constexpr std::size_t kListed = 100'000;

// Each is asked about by a hundred of them, and so are accounts that no block names; ten name no account.
inline std::string conditions(std::size_t rule) {
    const auto number = std::to_string(rule);
    const auto list = "\"@list" + std::to_string(rule % kLists) + "\"";
    if (rule < 10)
        return R"("kind":"event","standard":"nep141","event":"ft_*","where":{"data":"[*].amount",)"
               R"("at_least":"1000000000000000000000000000000000)" +
               number + R"("})";
    switch (rule % 4) {
        case 0:
            return R"("kind":"transfer","direction":"in","account":)" + list + R"(,"amount_at_least":")" +
                   number + "\"";
        case 1: return R"("kind":["event","key_added"],"receiver":"*.team)" + number + ".near\"";
        case 2: return R"("kind":"verdict","signer":"payer)" + number + R"(.near","verdict":"failed")";
        default: return R"("kind":"event","receiver":"token)" + number + R"(.near","event":"ft_transfer")";
    }
}

// `customers` are in the lists, beside others.
inline rule::RuleSet many_rules(const std::set<std::string>& customers) {
    std::vector<rule::AccountList> lists;
    for (std::size_t i = 0; i < kLists; ++i) lists.push_back({"list" + std::to_string(i), {}});
    std::size_t at = 0;
    for (const auto& account : customers) lists[at++ % kLists].accounts.push_back(account);
    for (; at < kListed; ++at)
        lists[at % kLists].accounts.push_back("customer" + std::to_string(at) + ".exchange.near");
    std::vector<rule::Definition> rules;
    for (std::size_t i = 0; i < kRules; ++i) {
        auto read = rule::parse(R"({"name":"rule)" + std::to_string(i) + "\"," + conditions(i) + "}");
        if (!read) throw std::logic_error(read.error().front().path + " " + read.error().front().text);
        rules.push_back(std::move(*read));
    }
    return {std::move(rules), rule::Lists(lists)};
}

// Every tenth account that executes something in the block.
inline void add_customers(const chain::WholeBlock& block, std::set<std::string>& customers) {
    std::size_t at = 0;
    for (const auto& shard : block.shards)
        for (const auto& item : shard.executed)
            if (at++ % 10 == 0) customers.emplace(item.receipt.receiver_id);
}

}  // namespace receiptd::bench
