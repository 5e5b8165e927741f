#include "app/ask_daemon.hpp"
#include "app/commands.hpp"
#include "app/print_json.hpp"
#include "app/runtime.hpp"
#include "app/wait_for_end.hpp"
#include "base/coroutine.hpp"
#include "base/exact_json.hpp"
#include "chain/wire/account_id.hpp"
#include "metrics/registry.hpp"
#include "storage/migrate.hpp"
#include "watch/metadata.hpp"
#include "watch/reference.hpp"
#include "watch/transaction_json.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <exception>
#include <iostream>

namespace receiptd::app {
namespace {

using namespace std::chrono_literals;

constexpr auto kWatchListPatience = 5s;

void print_added(bool existing, const std::optional<storage::Watch>& stored, bool as_json) {
    if (!as_json) {
        std::cout << (existing ? "watched already\n" : "watched\n");
    } else if (stored) {
        auto answer = base::read_json(watch::watch_json(*stored));
        answer["existing"] = existing;
        print_json(answer);
    }
}

base::Task<void> add(base::asio::any_io_executor executor, storage::WatchStore& store, Waiting waiting,
                     storage::NewWatch watch, bool wait, int& code) {
    const auto tx_hash = watch.tx_hash;
    const auto sender_id = watch.sender_id;
    const auto metadata = watch.metadata_json;
    if (const auto tree_id = co_await store.tree_of(tx_hash); tree_id && *tree_id != tx_hash) {
        std::cerr << "that is the id of a receipt, not the hash of a transaction: it belongs to " << *tree_id
                  << '\n';
        code = kUsage;
        co_return;
    }
    std::vector<storage::NewWatch> one;
    one.push_back(std::move(watch));
    const auto added = co_await store.add_watches(std::move(one));
    const auto stored = co_await store.watch(tx_hash);
    if (stored && stored->sender_id != sender_id) {
        std::cerr << "it is watched already, with the sender " << stored->sender_id << '\n';
        code = kTxConflict;
        co_return;
    }
    if (stored && !watch::may_have_metadata(stored->metadata_json, metadata)) {
        std::cerr << "it is watched already, with other metadata\n";
        code = kTxConflict;
        co_return;
    }
    if (!wait || !waiting.as_json) print_added(added.empty(), stored, waiting.as_json);
    if (wait) co_await wait_for_end(std::move(executor), waiting, tx_hash, code);
}

}  // namespace

int exit_code(const chain::WatchState& end, const std::optional<chain::Judgement>& tree) {
    switch (end.stage) {
        case chain::Stage::rejected: return kTxRejected;
        case chain::Stage::forwarding_failed: return kTxForwardingFailed;
        case chain::Stage::dropped: return kTxDropped;
        case chain::Stage::expired: return kTxExpired;
        case chain::Stage::unknown: return kTxUnknown;
        default: break;
    }
    if (!end.verdict) return kTxUndecided;
    const auto effect = tree ? tree->effect : std::nullopt;
    const bool timed_out = tree && tree->timed_out_yields() > 0;
    const bool lost = effect == chain::Effect::tokens_lost;
    const bool is_known = !tree || (tree->money_is_known() && tree->unexplained_yields() == 0);
    switch (*end.verdict) {
        case chain::Verdict::failed: return kTxFailed;
        case chain::Verdict::callback_failed: return kTxCallbackFailed;
        case chain::Verdict::receipt_failed: return kTxReceiptFailed;
        case chain::Verdict::succeeded_with_handled_failure:
            return lost ? kTxLost : is_known ? kTxHandled : kTxUndecided;
        case chain::Verdict::succeeded:
            if (lost) return kTxLost;
            if (!is_known) return kTxUndecided;
            return effect || timed_out ? kTxHandled : kOk;
    }
    return kFailed;
}

std::optional<std::string> metadata_of(const std::string& given) {
    if (given.empty()) return std::string();
    auto read = watch::read_metadata(given);
    if (!read) {
        std::cerr << "--metadata " << read.error().text << '\n';
        return std::nullopt;
    }
    return std::move(*read);
}

int watch_transaction(const config::Settings& settings, const WatchCommand& command) {
    const auto reference = watch::parse_reference(command.reference);
    if (!reference) {
        std::cerr << '"' << command.reference << "\" is not a transaction hash (32 bytes in base58)"
                  << watch::what_else(command.reference) << ", nor an explorer's address of one\n";
        return kUsage;
    }
    const auto& tx_hash = reference->id;
    const auto& sender_id = command.sender_id.empty() ? reference->sender_id : command.sender_id;
    if (!chain::is_valid_account_id(sender_id)) {
        std::cerr << '"' << sender_id << "\" is not an account id\n";
        return kUsage;
    }
    const auto metadata = metadata_of(command.metadata);
    if (!metadata) return kUsage;
    say_if_nobody_answers(settings.http, "its stages come when one runs on this database");
    auto options = database_options(settings);
    options.patience = kWatchListPatience;
    storage::require_current_schema(options);
    base::SystemClock clock;
    metrics::Registry registry;
    metrics::StorageSeries series(registry);
    boost::asio::io_context context{1};
    storage::Database database(options, series);
    storage::PgWatchStore watches(database, clock);
    storage::PgFindingStore findings(database);
    const Waiting waiting{watches, findings, command.as_json};
    storage::NewWatch watch;
    watch.tx_hash = tx_hash;
    watch.sender_id = sender_id;
    watch.metadata_json = *metadata;
    int code = kOk;
    std::exception_ptr failure;
    base::asio::co_spawn(context,
                         add(context.get_executor(), watches, waiting, std::move(watch), command.wait, code),
                         [&](std::exception_ptr error) { failure = error; });
    context.run();
    database.request_stop();
    if (failure) std::rethrow_exception(failure);
    return code;
}

}  // namespace receiptd::app
