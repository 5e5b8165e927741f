// Puts one question to the hosts that may know: regular first, archival where the regular ones no
// longer hold the answer, elsewhere after a fault; bounded in attempts and time.
#pragma once

#include "base/backoff.hpp"
#include "rpc/choose.hpp"
#include "rpc/upstream.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace receiptd::rpc {

struct Call {
    Request request;
    std::string object;                     // for people: "block 123"
    std::optional<std::size_t> first_host;  // asked first if it is well
    std::optional<std::size_t> only_host;   // asked alone, and once
    std::set<std::size_t> except;           // not asked
    std::string last_host;                  // asked if no other one can be
    bool for_proof = false;                 // asks hosts that have not proven their network, too
    Read read;                              // empty: any result will do
};

// Why nobody answered.
struct CallError {
    ErrorClass error_class = ErrorClass::endpoint_fault;
    std::string reason;                    // short and stable
    std::string detail;                    // for people: object, hosts, what they said
    std::string host;                      // the one whose answer ended the call, if one's did
    std::string invalid_transaction_json;  // its InvalidTxError, if it was one
    chain::BlockHeight looked_at = 0;      // by that host, to say that something does not exist; 0: not told
    bool absent = false;                   // all hosts that could know it say that they do not
    bool method_missing = false;           // a host did not offer the method
    // Absent by the word of one host, though another one that should know did not answer.
    bool doubtful = false;
    // Each host that offers the method says that it does not know it, or none offers the method.
    bool denied_by_all = false;
    bool denied_by_two = false;  // absent by the word of two hosts, one of them archival
};

struct RouterLimits {
    unsigned attempts = 5;  // that may fail; answers do not count
    base::Duration time = std::chrono::seconds(60);
    base::BackoffPolicy backoff{std::chrono::milliseconds(200), std::chrono::seconds(5), 2.0, 0.5};
};

class Router {
public:
    Router(base::asio::any_io_executor executor, std::shared_ptr<TimeAndChance> time,
           std::vector<std::unique_ptr<Upstream>> hosts, RouterLimits limits = {},
           metrics::RpcSeries* series = nullptr);

    // The host whose answer was right, or why there is none.
    base::Task<base::Result<std::size_t, CallError>> call(Call call);

    // The best host besides these that offers the method and may be asked at once: a regular one first.
    std::optional<std::size_t> ready_except(const std::string& method,
                                            const std::set<std::size_t>& except) const;
    // Hosts of the kind that offer the method and may be asked at once.
    std::vector<std::size_t> ready(HostKind kind, const std::string& method) const;
    // The host of that name, if it is one of these.
    std::optional<std::size_t> find(const std::string& name) const;
    // Whether the host offers the method, as far as is known; the other: whether another one than these does.
    bool offers(std::size_t host, const std::string& method) const { return offers(*hosts_[host], method); }
    bool is_offered(const std::string& method, const std::set<std::size_t>& except) const;
    // Highest block any host told of.
    std::optional<chain::BlockHeight> known_head() const;
    std::vector<UpstreamState> states() const;
    // Shards that no host tracks, as far as the answers of the last minutes tell.
    const std::set<chain::ShardId>& untracked_shards();
    std::vector<std::unique_ptr<Upstream>>& hosts() { return hosts_; }
    const std::vector<std::unique_ptr<Upstream>>& hosts() const { return hosts_; }

private:
    struct Progress;
    bool offers(const Upstream& host, const std::string& method) const;
    // Whether a host that has not proven its network has done so within the call's time.
    base::Task<bool> proves_itself(Upstream& host, Progress& progress);
    std::vector<HostView> view(const Call& call, const Progress& progress) const;
    base::Duration pause_before(const Progress& progress, std::size_t host);
    void learn(const Call& call, const Progress& progress, std::optional<std::size_t> answered);
    bool lacks_shard(const Request& request, const Verdict& verdict, const Upstream& host) const;
    void learn_untracked();
    void show_shard(chain::ShardId shard_id);
    bool lacks_method(const Call& call) const;
    void note(Progress& progress, std::size_t host, const Verdict& verdict, int status) const;
    CallError give_up(const Call& call, const Progress& progress) const;
    CallError never_asked(const Call& call) const;

    base::asio::any_io_executor executor_;
    std::shared_ptr<TimeAndChance> time_;
    std::vector<std::unique_ptr<Upstream>> hosts_;
    RouterLimits limits_;
    metrics::RpcSeries* series_;
    std::set<chain::ShardId> untracked_;
    std::map<chain::ShardId, prometheus::Gauge*> shown_shards_;
};

}  // namespace receiptd::rpc
