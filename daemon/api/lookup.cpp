#include "api/lookup.hpp"

#include "base/coroutine.hpp"
#include "base/offload.hpp"

#include <utility>

namespace receiptd::api {

namespace {

base::Task<watch::StoredTransaction> load(SharedContext context, std::string tx_hash) {
    auto& calls = context->calls;
    auto& services = context->services;
    std::vector<std::string> hashes = {tx_hash};
    // All at once: who asks waits for the slowest, not for the sum.
    auto watch = calls.start(services.watches.watch(tx_hash));
    auto transitions = calls.start(services.watches.transitions(tx_hash));
    auto trees = calls.start(services.watches.stored_trees(std::move(hashes)));
    auto findings = calls.start(services.findings.list_findings(watch::findings_of(tx_hash)));
    watch::StoredTransaction stored;
    stored.tx_hash = tx_hash;
    stored.watch = co_await calls.wait_for(std::move(watch));
    stored.transitions = co_await calls.wait_for(std::move(transitions));
    auto found = co_await calls.wait_for(std::move(trees));
    if (found.contains(tx_hash)) stored.tree = std::move(found.at(tx_hash));
    stored.findings = co_await calls.wait_for(std::move(findings));
    co_return stored;
}

// A tree may have thousands of receipts: they are judged beside the loop.
base::Task<watch::TransactionView> judge(base::asio::thread_pool& cpu, watch::StoredTransaction stored) {
    return base::offload(
        cpu, [stored = std::move(stored)]() mutable { return watch::transaction_view(std::move(stored)); });
}

// nullopt: no host told it in time.
base::Task<std::optional<watch::OpenTree>> ask_hosts(SharedContext context, std::string tx_hash,
                                                     std::string sender_id,
                                                     std::chrono::milliseconds patience) {
    const auto& services = context->services;
    if (!services.open_tree) co_return std::nullopt;
    auto question = services.open_tree(tx_hash, std::move(sender_id));
    auto asking =
        HostQuestions::ask(context->host_questions, std::move(tx_hash), std::move(question), patience);
    co_return co_await std::move(asking);
}

base::Task<watch::TransactionView> with_what_is_pending(SharedContext context, watch::TransactionView view) {
    if (!watch::is_open(view) || view.sender_id.empty()) co_return view;
    auto open =
        co_await ask_hosts(context, view.tx_hash, view.sender_id, context->options.open_tree_patience);
    if (open) watch::add_open_tree(view, std::move(*open));
    co_return view;
}

Problem not_found(const Sought& sought, const std::optional<base::WallTime>& pruned_before) {
    Problem problem;
    problem.status = 404;
    problem.detail = "transaction " + sought.id + " is neither stored nor watched";
    if (pruned_before) problem.detail += "; " + watch::pruned_in_words(*pruned_before);
    problem.detail += sought.sender_id.empty()
                          ? "; with ?sender=ACCOUNT, its signer, the hosts are asked for it"
                          : ", and no host returned it: none knows it, or none answered; POST /v1/watches "
                            "follows it from now on";
    return problem;
}

Problem needs_token() {
    Problem problem;
    problem.status = 401;
    problem.detail = "it is not stored, and asking the hosts needs the header Authorization: Bearer TOKEN";
    problem.headers.push_back({"WWW-Authenticate", R"(Bearer realm="receiptd")"});
    return problem;
}

Problem too_soon() {
    Problem problem;
    problem.status = 429;
    problem.detail = "it is not stored, and the hosts were asked for another one less than a second ago";
    problem.headers.push_back({"Retry-After", "1"});
    return problem;
}

base::Task<base::Result<watch::TransactionView, Problem>> told_by_hosts(
    SharedContext context, Sought sought, std::optional<base::WallTime> pruned_before) {
    if (sought.sender_id.empty()) co_return not_found(sought, pruned_before);
    if (!sought.may_ask_hosts) co_return needs_token();
    auto& questions = context->host_questions;
    auto tree = questions.known(sought.id);
    if (!tree) {
        if (!questions.take_turn()) co_return too_soon();
        tree = co_await ask_hosts(context, sought.id, sought.sender_id, context->options.host_patience);
        if (!tree) co_return not_found(sought, pruned_before);
        questions.keep(sought.id, *tree);
    }
    co_return watch::told_by_hosts(std::move(sought.id), std::move(sought.sender_id), std::move(*tree));
}

}  // namespace

base::Task<std::optional<watch::Reference>> find_reference(SharedContext context, std::string text) {
    auto reference = watch::parse_reference(text);
    if (reference || text.empty()) co_return reference;
    storage::WatchFilter filter;
    filter.idempotency_key = std::move(text);
    filter.limit = 1;
    auto listing = context->services.watches.list_watches(std::move(filter));
    const auto found = co_await context->calls.wait_for(std::move(listing));
    if (!found.empty()) reference = watch::Reference{found.front().tx_hash, found.front().sender_id};
    co_return reference;
}

base::Task<base::Result<watch::TransactionView, Problem>> find_transaction(SharedContext context,
                                                                           Sought sought) {
    auto stored = co_await load(context, sought.id);
    if (!stored.tree.any()) {  // a watch may stand under the id of a receipt
        auto& calls = context->calls;
        const auto tree_id = co_await calls.wait_for(context->services.watches.tree_of(sought.id));
        if (tree_id && *tree_id != sought.id) stored = co_await load(context, *tree_id);
    }
    if (!stored.tree.any())
        stored.kept = co_await context->calls.wait_for(context->services.findings.kept(sought.id));
    if (!stored.any() || (stored.kept.result && !sought.sender_id.empty())) {
        auto told = co_await told_by_hosts(context, sought, stored.kept.pruned_before);
        if (told || !stored.any()) co_return told;
    }
    auto view = co_await judge(context->services.cpu, std::move(stored));
    watch::show_execution_with(view, sought.id);
    co_return co_await with_what_is_pending(std::move(context), std::move(view));
}

bool may_ask_hosts(const Services& services, const net::ServerRequest& request) {
    const auto token = services.guard().write_token;
    return token.empty() || has_token(request, token);
}

}  // namespace receiptd::api
