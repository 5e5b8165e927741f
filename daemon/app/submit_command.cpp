#include "app/ask_daemon.hpp"
#include "app/commands.hpp"
#include "app/runtime.hpp"
#include "app/wait_for_end.hpp"
#include "base/coroutine.hpp"
#include "chain/wire/base64.hpp"
#include "metrics/registry.hpp"
#include "storage/migrate.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>

namespace receiptd::app {
namespace {

using namespace std::chrono_literals;

constexpr auto kDatabasePatience = 5s;
constexpr std::size_t kMostBytes = 8u << 20;

std::optional<std::string> read_all(std::istream& in) {
    std::string text;
    char part[65'536];
    while (text.size() <= kMostBytes && (in.read(part, sizeof part) || in.gcount() > 0))
        text.append(part, static_cast<std::size_t>(in.gcount()));
    if (in.bad() || text.size() > kMostBytes) return std::nullopt;
    return text;
}

std::optional<std::string> read_file(const std::string& name) {
    if (name == "-") return read_all(std::cin);
    std::ifstream file(name, std::ios::binary);
    if (!file) return std::nullopt;
    return read_all(file);
}

// Text is taken for base64: Borsh begins with a length, which holds a NUL.
watch::SubmitRequest request_of(std::string text, const SubmitCommand& command, std::string metadata) {
    watch::SubmitRequest request;
    request.idempotency_key = command.idempotency_key;
    request.metadata_json = std::move(metadata);
    if (text.find('\0') != std::string::npos) {
        request.bytes = std::move(text);
        return request;
    }
    std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
    request.base64 = std::move(text);
    return request;
}

int exit_code(watch::SubmitError::Kind kind) {
    switch (kind) {
        case watch::SubmitError::Kind::malformed: return kUsage;
        case watch::SubmitError::Kind::conflict: return kTxConflict;
        case watch::SubmitError::Kind::refused: return kTxRejected;
        case watch::SubmitError::Kind::unavailable: return kFailed;
    }
    return kFailed;
}

int print(const watch::SubmitError& error, bool as_json) {
    if (as_json) {
        std::cout << watch::submit_error_json(error) << '\n';
        return exit_code(error.kind);
    }
    std::cerr << "not handed in: " << error.error_class << ": " << error.detail << '\n';
    if (!error.where.empty()) std::cerr << "  where   " << error.where << '\n';
    if (!error.remedy.empty()) std::cerr << "  remedy  " << error.remedy << '\n';
    return exit_code(error.kind);
}

void print(const watch::Submitted& submitted, bool as_json) {
    if (as_json) {
        std::cout << watch::submitted_json(submitted) << '\n';
        return;
    }
    std::cout << (submitted.existing ? "handed in before " : "handed in ") << submitted.tx_hash << '\n'
              << "sender    " << submitted.sender_id << '\n'
              << "stage     " << chain::stage_name(submitted.stage) << '\n';
    if (submitted.valid_until) std::cout << "valid to  height " << *submitted.valid_until << '\n';
    if (!submitted.certainty.conclusive) std::cout << "proven    " << in_words(submitted.certainty) << '\n';
    if (!submitted.note.empty()) std::cout << "note      " << submitted.note << '\n';
    std::cout.flush();
}

struct Parts {
    const config::Settings& settings;
    storage::Database& database;
    Waiting waiting;
    watch::Submitter& submitter;
};

base::Task<void> hand_in(boost::asio::any_io_executor executor, Parts parts, watch::SubmitRequest request,
                         bool wait, int& code) {
    // A database of another network must not take it.
    co_await parts.database.check_identity(chain_identity(parts.settings));
    const auto result = co_await parts.submitter.submit(std::move(request));
    if (!result) {
        code = print(result.error(), parts.waiting.as_json);
        co_return;
    }
    if (!wait || !parts.waiting.as_json) print(*result, parts.waiting.as_json);
    if (result->stage == chain::Stage::rejected) code = kTxRejected;
    if (wait) co_await wait_for_end(std::move(executor), parts.waiting, result->tx_hash, code);
}

}  // namespace

int submit_transaction(const config::Settings& settings, const SubmitCommand& command) {
    auto metadata = metadata_of(command.metadata);
    if (!metadata) return kUsage;
    auto text = read_file(command.file);
    if (!text) {
        std::cerr << command.file << ": cannot be read, or is larger than any transaction\n";
        return kUsage;
    }
    say_if_nobody_answers(settings.http, "it is sent once; its stages come when one runs on this database");
    base::SystemClock clock;
    metrics::Registry registry;
    metrics::StorageSeries series(registry);
    boost::asio::thread_pool cpu(1);
    boost::asio::io_context context{1};
    auto options = database_options(settings);
    options.patience = kDatabasePatience;
    storage::require_current_schema(options);
    storage::Database database(options, series);
    storage::PgWatchStore watches(database, clock);
    storage::PgFindingStore findings(database);
    const auto sources = rpc::make_sources(context.get_executor(), cpu, settings, nullptr, clock);
    watch::Submitter submitter(context.get_executor(), watches, sources->submissions(),
                               std::make_shared<rpc::RealTimeAndChance>(clock), submitter_options(settings));
    auto request = request_of(std::move(*text), command, std::move(*metadata));
    int code = kOk;
    bool ended = false;
    std::exception_ptr failure;
    const Parts parts{settings, database, {watches, findings, command.as_json}, submitter};
    base::asio::co_spawn(context,
                         hand_in(context.get_executor(), parts, std::move(request), command.wait, code),
                         [&](std::exception_ptr error) {
                             failure = error;
                             ended = true;
                         });
    while (!ended && context.run_one() > 0) {
    }
    database.request_stop();
    if (failure) std::rethrow_exception(failure);
    return code;
}

}  // namespace receiptd::app
