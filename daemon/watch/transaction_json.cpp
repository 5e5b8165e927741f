#include "watch/transaction_json.hpp"

#include "base/exact_json.hpp"
#include "base/iso_time.hpp"
#include "storage/stored_tree.hpp"

#include "chain/tree/judgement.hpp"
#include "watch/submission.hpp"
#include "watch/transaction_trace.hpp"
#include "watch/tree_json.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace receiptd::watch {

namespace {

constexpr unsigned kMostFindings = 1'000;

Json number_text_or_null(const std::optional<std::uint64_t>& value) {
    return value ? Json(std::to_string(*value)) : Json();
}

Json stored_json(const std::string& json) {
    if (json.empty()) return {};
    auto value = base::read_json(json);
    return value.is_discarded() ? Json(json) : value;
}

// Three members; null where the object is not about a watch.
void add_certainty(Json& json, const std::optional<chain::Certainty>& certainty) {
    const auto known = certainty.value_or(chain::Certainty{});
    json["conclusive"] = certainty ? Json(known.conclusive) : Json();
    json["safe_to_resign_after_height"] = or_null(known.safe_to_resign_after_height);
    json["safe_to_resign_estimated_at"] =
        known.estimated_at ? Json(base::iso_time(*known.estimated_at)) : Json();
}

// With the submission or the watch.
void add_given(Json& json, const storage::Watch* watch) {
    json["idempotency_key"] = watch ? text_or_null(watch->idempotency_key) : Json();
    json["metadata"] = watch ? stored_json(watch->metadata_json) : Json();
}

Json of_transition(const storage::StoredTransition& stored) {
    const auto& transition = stored.transition;
    const bool learned = stored.learned_at != base::WallTime{};
    Json json;
    json["from"] = chain::stage_name(transition.from);
    json["to"] = chain::stage_name(transition.to);
    json["at"] = learned ? Json(base::iso_time(stored.learned_at)) : Json();
    json["block_height"] = height_or_null(transition.at);
    json["block_time"] = time_or_null(transition.at);
    add_certainty(json, learned ? std::optional(stored.certainty) : std::nullopt);
    json["final"] = transition.final ? Json(*transition.final) : Json();
    json["inclusion_id"] = text_or_null(transition.inclusion_id);
    json["evidence"] = stored_json(transition.evidence);
    return json;
}

Json of_finding(const chain::Finding& finding) {
    const auto at = finding.at.timestamp_nanosec;
    Json json;
    json["finding_id"] = finding.finding_id;
    json["kind"] = finding.kind;
    json["tx_hash"] = text_or_null(finding.tx_hash);
    json["receipt_id"] = text_or_null(finding.receipt_id);
    json["role"] = finding.role ? Json(chain::role_name(*finding.role)) : Json();
    json["handled"] = or_null(finding.handled);
    json["handled_by"] = finding.handled_by;
    json["expected"] = finding.expected;
    json["near_status"] = near_status_or_null(finding.near_status);
    json["root_cause"] = text_or_null(finding.root_cause);
    json["effect"] = effect_or_null(finding.effect);
    json["amount_kept"] = finding.flow ? Json(base::to_string(finding.flow->kept)) : Json();
    json["amount_returned"] = finding.flow ? Json(base::to_string(finding.flow->returned)) : Json();
    json["amount_burnt"] = finding.burnt ? Json(base::to_string(*finding.burnt)) : Json();
    json["contract_id"] = text_or_null(finding.contract_id);
    json["method_name"] = text_or_null(finding.method_name);
    json["signer_id"] = text_or_null(finding.signer_id);
    json["user_id"] = text_or_null(finding.user_id.empty() ? finding.signer_id : finding.user_id);
    json["error_class"] = text_or_null(finding.failure.error_class);
    json["error_text"] = text_or_null(finding.failure.error_text);
    json["block_height"] = height_or_null(finding.at);
    json["block_time"] = at > 0 ? Json(base::iso_time_to_microseconds(at)) : Json();
    add_certainty(json, finding.certainty);
    json["correction"] = stored_json(finding.correction_json);
    return json;
}

Json of_contract(const storage::DeployedContract& contract) {
    Json json;
    json["receipt_id"] = contract.receipt_id;
    json["contract_hash"] = text_or_null(contract.contract_hash);
    json["contract_account_id"] = text_or_null(contract.contract_account_id);
    json["shards_with_it"] = contract.shards_with_it;
    json["shards"] = or_null(contract.shards);
    return json;
}

// Without a watch, the tree alone proves the stages, from the beginning.
std::vector<chain::Transition> proven_by(const std::string& tx_hash, const chain::Judgement& tree,
                                         chain::WatchState& state) {
    chain::WatchedTransaction transaction;
    transaction.tx_hash = tx_hash;
    return chain::step(state, transaction, chain::tree_seen(tree), {});
}

// Without a watch they are those that the tree proves.
void prove_transitions(TransactionView& view) {
    if (view.watch || !view.tree) return;
    view.transitions.clear();
    chain::WatchState state;
    for (auto& transition : proven_by(view.tx_hash, *view.tree, state))
        view.transitions.push_back({std::move(transition), {}});
}

chain::WatchState state_of(const TransactionView& view) {
    if (view.watch) return view.watch->state;
    chain::WatchState state;
    if (view.tree) proven_by(view.tx_hash, *view.tree, state);
    return state;
}

// The class of the failure that gave the verdict.
std::string reason_of(const TransactionView& view, const chain::WatchState& state) {
    if (!state.reason.empty() || !state.verdict || !view.tree) return state.reason;
    if (view.result_only) return view.result_only->error_class;
    return view.tree->deciding_class();
}

chain::Judgement untold_execution(const storage::UntoldListing& listing) {
    chain::Judgement execution;
    execution.included_at = listing.at;
    return execution;
}

Json evidence_of(const TransactionView& view) {
    if (view.watch && !view.watch->evidence_json.empty()) return stored_json(view.watch->evidence_json);
    return view.transitions.empty() ? Json() : stored_json(view.transitions.back().transition.evidence);
}

}  // namespace

storage::FindingFilter findings_of(const std::string& tx_hash) {
    storage::FindingFilter filter;
    filter.tx_hash = tx_hash;
    filter.limit = kMostFindings;
    return filter;
}

TransactionView transaction_view(StoredTransaction stored) {
    TransactionView view;
    view.tx_hash = std::move(stored.tx_hash);
    view.watch = std::move(stored.watch);
    view.transitions = std::move(stored.transitions);
    view.findings = std::move(stored.findings);
    std::reverse(view.findings.begin(), view.findings.end());
    view.transaction = stored.tree.transaction;
    view.contracts = stored.tree.contracts;
    if (stored.tree.any()) {
        const auto executions = storage::executions_of(view.tx_hash, stored.tree);
        view.tree = executions.front().judge();
        for (std::size_t i = 1; i < executions.size(); ++i)
            view.other_executions.push_back(executions[i].judge());
        if (!view.tree->included_at) view.tree->included_at = stored.tree.listed_at;
        view.untold = std::move(stored.tree.untold);
    } else if (auto& kept = stored.kept.result) {
        view.transaction = std::move(kept->transaction);
        view.tree = std::move(kept->tree);
        view.result_only = ResultOnly{kept->receipts, std::move(kept->error_class)};
    }
    view.pruned_before = stored.kept.pruned_before;
    if (view.watch) view.sender_id = view.watch->sender_id;
    if (view.sender_id.empty() && view.transaction) view.sender_id = view.transaction->signer_id;
    prove_transitions(view);
    return view;
}

void show_execution_with(TransactionView& view, const std::string& receipt_id) {
    for (auto& other : view.other_executions) {
        if (!other.has(receipt_id)) continue;
        std::swap(*view.tree, other);
        prove_transitions(view);
        return;
    }
}

bool is_open(const TransactionView& view) {
    if (view.tree) return !view.tree->settled;
    return view.watch && chain::is_final_inclusion(view.watch->state) == true;
}

void add_open_tree(TransactionView& view, OpenTree open) {
    const auto executed = [](const chain::Judgement& tree) {
        return std::count_if(tree.receipts.begin(), tree.receipts.end(),
                             [](const auto& receipt) { return receipt.executed; });
    };
    const auto& receipts = open.tree.receipts;
    const auto is_that = [&](const auto& other) { return other.has(receipts.front().receipt_id); };
    if (!receipts.empty() && std::any_of(view.other_executions.begin(), view.other_executions.end(), is_that))
        return;
    if (!open.tree.included || (view.tree && executed(*view.tree) > executed(open.tree))) return;
    if (view.tree && !open.tree.included_at) open.tree.included_at = view.tree->included_at;
    view.tree = std::move(open.tree);
    if (!view.transaction) view.transaction = std::move(open.transaction);
    prove_transitions(view);
}

TransactionView told_by_hosts(std::string tx_hash, std::string sender_id, OpenTree open) {
    TransactionView view;
    view.tx_hash = std::move(tx_hash);
    view.sender_id = std::move(sender_id);
    view.from_hosts = true;
    add_open_tree(view, std::move(open));
    if (view.transaction && view.tree) {
        view.sender_id = view.transaction->signer_id;
        view.findings = chain::decided(*view.transaction, *view.tree).findings;
    }
    return view;
}

std::vector<storage::UntoldListing> untold_elsewhere(const TransactionView& view) {
    auto listings = view.untold;
    std::erase_if(listings, [&](const auto& listing) {
        return view.tree && view.tree->included_at && view.tree->included_at->height == listing.at.height;
    });
    return listings;
}

std::string pruned_in_words(base::WallTime before) {
    return "blocks before " + base::iso_time(before) + " were pruned";
}

std::string what_is_pruned(const TransactionView& view) {
    return std::to_string(view.result_only->receipts) + " receipts, " +
           std::to_string(view.tree->failed_receipts) +
           " of them failed, are not kept: " + pruned_in_words(*view.pruned_before);
}

std::string why_no_verdict(const chain::Judgement& tree) {
    if (tree.included) return "receipts are under way";
    if (!tree.included_at) return "the block that includes it is not known";
    return "in block " + std::to_string(tree.included_at->height) + ", and no host tells its outcome yet";
}

std::string transaction_json(const TransactionView& view) {
    const auto state = state_of(view);
    Json json;
    json["tx_hash"] = view.tx_hash;
    json["trace_id"] = trace_id(view);
    json["sender_id"] = text_or_null(view.sender_id);
    const auto user = view.tree ? view.tree->user : chain::User();
    json["user_id"] =
        view.transaction ? text_or_null(user.id.empty() ? view.transaction->signer_id : user.id) : Json();
    json["claimed_user_id"] = text_or_null(user.claimed_id);
    add_given(json, view.watch ? &*view.watch : nullptr);
    json["source"] = view.from_hosts ? "hosts" : "database";
    json["stage"] = view.known() ? Json(chain::stage_name(state.stage)) : Json();
    json["final"] = view.known() ? or_null(chain::is_final_inclusion(state)) : Json();
    json["verdict"] = state.verdict ? Json(chain::verdict_name(*state.verdict)) : Json();
    json["near_status"] = view.tree ? near_status_or_null(view.tree->near_status) : Json();
    json["reason"] = text_or_null(reason_of(view, state));
    add_certainty(json, view.watch ? std::optional(view.watch->certainty) : std::nullopt);
    json["evidence"] = evidence_of(view);
    json["stages"] = Json::array();
    for (const auto& transition : view.transitions) json["stages"].push_back(of_transition(transition));
    json["findings"] = Json::array();
    for (const auto& finding : view.findings) json["findings"].push_back(of_finding(finding));
    json["global_contracts"] = Json::array();
    for (const auto& contract : view.contracts) json["global_contracts"].push_back(of_contract(contract));
    json["tree"] = view.tree ? tree_json(view.transaction, *view.tree) : Json();
    json["other_executions"] = Json::array();
    const auto list = [&](const chain::Judgement& other, const std::string& reason) {
        auto execution = tree_json(view.transaction, other);
        execution["reason"] = text_or_null(reason);
        json["other_executions"].push_back(std::move(execution));
    };
    for (const auto& other : view.other_executions)
        list(other, other.undecided && !other.verdict ? std::string(chain::kReceiptsMissing) : std::string());
    for (const auto& listing : untold_elsewhere(view)) list(untold_execution(listing), listing.reason);
    json["pruned"] = Json();
    if (view.result_only)
        json["pruned"] = {{"before", base::iso_time(*view.pruned_before)},
                          {"receipts", view.result_only->receipts}};
    return base::write_json(json);
}

std::string watch_json(const storage::Watch& watch) {
    const auto& transaction = watch.transaction;
    Json json;
    json["tx_hash"] = watch.tx_hash;
    json["sender_id"] = text_or_null(watch.sender_id);
    json["origin"] = storage::origin_name(watch.origin);
    add_given(json, &watch);
    json["stage"] = chain::stage_name(watch.state.stage);
    json["final"] = or_null(chain::is_final_inclusion(watch.state));
    json["verdict"] = watch.state.verdict ? Json(chain::verdict_name(*watch.state.verdict)) : Json();
    json["reason"] = text_or_null(watch.state.reason);
    add_certainty(json, watch.certainty);
    json["evidence"] = stored_json(watch.evidence_json);
    json["objection"] = stored_json(transaction.objection);
    json["stuck"] = watch.stuck;
    json["nonce"] = number_text_or_null(transaction.nonce);
    json["nonce_index"] = or_null(transaction.nonce_index);
    json["public_key"] = text_or_null(watch.public_key);
    json["valid_until"] = or_null(transaction.valid_until);
    json["stage_since"] = base::iso_time(watch.stage_since);
    json["created_at"] = base::iso_time(watch.created_at);
    return base::write_json(json);
}

std::string finding_json(const chain::Finding& finding) { return base::write_json(of_finding(finding)); }

std::string submitted_json(const Submitted& submitted) {
    Json json;
    json["tx_hash"] = submitted.tx_hash;
    json["sender_id"] = submitted.sender_id;
    json["stage"] = chain::stage_name(submitted.stage);
    add_certainty(json, submitted.certainty);
    json["existing"] = submitted.existing;
    json["valid_until"] = or_null(submitted.valid_until);
    json["note"] = text_or_null(submitted.note);
    return base::write_json(json);
}

std::string submit_error_json(const SubmitError& error) {
    Json json = Json::object();
    const auto add = [&](const char* name, const std::string& text) {
        if (!text.empty()) json[name] = text;
    };
    add("error_class", error.error_class);
    add("detail", error.detail);
    add("where", error.where);
    add("remedy", error.remedy);
    if (error.error_json.empty()) return base::write_json(json);
    auto parsed = base::read_json(error.error_json);
    json["error"] = parsed.is_discarded() ? Json(error.error_json) : std::move(parsed);
    return base::write_json(json);
}

}  // namespace receiptd::watch
