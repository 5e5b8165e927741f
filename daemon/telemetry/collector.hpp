// A collector of traces by OTLP over HTTP.
#pragma once

#include "base/clock.hpp"
#include "base/scrubber.hpp"
#include "base/task.hpp"
#include "config/settings.hpp"
#include "net/http_client.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::telemetry {

struct Taken {
    int status = 0;     // 0: no answer
    std::string error;  // why there is none, or the beginning of the answer
    std::optional<base::Duration> retry_after{};
    std::uint64_t rejected_spans = 0;  // of a partial success
};

// `again`: it may be taken later. OTLP names the statuses; those that a wrong configuration causes are among
// them, as somebody corrects it.
enum class Fate : std::uint8_t { taken, again, refused };
Fate fate_of(int status);

class Collector {
public:
    virtual ~Collector() = default;
    virtual base::Task<Taken> post(std::string body) = 0;
};

class HttpCollector final : public Collector {
public:
    // Settings that config has accepted, with an otlp_url. std::runtime_error: it cannot be used.
    HttpCollector(boost::asio::any_io_executor executor, const config::Traces& settings,
                  const base::Clock& clock);

    base::Task<Taken> post(std::string body) override;

private:
    const base::Clock& clock_;
    net::HttpClient client_;
    std::string target_;
    std::vector<net::Header> headers_;
    base::Scrubber secrets_;
};

}  // namespace receiptd::telemetry
