#include "sandbox/sim/protocol.hpp"

#include <algorithm>
#include <array>

namespace receiptd::sandbox::sim {

namespace {

constexpr Fee same_fee(Gas gas) { return {gas, gas, gas}; }

constexpr Protocol kProtocol84{
    .version = 84,
    .create_account = same_fee(3'850'000'000'000),
    .state_init = {3'850'000'000'000, 3'850'000'000'000, 4'080'000'000'000},
    .min_gas_purchase_price = 0,
    .account_creation_charge = 0,
    .has_gas_keys = false,
    .has_delegate_v2 = false,
    .contract_reward = {3, 10},
    .tells_contracts = false,
    .chunk_header_version = 4,
    .block_header_version = 5,
};

constexpr Protocol kProtocol86{
    .version = 86,
    .create_account = {500'000'000'000, 500'000'000'000, 7'200'000'000'000},
    .state_init = {500'000'000'000, 500'000'000'000, 7'430'000'000'000},
    .min_gas_purchase_price = 1'000'000'000,
    .account_creation_charge = u128{7'000} * 1'000'000'000'000'000'000,
    .has_gas_keys = true,
    .has_delegate_v2 = true,
    .contract_reward = {3, 10},
    .tells_contracts = true,
    .chunk_header_version = 5,
    .block_header_version = 6,
};

// Version 87 as far as it is simulated (chain-model.md §11): DelegateV2's end and the contracts' reward.
constexpr Protocol of_version_87() {
    Protocol protocol = kProtocol86;
    protocol.version = 87;
    protocol.has_delegate_v2 = false;
    protocol.contract_reward = {0, 1};
    return protocol;
}
constexpr Protocol kProtocol87 = of_version_87();

// Later versions change nothing that is simulated.
constexpr Protocol later(std::uint32_t version) {
    Protocol protocol = kProtocol87;
    protocol.version = version;
    return protocol;
}
constexpr Protocol kProtocol88 = later(88);
constexpr Protocol kNightly157 = later(157);

constexpr std::array kProtocols{&kProtocol84, &kProtocol86, &kProtocol87, &kProtocol88, &kNightly157};

}  // namespace

u128 Protocol::purchase_price(u128 block_price) const {
    return std::max(block_price, min_gas_purchase_price);
}

u128 Protocol::burn_price(u128 purchase_price, u128 block_price) const {
    return min_gas_purchase_price == 0 ? purchase_price : std::min(purchase_price, block_price);
}

const Protocol* find_protocol(std::uint32_t version) {
    const auto* const found = std::find_if(kProtocols.begin(), kProtocols.end(),
                                           [&](const Protocol* p) { return p->version == version; });
    return found == kProtocols.end() ? nullptr : *found;
}

const Protocol& usual_protocol() { return kProtocol86; }

std::string known_protocols() {
    std::string list;
    for (const Protocol* protocol : kProtocols) {
        if (!list.empty()) list += protocol == kProtocols.back() ? " or " : ", ";
        list += std::to_string(protocol->version);
    }
    return list;
}

}  // namespace receiptd::sandbox::sim
