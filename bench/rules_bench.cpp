// Rules and receipts -> matches: nanoseconds a receipt, with 10,000 rules and 100,000 listed accounts.
//
//     rules_bench [ROUNDS]
//
// Each receipt is asked about as storage does it: first whether any rule could concern its accounts, then,
// where one could, by a subject of each kind. Of each row the quickest round counts. A receipt that nobody
// asks about should take well under 1,000 ns, and one in a hundred that matches at most 5,000 ns.
#include "rule/rule_set.hpp"

#include "bench/machine.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace receiptd;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kRules = 10'000;
constexpr std::size_t kLists = 100;
constexpr std::size_t kListed = 100'000;
constexpr std::size_t kReceipts = 20'000;

std::string number(std::size_t value) { return std::to_string(value); }
std::string listed(std::size_t value) { return "customer" + number(value) + ".exchange.near"; }

// As people write them: by contract, by list, by the accounts below one, with conditions on arguments; and
// twenty that name no account.
std::string conditions(std::size_t rule) {
    if (rule < 20)
        return R"("kind":"event","standard":"nep141","event":"ft_burn","method":"exit)" + number(rule) +
               "*\"";
    switch (rule % 5) {
        case 0: return R"("kind":"finding","receiver":"contract)" + number(rule) + ".near\"";
        case 1: return R"("kind":["end","finding"],"signer":"pay)" + number(rule) + ".near\"";
        case 2:
            return R"("kind":"transfer","account":"@list)" + number(rule % kLists) +
                   R"(","amount_at_least":")" + number(rule) + "\"";
        case 3: return R"("kind":["event","key_added"],"receiver":"*.team)" + number(rule) + ".near\"";
        default:
            return R"("kind":"event","receiver":"token)" + number(rule / 5 % 5) +
                   R"(.near","where":{"data":"[*].new_owner_id","is":"shop)" + number(rule) + ".near\"}";
    }
}

rule::RuleSet made_up_rules() {
    std::vector<rule::AccountList> lists;
    for (std::size_t i = 0; i < kLists; ++i) lists.push_back({"list" + number(i), {}});
    for (std::size_t i = 0; i < kListed; ++i) lists[i % kLists].accounts.push_back(listed(i));
    std::vector<rule::Definition> rules;
    for (std::size_t i = 0; i < kRules; ++i) {
        auto read = rule::parse(R"({"name":"rule)" + number(i) + "\"," + conditions(i) + "}");
        if (!read) throw std::logic_error(read.error().front().path + " " + read.error().front().text);
        rules.push_back(std::move(*read));
    }
    return {std::move(rules), rule::Lists(lists)};
}

struct Receipt {
    std::string signer, predecessor, receiver, data;
};

// A receipt that nobody asks about, or one that a rule may match: of a token's contract, or of a listed
// account.
Receipt made_up_receipt(std::mt19937_64& chance, unsigned concerned_percent) {
    const auto any = [&](std::size_t count) { return chance() % count; };
    Receipt receipt{"user" + number(any(1'000'000)) + ".tg", "router" + number(any(1'000)) + ".near",
                    "app" + number(any(50'000)) + ".factory.near", ""};
    if (any(100) >= concerned_percent) return receipt;
    if (any(2) == 0) receipt.signer = listed(any(kListed));
    receipt.receiver = "token" + number(any(5)) + ".near";
    receipt.data = R"([{"old_owner_id":")" + receipt.signer + R"(","new_owner_id":"shop)" +
                   number(any(kRules)) + R"(.near","amount":"1000000","memo":"a payment"}])";
    return receipt;
}

std::size_t matches(const rule::RuleSet& rules, const Receipt& receipt) {
    const auto kinds = rules.kinds_for({receipt.signer, receipt.predecessor, receipt.receiver});
    std::size_t found = 0;
    for (const auto kind : {rule::Kind::event, rule::Kind::transfer, rule::Kind::failed_receipt}) {
        if ((kinds & rule::bit(kind)) == 0) continue;
        rule::Subject subject{.kind = kind,
                              .signer_id = receipt.signer,
                              .predecessor_id = receipt.predecessor,
                              .receiver_id = receipt.receiver,
                              .method_name = "ft_transfer",
                              .account_id = receipt.signer,
                              .cause = "transfer",
                              .amount = 5'000};
        if (kind == rule::Kind::event) {
            subject.standard = "nep141";
            subject.event = "ft_transfer";
            subject.data_json = receipt.data;
        }
        found += rules.match(subject).size();
    }
    return found;
}

void measure(const rule::RuleSet& rules, unsigned concerned_percent, int rounds) {
    std::mt19937_64 chance(1);
    std::vector<Receipt> receipts;
    for (std::size_t i = 0; i < kReceipts; ++i)
        receipts.push_back(made_up_receipt(chance, concerned_percent));
    double best = std::numeric_limits<double>::max();
    std::size_t found = 0;
    for (int round = 0; round < rounds; ++round) {
        found = 0;
        const auto start = Clock::now();
        for (const auto& receipt : receipts) found += matches(rules, receipt);
        best = std::min(best, std::chrono::duration<double, std::nano>(Clock::now() - start).count());
    }
    std::printf("%9u%% %12.0f %12.2f\n", concerned_percent, best / kReceipts,
                static_cast<double>(found) / kReceipts);
}

}  // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 20;
    receiptd::bench::print_machine();
    const auto start = Clock::now();
    const auto rules = made_up_rules();
    const auto compiled = Clock::now();
    const auto changed = rules.with_lists(rules.lists().with("list1", "new.near"));
    std::printf("%zu rules and %zu lists read and compiled in %.0f ms, one account added in %.2f ms\n",
                rules.definitions().size(), changed.lists().names().size(),
                std::chrono::duration<double, std::milli>(compiled - start).count(),
                std::chrono::duration<double, std::milli>(Clock::now() - compiled).count());
    std::printf("%10s %12s %12s\n", "concerned", "ns/receipt", "matches");
    for (const unsigned percent : {0U, 1U, 10U, 100U}) measure(rules, percent, rounds);
}
