#include "sandbox/ledger/ledger.hpp"

#include "chain/wire/account_id.hpp"
#include "sandbox/ledger/block_json.hpp"
#include "sandbox/ledger/chain_hashes.hpp"
#include "sandbox/ledger/json_out.hpp"
#include "sandbox/sim/limits.hpp"

#include <set>
#include <stdexcept>

namespace receiptd::sandbox {

namespace {

constexpr double kMostChance = 0.9;
constexpr std::int64_t kDay = 86'400'000'000'000;  // in nanoseconds

void check_options(const LedgerOptions& options) {
    const auto require = [](bool holds, const char* what) {
        if (!holds) throw std::invalid_argument(what);
    };
    require(options.validators > 0, "validators must be at least 1");
    require(options.epoch_blocks > 0, "epoch_blocks must be at least 1");
    require(options.block_time_nanosec > 0, "block_time must be above 0");
    require(options.gas_limit > 0, "gas_limit must be above 0");
    require(options.congestion_gas > 0, "congestion_gas must be above 0");
    require(options.min_gas_price > 0, "min_gas_price must be above 0");
    require(options.min_gas_price <= options.gas_price && options.gas_price <= options.max_gas_price,
            "gas_price must lie between min_gas_price and max_gas_price");
    // A transaction that waits may need the oldest block hash that is valid.
    require(options.history_blocks == 0 || options.history_blocks >= options.validity_blocks + 100,
            "history_blocks must be 0, or at least 100 above validity_blocks");
    for (const double chance : {options.missing_chunk_probability, options.skipped_height_probability}) {
        require(chance >= 0 && chance <= kMostChance, "probabilities must lie between 0 and 0.9");
    }
    std::set<std::string> seen;
    for (const GenesisAccount& account : options.accounts) {
        if (!chain::is_valid_account_id(account.account_id)) {
            throw std::invalid_argument("genesis account \"" + account.account_id +
                                        "\" is not an account id");
        }
        if (!seen.insert(account.account_id).second) {
            throw std::invalid_argument("genesis account \"" + account.account_id + "\" is there twice");
        }
    }
}

GenesisAccount validator_account(const Validator& validator) {
    constexpr u128 kPocketMoney = 100 * sim::kOneToken;
    GenesisAccount account;
    account.account_id = validator.account_id;
    account.amount = kPocketMoney;
    account.locked = validator.stake;
    account.access_keys = {{validator.key.public_key(), {}}};
    account.secret_keys = {validator.key};
    return account;
}

}  // namespace

Ledger::Ledger(LedgerOptions options, const sim::Contracts& contracts)
    : options_(std::move(options)),
      contracts_(contracts),
      validators_(options_.seed, options_.validators),
      mempool_(options_.shards),
      forest_(options_.protocol_in(0)) {
    for (const Validator& validator : validators_.all())
        options_.accounts.push_back(validator_account(validator));
    check_options(options_);
    plan_layouts();
    make_genesis();
}

void Ledger::plan_layouts() {
    layouts_[0] = std::make_shared<const ShardLayout>(options_.shards);
    for (const auto& [epoch, boundary_account] : options_.splits) {
        if (epoch == 0) throw std::invalid_argument("no shard can be split in the first epoch");
        if (!chain::is_valid_account_id(boundary_account))
            throw std::invalid_argument("no shard can be split at \"" + boundary_account +
                                        "\": it is not an account id");
        const int version = options_.protocol_in(epoch).block_header_version >= 6 ? 3 : 2;
        layouts_[epoch] =
            std::make_shared<const ShardLayout>(layout_in(epoch)->split_at(boundary_account, version));
    }
}

const LayoutPtr& Ledger::layout_in(std::uint64_t epoch_index) const {
    return std::prev(layouts_.upper_bound(epoch_index))->second;
}

void Ledger::make_genesis() {
    layout_ = layout_in(0);
    for (std::size_t i = 0; i < layout_->size(); ++i) shards_.emplace_back(i);
    for (const GenesisAccount& account : options_.accounts) {
        add_genesis_account(shards_[layout_->index_of(account.account_id)], account, options_.genesis_height);
        for (const sim::SecretKey& key : account.secret_keys) known_keys_[account.account_id].push_back(key);
    }
    for (Shard& shard : shards_) add_genesis_wallet(shard, options_.genesis_height);
    genesis_tokens_ = account_tokens();
    oldest_ = options_.genesis_height;

    BlockRecord block;
    block.protocol = &options_.protocol_in(0);
    block.layout = layout_;
    block.height = options_.genesis_height;
    block.epoch_start = block.height;
    block.last_final_height = block.last_ds_final_height = block.final_height = block.height;
    block.gas_price = options_.gas_price;
    block.total_supply = genesis_tokens_;
    for (Shard& shard : shards_) {
        auto nothing = std::make_shared<Application>();
        nothing->height = block.height;
        nothing->shard_id = layout_->shard_id(shard.index);
        nothing->state_root = shard.state.root();
        nothing->congestion.allowed_shard = static_cast<std::uint16_t>(nothing->shard_id);
        shard.applied = nothing;
        block.chunks.push_back(make_chunk(shard, block));
        block.chunks.back()->application = std::move(nothing);
    }
    finish_block(block);
    store_.append(std::move(block));
}

u128 Ledger::account_tokens() const {
    u128 tokens = 0;
    for (const Shard& shard : shards_) tokens += shard.state.total_balance();
    return tokens;
}

Height Ledger::final_head(Height tip) const { return store_.at_or_below(tip).final_height; }

Height Ledger::near_final_head(Height tip) const {
    const BlockRecord& head = store_.at_or_below(tip);
    return std::max(head.last_ds_final_height, head.final_height);
}

Height Ledger::back(Height height, std::uint64_t blocks) const {
    const std::size_t ordinal = store_.at_or_below(height).ordinal;
    const std::size_t oldest = store_.at_or_below(oldest_).ordinal;
    const std::size_t wanted = ordinal > blocks ? ordinal - static_cast<std::size_t>(blocks) : 0;
    return store_.at_ordinal(std::max(wanted, oldest)).height;
}

std::optional<base::WallTime> Ledger::served_at(Height height) const {
    const BlockRecord* block = store_.at_height(height);
    if (block == nullptr) return std::nullopt;
    if (const auto told = served_.find(height); told != served_.end()) return told->second;
    return base::WallTime(std::chrono::nanoseconds(block->light.inner_lite.timestamp_nanosec));
}

std::optional<base::Duration> Ledger::until(Height height) const {
    if (height <= tip()) return base::Duration::zero();
    return until_ ? until_(height) : std::nullopt;
}

std::optional<Height> Ledger::height_of_block(std::string_view hash) const {
    const auto parsed = CryptoHash::parse(hash);
    const BlockRecord* block = parsed ? store_.by_hash(*parsed) : nullptr;
    return block == nullptr ? std::nullopt : std::optional(block->height);
}

std::optional<std::string> Ledger::block(Height height) const {
    const BlockRecord* block = store_.at_height(height);
    if (block == nullptr) return std::nullopt;
    return to_text(block_json(*block));
}

std::optional<Located> Ledger::lost_block(std::string_view hash) const {
    const auto parsed = CryptoHash::parse(hash);
    const BlockRecord* block = parsed ? store_.lost(*parsed) : nullptr;
    if (block == nullptr) return std::nullopt;
    return Located{to_text(block_json(*block)), block->height};
}

std::optional<Located> Ledger::chunk(std::string_view hash) const {
    const auto parsed = CryptoHash::parse(hash);
    const ChunkRecord* chunk = parsed ? store_.chunk(*parsed) : nullptr;
    if (chunk == nullptr) return std::nullopt;
    return Located{to_text(chunk_json(*chunk)), chunk->height};
}

std::string Ledger::whole_text(const BlockRecord& block) const {
    const auto tx_hash = [this](const CryptoHash& receipt_id) -> std::optional<CryptoHash> {
        const auto place = forest_.find_receipt(receipt_id);
        if (!place || place->tree == nullptr) return std::nullopt;
        return place->tree->transaction->hash;
    };
    return to_text(whole_block_json(block, tx_hash));
}

BlockRecord Ledger::forged_record(const Forgery& forgery) const {
    BlockRecord block = store_.at_or_below(forgery.like);
    block.height = block.light.inner_lite.height = forgery.height;
    block.prev_height = forgery.prev_height;
    block.light.prev_block_hash = CryptoHash::parse(forgery.prev_hash).value();
    block.light.inner_lite.timestamp_nanosec += static_cast<std::uint64_t>(forgery.days * kDay);
    block.random_value = chain::sha256(block.random_value.view());
    seal_block(block);
    return block;
}

ForgedBlock Ledger::forge(const Forgery& forgery) const {
    const BlockRecord block = forged_record(forgery);
    return {block.hash.to_string(), to_text(block_json(block))};
}

std::string Ledger::forged_whole_block(const Forgery& forgery) const {
    return whole_text(forged_record(forgery));
}

std::shared_ptr<const std::string> Ledger::whole_block(Height height) const {
    const BlockRecord* block = store_.at_height(height);
    if (block == nullptr) return nullptr;
    if (const auto kept = whole_blocks_.find(height); kept != whole_blocks_.end()) return kept->second;
    auto text = std::make_shared<const std::string>(whole_text(*block));
    // The lowest goes: who follows asks upwards, and who reads history asks once.
    if (whole_blocks_.size() == kKeptWholeBlocks) whole_blocks_.erase(whole_blocks_.begin());
    whole_blocks_.emplace(height, text);
    return text;
}

double Ledger::congestion_level(std::string_view chunk_hash) const {
    const auto parsed = CryptoHash::parse(chunk_hash);
    const ChunkRecord* chunk = parsed ? store_.chunk(*parsed) : nullptr;
    if (chunk == nullptr) return 0;
    return sandbox::congestion_level(chunk->previous->congestion, chunk->missed_chunks,
                                     options_.congestion_gas);
}

}  // namespace receiptd::sandbox
