// Random programs on random accounts, some of them failing, some never valid.
#pragma once

#include "test_chain.hpp"

#include <nlohmann/json.hpp>

#include <random>

namespace receiptd::sandbox {

class RandomTraffic {
public:
    RandomTraffic(TestChain& chain, std::uint64_t seed) : chain_(chain), random_(seed) {}

    wire::SignedTransaction next() {
        static const std::vector<std::string> kAccounts = {"alice.sandbox", "bob.sandbox", "carol.sandbox",
                                                           "relayer.sandbox"};
        const std::string& signer = kAccounts[random_() % kAccounts.size()];
        const std::string& other = kAccounts[random_() % kAccounts.size()];
        const std::string contract = random_() % 2 == 0 ? "ft.sandbox" : "script.sandbox";
        switch (random_() % 8) {
            case 0: return chain_.transfer(signer, other, kToken);
            case 1:
                return chain_.transfer(signer, std::string(63, 'a') + "0123456789abcdef"[random_() % 16],
                                       kToken);
            case 2: return chain_.transfer(signer, "missing.sandbox", kToken);
            case 3: return chain_.call(signer, contract, "panic", "", kToken);
            case 4: return chain_.call(signer, contract, "yield");
            case 5: return chain_.call(signer, contract, "burn", "30");
            case 6: return chain_.transfer(signer, other, 20'000 * kToken);
            default: return chain_.call(signer, contract, "call", program(2).dump());
        }
    }

private:
    sim::Json program(int depth) {
        static const std::vector<std::string> kMethods = {"keep", "panic", "yield", "nothing"};
        sim::Json step = {{"to", random_() % 2 == 0 ? "script.sandbox" : "ft.sandbox"},
                          {"return", random_() % 2 == 0}};
        step["gas"] = depth * 20;
        if (random_() % 2 == 0) step["then"] = random_() % 3 == 0 ? "callback_panic" : "keep";
        if (depth > 1 && random_() % 2 == 0) {
            step["method"] = "call";
            step["args"] = program(depth - 1);
        } else {
            step["method"] = kMethods[random_() % kMethods.size()];
        }
        return step;
    }

    TestChain& chain_;
    std::mt19937_64 random_;
};

}  // namespace receiptd::sandbox
