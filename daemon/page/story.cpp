#include "page/story.hpp"

#include "base/line.hpp"
#include "chain/tree/sentences.hpp"
#include "page/texts.hpp"

#include <algorithm>

namespace receiptd::page {

namespace {

using Receipt = chain::JudgedReceipt;

constexpr std::size_t kLongestReason = 280;

const Receipt* receipt_of(const chain::Judgement& tree, const std::string& receipt_id) {
    const auto found = std::find_if(tree.receipts.begin(), tree.receipts.end(),
                                    [&](const auto& each) { return each.receipt_id == receipt_id; });
    return found == tree.receipts.end() ? nullptr : &*found;
}

std::string reason_words(const chain::FailureClass& failure) {
    if (failure.error_text.empty()) return error_class_words(failure.error_class);
    const auto text = base::shortened(failure.error_text, kLongestReason);
    return failure.error_class == "contract_panic" ? "“" + text + "”" : text;
}

Json texts_of(const std::vector<std::string>& sentences) {
    Json list = Json::array();
    for (const auto& sentence : sentences) list.push_back({{"text", sentence}});
    return list;
}

void add(Json& facts, std::string_view name, const std::vector<std::string>& lines,
         std::string_view tone = "") {
    if (!lines.empty() && !lines.front().empty())
        facts.push_back({{"name", name}, {"lines", texts_of(lines)}, {"tone", tone}});
}

std::string what_broke(const Receipt& cause) {
    if (!cause.role) return chain::call_in_words(cause);
    return role_badge(*cause.role)["label"].get<std::string>() + " " + chain::call_in_words(cause);
}

std::string near_words(const chain::NearStatus& status) {
    return status.failed ? "Failure: wallets and explorers show it, too."
                         : "Success: that is what wallets and explorers show.";
}

Json facts_of(const chain::Judgement& tree, const chain::Sentences& sentences) {
    Json facts = Json::array();
    if (const auto* cause = cause_of(tree)) {
        add(facts, "What broke", {what_broke(*cause)}, "bad");
        add(facts, "Where", {chain::place_in_words(*cause)});
        add(facts, "Why", {reason_words(cause->failure)});
    } else if (tree.transaction_failed) {
        add(facts, "Why", {reason_words(tree.transaction_failure)}, "bad");
    }
    add(facts, "The money", sentences.money);
    if (tree.near_status) add(facts, "NEAR says", {near_words(*tree.near_status)});
    return facts;
}

// A result tells too little of money and places.
Json facts_of_result(const watch::TransactionView& view) {
    Json facts = Json::array();
    const auto& error_class = view.result_only->error_class;
    if (!error_class.empty()) add(facts, "Why", {error_class_words(error_class)}, "bad");
    add(facts, "Receipts", {watch::what_is_pruned(view)});
    if (view.tree->near_status) add(facts, "NEAR says", {near_words(*view.tree->near_status)});
    return facts;
}

bool has_tree(const watch::TransactionView& view) {
    return view.tree && (view.tree->included || !view.tree->receipts.empty());
}

// The tree knows best; a watch keeps the verdict of a tree that retention has dropped.
std::optional<chain::Verdict> verdict_of(const watch::TransactionView& view) {
    if (view.tree && view.tree->verdict) return view.tree->verdict;
    if (view.tree && view.tree->certain_verdict) return view.tree->certain_verdict;
    return view.watch && !has_tree(view) ? view.watch->state.verdict : std::nullopt;
}

// Without a watch the stages are those that the tree proves.
Json progress_badge(const watch::TransactionView& view) {
    if (view.watch) return stage_badge(view.watch->state);
    if (!view.transitions.empty()) return stage_badge(view.transitions.back().transition);
    return has_tree(view) ? part_badge() : stage_badge(chain::Stage::unknown);
}

Json badge_of(const watch::TransactionView& view) {
    const auto verdict = verdict_of(view);
    if (!verdict && view.tree && view.tree->settled && view.tree->undecided)
        return kind_badge(chain::kind::kUndecided);
    if (!verdict) return progress_badge(view);
    auto badge = verdict_badge(*verdict);
    // Nothing failed, and yet the sender has not got what was wanted.
    if (*verdict == chain::Verdict::succeeded && view.tree && view.tree->effect) {
        badge["tone"] = "odd";
        badge["icon"] = icon_of("odd");
    }
    return badge;
}

}  // namespace

const Receipt* cause_of(const chain::Judgement& tree) {
    if (const auto* cause = receipt_of(tree, tree.root_cause); cause && cause->failed()) return cause;
    const auto* decided = tree.decided_by.empty() ? nullptr : receipt_of(tree, tree.decided_by.front());
    return decided && decided->failed() ? decided : nullptr;
}

Json story_of(const watch::TransactionView& view) {
    Json story;
    story["badge"] = badge_of(view);
    if (has_tree(view)) {
        const auto sentences = chain::sentences_of(view.transaction, *view.tree);
        story["headline"] = sentences.headline;
        story["sentences"] = texts_of(sentences.causes);
        story["facts"] = view.result_only ? facts_of_result(view) : facts_of(*view.tree, sentences);
        return story;
    }
    story["headline"] = story["badge"]["means"];
    const auto reason = view.watch ? view.watch->state.reason : std::string();
    story["sentences"] = Json::array();
    if (!reason.empty())
        story["sentences"].push_back({{"text", "The reason: " + error_class_words(reason) + "."}});
    story["facts"] = Json::array();
    return story;
}

}  // namespace receiptd::page
