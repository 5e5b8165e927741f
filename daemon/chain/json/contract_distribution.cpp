#include "chain/json/contract_distribution.hpp"

#include <simdjson.h>

namespace receiptd::chain {

namespace {

namespace dom = simdjson::dom;

// The newer name and that of nodes before 2.12.
std::string either(const dom::element& object, std::string_view name, std::string_view older) {
    std::string_view text;
    if (object.at_key(name).get(text) == simdjson::SUCCESS) return std::string(text);
    if (object.at_key(older).get(text) == simdjson::SUCCESS) return std::string(text);
    return {};
}

}  // namespace

std::optional<ContractDistribution> contract_distribution(std::string_view receipt_json) {
    thread_local dom::parser parser;
    dom::element body;
    dom::element id;
    dom::array delivered;
    std::string_view code;
    ContractDistribution read;
    const auto found =
        parser.parse(simdjson::padded_string(receipt_json)).at_key("GlobalContractDistribution").get(body);
    if (found != simdjson::SUCCESS || body["id"].get(id) != simdjson::SUCCESS ||
        body["code"].get(code) != simdjson::SUCCESS ||
        body["target_shard"].get(read.target_shard) != simdjson::SUCCESS ||
        body["already_delivered_shards"].get(delivered) != simdjson::SUCCESS)
        return std::nullopt;
    read.contract_hash = either(id, "hash", "CodeHash");
    read.contract_account_id = either(id, "account_id", "AccountId");
    if (read.contract_hash.empty() == read.contract_account_id.empty()) return std::nullopt;
    read.code = code;
    read.delivered = delivered.size();
    std::uint64_t nonce = 0;
    if (body["nonce"].get(nonce) == simdjson::SUCCESS) read.nonce = nonce;
    return read;
}

}  // namespace receiptd::chain
