#include "sandbox/run/control_api.hpp"

#include "base/coroutine.hpp"
#include "sandbox/gateway/fault_json.hpp"
#include "sandbox/gateway/json_text.hpp"
#include "sandbox/gateway/rpc_context.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <array>

namespace receiptd::sandbox {

namespace {

using control::answer;
using control::Fields;
using control::Problem;

struct Route {
    const char* method;
    const char* path;  // "*": any one part
};
constexpr std::array kRoutes{
    Route{"GET", "/status"},
    Route{"GET", "/keys"},
    Route{"GET", "/truth"},
    Route{"GET", "/transactions/*"},
    Route{"GET", "/check"},
    Route{"GET", "/faults"},
    Route{"GET", "/lies"},
    Route{"POST", "/advance"},
    Route{"POST", "/pause"},
    Route{"POST", "/resume"},
    Route{"POST", "/faults"},
    Route{"POST", "/lies"},
    Route{"POST", "/traffic"},
    Route{"POST", "/transactions/*/drop"},
    Route{"POST", "/transactions/*/delay"},
    Route{"POST", "/transactions/*/include"},
    Route{"POST", "/transactions/*/again"},
    Route{"POST", "/shards/*/congest"},
    Route{"POST", "/fork"},
    Route{"POST", "/skip-height"},
    Route{"POST", "/withhold-chunk"},
};

std::vector<std::string> parts_of(std::string_view path) {
    std::vector<std::string> parts;
    while (!path.empty()) {
        path.remove_prefix(path.front() == '/' ? 1 : 0);
        const auto part = path.substr(0, path.find('/'));
        path.remove_prefix(part.size());
        if (!part.empty()) parts.emplace_back(part);
    }
    return parts;
}

bool fits(const std::vector<std::string>& path, const char* pattern) {
    const auto wanted = parts_of(pattern);
    return std::equal(
        path.begin(), path.end(), wanted.begin(), wanted.end(),
        [](const std::string& part, const std::string& want) { return want == "*" || part == want; });
}

// nullopt: the request has a route.
std::optional<net::ServerReply> no_route(const std::string& method, const std::vector<std::string>& path) {
    std::string allowed;
    for (const auto& route : kRoutes) {
        if (!fits(path, route.path)) continue;
        if (method == route.method) return std::nullopt;
        allowed.append(allowed.empty() ? "" : ", ").append(route.method);
    }
    if (!allowed.empty()) {
        auto refused = control::problem(405, "this takes " + allowed + ", not " + method);
        refused.headers.push_back({"Allow", allowed});
        return refused;
    }
    std::string routes;
    for (const auto& route : kRoutes)
        routes.append(routes.empty() ? "" : ", ").append(route.method).append(" ").append(route.path);
    return control::problem(404, "there are: " + routes);
}

}  // namespace

base::Task<net::ServerReply> ControlApi::handle(net::ServerRequest request) {
    const Path path = parts_of(request.path);
    if (request.method == "HEAD") request.method = "GET";
    if (auto refused = no_route(request.method, path)) co_return std::move(*refused);
    try {
        if (path[0] == "advance") co_return co_await advance(request);
        co_return request.method == "GET" ? read(request, path) : change(request, path);
    } catch (const Problem& wrong) {
        co_return control::problem(wrong.status(), wrong.what());
    }
}

net::ServerReply ControlApi::read(const net::ServerRequest& request, const Path& path) {
    if (path[0] == "status") return answer(status());
    if (path[0] == "keys") return answer(keys_json(sandbox_.ready()));
    if (path[0] == "truth") return answer(truth(request));
    if (path[0] == "transactions") return answer(transaction(path[1]));
    if (path[0] == "check")
        return answer(sandbox_.ledger().check(request.query_parameter("proofs") != "false").to_json());
    return answer(path[0] == "lies" ? lies() : faults());
}

net::ServerReply ControlApi::change(const net::ServerRequest& request, const Path& path) {
    if (path[0] == "pause") return answer(pause());
    if (path[0] == "resume") return answer(resume());
    if (path[0] == "faults") return answer(set_faults(request));
    if (path[0] == "lies") return answer(set_lies(request));
    if (path[0] == "traffic") return answer(set_traffic(request));
    if (path[0] == "fork") return answer(fork(request));
    if (path[0] == "skip-height") return answer(skip_height(request));
    if (path[0] == "withhold-chunk") return answer(withhold_chunk(request));
    if (path[0] == "shards") return answer(congest(path[1], request));
    if (path[2] == "include") return answer(include(path[1], request));
    if (path[2] == "again") return answer(again(path[1], request));
    return answer(path[2] == "drop" ? drop(path[1], request) : delay(path[1], request));
}

base::Task<net::ServerReply> ControlApi::advance(const net::ServerRequest& request) {
    Fields fields = Fields::of_body(request);
    const auto blocks = fields.number("blocks", 1, 1, kMostBlocks);
    fields.expect_no_others();
    const auto executor = co_await boost::asio::this_coro::executor;
    for (std::uint64_t i = 0; i < blocks; ++i) {
        if (sandbox_.ticker().stopped()) throw Problem(503, "the sandbox is ending");
        sandbox_.make_block();
        // Requests that waited for this block are answered before the next one.
        co_await boost::asio::post(executor, boost::asio::use_awaitable);
    }
    const Json done{{"blocks", blocks}, {"height", sandbox_.ledger().tip()}};
    co_return answer(done);
}

ControlApi::Json ControlApi::status() {
    Ledger& ledger = sandbox_.ledger();
    const auto& options = sandbox_.options();
    const Height tip = ledger.tip();
    Json made{{"chain_id", ledger.options().chain_id},
              {"seed", ledger.options().seed},
              {"height", tip},
              {"hash", block_hash(ledger, tip)},
              {"final_height", ledger.final_head(tip)},
              {"genesis_height", ledger.first()},
              {"oldest_height", ledger.oldest()},
              {"epoch_start_height", ledger.epoch_start(tip)},
              {"shards", ledger.layout().shard_ids()},
              {"block_time_ms", options.block_time.count()},
              {"paused", sandbox_.ticker().paused()},
              {"pending_transactions", ledger.pending_transactions()},
              {"hosts", Json::object()},
              {"traffic", nullptr}};
    for (const auto& host : sandbox_.hosts().all()) made["hosts"][host->gateway.name()] = host->url();
    if (const auto* traffic = sandbox_.traffic())
        made["traffic"] = {
            {"profile", *options.traffic}, {"tps", traffic->tps()}, {"submitted", traffic->submitted()}};
    return made;
}

ControlApi::Json ControlApi::truth(const net::ServerRequest& request) {
    const Height oldest = sandbox_.ledger().oldest();
    const Height from = control::query_height(request, "from", oldest);
    const Height to = control::query_height(request, "to", sandbox_.ledger().tip());
    if (from > to) throw Problem(400, "from must not be above to");
    if (from < oldest)
        throw Problem(410,
                      "the heights below " + std::to_string(oldest) + " are forgotten (--history-blocks)");
    return sandbox_.ledger().truth(from, to);
}

ControlApi::Json ControlApi::transaction(const std::string& hash) {
    if (auto truth = sandbox_.ledger().truth_of(hash)) return *truth;
    throw Problem(404, "nobody has sent a transaction with the hash \"" + hash + "\"");
}

ControlApi::Json ControlApi::faults() {
    Json made = Json::object();
    for (const auto& host : sandbox_.hosts().all())
        made[host->gateway.name()] = to_json(host->gateway.faults());
    return made;
}

std::vector<Gateway*> ControlApi::hosts_of(Fields& fields) {
    const auto name = fields.text("host", "");
    std::vector<Gateway*> chosen;
    std::string names;
    for (const auto& host : sandbox_.hosts().all()) {
        if (name.empty() || name == host->gateway.name()) chosen.push_back(&host->gateway);
        names.append(names.empty() ? "" : ", ").append(host->gateway.name());
    }
    if (chosen.empty())
        throw Problem(
            400, "there is no host \"" + name + "\"; there are: " + names + "; without `host` all are meant");
    return chosen;
}

ControlApi::Json ControlApi::set_faults(const net::ServerRequest& request) {
    Fields fields = Fields::of_body(request);
    const auto hosts = hosts_of(fields);
    const auto plan = read_fault_plan(fields.any("faults"));
    fields.expect_no_others();
    if (plan.has_error()) throw Problem(400, plan.error());
    for (Gateway* host : hosts) host->set_faults(*plan);
    return faults();
}

ControlApi::Json ControlApi::lies() {
    Json made = Json::object();
    for (const auto& host : sandbox_.hosts().all())
        made[host->gateway.name()] = to_json(host->gateway.lies());
    return made;
}

ControlApi::Json ControlApi::set_lies(const net::ServerRequest& request) {
    Fields fields = Fields::of_body(request);
    const auto hosts = hosts_of(fields);
    const auto told = read_lies(fields.any("lies"));
    fields.expect_no_others();
    if (told.has_error()) throw Problem(400, told.error());
    for (Gateway* host : hosts) host->set_lies(*told);
    return lies();
}

ControlApi::Json ControlApi::set_traffic(const net::ServerRequest& request) {
    Fields fields = Fields::of_body(request);
    const auto tps = fields.number("tps", 0, 0, kMostTps);
    fields.expect_no_others();
    auto* traffic = sandbox_.traffic();
    if (!traffic) throw Problem(409, "there is no traffic: --traffic names a profile");
    traffic->set_tps(static_cast<double>(tps));
    return {{"tps", tps}, {"height", sandbox_.ledger().tip()}};
}

ControlApi::Json ControlApi::pause() {
    sandbox_.ticker().pause();
    return {{"paused", true}, {"height", sandbox_.ledger().tip()}};
}

ControlApi::Json ControlApi::resume() {
    if (!sandbox_.ticker().has_rhythm())
        throw Problem(409,
                      "--block-time-ms is 0, so there is no rhythm to resume: POST /advance makes blocks");
    sandbox_.ticker().resume();
    return {{"paused", false}, {"height", sandbox_.ledger().tip()}};
}

void ControlApi::expect_noted(Ledger::DropAnswer answer, const std::string& hash) const {
    if (answer == Ledger::DropAnswer::unknown_hash)
        throw Problem(400, "\"" + hash + "\" is not the hash of a transaction (base58 of 32 bytes)");
    if (answer == Ledger::DropAnswer::already_included)
        throw Problem(409, "the transaction " + hash + " is in a block already");
}

ControlApi::Json ControlApi::drop(const std::string& hash, const net::ServerRequest& request) {
    Fields fields = Fields::of_body(request);
    const auto text = fields.required_text("how");
    fields.expect_no_others();
    const auto how = parse_drop_how(text);
    if (!how)
        throw Problem(400, "how must be \"expired\", \"superseded\", \"balance\" or \"forwarding\", not \"" +
                               text + "\"");
    expect_noted(sandbox_.ledger().drop(hash, *how), hash);
    return {{"transaction_hash", hash}, {"how", text}};
}

ControlApi::Json ControlApi::delay(const std::string& hash, const net::ServerRequest& request) {
    Fields fields = Fields::of_body(request);
    const auto blocks = fields.number("blocks", 1, 1, kMostBlocks);
    fields.expect_no_others();
    expect_noted(sandbox_.ledger().delay(hash, blocks), hash);
    return {{"transaction_hash", hash}, {"blocks", blocks}};
}

ControlApi::Json ControlApi::include(const std::string& hash, const net::ServerRequest& request) {
    Fields::of_body(request).expect_no_others();
    expect_noted(sandbox_.ledger().include_anyway(hash), hash);
    return {{"transaction_hash", hash}};
}

ControlApi::Json ControlApi::again(const std::string& hash, const net::ServerRequest& request) {
    Fields fields = Fields::of_body(request);
    const bool refused = fields.number("refused", 0, 0, 1) == 1;
    fields.expect_no_others();
    if (!sandbox_.ledger().execute_again(hash, refused))
        throw Problem(409, "no block includes a transaction " + hash);
    return {{"transaction_hash", hash}, {"refused", refused}};
}

void ControlApi::no_such_shard(const std::string& shard) {
    std::string ids;
    for (const auto id : sandbox_.ledger().layout().shard_ids())
        ids.append(ids.empty() ? "" : ", ").append(std::to_string(id));
    throw Problem(404, "there is no shard " + shard + "; there are: " + ids);
}

ControlApi::Json ControlApi::congest(const std::string& shard, const net::ServerRequest& request) {
    Fields fields = Fields::of_body(request);
    const auto blocks = fields.number("blocks", 10, 1, kMostBlocks);
    const auto level = fields.fraction("level", 0);
    fields.expect_no_others();
    const auto shard_id = json_text::number(shard);
    if (!shard_id || !sandbox_.ledger().congest(*shard_id, blocks, level)) no_such_shard(shard);
    return {{"shard_id", *shard_id}, {"blocks", blocks}, {"level", level}};
}

ControlApi::Json ControlApi::fork(const net::ServerRequest& request) {
    Fields fields = Fields::of_body(request);
    const auto blocks = fields.number("blocks", 1, 1, Ledger::kMostLostBlocks);
    fields.expect_no_others();
    if (sandbox_.ledger().options().history_blocks > 0)
        throw Problem(409, "a chain with --history-blocks makes no forks");
    sandbox_.ledger().fork(blocks);
    return {{"blocks", blocks}, {"after", sandbox_.ledger().tip()}};
}

ControlApi::Json ControlApi::skip_height(const net::ServerRequest& request) {
    Fields fields = Fields::of_body(request);
    const auto heights = fields.number("heights", 1, 1, kMostHeights);
    fields.expect_no_others();
    sandbox_.ledger().skip_heights(heights);
    return {{"heights", heights}, {"after", sandbox_.ledger().tip()}};
}

ControlApi::Json ControlApi::withhold_chunk(const net::ServerRequest& request) {
    Fields fields = Fields::of_body(request);
    const auto shard_id = fields.required_number("shard_id");
    const auto chunks = fields.number("chunks", 1, 1, kMostHeights);
    fields.expect_no_others();
    if (!sandbox_.ledger().withhold_chunk(shard_id, chunks)) no_such_shard(std::to_string(shard_id));
    return {{"shard_id", shard_id}, {"chunks", chunks}};
}

}  // namespace receiptd::sandbox
