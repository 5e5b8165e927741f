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

using Ends = std::set<std::string>;  // of "verdict", or "stage/reason" where there is none

const std::map<Kind, Ends>& expected_ends() {
    static const std::map<Kind, Ends> ends{
        {Kind::transfer, {"succeeded"}},
        {Kind::implicit_account, {"succeeded"}},
        {Kind::create_account, {"succeeded"}},
        {Kind::delete_account, {"succeeded"}},
        {Kind::key_rotation, {"succeeded"}},
        {Kind::token_transfer, {"succeeded"}},
        {Kind::token_kept, {"succeeded"}},
        {Kind::token_refunded, {"succeeded"}},
        {Kind::token_receiver_fails, {"succeeded_with_handled_failure"}},
        {Kind::token_callback_fails, {"callback_failed"}},
        {Kind::token_callback_fails_unseen, {"callback_failed"}},
        {Kind::deep_tree, {"succeeded"}},
        {Kind::joint_promise, {"succeeded"}},
        {Kind::handled_failure, {"succeeded_with_handled_failure"}},
        {Kind::callback_fails, {"callback_failed"}},
        {Kind::detached_failure, {"receipt_failed"}},
        {Kind::yield_resumed, {"succeeded"}},
        {Kind::yield_answer, {"succeeded"}},
        {Kind::yield_timed_out, {"succeeded", "callback_failed"}},
        {Kind::delegate, {"succeeded"}},
        {Kind::delegate_inner_fails, {"receipt_failed"}},
        {Kind::delegate_expired, {"failed"}},
        {Kind::failing_batch, {"failed"}},
        {Kind::failing_call, {"failed"}},
        {Kind::missing_receiver, {"failed"}},
        {Kind::heavy_call, {"succeeded"}},
        {Kind::wide_fan_out, {"succeeded"}},
        {Kind::dropped_expired, {"expired"}},
        {Kind::dropped_superseded, {"dropped/superseded"}},
        {Kind::dropped_balance, {"dropped/balance"}},
        {Kind::refill, {"succeeded"}},
        {Kind::dropped_forwarding, {"forwarding_failed"}},
        {Kind::stale_block_hash, {"rejected"}},
        // Nobody objects to a nonce above its bound: it is dropped when its turn comes.
        {Kind::wrong_nonce, {"rejected", "dropped/invalid"}},
    };
    return ends;
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
    static std::string end_of(const Json& truth) {
        if (truth.at("verdict").is_string()) return truth.at("verdict");
        const std::string stage = truth.at("stage");
        return truth.at("reason").is_string() ? stage + "/" + truth.at("reason").get<std::string>() : stage;
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
