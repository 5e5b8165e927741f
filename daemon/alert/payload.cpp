#include "alert/payload.hpp"

#include "alert/message_faults.hpp"
#include "alert/money_words.hpp"
#include "alert/told_words.hpp"
#include "alert/words.hpp"
#include "base/exact_json.hpp"
#include "base/iso_time.hpp"
#include "base/joined.hpp"
#include "base/line.hpp"
#include "chain/tree/judgement.hpp"
#include "rule/messages.hpp"
#include "storage/stored_tree.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace receiptd::alert {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestJson = 8'192;  // of evidence: hosts decide what it holds
constexpr std::size_t kLongestName = 256;    // of a method: the chain allows more than a reader does

Json text_or_null(std::string text, std::size_t most = kLongestName) {
    return text.empty() ? Json() : Json(base::shortened(std::move(text), most));
}

template <class T>
Json or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json();
}

Json height_or_null(const std::optional<chain::ExecutedAt>& at) { return at ? Json(at->height) : Json(); }

Json finding_json(const Cause& cause, const chain::Finding& finding) {
    Json json;
    json["finding_id"] = cause.finding_id;
    json["kind"] = cause.kind;
    json["receipt_id"] = text_or_null(finding.receipt_id);
    json["role"] = finding.role ? Json(chain::role_name(*finding.role)) : Json();
    json["handled"] = or_null(finding.handled);
    json["handled_by"] = finding.handled_by;
    json["effect"] = finding.effect ? Json(chain::effect_name(*finding.effect)) : Json();
    json["amount_kept"] = finding.flow ? Json(base::to_string(finding.flow->kept)) : Json();
    json["amount_returned"] = finding.flow ? Json(base::to_string(finding.flow->returned)) : Json();
    json["amount_burnt"] = finding.burnt ? Json(base::to_string(*finding.burnt)) : Json();
    return json;
}

Json root_cause_json(const chain::Finding* first) {
    if (!first) return {};
    Json json;
    json["receipt_id"] = text_or_null(first->receipt_id);
    json["contract_id"] = text_or_null(first->contract_id);
    json["method_name"] = text_or_null(first->method_name);
    json["error_class"] = text_or_null(first->failure.error_class);
    json["error_text"] = text_or_null(first->failure.error_text, chain::kLongestErrorText);
    return json;
}

Json action_index(const chain::Judgement& tree, const std::string& receipt_id) {
    const auto found = std::find_if(tree.receipts.begin(), tree.receipts.end(),
                                    [&](const auto& each) { return each.receipt_id == receipt_id; });
    return found == tree.receipts.end() ? Json() : or_null(found->failure.action_index);
}

std::string home_of(const Site& site) {
    auto home = site.public_url;
    while (home.ends_with('/')) home.pop_back();
    return home;
}

Json group_links_json(const std::string& group_id, const Site& site) {
    return {{"api", home_of(site) + "/v1/alerts?group=" + group_id}};
}

Json links_json(const std::string& tx_hash, const Site& site) {
    auto links = Json::object();
    if (tx_hash.empty()) return links;
    const auto home = home_of(site);
    links["api"] = home + "/v1/transactions/" + tx_hash;
    links["page"] = home + "/tx/" + tx_hash;
    constexpr std::string_view kPlace = "{tx_hash}";
    if (const auto at = site.explorer.find(kPlace); at != std::string::npos)
        links["explorer"] = std::string(site.explorer).replace(at, kPlace.size(), tx_hash);
    return links;
}

// The finding of a watch tells it: the transaction of a watch may not be stored.
std::string asked_by(const Cause& cause, const chain::Finding& finding, const chain::Judgement& tree) {
    if (cause.tree.transaction)
        return tree.user.id.empty() ? cause.tree.transaction->signer_id : tree.user.id;
    return finding.user_id.empty() ? finding.signer_id : finding.user_id;
}

// The sums are those of the transaction and its whole tree. Null: nothing is stored of it, or receipts are
// missing that may change the sum.
Json amounts_json(const Cause& cause, const chain::Judgement& tree) {
    const auto& transaction = cause.tree.transaction;
    const bool known = tree.included && tree.money_is_known();
    Json json;
    json["deposit"] = transaction ? Json(base::to_string(transaction->deposit)) : Json();
    json["deposit_refunded"] = known ? Json(base::to_string(tree.refunds.deposits)) : Json();
    json["tokens_burnt"] = tree.included ? Json(base::to_string(tree.tokens_burnt)) : Json();
    json["tokens_lost"] = known ? Json(base::to_string(tree.tokens_lost)) : Json();
    return json;
}

// A longer one becomes its beginning, as text: {"cut": "..."}. What is no JSON stands there, too.
Json bounded_json(const std::string& json) {
    if (json.empty()) return {};
    auto value = json.size() <= kLongestJson ? base::read_json(json) : Json(Json::value_t::discarded);
    return value.is_discarded() ? Json{{"cut", base::shortened(json, kLongestJson)}} : value;
}

// With the submission or the watch.
void add_given(Json& data, const Cause& cause) {
    data["idempotency_key"] = text_or_null(cause.idempotency_key);
    data["metadata"] = bounded_json(cause.metadata_json);
}

// Why a watch ended, or nobody knows the verdict, else the class of what gave it.
Json reason_json(const chain::Finding& finding, const chain::Judgement& tree) {
    if (finding.kind == chain::kind::kCorrected) return {};
    const bool is_own = finding.certainty || finding.kind == chain::kind::kUndecided;
    return text_or_null(is_own ? finding.failure.error_class : tree.deciding_class());
}

std::string summary_json(const Cause& cause, const chain::Finding& finding, const chain::Finding* root_cause,
                         const chain::Judgement& tree) {
    std::vector<std::string> failed = {finding.receipt_id};
    if (root_cause) failed.push_back(root_cause->receipt_id);
    auto words = summary(finding, root_cause);
    const auto money = money_of_failures(cause.tree, tree, failed);
    const bool nothing_moved = finding.certainty && finding.certainty->conclusive && !cause.tree.any() &&
                               finding.kind != chain::kind::kCorrected;
    if (!money.empty()) words += "; " + money;
    return nothing_moved ? words + "; nothing was moved" : words;
}

Json data_json(const Cause& cause, const chain::Finding& finding, const Site& site) {
    const auto tree =
        storage::judge_execution(cause.tx_hash, cause.tree, finding.receipt_id, finding.at.height);
    Json data;
    const auto* root_cause = tree.root_cause_of(finding.receipt_id);
    data["summary"] = summary_json(cause, finding, root_cause, tree);
    data["finding"] = finding_json(cause, finding);
    data["tx_hash"] = text_or_null(cause.tx_hash);
    data["sender_id"] =
        text_or_null(cause.tree.transaction ? cause.tree.transaction->signer_id : finding.signer_id);
    data["user_id"] = text_or_null(asked_by(cause, finding, tree));
    data["claimed_user_id"] = text_or_null(tree.user.claimed_id);
    const auto verdict = tree.certain_verdict;
    data["verdict"] = verdict ? Json(chain::verdict_name(*verdict)) : Json();
    data["near_status"] = tree.near_status ? Json(tree.near_status->name()) : Json();
    data["failing_branch"] = branch_in_words(tree, finding.receipt_id);
    data["contract_id"] = text_or_null(finding.contract_id);
    data["method_name"] = text_or_null(finding.method_name);
    data["error_class"] = text_or_null(finding.failure.error_class);
    data["error_text"] = text_or_null(finding.failure.error_text, chain::kLongestErrorText);
    data["action_index"] = action_index(tree, finding.receipt_id);
    data["root_cause"] = root_cause_json(root_cause);
    data["reason"] = reason_json(finding, tree);
    data["evidence"] = finding.certainty ? bounded_json(cause.evidence_json) : Json();
    data["amounts"] = amounts_json(cause, tree);
    add_given(data, cause);
    data["block_height"] = finding.at.height > 0 ? Json(finding.at.height) : Json();
    data["included_height"] = height_or_null(tree.included_at);
    data["completed_height"] = tree.completed ? height_or_null(tree.completed_at) : Json();
    const auto certainty = finding.certainty.value_or(chain::Certainty{});
    data["conclusive"] = finding.certainty ? Json(certainty.conclusive) : Json();
    data["safe_to_resign_after_height"] = or_null(certainty.safe_to_resign_after_height);
    data["safe_to_resign_estimated_at"] =
        certainty.estimated_at ? Json(base::iso_time(*certainty.estimated_at)) : Json();
    data["correction"] = bounded_json(finding.correction_json);
    data["links"] = links_json(cause.tx_hash, site);
    return data;
}

// The failure that gave the verdict. nullptr: none did, or it is no receipt's.
const chain::Finding* deciding_failure(const chain::Judgement& tree) {
    const auto gave = std::find_if(tree.failures.begin(), tree.failures.end(), [&](const auto& failure) {
        const auto& ids = tree.decided_by;
        const auto& id = failure.finding.receipt_id;
        return id.empty() ? tree.transaction_failed : std::find(ids.begin(), ids.end(), id) != ids.end();
    });
    return gave == tree.failures.end() ? nullptr : &gave->finding;
}

// Says what failed where, and what became of the money.
std::string end_in_words(const Cause& cause, Json told, const chain::Judgement& tree) {
    const auto* failed = deciding_failure(tree);
    if (failed) told["error_class"] = told["error_text"] = nullptr;
    auto words = told_in_words(cause.kind, told);
    if (failed) words += ": " + summary(*failed, tree.root_cause_of(failed->receipt_id));
    const auto money = money_of_end(cause.tree, tree);
    return money.empty() ? words : words + "; " + money;
}

// The end has its verdict; the stored tree tells more than was known when the cause was found.
void add_end(Json& data, const Cause& cause, const Json& told, const chain::Judgement& tree) {
    const auto* failed = deciding_failure(tree);
    const auto* first = failed ? tree.root_cause_of(failed->receipt_id) : nullptr;
    data["summary"] = end_in_words(cause, told, tree);
    data["root_cause"] = root_cause_json(first ? first : failed);
    data["reason"] = text_or_null(tree.deciding_class());
}

// The data that was stored when the cause was found; an empty text is a value that is not known.
Json told_json(const Cause& cause, const Site& site) {
    const auto told = base::read_json(cause.told_json);
    if (!told.is_object()) return Json::object();
    const bool is_stage = told.contains("stage");
    Json data;
    data["summary"] = told_in_words(cause.kind, told);
    for (const auto& [name, value] : told.items()) data[name] = value == "" ? Json() : value;
    if (told.contains("alert_ids")) {
        for (const auto* name : {"kind", "alert_id", "rules", "contract_id", "method_name", "error_class"})
            if (!data.contains(name)) data[name] = nullptr;
        data["links"] = group_links_json(base::write_json(told.at("group_id")), site);
        return data;
    }
    if (is_stage || cause.kind == "verdict") {
        const auto included = told.value("included_height", Json());
        const auto tree = storage::judge_execution(
            cause.tx_hash, cause.tree, {}, included.is_number() ? included.get<chain::BlockHeight>() : 0);
        data["root_cause"] = nullptr;
        data["reason"] = text_or_null(why_no_verdict(told));
        if (is_stage) data["evidence"] = bounded_json(base::write_json(told.value("evidence", Json())));
        if (!data["verdict"].is_null()) add_end(data, cause, told, tree);
        data["amounts"] = amounts_json(cause, tree);
        if (!is_stage) add_given(data, cause);
        data.erase("root_cause_receipt_id");
    }
    if (!told.contains("most_per_hour")) data["tx_hash"] = text_or_null(cause.tx_hash);
    data["links"] = links_json(cause.tx_hash, site);
    return data;
}

constexpr std::string_view kPlain = R"({"type":"message.plain",)";

// The message tells what is known, without the members that its type promises.
Json plain_form(const Cause& cause, const std::vector<std::string>& faults, Json body, const Site& site) {
    const auto type = body["type"].get<std::string>();
    const auto& told = cause.told_json;
    Json data;
    data["summary"] =
        type + " " + cause.alert_id + " in plain form: not as its schema says is " + base::joined(faults);
    data["alert_id"] = cause.alert_id;
    data["kind"] = cause.kind;
    data["faults"] = faults;
    data["told"] = base::shortened(told.empty() ? base::write_json(body["data"]) : told, kLongestJson);
    data["tx_hash"] = text_or_null(cause.tx_hash);
    data["links"] = links_json(cause.tx_hash, site);
    body["type"] = rule::type_of("plain");
    body["data"] = std::move(data);
    return body;
}

Json body_json(const Cause& cause, const Site& site) {
    chain::Finding finding;
    finding.kind = cause.kind;
    finding.tx_hash = cause.tx_hash;
    if (cause.finding) finding = *cause.finding;
    Json body;
    body["type"] = rule::type_of(cause.kind);
    const auto at = finding.at.timestamp_nanosec;
    body["timestamp"] = at > 0 ? base::iso_time_to_microseconds(at) : base::iso_time(cause.alerted_at);
    body["schema_version"] = kSchemaVersion;
    body["network"] = text_or_null(site.network);
    body["data"] = cause.told_json.empty() ? data_json(cause, finding, site) : told_json(cause, site);
    return body;
}

}  // namespace

bool is_plain(const std::string& body) { return body.starts_with(kPlain); }

std::string make_payload(const Cause& cause, const Site& site) {
    return base::write_json(body_json(cause, site));
}

std::string checked_payload(const Cause& cause, const Site& site) {
    const auto body = body_json(cause, site);
    const auto faults = faults_of(body);
    return base::write_json(faults.empty() ? body : plain_form(cause, faults, body, site));
}

std::string for_endpoint(std::string body, const storage::DueDelivery& delivery) {
    std::string more;
    if (!delivery.rules.empty()) more += ",\"rules\":" + base::write_json(Json(delivery.rules));
    if (delivery.group_id != 0) more += ",\"group_id\":" + std::to_string(delivery.group_id);
    if (!delivery.group_name.empty())
        more += ",\"group_name\":" + base::write_json(Json(delivery.group_name));
    if (!delivery.group_json.empty()) more += ",\"group\":" + delivery.group_json;
    if (!delivery.confirmed) more += ",\"confirmed\":false";
    if (delivery.late) more += ",\"late\":true";
    if (!delivery.first_payload.empty()) more += ",\"first_alert\":" + delivery.first_payload;
    if (more.empty() || !body.ends_with('}')) return body;
    body.pop_back();
    return body + more + "}";
}

}  // namespace receiptd::alert
