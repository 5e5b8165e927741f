#include "page/transaction.hpp"

#include "base/line.hpp"
#include "chain/tree/sentences.hpp"
#include "chain/tree/text.hpp"
#include "page/lists.hpp"
#include "page/now.hpp"
#include "page/story.hpp"
#include "page/texts.hpp"

#include <algorithm>

namespace receiptd::page {

namespace {

constexpr std::size_t kMostText = 12u << 10;  // bytes of the tree as text
constexpr std::size_t kMostFindings = 20;
constexpr std::size_t kLongestActions = 128;
constexpr std::size_t kMostEvidence = 2'000;

Json stage_values(const storage::StoredTransition& stored, base::WallTime now) {
    const auto& transition = stored.transition;
    Json values;
    values["badge"] = stage_badge(transition);
    const bool is_placed = transition.at && transition.at->height > 0;
    values["height"] = is_placed ? Json(height_text(transition.at->height)) : Json();
    values["time"] = transition.at ? time_json(transition.at->timestamp_nanosec, now) : Json();
    values["learned"] = time_json(stored.learned_at, now);
    const bool says_something = transition.evidence.size() > 2;  // more than {}
    values["evidence"] = says_something ? Json(base::shortened(transition.evidence, kMostEvidence)) : Json();
    return values;
}

Json stages_of(const watch::TransactionView& view, base::WallTime now) {
    Json stages = Json::array();
    for (const auto& transition : view.transitions) stages.push_back(stage_values(transition, now));
    return stages;
}

Json findings_of(const watch::TransactionView& view, base::WallTime now) {
    Json findings = Json::array();
    for (const auto& finding : view.findings)
        if (findings.size() < kMostFindings) findings.push_back(finding_values(finding, now));
    return findings;
}

Json people_of(const watch::TransactionView& view) {
    Json people;
    const auto& transaction = view.transaction;
    const auto user = view.tree ? view.tree->user : chain::User();
    people["signer"] = transaction ? transaction->signer_id : view.sender_id;
    people["user"] = user.id;
    people["claimed_user"] = user.claimed_id;
    people["receiver"] = transaction ? transaction->receiver_id : std::string();
    for (const std::string name : {"signer", "user", "receiver"})
        people[name + "_path"] = url_encoded(people[name].get<std::string>());
    people["method"] =
        transaction ? base::shortened(chain::actions_in_words(*transaction), kLongestActions) : std::string();
    return people;
}

std::string text_of(const watch::TransactionView& view, const Json& story) {
    auto text = story["headline"].get<std::string>() + "\n";
    for (const auto& sentence : story["sentences"]) text += sentence["text"].get<std::string>() + "\n";
    text += "\n" + chain::render_tree(view.tx_hash, view.transaction, *view.tree);
    return base::shortened(std::move(text), kMostText);
}

// Other executions of the same hash.
Json executions_of(const watch::TransactionView& view) {
    Json executions = Json::array();
    for (const auto& other : view.other_executions) {
        Json values;
        values["height"] = other.included_at ? Json(height_text(other.included_at->height)) : Json();
        values["verdict"] =
            other.verdict ? Json(chain::verdict_name(*other.verdict)) : Json("no verdict yet");
        values["link"] = other.receipts.empty()
                             ? Json()
                             : Json("/tx/" + view.tx_hash + "?receipt=" + other.receipts.front().receipt_id);
        values["text"] =
            base::shortened(chain::render_tree(view.tx_hash, view.transaction, other), kMostText);
        executions.push_back(std::move(values));
    }
    for (const auto& listing : watch::untold_elsewhere(view)) {
        Json values;
        values["height"] = height_text(listing.at.height);
        values["verdict"] = "no verdict yet";
        values["link"] = Json();
        values["text"] = base::shortened("No host tells what became of it in this block" +
                                             (listing.reason.empty() ? "." : ": " + listing.reason),
                                         kMostText);
        executions.push_back(std::move(values));
    }
    return executions;
}

}  // namespace

Json transaction_values(const watch::TransactionView& view, const ReceiptsView& receipts, std::string svg) {
    Json values;
    values["tx"] = transaction_link(view.tx_hash);
    values["story"] = story_of(view);
    values["people"] = people_of(view);
    values["stages"] = stages_of(view, receipts.now);
    values["findings"] = findings_of(view, receipts.now);
    values["executions"] = executions_of(view);
    values["executed_again"] = !values["executions"].empty();
    values["from_hosts"] = view.from_hosts;
    values["is_stored"] = !view.from_hosts;
    values["watched"] = view.watch.has_value();
    values["given"] = view.watch ? given_values(*view.watch) : Json();
    values["open"] = watch::is_open(view) || (view.watch && !chain::is_end(view.watch->state.stage) &&
                                              view.watch->state.stage != chain::Stage::final);
    values["has_drawing"] = !svg.empty();
    values["svg"] = std::move(svg);
    values["receipts"] = view.tree ? receipts_values(*view.tree, receipts) : Json::array();
    const auto all = view.tree ? view.tree->receipts.size() : 0;
    values["count"] = plural(all, "receipt", "receipts");
    values["unlisted"] = all > kMostListed ? Json(count_text(all - kMostListed)) : Json();
    values["text"] = view.tree ? Json(text_of(view, values["story"])) : Json();
    return values;
}

}  // namespace receiptd::page
