// Metrics of the upstreams.
#pragma once

#include "metrics/metric_types.hpp"

#include <map>
#include <string>
#include <utility>

namespace receiptd::metrics {

// Blocks that a host showed, by whether their hash follows from their header.
struct HeaderHashSeries {
    explicit HeaderHashSeries(prometheus::Family<prometheus::Counter>& family);
    prometheus::Counter& equal;
    prometheus::Counter& different;
    prometheus::Counter& unknown_form;
};

// Blocks whose hash does not follow from the header that a host showed, by what the other hosts show.
struct HeaderWordSeries {
    explicit HeaderWordSeries(prometheus::Family<prometheus::Counter>& family);
    prometheus::Counter& proven;
    prometheus::Counter& alike;
    prometheus::Counter& alone;
    prometheus::Counter& false_;
    prometheus::Counter& unclear;
};

struct RpcSeries {
    explicit RpcSeries(Registry& registry);

    prometheus::Family<prometheus::Counter>& requests;      // upstream, method, outcome
    prometheus::Family<prometheus::Histogram>& seconds;     // upstream
    prometheus::Family<prometheus::Counter>& received;      // upstream
    prometheus::Family<prometheus::Gauge>& health;          // upstream; so are the rest
    prometheus::Family<prometheus::Gauge>& head_height;     // highest height it told or gave
    prometheus::Family<prometheus::Gauge>& horizon_height;  // lowest height it is known to hold
    prometheus::Family<prometheus::Gauge>& budget_tokens;
    prometheus::Family<prometheus::Gauge>& budget_limit;
    prometheus::Family<prometheus::Histogram>& wait_seconds;  // upstream, purpose
    prometheus::Family<prometheus::Gauge>& in_flight;
    prometheus::Family<prometheus::Gauge>& refused;
    prometheus::Family<prometheus::Gauge>& unpaid;
    prometheus::Family<prometheus::Gauge>& other_network;
    prometheus::Family<prometheus::Gauge>& untracked_shards;
    prometheus::Family<prometheus::Gauge>& shard_untracked;  // shard_id
    HeaderHashSeries header_hashes;                          // of all upstreams together
    HeaderWordSeries header_words;
};

// The series of one upstream, looked up once.
class UpstreamSeries {
public:
    UpstreamSeries(RpcSeries& series, const std::string& upstream);

    // `outcome`: an error class of the rpc module.
    prometheus::Counter& request(const std::string& method, const std::string& outcome);
    // `purpose`: a priority of the rpc module.
    prometheus::Histogram& wait_seconds(const std::string& purpose);

    prometheus::Histogram& seconds;
    prometheus::Counter& received_bytes;
    prometheus::Gauge& health;
    prometheus::Gauge& head_height;
    prometheus::Gauge& horizon_height;
    prometheus::Gauge& budget_tokens;
    prometheus::Gauge& budget_limit;
    prometheus::Gauge& in_flight;
    prometheus::Gauge& refused;
    prometheus::Gauge& unpaid;
    prometheus::Gauge& other_network;
    prometheus::Gauge& untracked_shards;
    HeaderHashSeries header_hashes;

private:
    prometheus::Family<prometheus::Counter>& requests_;
    prometheus::Family<prometheus::Histogram>& wait_seconds_;
    std::string upstream_;
    std::map<std::pair<std::string, std::string>, prometheus::Counter*> known_;
    std::map<std::string, prometheus::Histogram*> waits_;
};

}  // namespace receiptd::metrics
