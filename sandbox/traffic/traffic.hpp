// A living mix of signed transactions: same seed, same calls, same facts, same bytes. What kinds there are
// and how many of each: profile.hpp. Which accounts genesis must have for it: accounts.hpp.
#pragma once

#include "sandbox/traffic/accounts.hpp"
#include "sandbox/traffic/profile.hpp"
#include "sandbox/traffic/random.hpp"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::sandbox {

// The facts that a client would know of the chain at this moment.
struct ChainFacts {
    sim::CryptoHash recent_block_hash;  // of a final block: new transactions hold it
    // Beyond the validity window; nullopt: no block is so old yet.
    std::optional<sim::CryptoHash> expired_block_hash;
    // Valid for a few blocks more (20 to 100): transactions that shall expire hold it, so that they do not
    // wait in the mempool for a whole validity window; nullopt: they hold a recent one.
    std::optional<sim::CryptoHash> aging_block_hash;
    sim::Height height = 1;    // of the newest block
    bool has_gas_keys = true;  // the chain's protocol does
};

struct Planned {
    sim::wire::SignedTransaction transaction;
    // Empty, or how the chain shall lose it though it is valid: "expired", "superseded", "balance",
    // "forwarding" (as the control API's POST /transactions/{hash}/drop). To be asked for before it is
    // submitted.
    std::string drop;
    Kind kind = Kind::transfer;
};

class Traffic {
public:
    // `signers`: those of traffic_signers(), or others. Throws std::invalid_argument for fewer than two
    // accounts (role account). These kinds become transfers: the delegate kinds without a delegate and a
    // relayer, stale_block_hash without an expired block hash, dropped_balance while no poor account has its
    // tokens, gas_key where the protocol has none.
    Traffic(Profile profile, std::uint64_t seed, std::vector<Signer> signers);

    // Exactly `count` transactions, in the order in which they are to be submitted. Follow-ups to earlier
    // transactions (Kind::yield_answer, delete_account, refill) come first once their height is reached.
    std::vector<Planned> next(std::size_t count, const ChainFacts& facts);

private:
    // A transaction before it is signed.
    struct Draft {
        Kind kind = Kind::transfer;
        Signer* signer = nullptr;
        std::string receiver_id;
        std::vector<sim::wire::Action> actions;
        std::string drop;
        sim::CryptoHash block_hash;
        std::optional<std::uint64_t> nonce;        // else the signer's next
        std::optional<std::uint16_t> nonce_index;  // of a gas key
    };
    struct FollowUp {
        Kind kind;
        std::uint64_t number;    // of the yield, account, poor account, address or gas key
        std::string creator_id;  // delete_account: who gets the balance back; of a gas key: the owner
    };
    using Maker = void (Traffic::*)(Draft&);
    static Maker maker(Kind kind);

    std::vector<Signer>& group_of(SignerRole role);
    Kind draw_kind();
    Planned plan(Kind kind);
    Planned follow_up(const FollowUp& due);
    void make_follow_up(Draft& draft, const FollowUp& due);
    Planned sign(Draft draft);

    // --- Who and how much ---
    Signer& next_account();
    std::string other_account(const std::string& than);  // of the traffic
    std::string any_receiver(const std::string& than);   // … or a ready-made one
    sim::u128 small_deposit();                           // 0.001 to 1 base token
    std::string token_amount();                          // 0.001 to 10 SBX
    // A follow-up, after `least` to `most` blocks.
    void schedule(FollowUp follow_up, std::uint64_t least, std::uint64_t most);

    // --- Makers, one or several kinds each ---
    void answer_yield(Draft& draft, const FollowUp& due);
    void delete_account(Draft& draft, const FollowUp& due);
    void refill(Draft& draft, const FollowUp& due);
    void ask_wallet(Draft& draft, const FollowUp& due);
    void use_gas_key(Draft& draft, const FollowUp& due);
    void make_transfer(Draft& draft);
    void make_implicit_account(Draft& draft);
    void make_create_account(Draft& draft);
    void make_key_rotation(Draft& draft);
    void make_token_transfer(Draft& draft);
    void make_token_call(Draft& draft);
    void make_script(Draft& draft);
    void make_yield(Draft& draft);
    void make_delegate(Draft& draft);
    void make_failing_batch(Draft& draft);
    void make_failing_call(Draft& draft);
    void make_missing_receiver(Draft& draft);
    void make_dropped(Draft& draft);
    void make_dropped_balance(Draft& draft);
    void make_stale_block_hash(Draft& draft);
    void make_wrong_nonce(Draft& draft);
    void make_eth_wallet(Draft& draft);
    void make_gas_key(Draft& draft);

    std::uint64_t seed_;
    Proportions proportions_;
    traffic::Random random_;
    std::vector<Signer> accounts_, delegates_, relayers_, poor_;
    // Poor accounts, and from when on they have tokens.
    std::deque<std::pair<sim::Height, std::size_t>> funded_;
    std::optional<Signer> created_;  // who signs a follow-up with a key that the traffic made
    std::size_t turn_ = 0, delegate_turn_ = 0, relayer_turn_ = 0;
    std::uint64_t counter_ = 0;                        // of yields, keys, accounts and addresses made so far
    std::multimap<sim::Height, FollowUp> follow_ups_;  // by the height from which they are due
    ChainFacts facts_;
};

}  // namespace receiptd::sandbox
