// One host: its budget, its credential, its health and the facts learned about it.
#pragma once

#include "base/scrubber.hpp"
#include "metrics/rpc_series.hpp"
#include "net/url.hpp"
#include "rpc/credential.hpp"
#include "rpc/gate.hpp"
#include "rpc/health.hpp"
#include "rpc/host_memory.hpp"
#include "rpc/network_proof.hpp"
#include "rpc/received.hpp"
#include "rpc/spending.hpp"
#include "rpc/transport.hpp"
#include "rpc/turns.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace receiptd::rpc {

enum class HostKind { regular, archival, neardata };
const char* to_string(HostKind kind);

struct UpstreamOptions {
    std::string name;
    HostKind kind = HostKind::regular;
    net::Url url;
    Credential credential;
    Admission::Limits limits;
    std::chrono::milliseconds request_timeout{30'000};
};

// One question, ready to be put to any host of a kind.
struct Request {
    std::string method;  // as metric label and for the memory of unsupported ones
    std::string http_method = "POST";
    std::string path;  // appended to the upstream's own
    std::string body;
    Priority priority = Priority::head;
    std::optional<chain::BlockHeight> height;  // the block it is about
    std::optional<chain::ShardId> shard_id;    // and the shard of that block
    Classifier classifier = classify;
    bool has_envelope = true;  // the answer is JSON-RPC
    bool takes_turns = false;  // with others of its kind (turns.hpp)
    // For the first try at a host; then as long as the host may take.
    std::optional<std::chrono::milliseconds> first_timeout;
    // A longer answer is a fault of the host; it never has more than timeouts.max_response.
    std::uint64_t max_answer_bytes = std::numeric_limits<std::uint64_t>::max();
    std::shared_ptr<net::AnswerRoom> room;  // of its answer; null: that of all answers
};

struct Exchange {
    Verdict verdict;  // its texts hold no secret of ours
    int status = 0;
    base::Duration took{};
};

class Upstream {
public:
    Upstream(base::asio::any_io_executor executor, std::shared_ptr<TimeAndChance> time,
             std::shared_ptr<Transport> transport, UpstreamOptions options, metrics::RpcSeries* series);

    // Waits for budget, asks once, judges and remembers. nullopt: the host was blocked while
    // waiting; nothing was asked. `first`: this call has not tried the host before.
    base::Task<std::optional<Exchange>> ask(const Request& request, const Read& read,
                                            std::optional<chain::BlockHeight> known_head, bool first);

    // It told what is not of this chain.
    void doubt();
    bool doubted() const { return memory_.doubted(time_->now()); }
    // In an answer; counted, and said once if its hash does not follow from it.
    void showed(const chain::BlockHeader& header);
    // The host answered with something that lives at `height`; or it lacks what another host has there.
    void saw_block(chain::BlockHeight height);
    void lacks(chain::BlockHeight height, std::optional<chain::BlockHeight> known_head);
    // Its status says so. An archival host tells the horizon of its recent data only: nothing follows.
    void reaches_back_to(chain::BlockHeight earliest);
    void runs(const std::string& version) { memory_.runs(version); }
    void tracks(chain::ShardId shard_id);
    // It lacks something of the shard at `height`; nullopt: it says itself that it does not track the shard.
    void lacks_shard(chain::ShardId shard_id, std::optional<chain::BlockHeight> height);

    const std::string& name() const { return options_.name; }
    HostKind kind() const { return options_.kind; }
    const Health& health() const { return health_; }
    const HostMemory& memory() const { return memory_; }
    const NetworkProof& network() const { return network_; }
    void set_network(NetworkProof proof);
    // Until the proof changes, but not longer.
    base::Task<void> wait_for_proof(base::Duration longest);
    // How long a request that came now would wait at least.
    base::Duration wait() const;
    // 1: as many requests are under way as may be. Those that take turns count by themselves, and also as
    // they wait for them.
    double load(const Request& request) const {
        return gate_->load() + (request.takes_turns ? turns_->load() : 0);
    }

    UpstreamState state() const;
    // A reload of the configuration may change these.
    void set_credential(Credential credential);
    void set_limits(Admission::Limits limits);
    // A host that is put aside, or that lacks a method, is asked again at once.
    void start_afresh();

private:
    net::HttpRequest http_request(const Request& request) const;
    base::Task<Exchange> judge(const Request& request, const Read& read, Transport::Reply reply,
                               std::optional<chain::BlockHeight> known_head);
    void remember(const Request& request, const Verdict& verdict);
    void complain(const Request& request, const Verdict& verdict);
    void spends(Priority purpose, base::Duration waited);
    void note_time(const net::HttpResponse& reply);
    void measure(base::Duration took, std::uint64_t bytes);
    void show() const;
    void learn_secrets();

    base::asio::any_io_executor executor_;
    std::shared_ptr<TimeAndChance> time_;
    std::shared_ptr<Transport> transport_;
    UpstreamOptions options_;
    Spending spending_;
    base::Scrubber secrets_;  // hosts may echo requests
    std::shared_ptr<Gate> gate_;
    std::shared_ptr<Turns> turns_;
    Health health_;
    HostMemory memory_;
    NetworkProof network_;
    bool showed_another_hash_ = false;
    bool told_in_part_ = false;
    std::optional<std::chrono::seconds> clock_ahead_;
    std::set<base::asio::steady_timer*> waiting_for_proof_;
    std::optional<metrics::UpstreamSeries> series_;
};

}  // namespace receiptd::rpc
