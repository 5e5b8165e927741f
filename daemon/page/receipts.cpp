#include "page/receipts.hpp"

#include "base/exact_json.hpp"
#include "base/line.hpp"
#include "base/visible.hpp"
#include "chain/json/json_check.hpp"
#include "chain/tree/sentences.hpp"
#include "chain/tree/units.hpp"
#include "chain/wire/base64.hpp"
#include "page/story.hpp"
#include "page/texts.hpp"

#include <algorithm>
#include <unordered_map>

namespace receiptd::page {

namespace {

using Receipt = chain::JudgedReceipt;

constexpr std::size_t kRoomForDetails = 48u << 10;  // bytes of all details together, as they are escaped
constexpr std::size_t kLongestMethod = 80, kLongestError = 300;
constexpr unsigned kDeepestShown = 6;  // as style.css indents them
constexpr int kIndent = 2;
constexpr std::size_t kMostIndentation = 8;  // times the length without it

Json badge(std::string_view label, std::string_view tone, std::string_view means) {
    return {{"label", label}, {"tone", tone}, {"icon", icon_of(tone)}, {"means", means}};
}

Json status_of(const Receipt& receipt) {
    using chain::Handling;
    using chain::Waiting;
    if (receipt.failed() && receipt.is_from_system())
        return badge("Burnt", "bad", "What it brings could not be paid.");
    if (receipt.failed() && receipt.handling == Handling::handled)
        return badge("Failed, handled", "odd", "It failed, and who waited for it went on.");
    if (receipt.failed()) return badge("Failed", "bad", "It failed, and its changes are undone.");
    if (receipt.executed) return badge("Succeeded", "good", "It was executed, and its changes hold.");
    if (receipt.waiting == Waiting::data)
        return badge("Waits for data", "wait", "It waits for other receipts.");
    if (receipt.waiting == Waiting::resume)
        return badge("Waits to resume", "wait", "It waits to be resumed.");
    return badge("Under way", "wait", "It is not executed yet.");
}

// Deeply nested values would be mostly indentation.
std::string indented(const Json& json) {
    auto lines = base::write_json(json, kIndent);
    auto line = base::write_json(json);
    return lines.size() > kMostIndentation * line.size() ? line : lines;
}

// Discarded where it is none, or nested so deeply that it would take the stack.
Json parsed(const std::string& text) {
    if (!chain::check_json(text).valid) return Json(Json::value_t::discarded);
    return base::read_json(text);
}

bool is_readable(std::string_view text) {
    return std::none_of(text.begin(), text.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t';
    });
}

// Decoded bytes: JSON is indented; a text stands as it is; of anything else its length and the base64.
std::string bytes_in_words(const std::string& base64) {
    std::string bytes;
    if (!chain::base64_decode_into(base64, bytes)) return base64;
    if (const auto json = parsed(bytes); !json.is_discarded()) return indented(json);
    if (is_readable(bytes) && base::visible(bytes) == bytes) return bytes;
    return plural(bytes.size(), "byte", "bytes") + ", in base64:\n" + base64;
}

std::string amount_in_words(const Json& amount) {
    if (!amount.is_string()) return {};
    const auto yocto = base::parse_u128(amount.get<std::string>());
    return yocto ? chain::near_in_words(*yocto) : std::string();
}

// One of `actions` as the table keeps it: "CreateAccount", or {"FunctionCall": {…}}.
Json action_values(const Json& action) {
    Json values = {
        {"name", ""}, {"method", nullptr}, {"deposit", nullptr}, {"gas", nullptr}, {"args", nullptr}};
    if (action.is_string()) values["name"] = action;
    if (!action.is_object() || action.empty()) return values;
    values["name"] = action.begin().key();
    const auto& payload = action.begin().value();
    if (!payload.is_object()) {
        values["args"] = indented(payload);
        return values;
    }
    Json rest = payload;
    if (const auto text = amount_in_words(payload.value("deposit", Json())); !text.empty())
        values["deposit"] = text;
    if (payload.contains("gas") && payload["gas"].is_number_unsigned())
        values["gas"] = chain::gas_in_words(payload["gas"].get<std::uint64_t>());
    if (payload.contains("method_name")) values["method"] = payload["method_name"];
    if (payload.contains("args_json"))
        values["args"] = indented(payload["args_json"]);
    else if (payload.contains("args") && payload["args"].is_string())
        values["args"] = bytes_in_words(payload["args"].get<std::string>());
    for (const char* told : {"deposit", "gas", "method_name", "args", "args_json"}) rest.erase(told);
    if (!rest.empty() && values["args"].is_null()) values["args"] = indented(rest);
    return values;
}

Json actions_values(const Json& row) {
    Json all = Json::array();
    const auto actions = row.value("actions", Json());
    if (actions.is_array())
        for (const auto& action : actions) all.push_back(action_values(action));
    return all;
}

Json texts_of(const Json& list) {
    Json texts = Json::array();
    if (!list.is_array()) return texts;
    for (const auto& each : list)
        if (each.is_string()) texts.push_back({{"text", each}});
    return texts;
}

Json events_values(const std::string& events_json) {
    Json all = Json::array();
    const auto events = parsed(events_json);
    if (!events.is_array()) return all;
    for (const auto& event : events)
        all.push_back(
            {{"name", event.value("event", Json())},
             {"standard", event.value("standard", Json())},
             {"data", event.contains("data") && !event["data"].is_null() ? indented(event["data"]) : ""}});
    return all;
}

// A log that holds an event is told as that event.
Json plain_logs(const Json& row) {
    Json logs = Json::array();
    for (auto& log : texts_of(row.value("logs", Json())))
        if (!log["text"].get_ref<const std::string&>().starts_with("EVENT_JSON:"))
            logs.push_back(std::move(log));
    return logs;
}

Json detail_values(const storage::ReceiptDetail& detail) {
    const auto row = parsed(detail.row_json);
    if (!row.is_object()) return nullptr;
    Json values;
    values["actions"] = actions_values(row);
    values["too_long"] =
        row.value("actions", Json()).is_null() && !row.value("method_name", Json()).is_null();
    values["logs"] = plain_logs(row);
    values["events"] = events_values(detail.events_json);
    const auto result = row.value("result", Json());
    const bool is_value = row.value("status", Json()) == "success_value";
    values["result"] =
        is_value && result.is_string() ? Json(bytes_in_words(result.get<std::string>())) : Json();
    values["signer"] = row.value("signer_id", Json());
    values["shard"] = row.value("shard_id", Json());
    values["json"] = indented(row);
    return values;
}

// How long it is in HTML, at most.
std::size_t size_of(const Json& detail) {
    const auto text = base::write_json(detail);
    const auto escaped = std::count_if(text.begin(), text.end(), [](char c) {
        return c == '<' || c == '>' || c == '&' || c == '"' || c == '\'';
    });
    return text.size() + 5 * static_cast<std::size_t>(escaped);
}

Json receipt_values(const Receipt& receipt, const ReceiptsView& view) {
    Json values;
    values["id"] = receipt.receipt_id;
    values["short"] = short_id(receipt.receipt_id);
    values["link"] = "/tx/" + url_encoded(view.tx_hash) + "?receipt=" + url_encoded(receipt.receipt_id);
    values["role"] = receipt.role ? role_badge(*receipt.role) : Json();
    values["status"] = status_of(receipt);
    values["predecessor"] = receipt.predecessor_id;
    values["receiver"] = receipt.receiver_id;
    values["method"] = base::shortened(chain::actions_in_words(receipt), kLongestMethod);
    values["joint"] = chain::joint_of(receipt);
    values["system"] = receipt.is_from_system();
    values["error_class"] = receipt.failed() ? Json(receipt.failure.error_class) : Json();
    values["error_text"] =
        receipt.failed() ? Json(base::shortened(receipt.failure.error_text, kLongestError)) : Json();
    const bool is_placed = receipt.at && receipt.at->height > 0;
    values["height"] = is_placed ? Json(height_text(receipt.at->height)) : Json();
    values["time"] = receipt.at ? time_json(receipt.at->timestamp_nanosec, view.now) : Json();
    values["gas"] = receipt.executed ? Json(chain::gas_in_words(receipt.gas_burnt)) : Json();
    values["fee"] = receipt.executed ? Json(chain::near_in_words(receipt.tokens_burnt)) : Json();
    values["chosen"] = receipt.receipt_id == view.chosen;
    values["cause"] = false;
    return values;
}

// How far each is from the transaction, as far as it is shown: parents stand before their children.
std::vector<unsigned> depths(const chain::Judgement& tree) {
    std::unordered_map<std::string_view, unsigned> by_id;
    std::vector<unsigned> all;
    for (const auto& receipt : tree.receipts) {
        const auto parent = by_id.find(receipt.parent_receipt_id);
        all.push_back(parent == by_id.end() ? 0 : std::min(parent->second + 1, kDeepestShown));
        by_id.emplace(receipt.receipt_id, all.back());
    }
    return all;
}

}  // namespace

std::vector<std::size_t> listed_receipts(const chain::Judgement& tree, const std::string& chosen) {
    std::vector<std::size_t> order(tree.receipts.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto rank = [&](std::size_t i) {
        const auto& receipt = tree.receipts[i];
        if (receipt.receipt_id == chosen) return 0;
        if (receipt.failed()) return 1;
        return receipt.is_from_system() ? 3 : 2;
    };
    if (order.size() > kMostListed) {
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return rank(a) < rank(b); });
        order.resize(kMostListed);
        std::sort(order.begin(), order.end());
    }
    return order;
}

Json receipts_values(const chain::Judgement& tree, const ReceiptsView& view) {
    const auto depth = depths(tree);
    std::unordered_map<std::string_view, const storage::ReceiptDetail*> details;
    for (const auto& detail : view.details) details.emplace(detail.receipt_id, &detail);
    const auto* cause = cause_of(tree);
    Json all = Json::array();
    std::size_t room = kRoomForDetails;
    for (const auto index : listed_receipts(tree, view.chosen)) {
        const auto& receipt = tree.receipts[index];
        auto values = receipt_values(receipt, view);
        values["cause"] = cause && cause->receipt_id == receipt.receipt_id;
        values["depth"] = depth[index];
        values["detail"] = nullptr;
        const auto found = details.find(receipt.receipt_id);
        if (found != details.end()) {
            auto detail = detail_values(*found->second);
            const auto size = size_of(detail);
            const bool is_chosen = receipt.receipt_id == view.chosen;
            if (is_chosen || size <= room) {
                if (!is_chosen) room -= size;
                values["detail"] = std::move(detail);
            }
        }
        all.push_back(std::move(values));
    }
    return all;
}

}  // namespace receiptd::page
