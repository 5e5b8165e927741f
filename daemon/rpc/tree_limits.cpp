#include "rpc/tree_limits.hpp"

#include "rpc/result_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace receiptd::rpc {
namespace {

// To send data for an input costs two thirds of the gas by which receipts are counted here
// (data_receipt_creation_config).
constexpr std::size_t kInputsForAReceipt = 2;

std::string more(std::size_t count, std::string_view what, std::size_t most) {
    if (count <= most) return {};
    return "tells " + std::to_string(count) + " " + std::string(what) +
           ": more than ten times what is allowed";
}

std::size_t believed(std::uint64_t allowed, std::size_t known) {
    return std::clamp<std::uint64_t>(allowed, known / kTimesAllowed, known) * kTimesAllowed;
}

}  // namespace

std::string beyond(const chain::TransactionStatus& status, const TreeLimits& limits) {
    auto why = more(status.receipts_outcome.size(), "outcomes", limits.receipts);
    auto children = status.transaction_outcome ? status.transaction_outcome->receipt_ids.size() : 0;
    for (const auto& outcome : status.receipts_outcome) children += outcome.receipt_ids.size();
    if (why.empty()) why = more(children, "children", limits.receipts);
    if (!status.receipts || !why.empty()) return why;
    why = more(status.receipts->size(), "receipts", limits.receipts);
    std::size_t inputs = 0;
    for (const auto& receipt : *status.receipts) {
        inputs += receipt.input_data_ids.size();
        if (why.empty()) why = more(receipt.input_data_ids.size(), "inputs of a receipt", limits.input_ids);
    }
    if (why.empty()) why = more(inputs, "inputs", kInputsForAReceipt * limits.receipts);
    return why;
}

chain::CryptoHash digest_of(const chain::TransactionStatus& status) {
    std::string text;
    const auto add = [&](std::string_view part) { text.append(part).append(1, '\n'); };
    const auto add_outcome = [&](const chain::Outcome& outcome) {
        add(outcome.id);
        add(std::to_string(static_cast<int>(outcome.status.kind)));
        for (const auto child : outcome.receipt_ids) add(child);
        add("");
    };
    if (status.transaction_outcome) add_outcome(*status.transaction_outcome);
    for (const auto& outcome : status.receipts_outcome) add_outcome(outcome);
    if (status.receipts)
        for (const auto& receipt : *status.receipts) {
            add(receipt.receipt_id);
            for (const auto data_id : receipt.input_data_ids) add(data_id);
            add("");
        }
    return chain::sha256(chain::bytes_of(text));
}

Decoder<TreeLimits> tree_limits_decoder() {
    return [](const std::string& body) -> base::Result<TreeLimits, std::string> {
        try {
            const auto config = result_json(body).at("runtime_config");
            const auto& limit = config.at("wasm_config").at("limit_config");
            const auto& creation = config.at("transaction_costs").at("action_receipt_creation_config");
            const auto gas = limit.at("max_total_prepaid_gas").get<std::uint64_t>();
            const auto cost = std::max<std::uint64_t>(1, creation.at("execution").get<std::uint64_t>());
            const auto inputs = limit.at("max_number_input_data_dependencies").get<std::uint64_t>();
            const TreeLimits known;
            TreeLimits limits;
            limits.receipts = believed(gas / cost, known.receipts);
            limits.input_ids = believed(inputs, known.input_ids);
            return limits;
        } catch (const nlohmann::json::exception& e) {
            return refuse<TreeLimits>("protocol config: " + std::string(e.what()));
        }
    };
}

}  // namespace receiptd::rpc
