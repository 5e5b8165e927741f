#include "museum/stage.hpp"

#include "chain/json/decode.hpp"
#include "chain/tree/lineage.hpp"
#include "chain/tree/live_trees.hpp"
#include "sandbox/contracts/builtin.hpp"
#include "sandbox/run/genesis.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace receiptd::museum {
namespace {

constexpr std::uint64_t kSeed = 46;

sandbox::LedgerOptions chain_with(const std::vector<sandbox::ReadyAccount>& accounts,
                                  const std::vector<std::string>& guests) {
    sandbox::LedgerOptions options;
    options.seed = kSeed;
    options.yield_timeout_blocks = 10;
    options.accounts = sandbox::genesis_accounts(accounts, {});
    for (const auto& guest : guests) {
        auto account = options.accounts.front();
        account.account_id = guest;
        account.amount = 100 * kNear;
        options.accounts.push_back(std::move(account));
    }
    return options;
}

}  // namespace

wire::Action call(const std::string& method, const std::string& args, std::uint64_t tgas, u128 deposit) {
    return {wire::FunctionCall{method, chain::Bytes(args.begin(), args.end()), tgas * sandbox::sim::kTera,
                               deposit}};
}

Stage::Stage(const std::vector<std::string>& guests)
    : accounts_(sandbox::ready_accounts(kSeed)),
      ledger_((sandbox::add_builtin_contracts(contracts_), chain_with(accounts_, guests)), contracts_) {}

const sandbox::sim::SecretKey& Stage::key_of(const std::string& account) const {
    for (const auto& ready : accounts_)
        if (ready.account_id == account) return ready.key;
    return accounts_.front().key;
}

std::string Stage::send(const std::string& signer, const std::string& receiver,
                        std::vector<wire::Action> actions) {
    wire::Transaction body;
    body.signer_id = signer;
    body.public_key = key_of(signer).public_key();
    body.nonce.nonce = ++nonces_[signer];
    body.receiver_id = receiver;
    body.block_hash = *chain::CryptoHash::parse(
        Json::parse(*ledger_.block(ledger_.tip())).at("header").at("hash").get<std::string>());
    body.actions = std::move(actions);
    const auto hash = wire::transaction_hash(body);
    ledger_.submit({body, key_of(signer).sign(hash.view())});
    return hash.to_string();
}

std::string Stage::run(const std::string& program, u128 deposit) {
    return send("alice.sandbox", "script.sandbox", {call("run", program, 290, deposit)});
}

void Stage::blocks(int count) {
    for (int i = 0; i < count; ++i) ledger_.produce_block();
}

Stored Stage::stored(const Change& change, Height from) const {
    Stored stored;
    chain::Lineage lineage;
    chain::LiveTrees live_trees;
    for (auto height = std::max(from, ledger_.first()); height <= ledger_.tip(); ++height) {
        const auto text = ledger_.whole_block(height);
        if (!text) continue;
        auto whole_block = Json::parse(*text);
        if (change) change(whole_block);
        const auto decoded = chain::decode_whole_block(whole_block.dump());
        if (!decoded) throw std::runtime_error(decoded.error().to_string());
        stored.batch.append(
            chain::whole_block_rows(decoded->value, std::nullopt, chain::Scope(), lineage, &live_trees));
    }
    return stored;
}

Rows Stored::rows(Table table, const std::string& tx_hash) const {
    auto found = rows(table);
    std::erase_if(found, [&](const Row& row) { return row["tx_hash"] != tx_hash; });
    return found;
}

Row Stored::result(const std::string& tx_hash) const {
    const auto results = rows(Table::transaction_results, tx_hash);
    if (results.size() != 1) throw std::runtime_error(std::to_string(results.size()) + " results");
    return results.front();
}

std::string Stored::end(const std::string& tx_hash) const {
    const auto row = result(tx_hash);
    return *row["verdict"] + ", NEAR says " + row["near_status"].value_or("nothing") +
           (row["effect"] ? ", " + *row["effect"] : "");
}

std::vector<std::string> Stored::findings(const std::string& tx_hash) const {
    std::vector<std::string> texts;
    for (const auto& row : rows(Table::findings, tx_hash)) {
        const auto handled = row["handled"] ? (*row["handled"] == "t" ? " handled" : " not handled") : "";
        texts.push_back(*row["kind"] + (row["role"] ? " " + *row["role"] : "") + handled +
                        (row["error_class"] ? ": " + *row["error_class"] : ""));
    }
    std::sort(texts.begin(), texts.end());
    return texts;
}

}  // namespace receiptd::museum
