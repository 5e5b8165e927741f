#include "metrics/api_series.hpp"

#include "metrics/registry.hpp"

namespace receiptd::metrics {

ApiSeries::ApiSeries(Registry& r)
    : requests(r.counter("receiptd_http_requests_total", "Requests answered, by route and status.",
                         {"route", "status"})),
      stream_readers(r.gauge("receiptd_stream_readers", "Readers of /v1/stream now.").Add({})),
      stream_cut_off(r.counter("receiptd_stream_readers_cut_off_total",
                               "Readers of /v1/stream that were cut off for being too slow.")
                         .Add({})) {}

void ApiSeries::count(std::string_view route, int status) {
    requests.Add({{"route", std::string(route)}, {"status", std::to_string(status)}}).Increment();
}

}  // namespace receiptd::metrics
