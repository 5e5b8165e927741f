#include "metrics/rpc_series.hpp"

#include "metrics/registry.hpp"

#include <array>

namespace receiptd::metrics {
namespace {

// The words of rpc::Priority; metrics/ may not include rpc/.
constexpr std::array kPurposes = {"submit", "head", "watch", "gap", "backfill"};

}  // namespace

HeaderHashSeries::HeaderHashSeries(prometheus::Family<prometheus::Counter>& family)
    : equal(family.Add({{"result", "equal"}})),
      different(family.Add({{"result", "different"}})),
      unknown_form(family.Add({{"result", "unknown_form"}})) {}

HeaderWordSeries::HeaderWordSeries(prometheus::Family<prometheus::Counter>& family)
    : proven(family.Add({{"word", "proven"}})),
      alike(family.Add({{"word", "alike"}})),
      alone(family.Add({{"word", "alone"}})),
      false_(family.Add({{"word", "false"}})),
      unclear(family.Add({{"word", "unclear"}})) {}

RpcSeries::RpcSeries(Registry& r)
    : requests(r.counter("receiptd_rpc_requests_total",
                         "Requests to an upstream by method and class of the answer.",
                         {"upstream", "method", "outcome"})),
      seconds(r.histogram("receiptd_rpc_request_seconds",
                          "Time of a request to an upstream, without waiting for its budget.", {"upstream"})),
      received(r.counter("receiptd_rpc_received_bytes_total", "Bytes of answer bodies as received.",
                         {"upstream"})),
      health(r.gauge("receiptd_upstream_health", "How well an upstream does, 0 to 1.", {"upstream"})),
      head_height(
          r.gauge("receiptd_upstream_head_height", "Highest block an upstream told of.", {"upstream"})),
      horizon_height(r.gauge("receiptd_upstream_horizon_height",
                             "Lowest block an upstream is known to hold, learned from its answers.",
                             {"upstream"})),
      budget_tokens(
          r.gauge("receiptd_upstream_budget_tokens", "Requests that may start at once.", {"upstream"})),
      budget_limit(r.gauge("receiptd_upstream_budget_limit",
                           "Requests a second that an upstream may be asked; 0: any number.", {"upstream"})),
      wait_seconds(r.histogram("receiptd_upstream_wait_seconds",
                               "Time that a request waited for the budget of its upstream and a free "
                               "connection, by purpose: submit, head, watch (trees, too), gap, backfill. Its "
                               "count is the number of requests.",
                               {"upstream", "purpose"})),
      in_flight(r.gauge("receiptd_upstream_in_flight", "Requests running.", {"upstream"})),
      refused(r.gauge("receiptd_upstream_refused",
                      "1 while an upstream refuses our requests (401, 403): it is put aside, and tried again "
                      "now and then.",
                      {"upstream"})),
      unpaid(r.gauge("receiptd_upstream_unpaid",
                     "1 while an upstream wants to be paid (402): the credits of its plan are used up.",
                     {"upstream"})),
      other_network(r.gauge("receiptd_upstream_other_network",
                            "1 while an upstream is put aside because it is of another network.",
                            {"upstream"})),
      untracked_shards(r.gauge("receiptd_upstream_untracked_shards",
                               "Shards that an upstream does not track, learned from its answers.",
                               {"upstream"})),
      shard_untracked(r.gauge("receiptd_shard_untracked",
                              "1 for a shard that no upstream tracks: its chunks and outcomes cannot be had.",
                              {"shard_id"})),
      header_hashes(r.counter("receiptd_header_hash_total",
                              "Blocks shown by upstreams, by whether the hash that is told follows from the "
                              "header: equal, different, or unknown_form where that cannot be told.",
                              {"result"})),
      header_words(
          r.counter("receiptd_header_word_total",
                    "Blocks whose hash does not follow from the header as it was shown, by what the "
                    "other hosts show. proven: the same header, in a form from which it follows; "
                    "alike: the same; alone: no other host can tell. These are taken. false: another "
                    "header, proven or by two; unclear: no host confirms it. These are refused.",
                    {"word"})) {}

UpstreamSeries::UpstreamSeries(RpcSeries& series, const std::string& upstream)
    : seconds(series.seconds.Add({{"upstream", upstream}}, seconds_buckets())),
      received_bytes(series.received.Add({{"upstream", upstream}})),
      health(series.health.Add({{"upstream", upstream}})),
      head_height(series.head_height.Add({{"upstream", upstream}})),
      horizon_height(series.horizon_height.Add({{"upstream", upstream}})),
      budget_tokens(series.budget_tokens.Add({{"upstream", upstream}})),
      budget_limit(series.budget_limit.Add({{"upstream", upstream}})),
      in_flight(series.in_flight.Add({{"upstream", upstream}})),
      refused(series.refused.Add({{"upstream", upstream}})),
      unpaid(series.unpaid.Add({{"upstream", upstream}})),
      other_network(series.other_network.Add({{"upstream", upstream}})),
      untracked_shards(series.untracked_shards.Add({{"upstream", upstream}})),
      header_hashes(series.header_hashes),
      requests_(series.requests),
      wait_seconds_(series.wait_seconds),
      upstream_(upstream) {
    // A series that begins at 1 has no increase.
    for (const char* purpose : kPurposes) wait_seconds(purpose);
}

prometheus::Counter& UpstreamSeries::request(const std::string& method, const std::string& outcome) {
    auto& known = known_[{method, outcome}];
    if (known == nullptr)
        known = &requests_.Add({{"upstream", upstream_}, {"method", method}, {"outcome", outcome}});
    return *known;
}

prometheus::Histogram& UpstreamSeries::wait_seconds(const std::string& purpose) {
    auto& known = waits_[purpose];
    if (known == nullptr)
        known = &wait_seconds_.Add({{"upstream", upstream_}, {"purpose", purpose}}, seconds_buckets());
    return *known;
}

}  // namespace receiptd::metrics
