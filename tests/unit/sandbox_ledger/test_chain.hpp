// A small chain with accounts whose keys are at hand, and a contract that does what its arguments say.
#pragma once

#include "chain/wire/base64.hpp"
#include "sandbox/ledger/ledger.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <memory>

namespace receiptd::sandbox {

namespace wire = sim::wire;

inline constexpr u128 kToken = static_cast<u128>(1'000'000'000'000) * 1'000'000'000'000;
inline constexpr const char* kContractCode = "test contract";

inline sim::SecretKey key_of(const std::string& account_id) {
    return *sim::SecretKey::from_seed(chain::KeyType::ed25519,
                                      chain::sha256(chain::bytes_of(account_id)).view());
}

// Methods: "keep" returns "kept"; "panic"; "burn" uses its argument in Tgas; "log" logs its argument;
// "call" takes {"to", "method", "args"?, "then"?: method of this account, "return"?: true}.
// "yield" makes a promise yield whose callback is "keep"; "callback_panic" panics as a callback.
class TestContract final : public sim::Contract {
public:
    bool call(std::string_view method, sim::Host& host) const override {
        const std::string input(chain::text_of(host.input()));
        if (method == "keep")
            host.return_value({'k', 'e', 'p', 't'});
        else if (method == "panic" || method == "callback_panic")
            host.panic("as asked");
        else if (method == "burn")
            host.use_gas(std::stoull(input) * sim::kTera);
        else if (method == "log")
            host.log(input);
        else if (method == "yield")
            host.promise_yield_create("keep", {}, 10 * sim::kTera, 0);
        else if (method == "call")
            call_on(sim::Json::parse(input), host);
        else
            return false;
        return true;
    }

private:
    static sim::wire::Action function_call(const std::string& method, const std::string& args, Gas gas) {
        return {wire::FunctionCall{method, chain::Bytes(args.begin(), args.end()), gas, 0}};
    }

    static void call_on(const sim::Json& what, sim::Host& host) {
        const auto promise = host.promise_batch_create(what.at("to"));
        const sim::Json args = what.value("args", sim::Json(""));
        host.promise_add_action(
            promise,
            function_call(what.at("method"), args.is_string() ? args.get<std::string>() : args.dump(),
                          what.value("gas", Gas{20}) * sim::kTera));
        auto last = promise;
        if (what.contains("then")) {
            last = host.promise_batch_then(promise, host.current_account_id());
            host.promise_add_action(last, function_call(what.at("then"), "", 10 * sim::kTera));
        }
        if (what.value("return", false)) host.promise_return(last);
    }
};

inline GenesisAccount make_account(const std::string& account_id, u128 amount = 10'000 * kToken) {
    GenesisAccount account;
    account.account_id = account_id;
    account.amount = amount;
    account.access_keys = {{key_of(account_id).public_key(), {}}};
    account.secret_keys = {key_of(account_id)};
    return account;
}

inline LedgerOptions test_options() {
    LedgerOptions options;
    options.genesis_height = 1'000;
    options.shards = 3;
    options.epoch_blocks = 20;
    options.yield_timeout_blocks = 6;
    for (const char* name : {"alice.sandbox", "bob.sandbox", "carol.sandbox", "relayer.sandbox"}) {
        options.accounts.push_back(make_account(name));
    }
    for (const char* name : {"ft.sandbox", "script.sandbox"}) {
        GenesisAccount account = make_account(name);
        const chain::ByteView code = chain::bytes_of(kContractCode);
        account.code.assign(code.begin(), code.end());
        options.accounts.push_back(std::move(account));
    }
    return options;
}

class TestChain {
public:
    explicit TestChain(LedgerOptions options = test_options()) {
        contracts_.add(kContractCode, std::make_unique<TestContract>());
        ledger = std::make_unique<Ledger>(std::move(options), contracts_);
    }

    const CryptoHash& head_hash() {
        if (std::exchange(head_, ledger->tip()) != ledger->tip()) {
            const sim::Json header = sim::Json::parse(*ledger->block(head_)).at("header");
            head_hash_ = *CryptoHash::parse(header.at("hash").get<std::string>());
        }
        return head_hash_;
    }

    // With the signer's next nonce.
    wire::SignedTransaction make(const std::string& signer, const std::string& receiver,
                                 std::vector<wire::Action> actions, std::optional<std::uint64_t> nonce = {}) {
        wire::Transaction transaction;
        transaction.signer_id = signer;
        transaction.public_key = key_of(signer).public_key();
        transaction.nonce.nonce = nonce ? *nonce : ++nonces_[signer];
        if (nonce) nonces_[signer] = std::max(nonces_[signer], *nonce);
        transaction.receiver_id = receiver;
        transaction.block_hash = head_hash();
        transaction.actions = std::move(actions);
        const chain::Signature signature = key_of(signer).sign(wire::transaction_hash(transaction).view());
        return {std::move(transaction), signature};
    }
    wire::SignedTransaction transfer(const std::string& signer, const std::string& receiver, u128 amount,
                                     std::optional<std::uint64_t> nonce = {}) {
        return make(signer, receiver, {{wire::Transfer{amount}}}, nonce);
    }
    wire::SignedTransaction call(const std::string& signer, const std::string& receiver,
                                 const std::string& method, const std::string& args = "", u128 deposit = 0) {
        return make(signer, receiver,
                    {{wire::FunctionCall{method, chain::Bytes(args.begin(), args.end()), 100 * sim::kTera,
                                         deposit}}});
    }

    std::string send(const wire::SignedTransaction& transaction) {
        ledger->submit(transaction);
        return wire::transaction_hash(transaction.transaction).to_string();
    }
    void produce(std::size_t blocks = 1) {
        for (std::size_t i = 0; i < blocks; ++i) ledger->produce_block();
    }
    std::string run(const wire::SignedTransaction& transaction, std::size_t blocks = 10) {
        const std::string hash = send(transaction);
        produce(blocks);
        return hash;
    }

    sim::Json truth(const std::string& hash) const { return ledger->truth_of(hash).value(); }
    sim::Json block(Height height) const { return sim::Json::parse(*ledger->block(height)); }
    sim::Json whole(Height height) const { return sim::Json::parse(*ledger->whole_block(height)); }
    sim::Json tx(const std::string& hash) const {
        return sim::Json::parse(ledger->transaction(hash, ledger->tip())->json_with_receipts);
    }
    u128 balance(const std::string& account_id) const {
        return *base::parse_u128(
            ledger->view_account(account_id, ledger->tip())->at("amount").get<std::string>());
    }
    std::uint64_t shard_id_of(const std::string& account_id) const {
        return ledger->layout().shard_id(ledger->layout().index_of(account_id));
    }

    std::unique_ptr<Ledger> ledger;

private:
    sim::Contracts contracts_;
    std::map<std::string, std::uint64_t> nonces_;
    Height head_ = 0;
    CryptoHash head_hash_;
};

}  // namespace receiptd::sandbox
