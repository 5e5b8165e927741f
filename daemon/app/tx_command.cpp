#include "alert/words.hpp"
#include "app/commands.hpp"
#include "app/runtime.hpp"
#include "app/stored_view.hpp"
#include "app/terminal.hpp"
#include "base/coroutine.hpp"
#include "base/line.hpp"
#include "base/log.hpp"
#include "chain/tree/effect.hpp"
#include "chain/tree/receipt_tree.hpp"
#include "chain/tree/text.hpp"
#include "draw/svg.hpp"
#include "metrics/registry.hpp"
#include "rpc/final_tree.hpp"
#include "storage/migrate.hpp"
#include "watch/reference.hpp"
#include "watch/transaction_json.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>

#include <exception>
#include <fstream>
#include <iostream>
#include <limits>
#include <variant>

namespace receiptd::app {
namespace {

constexpr auto kStoredPatience = std::chrono::seconds(5);
constexpr rpc::BlockLimits kEveryHeight{std::numeric_limits<chain::BlockHeight>::max(), 200};

// The transaction as far as it is known, and the source of that knowledge.
struct Shown {
    watch::TransactionView view;
    std::string source;
};

// --- From an upstream ---

struct Fetched {
    std::optional<rpc::TreeSource::TreeResult> result;
    rpc::FinalBlocks blocks;  // of its outcomes, as far as they are known
    rpc::EpochLayouts layouts;
};

base::Task<void> fetch(rpc::TreeSource& source, rpc::ShardLayouts& layouts, std::string tx_hash,
                       std::string sender_id, Fetched& fetched) {
    rpc::TreeSource::Query query;
    query.tx_hash = std::move(tx_hash);
    query.sender_id = std::move(sender_id);
    query.priority = rpc::Priority::head;
    fetched.result = co_await source.tree(std::move(query));
    auto* tree = std::get_if<rpc::TreeSource::Tree>(&*fetched.result);
    if (tree == nullptr) co_return;
    tree->room.reset();  // the tree outlives its source
    fetched.blocks = co_await rpc::blocks_of(source, tree->status.value, rpc::Priority::head, kEveryHeight);
    fetched.layouts = co_await rpc::layouts_of(layouts, fetched.blocks, rpc::Priority::head);
}

Fetched fetch_tree(const config::Settings& settings, const std::string& tx_hash,
                   const std::string& sender_id) {
    base::SystemClock clock;
    boost::asio::thread_pool cpu(1);
    boost::asio::io_context context{1};
    const auto sources = rpc::make_sources(context.get_executor(), cpu, settings, nullptr, clock);
    rpc::ShardLayouts layouts(context.get_executor(), sources->trees(), clock);
    Fetched fetched;
    base::TaskGroup asking(context.get_executor());
    asking.spawn(fetch(sources->trees(), layouts, tx_hash, sender_id, fetched));
    while (asking.running() > 0 && context.run_one() > 0) {
    }
    return fetched;
}

chain::Judgement judged(const rpc::TreeSource::Tree& tree, const Fetched& fetched) {
    const auto executed = [&](const chain::Outcome& outcome) {
        const chain::Execution somewhere{chain::ExecutedAt{}};
        return std::optional(rpc::execution_in(fetched.blocks, fetched.layouts, outcome).value_or(somewhere));
    };
    return chain::tree_of(tree.status.value, tree.others(), executed).judge();
}

Shown shown(const rpc::TreeSource::Tree& tree, const Fetched& fetched, const std::string& tx_hash,
            const std::string& sender_id) {
    watch::OpenTree open;
    if (const auto& transaction = tree.status.value.transaction)
        open.transaction = chain::transaction_facts(*transaction);
    open.tree = judged(tree, fetched);
    return {watch::told_by_hosts(tx_hash, sender_id, std::move(open)), "from the upstream; not stored"};
}

// --- From the database ---

base::Task<void> load(storage::WatchAccess& watches, storage::FindingStore& findings, std::string id,
                      watch::TransactionView& view) {
    view = co_await stored_view(watches, findings, std::move(id));
}

watch::TransactionView load_view(const config::Settings& settings, const std::string& id) {
    base::SystemClock clock;
    metrics::Registry registry;
    metrics::StorageSeries series(registry);
    boost::asio::io_context context{1};
    auto options = database_options(settings);
    options.patience = kStoredPatience;
    storage::require_current_schema(options);
    storage::Database database(options, series);
    storage::PgWatchStore watches(database, clock);
    storage::PgFindingStore findings(database);
    watch::TransactionView view;
    std::exception_ptr failure;
    base::asio::co_spawn(context, load(watches, findings, id, view),
                         [&](std::exception_ptr error) { failure = error; });
    context.run();
    database.request_stop();
    if (failure) std::rethrow_exception(failure);
    return view;
}

// The view has what is stored of a transaction's hash or a receipt's id; nullopt: the database cannot be
// asked.
std::optional<Shown> look_up(const config::Settings& settings, const std::string& id) {
    try {
        Shown shown;
        shown.view = load_view(settings, id);
        shown.source = "from the database";
        return shown;
    } catch (const storage::StorageError& e) {
        log::warn("the database cannot be asked", {{"because", e.what()}});
        return std::nullopt;
    }
}

bool has_tree(const Shown& shown) {
    const auto& tree = shown.view.tree;
    return tree && (!tree->receipts.empty() || tree->transaction_failed);
}

bool has_ended(const Shown& shown) {
    return shown.view.watch && chain::is_end(shown.view.watch->state.stage);
}

// --- In words ---

std::string pruned_first(const watch::TransactionView& view) {
    if (!view.pruned_before) return {};
    return watch::pruned_in_words(*view.pruned_before) + "; ";
}

void print_verdict(const watch::TransactionView& view) {
    if (view.watch) std::cout << "  stage    " << chain::stage_name(view.watch->state.stage) << '\n';
    if (view.watch && !view.watch->state.reason.empty())
        std::cout << "  reason   " << view.watch->state.reason << '\n';
    if (view.watch && !view.watch->idempotency_key.empty())
        std::cout << "  key      " << base::one_line(view.watch->idempotency_key) << '\n';
    if (view.watch && !view.watch->metadata_json.empty())
        std::cout << "  metadata " << base::one_line(view.watch->metadata_json) << '\n';
    if (!view.tree) return;
    const auto& tree = *view.tree;
    if (tree.undecided && !tree.verdict) {
        std::cout << "  verdict  none: " << chain::kReceiptsMissing << ": no host tells "
                  << tree.missing_receipts.size() << " of its receipts\n";
        return;
    }
    if (!tree.verdict) {
        std::cout << "  verdict  none yet: " << watch::why_no_verdict(tree) << '\n';
        return;
    }
    std::cout << "  verdict  " << chain::verdict_name(*tree.verdict) << '\n';
    if (tree.effect) std::cout << "  effect   " << chain::effect_name(*tree.effect) << '\n';
    if (tree.near_status) std::cout << "  NEAR     says " << tree.near_status->name() << '\n';
    if (tree.transaction_failed)
        std::cout << "  because  " << tree.transaction_failure.error_class << ": "
                  << base::shortened(tree.transaction_failure.error_text, 300) << '\n';
    if (tree.decided_by.empty()) return;
    const char* label = "  because  ";
    for (const auto& line : alert::branch_in_words(tree, tree.decided_by.front())) {
        std::cout << label << line << '\n';
        label = "           ";
    }
}

void print_other_executions(const watch::TransactionView& view) {
    for (const auto& other : view.other_executions) {
        std::cout << "  executed also in block " << (other.included_at ? other.included_at->height : 0)
                  << '\n'
                  << chain::render_tree(view.tx_hash, view.transaction, other, style_of_output());
        std::cout << "  verdict  " << (other.verdict ? chain::verdict_name(*other.verdict) : "none yet")
                  << '\n';
    }
    for (const auto& listing : watch::untold_elsewhere(view)) {
        std::cout << "  listed also in block " << listing.at.height << '\n'
                  << "  verdict  none yet: no host tells its outcome";
        if (!listing.reason.empty()) std::cout << " (" << base::one_line(listing.reason) << ')';
        std::cout << '\n';
    }
}

void print_contracts(const watch::TransactionView& view) {
    for (const auto& contract : view.contracts) {
        const bool by_hash = contract.contract_account_id.empty();
        std::cout << "  contract " << (by_hash ? contract.contract_hash : contract.contract_account_id)
                  << " distributed to " << contract.shards_with_it;
        if (contract.shards) std::cout << " of " << *contract.shards;
        std::cout << (contract.shards_with_it == 1 && !contract.shards ? " shard\n" : " shards\n");
    }
}

int write_picture(const watch::TransactionView& view, const std::string& file) {
    const auto svg = draw::tree_svg(view.tx_hash, view.transaction, view.tree.value_or(chain::Judgement()));
    if (file == "-") {
        std::cout << svg;
        return kOk;
    }
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << svg;
    out.close();
    if (out) return kOk;
    std::cerr << "cannot write " << file << '\n';
    return kFailed;
}

int print(const Shown& shown, const TxCommand& command) {
    if (!command.svg_file.empty()) return write_picture(shown.view, command.svg_file);
    if (command.as_json) {
        std::cout << watch::transaction_json(shown.view) << '\n';
        return kOk;
    }
    const auto& view = shown.view;
    if (has_tree(shown))
        std::cout << chain::render_tree(view.tx_hash, view.transaction, *view.tree, style_of_output());
    print_verdict(view);
    if (view.result_only) std::cout << "  pruned   " << watch::what_is_pruned(view) << '\n';
    print_other_executions(view);
    print_contracts(view);
    std::cout << "  " << shown.source << '\n';
    return kOk;
}

int complain(const Fetched& fetched, const std::optional<Shown>& stored) {
    if (stored) std::cerr << pruned_first(stored->view);
    if (const auto* unknown =
            fetched.result ? std::get_if<rpc::TreeSource::Unknown>(&*fetched.result) : nullptr)
        std::cerr << "no upstream knows this transaction: " << unknown->evidence << '\n';
    else if (const auto* fault = fetched.result ? std::get_if<rpc::Unavailable>(&*fetched.result) : nullptr)
        std::cerr << "no upstream could answer: " << fault->reason << ": " << fault->detail << '\n';
    return kFailed;
}

}  // namespace

int show_transaction(const config::Settings& settings, const TxCommand& command) {
    const auto reference = watch::parse_reference(command.reference);
    if (!reference) {
        std::cerr << command.reference << watch::what_else(command.reference)
                  << " is no hash of a transaction, no id of a receipt and no explorer's address of one\n";
        return kFailed;
    }
    const auto& id = reference->id;
    const auto stored = look_up(settings, id);
    if (stored && (has_tree(*stored) || has_ended(*stored))) return print(*stored, command);
    auto sender = command.sender_id.empty() ? reference->sender_id : command.sender_id;
    if (sender.empty() && stored) sender = stored->view.sender_id;
    if (sender.empty()) {
        std::cerr << "not stored; " << (stored ? pruned_first(stored->view) : "")
                  << "to ask an upstream the signer's account is needed: receiptd tx HASH SENDER\n";
        return kFailed;
    }
    const auto fetched = fetch_tree(settings, id, sender);
    const auto* tree = fetched.result ? std::get_if<rpc::TreeSource::Tree>(&*fetched.result) : nullptr;
    if (tree != nullptr) return print(shown(*tree, fetched, id, sender), command);
    if (stored && (stored->view.watch || stored->view.result_only)) return print(*stored, command);
    return complain(fetched, stored);
}

}  // namespace receiptd::app
