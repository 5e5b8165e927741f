// Makes the transactions of each kind.
#include "chain/wire/account_id.hpp"
#include "chain/wire/delegate.hpp"
#include "sandbox/contracts/eth_signing.hpp"
#include "sandbox/sim/limits.hpp"
#include "sandbox/traffic/programs.hpp"
#include "sandbox/traffic/traffic.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace receiptd::sandbox {

namespace wire = sim::wire;
using sim::kTera;

namespace {

constexpr const char* kTokenContract = "ft.sandbox";
constexpr sim::Gas kTransferGas = 15 * kTera;
constexpr sim::Gas kTransferCallGas = 80 * kTera;
constexpr sim::Gas kScriptGas = 290 * kTera;
constexpr std::uint64_t kNoncesPerBlock = 1'000'000;
constexpr std::uint16_t kGasKeyNonces = 3;
constexpr const char* kMoreThanAll = "100000000000000000000000000000000";  // of SBX, above the whole supply

wire::Action call(std::string method_name, std::string_view args, sim::Gas gas, sim::u128 deposit = 0) {
    return {wire::FunctionCall{std::move(method_name), {args.begin(), args.end()}, gas, deposit}};
}

wire::Action token_transfer(const std::string& receiver_id, const std::string& amount) {
    return call("ft_transfer", R"({"receiver_id":")" + receiver_id + R"(","amount":")" + amount + "\"}",
                kTransferGas, 1);
}

// A nonce for a key that was added some blocks ago: above where they began, below the bound of the next
// block (chain-model.md §6.4, §8).
std::uint64_t nonce_of_new_key(sim::Height height) {
    return (std::max<sim::Height>(height, 1) - 1) * kNoncesPerBlock + 1;
}

EthOwner eth_owner(std::uint64_t seed, std::uint64_t number) {
    return EthOwner(traffic_key(seed, "ethereum", number, chain::KeyType::secp256k1));
}

}  // namespace

void Traffic::answer_yield(Draft& draft, const FollowUp& due) {
    const std::string args = R"({"id":"traffic-)" + std::to_string(due.number) + R"(","value":"answered"})";
    draft.signer = &next_account();
    draft.receiver_id = "yield.sandbox";
    draft.actions = {call("respond", args, 30 * kTera)};
}

void Traffic::delete_account(Draft& draft, const FollowUp& due) {
    created_ = Signer{"new-" + std::to_string(due.number) + "." + due.creator_id,
                      traffic_key(seed_, "created", due.number), SignerRole::account};
    draft.signer = &*created_;
    draft.receiver_id = created_->account_id;
    draft.actions = {{wire::DeleteAccount{due.creator_id}}};
    draft.nonce = nonce_of_new_key(facts_.height);
}

void Traffic::refill(Draft& draft, const FollowUp& due) {
    constexpr sim::Height kArrival = 10;  // blocks until the tokens are surely there
    draft.signer = &next_account();
    draft.receiver_id = poor_[due.number].account_id;
    draft.actions = {{wire::Transfer{kPoorTokens * sim::kOneToken}}};
    funded_.emplace_back(facts_.height + kArrival, due.number);
}

void Traffic::ask_wallet(Draft& draft, const FollowUp& due) {
    const EthOwner owner = eth_owner(seed_, due.number);
    const char* program =
        due.kind == Kind::wallet_call_fails ? R"([{"panic":"not for a wallet"}])" : R"([{"return":"done"}])";
    EthWish wish{"script.sandbox", eth_function_call("script.sandbox", "run", program, 20 * kTera)};
    if (due.kind == Kind::wallet_refused) {
        if (random_.below(2) == 0)
            wish.chain_id = 1;
        else
            wish.data = "not a call";
    }
    draft.signer = &relayers_[relayer_turn_++ % relayers_.size()];
    draft.receiver_id = owner.account_id();
    draft.actions = {call("rlp_execute", owner.args(wish), 100 * kTera)};
}

void Traffic::use_gas_key(Draft& draft, const FollowUp& due) {
    const sim::SecretKey key = traffic_key(seed_, "gas", due.number);
    created_ = Signer{due.creator_id, key, SignerRole::account};
    draft.signer = &*created_;
    draft.nonce = nonce_of_new_key(facts_.height);
    draft.nonce_index = static_cast<std::uint16_t>(random_.below(kGasKeyNonces));
    if (due.kind == Kind::gas_key_removed) {
        draft.receiver_id = due.creator_id;
        draft.actions = {{wire::DeleteKey{key.public_key()}}};
        return;
    }
    random_.below(3) == 0 ? make_missing_receiver(draft) : make_transfer(draft);
    schedule({Kind::gas_key_removed, due.number, due.creator_id}, 15, 30);
}

void Traffic::make_eth_wallet(Draft& draft) {
    if (relayers_.empty()) {
        draft.kind = Kind::transfer;
        return make_transfer(draft);
    }
    constexpr std::array kAsked{Kind::wallet_call, Kind::wallet_call_fails, Kind::wallet_refused};
    draft.receiver_id = eth_owner(seed_, ++counter_).account_id();
    draft.actions = {{wire::Transfer{sim::kOneToken}}};
    schedule({kAsked[random_.below(kAsked.size())], counter_, {}}, 10, 20);
}

void Traffic::make_gas_key(Draft& draft) {
    if (!facts_.has_gas_keys) {
        draft.kind = Kind::transfer;
        return make_transfer(draft);
    }
    const sim::PublicKey key = traffic_key(seed_, "gas", ++counter_).public_key();
    draft.receiver_id = draft.signer->account_id;
    draft.actions = {{wire::AddKey{key, {0, wire::GasKeyFullAccess{{0, kGasKeyNonces}}}}},
                     {wire::TransferToGasKey{key, sim::kOneToken}}};
    schedule({Kind::gas_key_spends, counter_, draft.signer->account_id}, 15, 30);
}

void Traffic::make_transfer(Draft& draft) {
    draft.receiver_id = any_receiver(draft.signer->account_id);
    draft.actions = {{wire::Transfer{small_deposit()}}};
}

void Traffic::make_implicit_account(Draft& draft) {
    draft.receiver_id = chain::implicit_account(traffic_key(seed_, "implicit", ++counter_).public_key());
    draft.actions = {{wire::Transfer{small_deposit()}}};
}

void Traffic::make_create_account(Draft& draft) {
    ++counter_;
    draft.receiver_id = "new-" + std::to_string(counter_) + "." + draft.signer->account_id;
    draft.actions = {{wire::CreateAccount{}},
                     {wire::Transfer{sim::kOneToken}},
                     {wire::AddKey{traffic_key(seed_, "created", counter_).public_key(), {}}}};
    schedule({Kind::delete_account, counter_, draft.signer->account_id}, 15, 40);
}

void Traffic::make_key_rotation(Draft& draft) {
    const sim::PublicKey key = traffic_key(seed_, "rotated", ++counter_).public_key();
    const wire::FunctionCallPermission permission{sim::kOneToken, kTokenContract, {"ft_transfer"}};
    draft.receiver_id = draft.signer->account_id;
    draft.actions = {{wire::AddKey{key, {0, permission}}}, {wire::DeleteKey{key}}};
}

void Traffic::make_token_transfer(Draft& draft) {
    draft.receiver_id = kTokenContract;
    draft.actions = {token_transfer(other_account(draft.signer->account_id), token_amount())};
}

void Traffic::make_token_call(Draft& draft) {
    const std::string amount = token_amount();
    std::string msg = "keep";
    std::string memo;
    if (draft.kind == Kind::token_refunded) msg = random_.below(2) == 0 ? "return" : "return:1";
    if (draft.kind == Kind::token_receiver_fails)
        msg = random_.below(2) == 0 ? "panic:not today" : "burn_gas";
    // The memos of sandbox/contracts/ft.hpp.
    if (draft.kind == Kind::token_callback_fails) memo = R"(,"memo":"sandbox:resolve-panics")";
    if (draft.kind == Kind::token_callback_fails_unseen) memo = R"(,"memo":"sandbox:resolve-panics-unseen")";
    if (!memo.empty()) msg = "return";
    draft.receiver_id = kTokenContract;
    draft.actions = {call(
        "ft_transfer_call",
        R"({"receiver_id":"receiver.sandbox","amount":")" + amount + R"(","msg":")" + msg + "\"" + memo + "}",
        kTransferCallGas, 1)};
}

void Traffic::make_script(Draft& draft) {
    draft.receiver_id = "script.sandbox";
    draft.actions = {call("run", traffic::script_program(draft.kind, random_), kScriptGas)};
}

void Traffic::make_yield(Draft& draft) {
    const bool answered = draft.kind == Kind::yield_resumed;
    ++counter_;
    const char* panics = !answered && random_.below(2) == 0 ? R"(,"panic_on_timeout":true)" : "";
    draft.receiver_id = "yield.sandbox";
    draft.actions = {
        call("request", R"({"id":"traffic-)" + std::to_string(counter_) + "\"" + panics + "}", 40 * kTera)};
    if (answered) schedule({Kind::yield_answer, counter_, {}}, 5, 15);
}

void Traffic::make_delegate(Draft& draft) {
    if (delegates_.empty() || relayers_.empty()) {
        draft.kind = Kind::transfer;
        return make_transfer(draft);
    }
    Signer& user = delegates_[delegate_turn_++ % delegates_.size()];
    draft.signer = &relayers_[relayer_turn_++ % relayers_.size()];
    wire::SignedDelegate signed_delegate;
    wire::DelegateAction& action = signed_delegate.delegate_action;
    action.sender_id = user.account_id;
    action.receiver_id = kTokenContract;
    const bool too_much = draft.kind == Kind::delegate_inner_fails;
    action.actions = {
        token_transfer(other_account(user.account_id), too_much ? kMoreThanAll : token_amount())};
    action.nonce = ++user.nonce;
    // The block that executes it is a later one than the newest.
    action.max_block_height = draft.kind == Kind::delegate_expired ? facts_.height : facts_.height + 1000;
    action.public_key = user.key.public_key();
    signed_delegate.signature = user.key.sign(wire::delegate_hash(action).view());
    draft.receiver_id = user.account_id;
    draft.actions = {{std::move(signed_delegate)}};
}

void Traffic::make_failing_batch(Draft& draft) {
    const std::string& own_id = draft.signer->account_id;
    const sim::PublicKey key = traffic_key(seed_, "batch", ++counter_).public_key();
    switch (random_.below(3)) {
        case 0:
            draft.receiver_id = own_id;
            draft.actions = {{wire::AddKey{key, {}}},
                             {wire::DeleteKey{traffic_key(seed_, "absent", counter_).public_key()}}};
            return;
        case 1:
            draft.receiver_id = "bad-" + std::to_string(counter_) + "." + own_id;
            draft.actions = {{wire::CreateAccount{}},
                             {wire::Transfer{sim::kOneToken}},
                             {wire::AddKey{key, {}}},
                             call("no_contract", "{}", 10 * kTera)};
            return;
        default:
            draft.receiver_id = kTokenContract;
            draft.actions = {token_transfer(other_account(own_id), token_amount()),
                             token_transfer(other_account(own_id), kMoreThanAll)};
    }
}

void Traffic::make_failing_call(Draft& draft) {
    const std::string& own_id = draft.signer->account_id;
    draft.receiver_id = kTokenContract;
    switch (random_.below(4)) {
        case 0: draft.actions = {call("no_such_method", "{}", 10 * kTera)}; return;
        case 1:
            draft.receiver_id = other_account(own_id);
            draft.actions = {call("no_contract", "{}", 10 * kTera)};
            return;
        case 2:
            draft.receiver_id = "script.sandbox";
            draft.actions = {call("run", R"([{"panic":"not like this"}])", 10 * kTera, small_deposit())};
            return;
        default:
            draft.actions = {call("ft_transfer",
                                  R"({"receiver_id":")" + other_account(own_id) + R"(","amount":"1"})",
                                  kTera / 2, 1)};
    }
}

void Traffic::make_missing_receiver(Draft& draft) {
    draft.receiver_id = "nobody-" + std::to_string(++counter_) + ".sandbox";
    draft.actions = {{wire::Transfer{small_deposit()}}};
}

void Traffic::make_dropped(Draft& draft) {
    make_transfer(draft);
    draft.drop = "forwarding";
    if (draft.kind == Kind::dropped_superseded) draft.drop = "superseded";
    if (draft.kind != Kind::dropped_expired) return;
    draft.drop = "expired";
    if (facts_.aging_block_hash) draft.block_hash = *facts_.aging_block_hash;
}

void Traffic::make_dropped_balance(Draft& draft) {
    make_transfer(draft);
    if (funded_.empty() || funded_.front().first > facts_.height) {
        draft.kind = Kind::transfer;
        return;
    }
    const std::size_t index = funded_.front().second;
    funded_.pop_front();
    draft.signer = &poor_[index];
    draft.drop = "balance";
    draft.nonce = draft.signer->nonce += 2;
    schedule({Kind::refill, index, {}}, 25, 45);
}

void Traffic::make_stale_block_hash(Draft& draft) {
    make_transfer(draft);
    if (facts_.expired_block_hash)
        draft.block_hash = *facts_.expired_block_hash;
    else
        draft.kind = Kind::transfer;
}

void Traffic::make_wrong_nonce(Draft& draft) {
    make_transfer(draft);
    draft.nonce = random_.below(2) == 0 ? 0 : (facts_.height + 1'000'000) * kNoncesPerBlock;
}

}  // namespace receiptd::sandbox
