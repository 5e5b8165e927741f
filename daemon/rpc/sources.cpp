#include "rpc/sources.hpp"

#include "base/coroutine.hpp"
#include "rpc/block_source.hpp"
#include "rpc/indexer_service.hpp"
#include "rpc/neardata_service.hpp"
#include "rpc/questions.hpp"
#include "rpc/redirects.hpp"
#include "rpc/tree_source.hpp"
#include "rpc/witnesses.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace receiptd::rpc {
namespace {

using namespace std::chrono_literals;

constexpr auto kNeardataName = "neardata";
// A long poll holds the request while the next blocks are made (providers.md §2.1).
constexpr std::chrono::milliseconds kLongPoll = 45s;

net::Url parse(const std::string& name, const std::string& text) {
    auto url = net::parse_url(text);
    // The text may hold a key, so it is not repeated.
    if (!url) throw std::invalid_argument("upstream " + name + ": " + url.error().reason);
    return *url;
}

template <class Host>  // config::Upstream or config::Neardata
Admission::Limits limits_of(const Host& host) {
    return {host.max_requests_per_second, host.max_in_flight};
}

template <class Host>
TransportOptions transport_options_of(const Host& host) {
    return {host.max_in_flight, host.gzip, host.proxy, host.ca_file};
}

template <class Host>
Credential credential_of(const Host& host) {
    return {host.api_key, host.auth};
}

struct Parts {
    base::asio::any_io_executor executor;
    metrics::RpcSeries* series;
    std::shared_ptr<TimeAndChance> time;
    TransportFactory transports;
};

std::unique_ptr<Upstream> make_upstream(const Parts& parts, const config::Upstream& host,
                                        const config::Timeouts& timeouts) {
    UpstreamOptions options;
    options.name = host.name;
    options.kind = host.kind == config::UpstreamKind::archival ? HostKind::archival : HostKind::regular;
    options.url = parse(host.name, host.url);
    options.credential = credential_of(host);
    options.limits = limits_of(host);
    options.request_timeout = timeouts.request;
    auto transport = parts.transports(options.url, transport_options_of(host));
    return std::make_unique<Upstream>(parts.executor, parts.time, std::move(transport), std::move(options),
                                      parts.series);
}

std::unique_ptr<Upstream> make_neardata(const Parts& parts, const config::Neardata& host,
                                        const config::Timeouts& timeouts) {
    UpstreamOptions options;
    options.name = kNeardataName;
    options.kind = HostKind::neardata;
    options.url = parse(kNeardataName, host.url);
    options.credential = credential_of(host);
    options.limits = limits_of(host);
    options.request_timeout = std::max(timeouts.request, kLongPoll);
    auto transport = std::make_shared<RedirectingTransport>(parts.transports, options.url,
                                                            host.redirect_hosts, transport_options_of(host));
    return std::make_unique<Upstream>(parts.executor, parts.time, std::move(transport), std::move(options),
                                      parts.series);
}

class ConfiguredSources final : public Sources {
public:
    ConfiguredSources(Parts parts, base::asio::thread_pool& pool, const config::Settings& settings)
        : settings_(settings) {
        std::vector<std::unique_ptr<Upstream>> hosts;
        for (const auto& host : settings.upstreams)
            hosts.push_back(make_upstream(parts, host, settings.timeouts));
        rpc_ = std::make_shared<Router>(parts.executor, parts.time, std::move(hosts), RouterLimits(),
                                        parts.series);
        if (settings.follow.source == config::Source::neardata) neardata_ = whole_blocks(parts, settings);
        witnesses_ = std::make_unique<ConfiguredWitnesses>(parts.executor, pool, rpc_, neardata_);
        const auto headers = std::make_shared<HeaderCheck>(*witnesses_, parts.series);
        auto cache = std::make_shared<BlockCache>();
        auto listed = std::make_shared<ListedReceipts>();
        trees_ = std::make_unique<RpcTreeSource>(parts.executor, pool, rpc_, cache, headers, listed);
        receipts_ = std::make_unique<RpcReceiptSource>(pool, rpc_);
        submissions_ = std::make_unique<RpcSubmitSource>(
            parts.executor, pool, parts.time, rpc_, settings.validity_blocks, settings.is_public_network());
        final_keys_ = std::make_unique<RpcFinalKeys>(pool, rpc_);
        rpc_blocks_ = std::make_shared<RpcBlockSource>(parts.executor, pool, rpc_, cache, headers, listed);
        std::unique_ptr<WholeBlockService> service;
        if (neardata_) {
            service = std::make_unique<NeardataService>(pool, neardata_, headers);
            early_blocks_ = std::make_unique<NeardataEarlyBlocks>(pool, neardata_);
        } else if (settings.follow.source == config::Source::indexer) {
            auto indexer = std::make_unique<IndexerService>(pool, rpc_, rpc_blocks_, headers);
            early_blocks_ = std::make_unique<RpcEarlyBlocks>(
                pool, rpc_, [&made = *indexer](auto block) { return made.early(std::move(block)); });
            service = std::move(indexer);
        } else {
            early_blocks_ = std::make_unique<RpcEarlyBlocks>(
                pool, rpc_, [this](auto block) { return rpc_blocks_->early(std::move(block)); });
        }
        if (service)
            whole_blocks_ = std::make_unique<WholeBlockSource>(parts.executor, parts.time, std::move(service),
                                                               rpc_blocks_);
        network_check_ = std::make_unique<NetworkCheck>(parts.executor, pool, parts.time, rpc_, neardata_);
    }

    static std::shared_ptr<Router> whole_blocks(const Parts& parts, const config::Settings& settings) {
        if (!settings.neardata)
            throw std::invalid_argument("follow.source is neardata, but [neardata] is missing");
        std::vector<std::unique_ptr<Upstream>> one;
        one.push_back(make_neardata(parts, *settings.neardata, settings.timeouts));
        return std::make_shared<Router>(parts.executor, parts.time, std::move(one));
    }

    BlockSource& blocks() override { return whole_blocks_ ? *whole_blocks_ : *rpc_blocks_; }
    BlockSource& rpc_blocks() override { return *rpc_blocks_; }
    EarlyBlocks& early_blocks() override { return *early_blocks_; }
    Witnesses& witnesses() override { return *witnesses_; }
    TreeSource& trees() override { return *trees_; }
    ReceiptSource& receipts() override { return *receipts_; }
    SubmitSource& submissions() override { return *submissions_; }
    FinalKeys& final_keys() override { return *final_keys_; }

    std::vector<UpstreamState> states() const override {
        auto states = rpc_->states();
        if (neardata_)
            for (auto& state : neardata_->states()) states.push_back(std::move(state));
        return states;
    }

    std::vector<chain::ShardId> untracked_shards() override {
        const auto& shards = rpc_->untracked_shards();
        return {shards.begin(), shards.end()};
    }

    NetworkCheck& network_check() override { return *network_check_; }

    void reload(const config::Settings& settings) override {
        for (std::size_t i = 0; i < settings_.upstreams.size(); ++i)
            apply(*rpc_->hosts()[i], settings_.upstreams[i], settings.upstreams.at(i));
        if (neardata_)
            apply(*neardata_->hosts().front(), settings_.neardata.value(), settings.neardata.value());
        settings_ = settings;
    }

private:
    template <class Host>
    static void apply(Upstream& upstream, const Host& now, const Host& wanted) {
        const bool same_key = now.api_key == wanted.api_key;
        if (!same_key) upstream.set_credential(credential_of(wanted));
        if (same_key && !upstream.state().is_usable) upstream.start_afresh();
        if (now.max_requests_per_second != wanted.max_requests_per_second)
            upstream.set_limits(limits_of(wanted));
    }

    config::Settings settings_;
    std::shared_ptr<Router> rpc_;
    std::shared_ptr<Router> neardata_;
    std::shared_ptr<RpcBlockSource> rpc_blocks_;
    std::unique_ptr<BlockSource> whole_blocks_;
    std::unique_ptr<EarlyBlocks> early_blocks_;
    std::unique_ptr<Witnesses> witnesses_;
    std::unique_ptr<TreeSource> trees_;
    std::unique_ptr<ReceiptSource> receipts_;
    std::unique_ptr<SubmitSource> submissions_;
    std::unique_ptr<FinalKeys> final_keys_;
    std::unique_ptr<NetworkCheck> network_check_;
};

}  // namespace

std::unique_ptr<Sources> make_sources(base::asio::any_io_executor executor, base::asio::thread_pool& pool,
                                      const config::Settings& settings, metrics::RpcSeries* series,
                                      base::Clock& clock) {
    auto transports = http_transports(executor, pool, settings.timeouts);
    return make_sources(std::move(executor), pool, settings, series,
                        std::make_shared<RealTimeAndChance>(clock), std::move(transports));
}

std::unique_ptr<Sources> make_sources(base::asio::any_io_executor executor, base::asio::thread_pool& pool,
                                      const config::Settings& settings, metrics::RpcSeries* series,
                                      std::shared_ptr<TimeAndChance> time, TransportFactory transports) {
    Parts parts{std::move(executor), series, std::move(time), std::move(transports)};
    return std::make_unique<ConfiguredSources>(std::move(parts), pool, settings);
}

}  // namespace receiptd::rpc
