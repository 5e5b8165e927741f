// One host of the gateway: keys, limits, faults and latency in front of JSON-RPC (POST /), whole
// blocks (GET /v0/…) and the node's GET /status and /health.
//
// GET /sandbox/tip and /sandbox/served_at?height=H tell benchmarks when a height became servable;
// they pass by keys, limits and faults and do not count as a first request.
#pragma once

#include "base/task.hpp"
#include "net/http_server.hpp"
#include "sandbox/gateway/access.hpp"
#include "sandbox/gateway/chain.hpp"
#include "sandbox/gateway/faults.hpp"
#include "sandbox/gateway/json_rpc.hpp"
#include "sandbox/gateway/neardata.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace receiptd::sandbox {

struct GatewayOptions {
    std::string chain_id = "mainnet";
    std::uint64_t retention_blocks = 0;  // newest blocks this host keeps; 0: all
    std::string archive_origin;          // "http://host:port" that has the older whole blocks
    AccessOptions access;
    FaultPlan faults;
    std::uint64_t seed = 1;
    std::chrono::milliseconds latency{0};
    std::chrono::milliseconds slow{2'000};           // more, for Fault::slow
    std::chrono::milliseconds longest_hold{20'000};  // of a request for a whole block to come
};

class Gateway {
public:
    // All that is passed by reference must outlive it. Single-threaded.
    Gateway(Chain& chain, const base::Clock& clock, GatewayOptions options);

    base::Task<net::ServerReply> handle(net::ServerRequest request);
    void set_archive_origin(std::string origin) { neardata_.set_archive_origin(std::move(origin)); }

    // The heights shown now; `behind` of the newest blocks are not.
    Window window(std::uint64_t behind = 0) const;
    // The answer of a host in good order, without keys, limits and waiting.
    net::ServerReply answer(const net::ServerRequest& request, Window window) const;

private:
    base::Task<void> pause(std::chrono::nanoseconds duration) const;
    base::Task<void> hold(const net::ServerRequest& request) const;
    net::ServerReply sandbox_answer(const net::ServerRequest& request) const;
    net::ServerReply faulty(Fault fault, const net::ServerRequest& request);

    Chain& chain_;
    const base::Clock& clock_;
    GatewayOptions options_;
    Access access_;
    FaultDie die_;
    JsonRpc json_rpc_;
    Neardata neardata_;
};

}  // namespace receiptd::sandbox
