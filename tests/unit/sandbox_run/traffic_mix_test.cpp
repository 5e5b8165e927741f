// The traffic on the whole chain with the built-in contracts: every kind comes to the end it is named after.
#include "sandbox/contracts/builtin.hpp"
#include "sandbox/ledger/ledger.hpp"
#include "sandbox/run/genesis.hpp"
#include "sandbox/traffic/traffic.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace receiptd::sandbox {
namespace {

constexpr std::uint64_t kSeed = 6;
constexpr std::size_t kAccounts = 30;
constexpr Height kValidity = 60;

// The ends that a kind may come to, written by hand: "stage/reason" of what is in no block, else the verdict,
// NEAR's own word, what became of tokens, and each failure that began something: "because ROLE: ERROR".
using Ends = std::set<std::string>;

const Ends kWell{"succeeded; NEAR: success"};
constexpr const char* kTooPoor = "Smart contract panicked: The account doesn't have enough balance";

std::string failed_at_once(const std::string& error) {
    return "failed; NEAR: failure; because initial: " + error;
}
std::string refunded_at_once(const std::string& error) {
    return "failed; NEAR: failure; refunded; because initial: " + error;
}
std::string handled(const std::string& error, const std::string& effect) {
    return "succeeded_with_handled_failure; NEAR: success; " + effect + "because promise: " + error;
}
std::string callback_fails(const std::string& near_status, const std::string& text) {
    return "callback_failed; NEAR: " + near_status + "; because callback: Smart contract panicked: " + text;
}
std::string nobody_waited(const std::string& error) {
    return "receipt_failed; NEAR: success; because detached: " + error;
}

std::string wallet_says(const std::string& error) {
    return "receipt_failed; NEAR: success; the wallet: " + error;
}

const std::map<Kind, Ends>& expected_ends() {
    static const std::map<Kind, Ends> ends{
        {Kind::transfer, kWell},
        {Kind::implicit_account, kWell},
        {Kind::create_account, kWell},
        {Kind::delete_account, kWell},
        {Kind::key_rotation, kWell},
        {Kind::token_transfer, kWell},
        {Kind::token_kept, kWell},
        {Kind::token_refunded,
         {"succeeded; NEAR: success; refunded", "succeeded; NEAR: success; refunded_in_part"}},
        {Kind::token_receiver_fails,
         {handled("Smart contract panicked: not today", "refunded; "),
          handled("Exceeded the prepaid gas.", "refunded; ")}},
        {Kind::token_callback_fails, {callback_fails("failure", "ft_resolve_transfer was told to fail")}},
        {Kind::token_callback_fails_unseen,
         {callback_fails("success", "ft_resolve_transfer was told to fail")}},
        {Kind::deep_tree, kWell},
        {Kind::joint_promise, kWell},
        {Kind::handled_failure, {handled("MethodNotFound", "told; ")}},
        {Kind::callback_fails, {callback_fails("success", "the callback does not like this")}},
        {Kind::detached_failure, {nobody_waited(kTooPoor)}},
        {Kind::yield_resumed, kWell},
        {Kind::yield_answer, kWell},
        {Kind::yield_timed_out, {"succeeded; NEAR: success", callback_fails("failure", "timeout")}},
        {Kind::delegate, kWell},
        {Kind::delegate_inner_fails, {nobody_waited(kTooPoor)}},
        {Kind::delegate_expired, {failed_at_once("DelegateActionExpired")}},
        {Kind::failing_batch,
         {failed_at_once("DeleteKeyDoesNotExist"), refunded_at_once("CodeDoesNotExist"),
          refunded_at_once(kTooPoor)}},
        {Kind::failing_call,
         {failed_at_once("MethodNotFound"), failed_at_once("CodeDoesNotExist"),
          refunded_at_once("Smart contract panicked: not like this"),
          failed_at_once("Exceeded the prepaid gas.")}},
        {Kind::missing_receiver, {refunded_at_once("AccountDoesNotExist")}},
        {Kind::heavy_call, kWell},
        {Kind::wide_fan_out, kWell},
        {Kind::dropped_expired, {"expired"}},
        {Kind::dropped_superseded, {"dropped/superseded"}},
        {Kind::dropped_balance, {"dropped/balance"}},
        {Kind::refill, kWell},
        {Kind::dropped_forwarding, {"forwarding_failed"}},
        {Kind::stale_block_hash, {"rejected"}},
        {Kind::eth_wallet, kWell},
        {Kind::wallet_call, kWell},
        {Kind::wallet_call_fails,
         {"receipt_failed; NEAR: success; told; the wallet: Failed Near promise; because promise: Smart "
          "contract "
          "panicked: not for a wallet"}},
        {Kind::wallet_refused,
         {wallet_says("Error: invalid chain id"), wallet_says("Error: unknown function selector")}},
        {Kind::gas_key, kWell},
        {Kind::gas_key_spends, {*kWell.begin(), refunded_at_once("AccountDoesNotExist")}},
        {Kind::gas_key_removed, {"succeeded; NEAR: success; tokens_lost"}},
        // Nobody objects to a nonce above its bound: it is dropped when its turn comes.
        {Kind::wrong_nonce, {"rejected", "dropped/invalid"}},
    };
    return ends;
}

// The innermost name of an error; of what a contract did, the text.
std::string name_of(const Json& error) {
    if (error.is_string()) return error;
    const std::string name = error.begin().key();
    const Json& payload = error.begin().value();
    if (name == "ActionError") return name_of(payload.at("kind"));
    if (name == "ExecutionError") return payload;
    static const std::set<std::string> kWrappers{"FunctionCallError", "CompilationError",
                                                 "MethodResolveError"};
    return kWrappers.contains(name) ? name_of(payload) : name;
}

std::string end_of(const Json& truth) {
    if (truth.at("verdict").is_null()) {
        const std::string stage = truth.at("stage");
        return truth.at("reason").is_string() ? stage + "/" + truth.at("reason").get<std::string>() : stage;
    }
    std::string end =
        truth.at("verdict").get<std::string>() + "; NEAR: " + truth.at("near_status").get<std::string>();
    if (truth.at("effect").is_string()) end += "; " + truth.at("effect").get<std::string>();
    if (const Json& wallet = truth.at("wallet_refusal"); wallet.is_object())
        end += "; the wallet: " + wallet.at("error").get<std::string>();
    std::set<std::string> causes;
    for (const Json& failed : truth.at("failed_receipts"))
        causes.insert(failed.at(failed.at("root_cause").is_null() ? "receipt_id" : "root_cause"));
    for (const Json& node : truth.at("tree"))
        if (causes.contains(node.at("receipt_id")))
            end += "; because " + node.at("role").get<std::string>() + ": " + name_of(node.at("error"));
    return end;
}

class Chain {
public:
    Chain() : ledger_((add_builtin_contracts(contracts_), options()), contracts_) {}

    // `blocks` blocks with `per_block` transactions each, then as many as everything needs to end.
    void run(Profile profile, std::size_t blocks, std::size_t per_block) {
        Traffic traffic(profile, kSeed, traffic_signers(kSeed, kAccounts));
        for (std::size_t i = 0; i < kValidity + 10; ++i) ledger_.produce_block();
        for (std::size_t i = 0; i < blocks; ++i) {
            for (const Planned& planned : traffic.next(per_block, facts())) submit(planned);
            ledger_.produce_block();
        }
        for (std::size_t i = 0; i < 80; ++i) ledger_.produce_block();
    }
    // How many of each kind came to each end.
    std::map<Kind, std::map<std::string, std::size_t>> ends() const {
        std::map<Kind, std::map<std::string, std::size_t>> ends;
        for (const auto& [hash, kind] : submitted_) ++ends[kind][end_of(*ledger_.truth_of(hash))];
        return ends;
    }
    const Ledger& ledger() const { return ledger_; }

private:
    static LedgerOptions options() {
        LedgerOptions options;
        options.seed = kSeed;
        options.validity_blocks = kValidity;
        options.yield_timeout_blocks = 30;
        options.accounts = genesis_accounts(ready_accounts(kSeed), traffic_accounts(kSeed, kAccounts));
        return options;
    }
    sim::CryptoHash hash_at(Height height) const {
        return *sim::CryptoHash::parse(
            Json::parse(*ledger_.block(height)).at("header").at("hash").get<std::string>());
    }
    ChainFacts facts() const {
        ChainFacts facts;
        facts.height = ledger_.tip();
        facts.recent_block_hash = hash_at(ledger_.final_head(ledger_.tip()));
        facts.expired_block_hash = hash_at(ledger_.tip() - kValidity - 1);
        facts.aging_block_hash = hash_at(ledger_.tip() - kValidity + 20);
        return facts;
    }
    void submit(const Planned& planned) {
        const std::string hash = sim::wire::transaction_hash(planned.transaction.transaction).to_string();
        if (const auto how = parse_drop_how(planned.drop)) ledger_.drop(hash, *how);
        ledger_.submit(planned.transaction);
        submitted_.emplace_back(hash, planned.kind);
    }

    sim::Contracts contracts_;
    Ledger ledger_;
    std::vector<std::pair<std::string, Kind>> submitted_;
};

void expect_ends(const Chain& chain, Profile profile) {
    std::set<Kind> kinds;
    for (const auto& [kind, counts] : chain.ends()) {
        kinds.insert(kind);
        for (const auto& [end, count] : counts) {
            EXPECT_TRUE(expected_ends().at(kind).contains(end))
                << count << " " << kind_name(kind) << " ended as " << end;
        }
    }
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
        if (proportions(profile)[kind] > 0) {
            EXPECT_TRUE(kinds.contains(static_cast<Kind>(kind))) << kind_name(static_cast<Kind>(kind));
        }
    }
    const CheckReport report = chain.ledger().check(false);
    EXPECT_TRUE(report.ok()) << report.to_json().dump(1);
}

TEST(TrafficMix, ComesToTheEndsOfItsKinds) {
    Chain chain;
    chain.run(Profile::mixed, 60, 20);
    expect_ends(chain, Profile::mixed);
    const auto ends = chain.ends();
    for (const Kind kind : {Kind::wallet_call, Kind::wallet_call_fails, Kind::wallet_refused})
        EXPECT_TRUE(ends.contains(kind)) << kind_name(kind);
    EXPECT_EQ(ends.at(Kind::wallet_refused).size(), 2U);
    EXPECT_EQ(ends.at(Kind::gas_key_spends).size(), 2U);
    EXPECT_TRUE(ends.contains(Kind::gas_key_removed));
}

TEST(TrafficMix, FailsInEveryWayThereIs) {
    Chain chain;
    chain.run(Profile::failures, 40, 15);
    expect_ends(chain, Profile::failures);
}

TEST(TrafficMix, StormsWithoutLosingAnything) {
    Chain chain;
    chain.run(Profile::storm, 15, 12);
    expect_ends(chain, Profile::storm);
}

}  // namespace
}  // namespace receiptd::sandbox
