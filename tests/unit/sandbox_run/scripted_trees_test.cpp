// Trees that contracts make, written by hand, on a chain of protocol 84 whose chunks and heights are missing
// now and then. A network of four real validators, one of them stopped at times, made the same trees of the
// same calls: roles, statuses and refunds are what it recorded (tests/data/recorded/nearcore-84). Gas is not:
// its contracts were WebAssembly.
#include "sandbox/contracts/builtin.hpp"
#include "sandbox/ledger/ledger.hpp"
#include "sandbox/run/genesis.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <map>

namespace receiptd::sandbox {
namespace {

using Counts = std::map<std::string, int>;  // of receipts, by "role status"

struct ScriptedTree {
    std::string name;
    std::string program;
    std::string verdict;
    std::string near_status;
    Counts receipts;
    std::string root_cause;  // what the receipt panicked with that began it; empty: nothing failed
};

// A call of `account`'s program, and steps about it.
std::string calls(const std::string& account, const std::string& program, const std::string& as,
                  int gas = 30) {
    return R"({"call":{"account":")" + account + R"(.sandbox","run":)" + program + R"(,"gas":)" +
           std::to_string(gas) + R"(,"as":")" + as + "\"}}";
}
std::string then(const std::string& after, const std::string& program, const std::string& as, int gas = 20) {
    return R"({"then":{"after":")" + after + R"(","run":)" + program + R"(,"gas":)" + std::to_string(gas) +
           R"(,"as":")" + as + "\"}}";
}
std::string returns(const std::string& name) { return R"({"return_promise":")" + name + "\"}"; }
std::string panics(const std::string& text) { return R"([{"panic":")" + text + "\"}]"; }
const std::string kValue = R"([{"return":"x"}])";
const std::string kLooksOn = R"(["log_promise_results",{"return":"seen"}])";

std::string program_of(const std::vector<std::string>& steps) {
    std::string program;
    for (const std::string& step : steps) program += (program.empty() ? "[" : ",") + step;
    return program + "]";
}

// 20 calls, each awaited by a callback of its own; every fifth panics.
std::string wide() {
    std::vector<std::string> steps;
    for (int i = 0; i < 20; ++i)
        steps.push_back(calls("other", i % 5 == 4 ? panics("a fifth") : kValue, "p" + std::to_string(i), 4));
    for (int i = 0; i < 20; ++i)
        steps.push_back(then("p" + std::to_string(i), kLooksOn, "t" + std::to_string(i), 4));
    steps.push_back(R"({"return":"wide"})");
    return program_of(steps);
}

// Seven contracts deep, each returns the promise of the next, and the last one panics.
std::string deep() {
    std::string program = panics("bottom");
    for (int i = 0; i < 7; ++i) {
        const std::string account = std::vector<std::string>{"script", "other", "third"}[i % 3];
        program = program_of({calls(account, program, "p", 20 + i * 32), returns("p")});
    }
    return program;
}

std::vector<ScriptedTree> trees_that_go_on() {
    return {
        {"call and callback",
         program_of({calls("other", kValue, "p"), then("p", kLooksOn, "t"), returns("t")}),
         "succeeded",
         "success",
         {{"initial success_receipt_id", 1},
          {"promise success_value", 1},
          {"callback success_value", 1},
          {"refund success_value", 3}},
         ""},
        {"a callback looks on at a failure",
         program_of({calls("other", panics("no"), "p"), then("p", kLooksOn, "t"), returns("t")}),
         "succeeded_with_handled_failure",
         "success",
         {{"initial success_receipt_id", 1},
          {"promise failure", 1},
          {"callback success_value", 1},
          {"refund success_value", 3}},
         "no"},
        {"of two that are awaited together one fails",
         program_of({calls("other", panics("no"), "p"), calls("third", kValue, "q"),
                     R"({"and":{"promises":["p","q"],"as":"both"}})", then("both", kLooksOn, "t"),
                     returns("t")}),
         "succeeded_with_handled_failure",
         "success",
         {{"initial success_receipt_id", 1},
          {"promise failure", 1},
          {"promise success_value", 1},
          {"callback success_value", 1},
          {"refund success_value", 4}},
         "no"},
        {"wide",
         wide(),
         "succeeded_with_handled_failure",
         "success",
         {{"initial success_value", 1},
          {"promise success_value", 16},
          {"promise failure", 4},
          {"callback success_value", 20},
          {"refund success_value", 41}},
         "a fifth"},
    };
}

std::vector<ScriptedTree> trees_that_break() {
    return {
        {"returned twice, the last one panics",
         program_of(
             {calls("other", program_of({calls("third", panics("deep"), "q", 10), returns("q")}), "p", 60),
              returns("p")}),
         "failed",
         "failure",
         {{"initial success_receipt_id", 1},
          {"returned success_receipt_id", 1},
          {"returned failure", 1},
          {"refund success_value", 3}},
         "deep"},
        {"of two callbacks of one promise one panics",
         program_of({calls("other", kValue, "p"), then("p", kLooksOn, "t"), then("p", panics("me"), "u"),
                     returns("t")}),
         "callback_failed",
         "success",
         {{"initial success_receipt_id", 1},
          {"promise success_value", 1},
          {"callback success_value", 1},
          {"callback failure", 1},
          {"refund success_value", 4}},
         "me"},
        {"a callback calls on, and that panics",
         program_of(
             {calls("other", kValue, "p"),
              then("p", program_of({calls("third", panics("late"), "q", 5), R"({"return":"x"})"}), "t"),
              returns("t")}),
         "receipt_failed",
         "success",
         {{"initial success_receipt_id", 1},
          {"promise success_value", 1},
          {"callback success_value", 1},
          {"detached failure", 1},
          {"refund success_value", 4}},
         "late"},
        {"deep",
         deep(),
         "failed",
         "failure",
         {{"initial success_receipt_id", 1},
          {"returned success_receipt_id", 6},
          {"returned failure", 1},
          {"refund success_value", 8}},
         "bottom"},
    };
}

class FaultyChain {
public:
    FaultyChain() : ledger_((add_builtin_contracts(contracts_), options()), contracts_) {}

    Json run(const std::string& program) {
        const ReadyAccount alice = ready_accounts(kSeedOfTrees)[0];
        sim::wire::SignedTransaction made;
        sim::wire::Transaction& body = made.transaction;
        body.signer_id = alice.account_id;
        body.public_key = alice.key.public_key();
        body.nonce.nonce = ++nonce_;
        body.receiver_id = "script.sandbox";
        body.block_hash = *CryptoHash::parse(
            Json::parse(*ledger_.block(ledger_.tip())).at("header").at("hash").get<std::string>());
        body.actions.push_back({sim::wire::FunctionCall{"run", chain::Bytes(program.begin(), program.end()),
                                                        290 * sim::kTera, 0}});
        const CryptoHash hash = sim::wire::transaction_hash(body);
        made.signature = alice.key.sign(hash.view());
        ledger_.submit(made);
        // The shard is behind, too: what comes to it is delayed.
        ledger_.congest(ledger_.shard_of_account("script.sandbox"), 4);
        for (int block = 0; block < 60; ++block) ledger_.produce_block();
        return ledger_.truth_of(hash.to_string()).value();
    }
    const Ledger& ledger() const { return ledger_; }

private:
    static constexpr std::uint64_t kSeedOfTrees = 4;
    static LedgerOptions options() {
        LedgerOptions options;
        options.seed = kSeedOfTrees;
        options.protocol = sim::find_protocol(84);
        options.missing_chunk_probability = 0.2;
        options.skipped_height_probability = 0.1;
        options.accounts = genesis_accounts(ready_accounts(kSeedOfTrees), {});
        for (const char* name : {"other.sandbox", "third.sandbox"}) {
            GenesisAccount account = options.accounts.front();
            account.account_id = name;
            account.code.assign(kScriptCode.begin(), kScriptCode.end());
            options.accounts.push_back(std::move(account));
        }
        return options;
    }

    sim::Contracts contracts_;
    Ledger ledger_;
    std::uint64_t nonce_ = 0;
};

Counts counts_of(const Json& truth) {
    Counts counts;
    for (const Json& node : truth.at("tree"))
        ++counts[node.at("role").get<std::string>() + " " + node.at("status").get<std::string>()];
    return counts;
}

// The panic that all failures go back to, as its text.
std::string root_of(const Json& truth) {
    std::string root;
    for (const Json& failed : truth.at("failed_receipts")) {
        const Json& id = failed.at(failed.at("root_cause").is_null() ? "receipt_id" : "root_cause");
        for (const Json& node : truth.at("tree")) {
            if (node.at("receipt_id") != id) continue;
            const std::string text =
                node.at("error").at("ActionError").at("kind").at("FunctionCallError").at("ExecutionError");
            root = text.substr(std::string("Smart contract panicked: ").size());
        }
    }
    return root;
}

void expect_tree(const Json& truth, const ScriptedTree& tree) {
    SCOPED_TRACE(tree.name);
    EXPECT_EQ(truth.at("verdict"), tree.verdict);
    EXPECT_EQ(truth.at("near_status"), tree.near_status);
    // Every callback that looks on at a failure logs it.
    const bool is_handled = tree.verdict == "succeeded_with_handled_failure";
    EXPECT_EQ(truth.at("effect"), is_handled ? Json("told") : Json());
    EXPECT_EQ(root_of(truth), tree.root_cause);
    EXPECT_EQ(counts_of(truth), tree.receipts);
}

TEST(ScriptedTrees, AreThoseThatRealValidatorsMade) {
    FaultyChain chain;
    for (const auto& trees : {trees_that_go_on(), trees_that_break()})
        for (const ScriptedTree& tree : trees) expect_tree(chain.run(tree.program), tree);
    const CheckReport report = chain.ledger().check();
    EXPECT_TRUE(report.ok()) << report.to_json();
}

}  // namespace
}  // namespace receiptd::sandbox
