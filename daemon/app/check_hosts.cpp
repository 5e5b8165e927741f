#include "app/check_hosts.hpp"

#include "base/coroutine.hpp"
#include "base/iso_time.hpp"
#include "base/task_group.hpp"
#include "base/units.hpp"
#include "base/visible.hpp"
#include "rpc/sources.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

namespace receiptd::app {
namespace {

constexpr std::uint64_t kBehind = 10;  // blocks: as in the status of the daemon
constexpr std::chrono::seconds kOldHead{60};

struct Asked {
    std::unique_ptr<rpc::Sources> sources;
    std::optional<chain::BlockRef> head;
    std::string why_no_head;
    bool has_answered = false;  // all questions, before the check ended
    std::string why_no_first;   // of an archival host; empty: it has the first height, or none was asked for
    std::optional<bool> makes_blocks = std::nullopt;  // asked with source indexer
};

base::Task<std::string> as_told(std::string genesis_hash) { co_return genesis_hash; }
base::Task<std::optional<chain::BlockRef>> no_block() { co_return std::nullopt; }

rpc::OwnNetwork network_of(const config::Settings& settings) {
    rpc::OwnNetwork own;
    own.identity = {settings.network, settings.genesis_hash};
    own.learn = as_told;
    own.stored_block = no_block;
    return own;
}

base::Task<void> ask_first_height(rpc::BlockSource& blocks, chain::BlockHeight first, std::string& why) {
    const auto answer = co_await blocks.fetch(first, rpc::Priority::head, false);
    if (const auto* fault = std::get_if<rpc::Unavailable>(&answer)) why = fault->detail;
    if (std::holds_alternative<rpc::NotYet>(answer)) why = "the block is not made yet";
}

// The transaction and the receipt are nowhere: the upstream remembers which methods it lacks.
base::Task<void> ask_for_methods(rpc::Sources& sources) {
    rpc::TreeSource::Query query;
    query.tx_hash = chain::CryptoHash{}.to_string();
    query.sender_id = "nobody";
    co_await sources.trees().tree(query);
    co_await sources.receipts().body(query.tx_hash, rpc::Priority::watch);
    co_await sources.submissions().validity_blocks();
}

// A host that does not say its network at once is asked again in `proofs`.
base::Task<void> ask(const config::Settings& settings, Asked& asked, bool is_archival,
                     base::TaskGroup& proofs) {
    auto& blocks = asked.sources->blocks();
    const auto head = co_await blocks.head();
    if (head)
        asked.head = *head;
    else
        asked.why_no_head = head.error().detail;
    const auto* first = std::get_if<chain::BlockHeight>(&settings.follow.start);
    if (head && first != nullptr && is_archival)
        co_await ask_first_height(blocks, *first, asked.why_no_first);
    if (head) {
        auto own = network_of(settings);
        co_await asked.sources->network_check().begin(std::move(own));
        proofs.spawn(asked.sources->network_check().run());
        co_await ask_for_methods(*asked.sources);
        if (settings.follow.source == config::Source::indexer)
            asked.makes_blocks =
                rpc::is_whole(co_await blocks.fetch(head->height, rpc::Priority::head, true));
    }
    asked.has_answered = true;
}

// Settings with one host alone. A whole-block service tells no network: the others are there to compare with.
config::Settings with_host(config::Settings settings, std::size_t index) {
    if (index == settings.upstreams.size()) return settings;
    settings.upstreams = {settings.upstreams[index]};
    settings.neardata.reset();
    if (settings.follow.source == config::Source::neardata) settings.follow.source = config::Source::rpc;
    return settings;
}

std::string age_of(const chain::BlockRef& head, base::WallTime now) {
    const auto at = base::WallTime(std::chrono::nanoseconds(head.timestamp_nanosec));
    return base::iso_time(at) + (now - at > kOldHead ? ", long ago by this machine's clock" : "");
}

// How it tells the receipts of a transaction; the words begin with a comma.
std::string methods_in_words(const std::vector<std::string>& missing, OnlineCheck::Result& result) {
    const auto lacks = [&](std::string_view method) {
        return std::find(missing.begin(), missing.end(), method) != missing.end();
    };
    const std::string no_config =
        lacks("EXPERIMENTAL_protocol_config")
            ? ", lacks EXPERIMENTAL_protocol_config (the period of validity is asked of other hosts, or "
              "watching.validity_blocks counts)"
            : "";
    if (!lacks("tx_status")) return ", has tx_status" + no_config;
    if (!lacks("EXPERIMENTAL_tx_status"))
        return ", has EXPERIMENTAL_tx_status (tx_status is newer)" + no_config;
    result = OnlineCheck::Result::warning;
    return std::string(", has neither tx_status nor EXPERIMENTAL_tx_status") +
           (lacks("EXPERIMENTAL_receipt") ? " nor EXPERIMENTAL_receipt" : "") +
           ": receipts are looked for in chunks, and what these do not list has no verdict" + no_config;
}

OnlineCheck judged(const Asked& asked, const rpc::UpstreamState& state, chain::BlockHeight highest,
                   const config::Settings& settings) {
    OnlineCheck check{(state.kind == "neardata" ? "" : "upstream ") + state.name, OnlineCheck::Result::failed,
                      ""};
    if (state.refused) {
        check.detail =
            "refuses our requests (" + state.last_error + "): its key is wrong, spent or not needed";
        return check;
    }
    const std::string unanswered =
        "it did not answer all questions within " + std::to_string(settings.timeouts.request.count()) + " ms";
    if (!asked.head) {
        check.detail =
            "does not tell its head: " + (asked.why_no_head.empty() ? unanswered : asked.why_no_head);
        return check;
    }
    if (state.network == to_string(rpc::NetworkState::other_network) ||
        state.network == to_string(rpc::NetworkState::unproven)) {
        check.detail = "is not of the network " + settings.network + ": " + state.network_detail;
        return check;
    }
    check.result = OnlineCheck::Result::ok;
    check.detail =
        (state.network == to_string(rpc::NetworkState::proven) ? "of network " : "of network, on trust, ") +
        settings.network + ", head " + std::to_string(asked.head->height) + " of " +
        age_of(*asked.head, base::SystemClock().wall());
    if (state.said_earliest)
        check.detail += ", says that it holds heights from " + std::to_string(*state.said_earliest);
    if (!asked.has_answered) {
        check.result = OnlineCheck::Result::warning;
        check.detail += ", but " + unanswered;
    } else if (state.kind != "neardata")
        check.detail += methods_in_words(state.missing_methods, check.result);
    if (asked.makes_blocks == true) check.detail += ", makes whole blocks";
    if (asked.makes_blocks == false) {
        check.result = OnlineCheck::Result::warning;
        check.detail += ", makes no whole blocks (rpc.enable_indexer_rpc, all shards tracked)";
    }
    if (asked.head->height + kBehind < highest) {
        check.result = OnlineCheck::Result::warning;
        check.detail += ", " + std::to_string(highest - asked.head->height) + " blocks behind another host";
    }
    if (!asked.why_no_first.empty()) {
        check.result = OnlineCheck::Result::failed;
        check.detail += "; it does not have follow.start: " + asked.why_no_first;
    }
    return check;
}

std::size_t host_count(const config::Settings& settings) {
    return settings.upstreams.size() + (settings.follow.source == config::Source::neardata ? 1 : 0);
}

// Each host alone, all at once, for no longer than one request may take.
class AllHosts {
public:
    explicit AllHosts(const config::Settings& settings) : asked_(host_count(settings)) {
        base::TaskGroup asking(context_.get_executor());
        base::TaskGroup proofs(context_.get_executor());
        for (std::size_t i = 0; i < asked_.size(); ++i) {
            const bool is_archival =
                i < settings.upstreams.size() && settings.upstreams[i].kind == config::UpstreamKind::archival;
            asked_[i].sources =
                rpc::make_sources(context_.get_executor(), cpu_, with_host(settings, i), nullptr, clock_);
            asking.spawn(ask(settings, asked_[i], is_archival, proofs));
        }
        boost::asio::steady_timer end(context_, settings.timeouts.request);
        end.async_wait([&](const boost::system::error_code& error) {
            if (!error) asking.cancel();
        });
        run_while(asking);
        end.cancel();
        proofs.cancel();
        run_while(proofs);
    }

    const std::vector<Asked>& hosts() const { return asked_; }

private:
    void run_while(const base::TaskGroup& tasks) {
        while (tasks.running() > 0 && context_.run_one() > 0) {
        }
    }

    base::SystemClock clock_;
    boost::asio::thread_pool cpu_{1};
    boost::asio::io_context context_{1};
    std::vector<Asked> asked_;
};

}  // namespace

std::vector<OnlineCheck> check_hosts(const config::Settings& settings) {
    const AllHosts all(settings);
    chain::BlockHeight highest = 0;
    for (const auto& one : all.hosts())
        if (one.head) highest = std::max(highest, one.head->height);
    std::vector<OnlineCheck> checks;
    for (const auto& one : all.hosts()) {
        const auto states = one.sources->states();
        checks.push_back(judged(one, states.back(), highest, settings));
    }
    return checks;
}

std::optional<base::Height> lowest_head(const config::Settings& settings) {
    const AllHosts all(settings);
    std::optional<base::Height> lowest;
    for (const auto& one : all.hosts())
        if (one.head) lowest = std::min(lowest.value_or(base::kTopHeight), one.head->height);
    return lowest;
}

}  // namespace receiptd::app
