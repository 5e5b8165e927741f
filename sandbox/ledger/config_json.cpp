#include "sandbox/ledger/config_json.hpp"

#include "sandbox/ledger/runtime_config_json.hpp"
#include "sandbox/sim/limits.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace receiptd::sandbox {

namespace {

constexpr std::uint64_t kNanosecPerSecond = 1'000'000'000;

struct Produced {
    std::uint64_t blocks = 0;
    std::vector<std::uint64_t> chunks;           // by shard
    std::vector<std::uint64_t> expected_chunks;  // by shard
};

using ByValidator = std::map<std::string, Produced>;

// Every height and shard has one producer; heights that were skipped were nobody's fault and do not count.
ByValidator count(const ChainStore& store, const BlockRecord& at, const Validators& validators) {
    const std::size_t shards = at.layout->size();
    ByValidator counts;
    for (const Validator& validator : validators.all()) {
        counts[validator.account_id] = {0, std::vector<std::uint64_t>(shards),
                                        std::vector<std::uint64_t>(shards)};
    }
    const std::size_t oldest = std::max<std::size_t>(store.oldest().ordinal, 1);
    for (std::size_t i = at.ordinal + 1; i-- > oldest;) {
        const BlockRecord& block = store.at_ordinal(i);
        if (block.height < at.epoch_start) break;
        ++counts[block.author].blocks;
        for (std::size_t shard = 0; shard < shards; ++shard) {
            Produced& producer = counts[validators.chunk_producer(block.height, shard).account_id];
            ++producer.expected_chunks[shard];
            if (block.is_new(shard)) ++producer.chunks[shard];
        }
    }
    return counts;
}

std::uint64_t sum(const std::vector<std::uint64_t>& numbers) {
    std::uint64_t all = 0;
    for (const std::uint64_t number : numbers) all += number;
    return all;
}

Json current_validator_json(const Validator& validator, const Produced& produced, const ShardLayout& layout) {
    const std::uint64_t chunks = sum(produced.chunks);
    return {{"account_id", validator.account_id},
            {"public_key", validator.key.public_key().to_string()},
            {"is_slashed", false},
            {"stake", base::to_string(validator.stake)},
            {"shards", layout.shard_ids()},
            {"num_produced_blocks", produced.blocks},
            {"num_expected_blocks", produced.blocks},
            {"num_produced_chunks", chunks},
            {"num_expected_chunks", sum(produced.expected_chunks)},
            {"num_produced_chunks_per_shard", produced.chunks},
            {"num_expected_chunks_per_shard", produced.expected_chunks},
            {"num_produced_endorsements", chunks},
            {"num_expected_endorsements", chunks},
            {"num_produced_endorsements_per_shard", produced.chunks},
            {"num_expected_endorsements_per_shard", produced.chunks},
            {"shards_endorsed", layout.shard_ids()}};
}

std::string fee_text(u128 value) { return base::to_string(value); }

// RFC 3339 with nanoseconds.
std::string time_text(std::uint64_t nanosec) {
    const auto seconds = static_cast<std::time_t>(nanosec / kNanosecPerSecond);
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    char text[64];
    const std::size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    std::string fraction = std::to_string(nanosec % kNanosecPerSecond + kNanosecPerSecond);
    return std::string(text, size) + "." + fraction.substr(1) + "Z";
}

// The same few validators for ever, nobody rewarded or kicked out.
Json validator_rules_json(std::size_t validators, std::size_t shards) {
    return {{"protocol_reward_rate", Json::array({0, 1})},
            {"max_inflation_rate", Json::array({0, 1})},
            {"protocol_treasury_account", "treasury.sandbox"},
            {"num_block_producer_seats", validators},
            {"num_block_producer_seats_per_shard", std::vector<std::size_t>(shards, validators)},
            {"avg_hidden_validator_seats_per_shard", std::vector<std::size_t>(shards, 0)},
            {"block_producer_kickout_threshold", 0},
            {"chunk_producer_kickout_threshold", 0},
            {"chunk_validator_only_kickout_threshold", 0},
            {"online_min_threshold", Json::array({9, 10})},
            {"online_max_threshold", Json::array({99, 100})},
            {"protocol_upgrade_stake_threshold", Json::array({4, 5})},
            {"fishermen_threshold", fee_text(sim::kMinimumStake)},
            {"minimum_stake_divisor", 10},
            {"minimum_stake_ratio", Json::array({1, 6250})},
            {"minimum_validators_per_shard", 1},
            {"max_kickout_stake_perc", 100},
            {"num_chunk_only_producer_seats", 0},
            {"num_chunk_producer_seats", validators},
            {"num_chunk_validator_seats", validators},
            {"target_validator_mandates_per_shard", validators},
            {"shuffle_shard_assignment_for_chunk_producers", false},
            {"chunk_producer_assignment_changes_limit", 5}};
}

// The members that both configurations have.
Json common_config_json(const LedgerOptions& options, const BlockRecord& at) {
    constexpr std::uint64_t kYearNanosec = 31'536'000 * kNanosecPerSecond;
    Json json = validator_rules_json(options.validators, at.layout->size());
    json.update({{"protocol_version", at.protocol->version},
                 {"chain_id", options.chain_id},
                 {"genesis_height", options.genesis_height},
                 {"genesis_time", time_text(options.genesis_time_nanosec)},
                 {"epoch_length", options.epoch_blocks},
                 {"gas_limit", options.gas_limit},
                 {"min_gas_price", fee_text(options.min_gas_price)},
                 {"max_gas_price", fee_text(options.max_gas_price)},
                 {"gas_price_adjustment_rate", Json::array({1, 100})},
                 {"transaction_validity_period", options.validity_blocks},
                 {"num_blocks_per_year", kYearNanosec / options.block_time_nanosec},
                 {"dynamic_resharding", false},
                 {"use_production_config", false},
                 {"shard_layout", at.layout->to_json()}});
    return json;
}

}  // namespace

Json validators_json(const ChainStore& store, const BlockRecord& at, const Validators& validators) {
    const ByValidator counts = count(store, at, validators);
    Json current = Json::array();
    Json next = Json::array();
    for (const Validator& validator : validators.all()) {
        current.push_back(current_validator_json(validator, counts.at(validator.account_id), *at.layout));
        next.push_back({{"account_id", validator.account_id},
                        {"public_key", validator.key.public_key().to_string()},
                        {"stake", base::to_string(validator.stake)},
                        {"shards", at.layout->shard_ids()}});
    }
    return {{"current_validators", std::move(current)}, {"next_validators", std::move(next)},
            {"current_fishermen", Json::array()},       {"next_fishermen", Json::array()},
            {"current_proposals", Json::array()},       {"prev_epoch_kickout", Json::array()},
            {"epoch_start_height", at.epoch_start},     {"epoch_height", at.epoch_index + 1}};
}

Json protocol_config_json(const LedgerOptions& options, const BlockRecord& at) {
    Json json = common_config_json(options, at);
    json["runtime_config"] = runtime_config_json(options, *at.protocol);
    return json;
}

Json genesis_config_json(const LedgerOptions& options, const BlockRecord& genesis,
                         const Validators& validators) {
    Json json = common_config_json(options, genesis);
    json["total_supply"] = base::to_string(genesis.total_supply);
    Json list = Json::array();
    for (const Validator& validator : validators.all()) {
        list.push_back({{"account_id", validator.account_id},
                        {"public_key", validator.key.public_key().to_string()},
                        {"amount", base::to_string(validator.stake)}});
    }
    json["validators"] = std::move(list);
    return json;
}

}  // namespace receiptd::sandbox
