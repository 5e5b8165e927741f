#include "sandbox/traffic/traffic.hpp"

#include "chain/wire/account_id.hpp"
#include "chain/wire/delegate.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace receiptd::sandbox {
namespace {

namespace wire = sim::wire;

constexpr std::array<Profile, kProfiles> kAllProfiles{Profile::mixed, Profile::transfers, Profile::tokens,
                                                      Profile::failures, Profile::storm};

sim::CryptoHash hash_of(std::string_view text) { return chain::sha256(chain::bytes_of(text)); }

ChainFacts facts(sim::Height height) {
    ChainFacts facts;
    facts.recent_block_hash = hash_of("recent " + std::to_string(height));
    facts.expired_block_hash = hash_of("expired");
    facts.aging_block_hash = hash_of("aging");
    facts.height = height;
    return facts;
}

// `blocks` blocks from height 1000 on, with `per_block` transactions each.
std::vector<Planned> run(Profile profile, std::uint64_t seed, std::size_t blocks, std::size_t per_block) {
    Traffic traffic(profile, seed, traffic_signers(seed));
    std::vector<Planned> all;
    for (std::size_t block = 0; block < blocks; ++block) {
        for (Planned& planned : traffic.next(per_block, facts(1000 + block)))
            all.push_back(std::move(planned));
    }
    return all;
}

std::vector<Planned> of_kind(Kind kind, Profile profile = Profile::mixed) {
    std::vector<Planned> all = run(profile, 5, 30, 50);
    std::erase_if(all, [kind](const Planned& planned) { return planned.kind != kind; });
    EXPECT_FALSE(all.empty()) << kind_name(kind);
    return all;
}

const wire::FunctionCall& function_call(const Planned& planned) {
    return std::get<wire::FunctionCall>(planned.transaction.transaction.actions.at(0).value);
}
nlohmann::json args_of(const wire::FunctionCall& call) { return nlohmann::json::parse(call.args); }

TEST(Traffic, MakesAsManyTransactionsAsAskedFor) {
    Traffic traffic(Profile::mixed, 1, traffic_signers(1));
    for (const std::size_t count : {0U, 1U, 500U}) EXPECT_EQ(traffic.next(count, facts(1)).size(), count);
    Traffic busy(Profile::mixed, 1, traffic_signers(1));
    busy.next(2000, facts(1));
    EXPECT_EQ(busy.next(1, facts(100)).size(), 1U);  // though more follow-ups are due
}

TEST(Traffic, IsTheSameForTheSameSeedAndFacts) {
    const auto bytes = [](std::uint64_t seed) {
        std::vector<chain::Bytes> all;
        for (const Planned& planned : run(Profile::mixed, seed, 20, 50))
            all.push_back(wire::encode(planned.transaction));
        return all;
    };
    EXPECT_EQ(bytes(7), bytes(7));
    EXPECT_NE(bytes(7), bytes(8));
}

TEST(Traffic, SignsEveryTransactionAndMakesNoneTwice) {
    for (const Profile profile : kAllProfiles) {
        std::set<sim::CryptoHash> seen;
        for (const Planned& planned : run(profile, 3, 10, 40)) {
            EXPECT_EQ(wire::check_signature(planned.transaction), chain::SignatureCheck::valid);
            EXPECT_TRUE(seen.insert(wire::transaction_hash(planned.transaction.transaction)).second);
            EXPECT_TRUE(chain::is_valid_account_id(planned.transaction.transaction.receiver_id));
            const auto decoded = wire::decode_signed_transaction(wire::encode(planned.transaction));
            EXPECT_TRUE(decoded.has_value());
        }
    }
}

TEST(Traffic, UsesAscendingNoncesOfEachKey) {
    std::map<std::string, std::uint64_t> last;
    for (const Planned& planned : run(Profile::mixed, 3, 50, 40)) {
        const wire::Transaction& body = planned.transaction.transaction;
        if (planned.kind == Kind::wrong_nonce) continue;
        EXPECT_GT(body.nonce.nonce, last[body.public_key.to_string()]) << kind_name(planned.kind);
        last[body.public_key.to_string()] = body.nonce.nonce;
    }
}

TEST(Traffic, LetsTheKeysTakeTurns) {
    Traffic traffic(Profile::transfers, 3, traffic_signers(3, 10));
    std::set<std::string> keys;
    for (const Planned& planned : traffic.next(10, facts(1)))
        keys.insert(planned.transaction.transaction.public_key.to_string());
    EXPECT_EQ(keys.size(), 10U);
}

TEST(Traffic, KeepsTheProportionsOfItsProfile) {
    constexpr std::size_t kCount = 2'500;
    for (const Profile profile : kAllProfiles) {
        // One height: no follow-ups, and the poor accounts are used once each.
        Traffic traffic(profile, 11, traffic_signers(11));
        std::array<std::size_t, kKinds> counts{};
        for (const Planned& planned : traffic.next(kCount, facts(1)))
            ++counts[static_cast<std::size_t>(planned.kind)];
        for (std::size_t kind = 0; kind < kKinds; ++kind) {
            double share = proportions(profile)[kind] / 1000.0;
            if (static_cast<Kind>(kind) == Kind::dropped_balance)
                share = std::min(share, double{kPoorAccounts} / kCount);
            if (static_cast<Kind>(kind) == Kind::transfer) continue;  // has what the poor could not do
            const double deviation = 4 * std::sqrt(kCount * share * (1 - share));
            EXPECT_NEAR(static_cast<double>(counts[kind]), kCount * share, deviation + 0.5)
                << profile_name(profile) << " " << kind_name(static_cast<Kind>(kind));
        }
    }
}

TEST(Traffic, AnswersYieldsAndDeletesAccountsSomeBlocksLater) {
    std::map<std::string, sim::Height> asked;
    std::map<std::string, sim::Height> created;
    std::size_t answers = 0;
    std::size_t deletions = 0;
    Traffic traffic(Profile::mixed, 2, traffic_signers(2));
    for (sim::Height height = 1; height < 200; ++height) {
        for (const Planned& planned : traffic.next(30, facts(height))) {
            const wire::Transaction& body = planned.transaction.transaction;
            if (planned.kind == Kind::yield_resumed) asked[args_of(function_call(planned))["id"]] = height;
            if (planned.kind == Kind::create_account) created[body.receiver_id] = height;
            if (planned.kind == Kind::yield_answer) {
                ++answers;
                EXPECT_GE(height, asked.at(args_of(function_call(planned))["id"]) + 5);
            }
            if (planned.kind == Kind::delete_account) {
                ++deletions;
                const sim::Height since = created.at(body.signer_id);
                EXPECT_GE(height, since + 15);
                EXPECT_EQ(body.receiver_id, body.signer_id);
                // The key began with (height of its creation - 1) x 10^6.
                EXPECT_GT(body.nonce.nonce, since * 1'000'000);
                EXPECT_LT(body.nonce.nonce, height * 1'000'000);
            }
        }
    }
    EXPECT_GT(answers, 80U);
    EXPECT_GT(deletions, 80U);
}

TEST(Traffic, SignsADeletionWithTheKeyThatTheAccountWasGiven) {
    std::map<std::string, sim::PublicKey> keys;
    for (const Planned& planned : run(Profile::mixed, 5, 60, 30)) {
        const wire::Transaction& body = planned.transaction.transaction;
        if (planned.kind == Kind::create_account)
            keys[body.receiver_id] = std::get<wire::AddKey>(body.actions.at(2).value).public_key;
        if (planned.kind == Kind::delete_account) {
            EXPECT_EQ(body.public_key, keys.at(body.signer_id));
        }
    }
}

TEST(Traffic, SignsDelegateActionsWithKeysOfTheirOwn) {
    std::set<std::string> transaction_keys;
    std::map<std::string, std::uint64_t> last;
    for (const Planned& planned : run(Profile::failures, 5, 40, 50)) {
        const wire::Transaction& body = planned.transaction.transaction;
        transaction_keys.insert(body.public_key.to_string());
        const auto* delegate = std::get_if<wire::SignedDelegate>(&body.actions.at(0).value);
        if (delegate == nullptr) continue;
        EXPECT_EQ(body.signer_id, "relayer.sandbox");
        EXPECT_EQ(body.receiver_id, delegate->delegate_action.sender_id);
        EXPECT_EQ(wire::check_delegate(*delegate), chain::SignatureCheck::valid);
        const std::string key = delegate->delegate_action.public_key.to_string();
        EXPECT_GT(delegate->delegate_action.nonce, last[key]);
        last[key] = delegate->delegate_action.nonce;
    }
    EXPECT_GT(last.size(), 50U);
    for (const auto& [key, nonce] : last) EXPECT_FALSE(transaction_keys.contains(key));
}

TEST(Traffic, HasDelegateActionsThatExpired) {
    Traffic traffic(Profile::failures, 5, traffic_signers(5));
    for (const Planned& planned : traffic.next(500, facts(40))) {
        if (planned.kind != Kind::delegate_expired) continue;
        const auto& delegate =
            std::get<wire::SignedDelegate>(planned.transaction.transaction.actions.at(0).value);
        EXPECT_EQ(delegate.delegate_action.max_block_height, 40U);
    }
}

TEST(Traffic, SaysHowTransactionsAreToBeLost) {
    const std::map<Kind, std::string> wishes{{Kind::dropped_expired, "expired"},
                                             {Kind::dropped_superseded, "superseded"},
                                             {Kind::dropped_balance, "balance"},
                                             {Kind::dropped_forwarding, "forwarding"}};
    for (const Planned& planned : run(Profile::failures, 5, 40, 50)) {
        const auto wish = wishes.find(planned.kind);
        EXPECT_EQ(planned.drop, wish == wishes.end() ? "" : wish->second);
    }
    for (const Planned& planned : of_kind(Kind::dropped_expired))
        EXPECT_EQ(planned.transaction.transaction.block_hash, hash_of("aging"));
}

TEST(Traffic, LosesTheBalanceOnlyOfPoorAccountsAndGivesItBack) {
    std::map<std::string, bool> rich;
    for (const Signer& signer : traffic_signers(5))
        rich[signer.account_id] = signer.role == SignerRole::account;
    std::set<std::string> waiting;
    std::size_t refills = 0;
    for (const Planned& planned : run(Profile::failures, 5, 200, 20)) {
        const wire::Transaction& body = planned.transaction.transaction;
        if (planned.kind == Kind::dropped_balance) {
            EXPECT_FALSE(rich.at(body.signer_id));
            EXPECT_TRUE(waiting.insert(body.signer_id).second) << "used before it was refilled";
            EXPECT_EQ(body.nonce.nonce % 2, 0U);  // an odd one is left for who takes the balance away
        } else if (planned.kind == Kind::refill) {
            ++refills;
            EXPECT_EQ(waiting.erase(body.receiver_id), 1U);
        }
    }
    EXPECT_GT(refills, 20U);
}

TEST(Traffic, HasStaleBlockHashesOnlyWhereThereAreAny) {
    for (const Planned& planned : of_kind(Kind::stale_block_hash))
        EXPECT_EQ(planned.transaction.transaction.block_hash, hash_of("expired"));
    ChainFacts young = facts(50);
    young.expired_block_hash.reset();
    Traffic traffic(Profile::failures, 5, traffic_signers(5));
    for (const Planned& planned : traffic.next(1000, young)) EXPECT_NE(planned.kind, Kind::stale_block_hash);
}

TEST(Traffic, HasNoncesThatNoChainTakes) {
    std::size_t low = 0;
    for (const Planned& planned : of_kind(Kind::wrong_nonce)) {
        const std::uint64_t nonce = planned.transaction.transaction.nonce.nonce;
        if (nonce == 0) ++low;
        EXPECT_TRUE(nonce == 0 || nonce > 900'000U * 1'000'000);
    }
    EXPECT_GT(low, 0U);
}

TEST(Traffic, SendsTokensWithEveryEnding) {
    const auto msg = [](Kind kind) {
        return args_of(function_call(of_kind(kind, Profile::tokens).front()))["msg"].get<std::string>();
    };
    EXPECT_EQ(msg(Kind::token_kept), "keep");
    EXPECT_EQ(msg(Kind::token_refunded).substr(0, 6), "return");
    const auto unseen =
        args_of(function_call(of_kind(Kind::token_callback_fails_unseen, Profile::tokens).front()));
    EXPECT_EQ(unseen["memo"], "sandbox:resolve-panics-unseen");
    EXPECT_EQ(unseen["receiver_id"], "receiver.sandbox");
}

TEST(Traffic, WritesProgramsThatAreJson) {
    for (const Profile profile : kAllProfiles) {
        for (const Planned& planned : run(profile, 9, 20, 50)) {
            if (planned.transaction.transaction.receiver_id != "script.sandbox") continue;
            EXPECT_TRUE(args_of(function_call(planned)).is_array()) << kind_name(planned.kind);
        }
    }
}

TEST(Traffic, DoesWithoutRelayersAndDelegates) {
    std::vector<Signer> signers = traffic_signers(5, 2);
    std::erase_if(signers, [](const Signer& signer) { return signer.role != SignerRole::account; });
    Traffic traffic(Profile::failures, 5, signers);
    for (const Planned& planned : traffic.next(1000, facts(1))) {
        EXPECT_NE(planned.kind, Kind::delegate_inner_fails);
        EXPECT_NE(planned.kind, Kind::dropped_balance);
    }
    signers.pop_back();
    EXPECT_THROW(Traffic(Profile::mixed, 1, signers), std::invalid_argument);
    EXPECT_THROW(Traffic(Profile::mixed, 1, {}), std::invalid_argument);
    signers.push_back(signers.front());  // two keys of one account
    EXPECT_THROW(Traffic(Profile::mixed, 1, signers), std::invalid_argument);
}

TEST(TrafficAccounts, AreThoseOfTheSigners) {
    const auto accounts = traffic_accounts(4, 30);
    ASSERT_EQ(accounts.size(), 30 + kPoorAccounts + 1);
    std::map<std::string, std::set<std::string>> keys;
    for (const Signer& signer : traffic_signers(4, 30))
        keys[signer.account_id].insert(signer.key.public_key().to_string());
    for (const TrafficAccount& account : accounts) {
        EXPECT_TRUE(chain::is_valid_account_id(account.account_id));
        std::set<std::string> here;
        for (const auto& key : account.keys) here.insert(key.to_string());
        EXPECT_EQ(here, keys.at(account.account_id));
        EXPECT_EQ(account.is_ready_made, account.account_id == "relayer.sandbox");
        EXPECT_EQ(account.is_ready_made, account.balance == 0);
        EXPECT_EQ(account.secret_key.has_value(), !account.is_ready_made);
    }
    EXPECT_EQ(accounts.back().keys.size(), kRelayerKeys);
}

TEST(TrafficAccounts, FollowFromTheSeed) {
    EXPECT_EQ(traffic_signers(4).front().key.public_key(), traffic_signers(4).front().key.public_key());
    EXPECT_NE(traffic_signers(4).front().key.public_key(), traffic_signers(5).front().key.public_key());
}

TEST(TrafficProfiles, AreKnownByName) {
    for (const Profile profile : kAllProfiles) EXPECT_EQ(parse_profile(profile_name(profile)), profile);
    EXPECT_EQ(parse_profile("mixed"), Profile::mixed);
    for (const char* name : {"", "Mixed", "mixed "}) EXPECT_EQ(parse_profile(name), std::nullopt);
    std::set<std::string_view> names;
    for (std::size_t kind = 0; kind < kKinds; ++kind) names.insert(kind_name(static_cast<Kind>(kind)));
    EXPECT_EQ(names.size(), kKinds);
    EXPECT_FALSE(names.contains(""));
    EXPECT_EQ(kind_name(Kind::wrong_nonce), "wrong_nonce");
}

}  // namespace
}  // namespace receiptd::sandbox
