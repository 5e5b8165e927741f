// One host of the gateway: keys, limits, faults and latency in front of JSON-RPC (POST /), whole
// blocks (GET /v0/…) and the node's GET /status, /health, /network_info and /metrics.
//
// GET /sandbox/tip and /sandbox/served_at?height=H tell benchmarks when a height became servable;
// they and /metrics pass by keys, limits and faults and do not count as a first request.
#pragma once

#include "base/event.hpp"
#include "base/task.hpp"
#include "net/http_server.hpp"
#include "sandbox/gateway/access.hpp"
#include "sandbox/gateway/chain.hpp"
#include "sandbox/gateway/faults.hpp"
#include "sandbox/gateway/http_answer.hpp"
#include "sandbox/gateway/lies.hpp"
#include "sandbox/gateway/live_chain.hpp"
#include "sandbox/gateway/neardata.hpp"
#include "sandbox/gateway/request_counters.hpp"
#include "sandbox/gateway/rpc_answer.hpp"
#include "sandbox/gateway/rpc_context.hpp"
#include "sandbox/gateway/told_chain.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace receiptd::sandbox {

struct RpcRequest;

struct GatewayOptions {
    std::string name = "regular";  // of the host, in its metrics
    std::string chain_id = "mainnet";
    std::uint64_t retention_blocks = 0;  // newest blocks this host keeps; 0: all
    std::string archive_origin;          // "http://host:port" that has the older whole blocks
    AccessOptions access;
    FaultPlan faults;
    std::uint64_t seed = 1;
    std::chrono::milliseconds latency{0};
    unsigned indexer_blocks_at_once = 1;             // more are BUSY
    std::chrono::milliseconds slow{2'000};           // more, for Fault::slow
    std::chrono::milliseconds longest_hold{20'000};  // of a request for a whole block to come
    // Longest wait of a request for a transaction (wait_until); 0: all such are answered at once.
    std::chrono::milliseconds longest_wait{0};
};

class Gateway {
public:
    // All that is passed by reference must outlive it. Single-threaded.
    Gateway(Chain& chain, const base::Clock& clock, GatewayOptions options);
    // For a live chain: offers all methods.
    Gateway(LiveChain& chain, const base::Clock& clock, GatewayOptions options);

    const std::string& name() const { return options_.name; }
    base::Task<net::ServerReply> handle(net::ServerRequest request);
    void set_archive_origin(std::string origin) { neardata_.set_archive_origin(std::move(origin)); }
    // Wakes the requests that wait for the chain: to be called after each new block.
    void chain_moved();
    // Replaces the faults of the options from now on.
    void set_faults(FaultPlan plan) { die_.set(std::move(plan)); }
    const FaultPlan& faults() const { return die_.plan(); }
    // Replaces the lies from now on. Only a live chain has any.
    void set_lies(std::vector<Lie> lies);
    const std::vector<Lie>& lies() const { return lies_.all(); }

    // The heights shown now; `behind` of the newest blocks are not. `retention_blocks` as in the options;
    // the final block is always kept.
    Window window(std::uint64_t behind = 0) const { return window(behind, options_.retention_blocks); }
    // The answer of a host in good order, without keys, limits and waiting.
    net::ServerReply answer(const net::ServerRequest& request, Window window) const;

private:
    Gateway(Chain& chain, LiveChain* live, const base::Clock& clock, GatewayOptions options);

    Window window(std::uint64_t behind, std::uint64_t retention_blocks) const;
    Window window(const Trouble& trouble) const;
    RpcContext context(Window window) const;

    base::Task<void> pause(std::chrono::nanoseconds duration) const;
    std::chrono::milliseconds how_slow(const Trouble& trouble) const;
    base::Task<void> until_moved(base::Duration at_most);
    // Waits for a whole block just above the newest, as neardata does.
    base::Task<void> hold(const net::ServerRequest& request, const Trouble& trouble);
    base::Task<net::ServerReply> serve(const net::ServerRequest& request);
    base::Task<net::ServerReply> served_call(const RpcRequest& call, const Trouble& trouble);
    base::Task<net::ServerReply> served_page(const net::ServerRequest& request, const Trouble& trouble);
    base::Task<RpcAnswer> rpc_answer(const RpcRequest& call, const Trouble& trouble);
    RpcAnswer retold(RpcAnswer answer, const RpcRequest& call);
    net::ServerReply page(const net::ServerRequest& request, Window window) const;
    net::ServerReply sandbox_answer(const net::ServerRequest& request) const;
    // The answer of a host that does not even look at the request; nullopt: it does.
    std::optional<net::ServerReply> blind_answer(const Trouble& trouble, std::string_view label,
                                                 const RpcRequest* call);

    Lies lies_;
    ToldChain chain_;
    LiveChain* live_;
    const base::Clock& clock_;
    base::SteadyTime started_;
    GatewayOptions options_;
    Access access_;
    FaultDie die_;
    Neardata neardata_;
    unsigned indexer_blocks_ = 0;  // being made
    RequestCounters counters_;
    std::optional<base::Event> moved_;  // made by the first who waits
};

}  // namespace receiptd::sandbox
