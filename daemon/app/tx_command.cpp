#include "app/commands.hpp"
#include "app/runtime.hpp"
#include "base/log.hpp"
#include "chain/tree_text.hpp"
#include "storage/inspect.hpp"

#include <boost/asio/io_context.hpp>

#include <iostream>
#include <variant>

namespace receiptd::app {
namespace {

base::Task<void> fetch(rpc::TreeSource& source, std::string tx_hash, std::string sender_id,
                       std::optional<rpc::TreeSource::TreeResult>& result) {
    result = co_await source.tree(std::move(tx_hash), std::move(sender_id), rpc::Priority::head);
}

std::optional<rpc::TreeSource::TreeResult> fetch_tree(const config::Settings& settings,
                                                      const std::string& tx_hash,
                                                      const std::string& sender_id) {
    base::SystemClock clock;
    boost::asio::thread_pool cpu(1);
    boost::asio::io_context context{1};
    const auto sources = rpc::make_sources(context.get_executor(), cpu, settings, nullptr, clock);
    std::optional<rpc::TreeSource::TreeResult> result;
    base::TaskGroup asking(context.get_executor());
    asking.spawn(fetch(sources->trees(), tx_hash, sender_id, result));
    while (asking.running() > 0 && context.run_one() > 0) {
    }
    return result;
}

int show_fetched(const rpc::TreeSource::Tree& tree) {
    std::cout << chain::render_tree(chain::tree_view(tree.status.value, tree.bodies()))
              << "  from the upstream; not stored\n";
    return kOk;
}

// The stored tree, if the database can be asked and has it.
std::optional<chain::TreeView> look_up(const config::Settings& settings, const std::string& tx_hash) {
    try {
        return storage::stored_tree(database_options(settings), tx_hash);
    } catch (const storage::StorageError& e) {
        log::warn("the database cannot be asked", {{"because", e.what()}});
        return std::nullopt;
    }
}

}  // namespace

int show_transaction(const config::Settings& settings, const std::string& tx_hash,
                     const std::string& sender_id) {
    const auto stored = look_up(settings, tx_hash);
    if (stored && (!stored->receipts.empty() || stored->status == "failure")) {
        std::cout << chain::render_tree(*stored) << "  from the database\n";
        return kOk;
    }
    const auto sender = !sender_id.empty() ? sender_id : stored ? stored->signer_id : std::string();
    if (sender.empty()) {
        std::cerr
            << "not stored; to ask an upstream the signer's account is needed: receiptd tx HASH SENDER\n";
        return kFailed;
    }
    const auto result = fetch_tree(settings, tx_hash, sender);
    if (result && std::holds_alternative<rpc::TreeSource::Tree>(*result))
        return show_fetched(std::get<rpc::TreeSource::Tree>(*result));
    if (const auto* unknown = result ? std::get_if<rpc::TreeSource::Unknown>(&*result) : nullptr)
        std::cerr << "no upstream knows this transaction: " << unknown->evidence << '\n';
    else if (const auto* fault = result ? std::get_if<rpc::Unavailable>(&*result) : nullptr)
        std::cerr << "no upstream could answer: " << fault->reason << ": " << fault->detail << '\n';
    return kFailed;
}

}  // namespace receiptd::app
