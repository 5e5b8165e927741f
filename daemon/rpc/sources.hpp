// All that talks to the upstreams, made from the configuration.
#pragma once

#include "config/settings.hpp"
#include "metrics/rpc_series.hpp"
#include "rpc/early_blocks.hpp"
#include "rpc/final_keys.hpp"
#include "rpc/network_check.hpp"
#include "rpc/receipt_source.hpp"
#include "rpc/router.hpp"
#include "rpc/source.hpp"
#include "rpc/submit_source.hpp"
#include "rpc/transport.hpp"

#include <memory>
#include <string>
#include <vector>

namespace receiptd::rpc {

// Lives on one single-threaded executor; so do all its coroutines. Keep it until they have ended.
class Sources {
public:
    virtual ~Sources() = default;
    virtual BlockSource& blocks() = 0;      // as `follow.source` says
    virtual BlockSource& rpc_blocks() = 0;  // of the upstreams, whatever it says
    virtual EarlyBlocks& early_blocks() = 0;
    virtual Witnesses& witnesses() = 0;
    virtual TreeSource& trees() = 0;  // without an upstream every answer is Unavailable
    virtual ReceiptSource& receipts() = 0;
    virtual SubmitSource& submissions() = 0;
    virtual FinalKeys& final_keys() = 0;
    virtual std::vector<UpstreamState> states() const = 0;
    // Shards that no upstream tracks, as far as the answers tell: their chunks and outcomes cannot be had.
    virtual std::vector<chain::ShardId> untracked_shards() = 0;
    // From then on hosts are used as their proofs say; run() of the check keeps them up. Without it each host
    // is used as it is.
    virtual NetworkCheck& network_check() = 0;
    // Takes over keys and budgets of the same upstreams in the same order, as config::reload() leaves them.
    // Each host that refuses us is tried again at once.
    virtual void reload(const config::Settings& settings) = 0;
};

// Throws std::invalid_argument for a URL that does not parse, or source neardata without [neardata].
// `series` may be null. `clock` and `pool` outlive the sources.
std::unique_ptr<Sources> make_sources(base::asio::any_io_executor executor, base::asio::thread_pool& pool,
                                      const config::Settings& settings, metrics::RpcSeries* series,
                                      base::Clock& clock);

// The same with another way out and other time and chance (tests).
std::unique_ptr<Sources> make_sources(base::asio::any_io_executor executor, base::asio::thread_pool& pool,
                                      const config::Settings& settings, metrics::RpcSeries* series,
                                      std::shared_ptr<TimeAndChance> time, TransportFactory transports);

}  // namespace receiptd::rpc
