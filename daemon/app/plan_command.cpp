// `receiptd plan`: what following would cost with this configuration, from blocks of the chain itself. Asks
// the hosts; needs no database and writes nothing.
#include "app/commands.hpp"
#include "app/print_json.hpp"
#include "base/coroutine.hpp"
#include "base/task_group.hpp"
#include "chain/tree/lineage.hpp"
#include "chain/tree/live_trees.hpp"
#include "follow/cost.hpp"
#include "follow/scope.hpp"
#include "rpc/final_tree.hpp"
#include "rpc/sources.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::app {
namespace {

constexpr base::Height kStretches = 3, kApart = 1'000;  // heights
constexpr base::Height kSettled = 250;                  // after them also yields that nobody resumed are over
constexpr base::Height kWarmUp = 6;                     // whose trees began before the stretch
constexpr double kClosePolls = 2;                       // a height (follow/rhythm.hpp)
constexpr double kSlowPolls = 0.1;                      // a second (follow/follower.cpp)
constexpr double kConfirmedEvery = 16;                  // heights

struct SampledTransaction {
    std::string tx_hash, sender_id;
    chain::BlockRef included_in;
};

struct SampledSource {
    std::string source;
    follow::Sample sample;
    std::vector<SampledTransaction> transactions;
    std::vector<chain::BlockRef> blocks;
    std::size_t untold = 0;  // heights that no host gave
    std::string fault;       // empty: there is a sample
};

// The source and all that it must outlive.
struct Asking {
    explicit Asking(const config::Settings& settings)
        : sources(rpc::make_sources(context.get_executor(), cpu, settings, nullptr, clock)) {}

    base::SystemClock clock;
    boost::asio::thread_pool cpu{1};
    boost::asio::io_context context{1};
    std::unique_ptr<rpc::Sources> sources;

    std::uint64_t requests() const {
        std::uint64_t sum = 0;
        for (const auto& host : sources->states())
            for (const auto& [purpose, count] : host.requests) sum += count;
        return sum;
    }
};

class Sampler {
public:
    Sampler(Asking& asking, const config::Settings& settings, const PlanCommand& command)
        : asking_(asking), scope_(follow::scope_of(settings.follow)), command_(command) {}

    base::Task<void> run(SampledSource& into) {
        const auto head = co_await asking_.sources->blocks().head();
        if (!head) {
            into.fault = head.error().reason + ": " + head.error().detail;
            co_return;
        }
        const auto length = command_.blocks / kStretches + kWarmUp;
        for (base::Height i = kStretches; i-- > 0;) {
            const auto back = kSettled + i * kApart + length;
            if (head->height > back) co_await stretch(head->height - back, length, into);
        }
        if (into.blocks.size() < 2 && head->height > length) {  // the chain is young
            // Without the head itself, which is known by now.
            co_await stretch(head->height - length, length, into);
        }
        if (into.blocks.size() < 2) {
            into.fault = "no host gave enough blocks";
            co_return;
        }
        const auto &first = into.blocks.front(), &last = into.blocks.back();
        into.sample.seconds_per_height =
            static_cast<double>(last.timestamp_nanosec - first.timestamp_nanosec) / 1e9 /
            static_cast<double>(std::max<base::Height>(1, last.height - first.height));
        if (!asking_.sources->blocks().tells_outcomes()) co_await trees(into);
    }

private:
    base::Task<void> stretch(base::Height from, base::Height length, SampledSource& into) {
        chain::Lineage lineage;
        chain::LiveTrees live_trees;
        const bool with_chunks = scope_.kind != chain::ScopeKind::headers;
        // Below the first block of a chain there are no skipped heights.
        bool has_begun = false;
        std::size_t untold = 0;
        for (base::Height i = 0; i < length; ++i) {
            // The chain is younger, or no host has it any more.
            if (!has_begun && (untold > 0 || i == kWarmUp)) co_return;
            const auto before = asking_.requests();
            auto got =
                co_await asking_.sources->blocks().fetch(from + i, rpc::Priority::backfill, with_chunks);
            const auto requests = asking_.requests() - before;
            follow::SampledBlock block;
            if (auto* contents = std::get_if<std::unique_ptr<rpc::BlockContents>>(&got)) {
                const auto rows = (*contents)->rows({std::nullopt, scope_, lineage, live_trees});
                block.tables = follow::sampled_tables(rows);
                block.trees = rows[chain::Table::pending_trees].rows;
                note(**contents, into);
                has_begun = true;
            } else if (!std::holds_alternative<rpc::NoSuchHeight>(got)) {
                ++untold;
                continue;
            }
            // The block came with the request for the head.
            const bool is_told_by_head = !asking_.sources->blocks().waits_for_next();
            block.requests = requests - (is_told_by_head && requests > 0 ? 1 : 0);
            if (i >= kWarmUp && has_begun) into.sample.blocks.push_back(block);
        }
        into.untold += untold;
    }

    void note(const rpc::BlockContents& contents, SampledSource& into) {
        const auto included_in = chain::block_ref(contents.block().header);
        into.blocks.push_back(included_in);
        contents.for_each_transaction([&](const chain::SignedTransaction& transaction) {
            const bool is_in_scope = scope_.kind == chain::ScopeKind::all ||
                                     scope_.accounts.contains(transaction.signer_id) ||
                                     scope_.accounts.contains(transaction.receiver_id);
            if (is_in_scope)
                into.transactions.push_back(
                    {std::string(transaction.hash), std::string(transaction.signer_id), included_in});
        });
    }

    base::Task<void> trees(SampledSource& into) {
        const auto listed = into.transactions.size();
        const auto count = std::min<std::size_t>(listed, command_.trees);
        for (std::size_t i = 0; i < count; ++i) {
            const auto& chosen = into.transactions[i * listed / count];
            rpc::TreeSource::Query query;
            query.tx_hash = chosen.tx_hash;
            query.sender_id = chosen.sender_id;
            query.priority = rpc::Priority::backfill;
            const auto before = asking_.requests();
            auto got = co_await asking_.sources->trees().tree(std::move(query));
            auto* tree = std::get_if<rpc::TreeSource::Tree>(&got);
            if (tree == nullptr || !tree->complete) continue;
            const auto requests = asking_.requests() - before;
            into.sample.trees.push_back(co_await sampled(std::move(*tree), chosen, requests));
        }
    }

    base::Task<follow::SampledTree> sampled(rpc::TreeSource::Tree tree, const SampledTransaction& of,
                                            std::uint64_t requests) {
        follow::SampledTree sampled;
        sampled.requests = requests - std::min<std::uint64_t>(requests, 1);
        const rpc::BlockLimits limits{std::numeric_limits<chain::BlockHeight>::max()};
        // While a chain is followed these are known.
        const auto blocks = co_await rpc::blocks_of(asking_.sources->trees(), tree.status.value,
                                                    rpc::Priority::backfill, limits);
        const auto executed_in = rpc::execution_blocks(tree, of.included_in, blocks);
        sampled.tables = follow::sampled_tables(
            chain::tree_rows(tree.status.value, tree.others(), executed_in, of.included_in).batch);
        std::vector<base::Height> heights;
        for (const auto& block : executed_in) heights.push_back(block.height.value_or(0));
        sampled.asks = follow::asks_for_tree(std::move(tree), of.included_in.height, heights);
        co_return sampled;
    }

    Asking& asking_;
    chain::Scope scope_;
    const PlanCommand& command_;
};

SampledSource sample_of(config::Settings settings, config::Source source, const PlanCommand& command) {
    settings.follow.source = source;
    SampledSource sampled;
    sampled.source = config::to_string(source);
    Asking asking(settings);
    Sampler sampler(asking, settings, command);
    base::TaskGroup tasks(asking.context.get_executor());
    tasks.spawn(sampler.run(sampled));
    while (tasks.running() > 0 && asking.context.run_one() > 0) {
    }
    const auto hosts = static_cast<double>(asking.sources->witnesses().count());
    sampled.sample.polls_per_height =
        hosts / kConfirmedEvery +
        (source == config::Source::neardata ? kSlowPolls * sampled.sample.seconds_per_height : kClosePolls);
    return sampled;
}

nlohmann::ordered_json json_of(const SampledSource& sampled, const follow::Cost& cost) {
    nlohmann::ordered_json one;
    one["source"] = sampled.source;
    one["fault"] = sampled.fault.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(sampled.fault);
    one["sampled_heights"] = sampled.sample.blocks.size();
    one["sampled_trees"] = sampled.sample.trees.size();
    one["seconds_per_height"] = sampled.sample.seconds_per_height;
    one["requests_per_height"] = {{"head", cost.head}, {"blocks", cost.block}, {"trees", cost.tree}};
    one["requests_a_second"] = cost.requests_a_second;
    one["requests_a_day"] = static_cast<std::uint64_t>(cost.requests_a_day);
    one["disk_bytes_a_day"] = static_cast<std::uint64_t>(cost.disk_a_day);
    auto& tables = one["disk_bytes_a_day_by_table"] = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < chain::kTableCount; ++i)
        if (const auto bytes = static_cast<std::uint64_t>(cost.table_a_day[i]); bytes > 0)
            tables[chain::table_spec(static_cast<chain::Table>(i)).name] = bytes;
    return one;
}

void print_cost(const SampledSource& sampled, const follow::Cost& cost, const config::Settings& settings,
                const PlanCommand& command) {
    char text[512];
    std::snprintf(text, sizeof text,
                  "%s: %.2f requests a second, %.2f million a day (a height: %.1f for the head, %.1f for "
                  "blocks, %.1f for trees); %.2f GB of disk a day\n",
                  sampled.source.c_str(), cost.requests_a_second, cost.requests_a_day / 1e6, cost.head,
                  cost.block, cost.tree, cost.disk_a_day / 1e9);
    std::cout << text;
    if (settings.retention.receipts) {
        const auto days = std::chrono::duration<double>(*settings.retention.receipts).count() / 86'400;
        std::snprintf(text, sizeof text, "    retention.receipts: %.0f days are %.1f GB\n", days,
                      days * cost.disk_a_day / 1e9);
        std::cout << text;
    }
    if (command.disk_bytes > 0 && cost.disk_a_day > 0) {
        const auto disk = static_cast<double>(command.disk_bytes);
        std::snprintf(text, sizeof text, "    %.0f GB of disk last %.0f days\n", disk / 1e9,
                      disk / cost.disk_a_day);
        std::cout << text;
    }
    double limit = 0;
    for (const auto& upstream : settings.upstreams) limit += upstream.max_requests_per_second;
    if (sampled.source != "neardata" && limit > 0 && limit < cost.requests_a_second)
        std::cout << "    TOO MUCH: max_requests_per_second allows " << limit << " in all\n";
    if (sampled.untold > 0) std::cout << "    " << sampled.untold << " heights were given by no host\n";
}

}  // namespace

int plan(const config::Settings& settings, const PlanCommand& command) {
    std::vector<config::Source> sources;
    if (!settings.upstreams.empty()) sources.push_back(config::Source::rpc);
    if (settings.neardata) sources.push_back(config::Source::neardata);
    if (settings.follow.source == config::Source::indexer) sources.push_back(config::Source::indexer);
    auto all = nlohmann::ordered_json::array();
    bool is_answered = false;
    for (const auto source : sources) {
        const auto sampled = sample_of(settings, source, command);
        const auto cost = follow::cost_of(sampled.sample);
        is_answered = is_answered || sampled.fault.empty();
        if (!sampled.fault.empty()) std::cerr << sampled.source << ": no answer: " << sampled.fault << '\n';
        if (command.as_json)
            all.push_back(json_of(sampled, cost));
        else if (sampled.fault.empty())
            print_cost(sampled, cost, settings, command);
    }
    if (command.as_json) print_json(all);
    return is_answered ? kOk : kFailed;
}

}  // namespace receiptd::app
