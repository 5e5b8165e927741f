// A small chain that lives, with what the gateway's tests look at: blocks 100 to the tip, the newest two
// not final, one account, one contract, and transactions whose fate the test decides.
#pragma once

#include "chain/wire/base64.hpp"
#include "sandbox/gateway/live_chain.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <set>

namespace receiptd::sandbox::test {

using nlohmann::json;

inline std::string hash_text(std::uint8_t seed) {
    chain::CryptoHash hash;
    hash.bytes.fill(seed);
    return hash.to_string();
}

inline chain::PublicKey key_of(std::uint8_t seed) {
    return *chain::PublicKey::from_raw(chain::KeyType::ed25519, chain::Bytes(32, seed));
}

class FakeChain final : public LiveChain {
public:
    static constexpr Height kGenesis = 100;
    static constexpr Height kEpoch = 10;

    Height newest = 120;
    std::set<Height> skipped{113};
    std::optional<json> fault;                     // of every transaction
    std::map<std::string, ExecutionLevel> levels;  // of those on the chain
    std::vector<std::string> submitted;

    // --- Chain ---
    void note_request() override {}
    Height first() const override { return kGenesis; }
    Height tip() const override { return newest; }
    Height final_head(Height tip) const override { return back(tip, 2); }
    Height near_final_head(Height tip) const override { return back(tip, 1); }
    Height back(Height height, std::uint64_t blocks) const override {
        while (blocks > 0 && height > kGenesis) blocks -= has_block(--height) ? 1 : 0;
        return height;
    }
    std::optional<base::WallTime> served_at(Height) const override { return std::nullopt; }
    std::optional<base::Duration> until(Height) const override { return std::nullopt; }
    bool has_block(Height height) const override {
        return kGenesis <= height && height <= newest && !skipped.contains(height);
    }
    std::optional<Height> height_of_block(std::string_view hash) const override {
        for (Height height = kGenesis; height <= newest; ++height) {
            if (has_block(height) && hash == hash_of(height)) return height;
        }
        return std::nullopt;
    }
    static std::string hash_of(Height height) { return hash_text(static_cast<std::uint8_t>(height)); }
    static std::string chunk_of(Height height) { return hash_text(static_cast<std::uint8_t>(height + 100)); }
    std::optional<std::string> block(Height height) const override {
        if (!has_block(height)) return std::nullopt;
        const json slot{{"chunk_hash", chunk_of(height)}, {"shard_id", 0}, {"height_included", height}};
        return json{{"author", "node0"},
                    {"header",
                     {{"height", height},
                      {"hash", hash_of(height)},
                      {"gas_price", "100000000"},
                      {"epoch_id", hash_text(static_cast<std::uint8_t>(height / kEpoch))},
                      {"timestamp_nanosec", "1800000000000000000"},
                      {"latest_protocol_version", 86}}},
                    {"chunks", json::array({slot})}}
            .dump();
    }
    std::optional<Located> chunk(std::string_view hash) const override {
        for (Height height = kGenesis; height <= newest; ++height) {
            if (!has_block(height) || hash != chunk_of(height)) continue;
            const json header{{"chunk_hash", hash}, {"shard_id", 0}, {"height_included", height}};
            return Located{json{{"header", header}}.dump(), height};
        }
        return std::nullopt;
    }
    std::optional<Located> receipt(std::string_view id) const override {
        if (id != hash_text(1)) return std::nullopt;
        return Located{json{{"receipt_id", id}}.dump(), 115};
    }
    std::optional<TransactionView> transaction(std::string_view hash, Height) const override {
        const auto found = levels.find(std::string(hash));
        if (found == levels.end()) return std::nullopt;
        json shown{{"final_execution_status", to_string(found->second)},
                   {"hash", hash},
                   {"transaction", {{"signer_id", "alice.sandbox"}}}};
        TransactionView view{shown.dump(), "", found->second, 115};
        shown["receipts"] = json::array();
        view.json_with_receipts = shown.dump();
        return view;
    }
    bool has_receipts_of_transactions() const override { return true; }
    std::optional<Height> whole_tip(Height tip) const override { return final_head(tip); }
    std::shared_ptr<const std::string> whole_block(Height height) const override {
        if (!has_block(height)) return nullptr;
        return std::make_shared<std::string>(
            json{{"block", json::parse(*block(height))}, {"shards", json::array()}}.dump());
    }

    // --- Transactions ---
    std::optional<json> validate(const chain::wire::SignedTransaction&, Height) const override {
        return fault;
    }
    void submit(const chain::wire::SignedTransaction& transaction) override {
        submitted.push_back(chain::wire::transaction_hash(transaction.transaction).to_string());
    }
    bool is_on_chain(std::string_view hash, Height) const override {
        return levels.contains(std::string(hash));
    }
    ExecutionLevel execution_level(std::string_view hash, Height) const override {
        const auto found = levels.find(std::string(hash));
        return found == levels.end() ? ExecutionLevel::none : found->second;
    }

    // --- State: alice.sandbox with key 7, and the contract c.sandbox ---
    static bool exists(std::string_view id) { return id == "alice.sandbox" || id == "c.sandbox"; }
    std::optional<json> view_account(std::string_view id, Height at) const override {
        if (!exists(id)) return std::nullopt;
        return json{{"amount", std::to_string(at)}, {"locked", "0"}};
    }
    std::optional<json> view_access_key(std::string_view id, const chain::PublicKey& key,
                                        Height) const override {
        if (id != "alice.sandbox" || !(key == key_of(7))) return std::nullopt;
        return json{{"nonce", 5}, {"permission", "FullAccess"}};
    }
    std::optional<std::vector<std::uint64_t>> gas_key_nonces(std::string_view id, const chain::PublicKey& key,
                                                             Height) const override {
        if (id != "alice.sandbox" || !(key == key_of(6))) return std::nullopt;
        return std::vector<std::uint64_t>{4, 5, 6};
    }
    json view_access_key_list(std::string_view id, Height) const override {
        if (id == "c.sandbox") {  // many keys
            json keys = json::array();
            for (int key = 0; key < 101; ++key)
                keys.push_back({{"public_key", "key-" + std::to_string(key)}});
            return keys;
        }
        if (id != "alice.sandbox") return json::array();
        return {{{"public_key", key_of(7).to_string()}, {"access_key", {{"nonce", 5}}}}};
    }
    std::optional<json> view_code(std::string_view id, Height) const override {
        if (id != "c.sandbox") return std::nullopt;
        return json{{"code_base64", "AA=="}, {"hash", hash_text(9)}};
    }
    std::optional<json> view_global_code(const chain::wire::GlobalContractId& contract,
                                         Height) const override {
        if (contract != chain::wire::GlobalContractId("c.sandbox")) return std::nullopt;
        return json{{"code_base64", "AA=="}, {"hash", hash_text(9)}};
    }
    json view_state(std::string_view, std::string_view prefix, Height) const override {
        json values = json::array();
        for (const std::string key : {"a1", "a2", "a3", "b"}) {
            if (key.starts_with(prefix))
                values.push_back(
                    {{"key", chain::base64_encode(chain::bytes_of(key))}, {"value", value_base64}});
        }
        return values;
    }
    std::string value_base64 = "AA==";
    ViewCallResult call_function(std::string_view id, std::string_view method, const chain::Bytes& args,
                                 Height) const override {
        if (id != "c.sandbox")
            return {{},
                    {},
                    "wasm execution failed with error: CompilationError(CodeDoesNotExist { account_id: \"" +
                        std::string(id) + "\" })"};
        if (method == "echo") return {args, {"called"}, ""};
        if (method == "fail")
            return {
                {},
                {"before"},
                "wasm execution failed with error: HostError(GuestPanic { panic_msg: \"no \\\"way\\\"\" })"};
        return {{}, {}, "wasm execution failed with error: MethodResolveError(MethodNotFound)"};
    }

    // --- Blocks ---
    json validators(Height at) const override {
        return {{"current_validators",
                 {{{"account_id", "node0"}, {"public_key", key_of(1).to_string()}, {"stake", "5"}}}},
                {"epoch_start_height", epoch_start(at)}};
    }
    json protocol_config(Height at) const override { return {{"protocol_version", 86}, {"at", at}}; }
    json genesis_config() const override { return {{"chain_id", "sandbox"}}; }
    json changes_in_block(Height) const override {
        return {{{"type", "account_touched"}, {"account_id", "alice.sandbox"}}};
    }
    double congestion_level(std::string_view) const override { return 0.5; }
    std::optional<json> next_light_client_block(Height last, Height tip) const override {
        if (last + 3 > tip) return std::nullopt;
        return json{{"inner_lite", {{"height", tip - 2}}}};
    }
    std::variant<json, NoProof> light_client_proof(const LightClientRequest& request) const override {
        if (request.id == hash_text(1)) return json{{"head", request.light_client_head}};
        return request.id == hash_text(2) ? NoProof::not_confirmed : NoProof::unknown;
    }
    std::optional<TransactionOfReceipt> transaction_of_receipt(std::string_view id) const override {
        if (id != hash_text(1)) return std::nullopt;
        return TransactionOfReceipt{hash_text(3), "alice.sandbox"};
    }
    Height epoch_start(Height height) const override { return height / kEpoch * kEpoch; }

    std::uint64_t shard_of_account(std::string_view id) const override {
        return id == "alice.sandbox" ? 0 : 1;
    }

    // --- Lies ---
    ForgedBlock forge(const Forgery& forgery) const override {
        json made = json::parse(*block(forgery.like));
        const std::string seed = std::to_string(forgery.height) + forgery.prev_hash;
        made["header"]["hash"] = chain::sha256(chain::bytes_of(seed)).to_string();
        made["header"]["height"] = forgery.height;
        made["header"]["prev_height"] = forgery.prev_height;
        made["header"]["prev_hash"] = forgery.prev_hash;
        return {made["header"]["hash"], made.dump()};
    }
    std::string forged_whole_block(const Forgery& forgery) const override {
        return json{{"block", json::parse(forge(forgery).block)}, {"shards", json::array()}}.dump();
    }
};

}  // namespace receiptd::sandbox::test
