// The whole sandbox: chain, traffic, hosts and rhythm, put together.
#pragma once

#include "sandbox/gateway/hosts.hpp"
#include "sandbox/ledger/ledger.hpp"
#include "sandbox/run/block_ticker.hpp"
#include "sandbox/run/ready_accounts.hpp"
#include "sandbox/run/run_options.hpp"
#include "sandbox/run/traffic_feed.hpp"

#include <optional>
#include <string>
#include <vector>

namespace receiptd::sandbox {

class Sandbox {
public:
    // The clock must outlive it. Throws std::invalid_argument for options that make no sandbox, and
    // std::system_error where a listener is at fault.
    Sandbox(boost::asio::any_io_executor executor, RunOptions options, const base::Clock& clock);
    Sandbox(const Sandbox&) = delete;
    Sandbox& operator=(const Sandbox&) = delete;

    // Makes one block, and tells the traffic and the waiting requests.
    void make_block();

    const RunOptions& options() const { return options_; }
    const std::vector<ReadyAccount>& ready() const { return ready_; }
    Ledger& ledger() { return ledger_; }
    Hosts& hosts() { return hosts_; }
    BlockTicker& ticker() { return ticker_; }
    // nullptr: there is none.
    TrafficFeed* traffic() { return traffic_ ? &*traffic_ : nullptr; }

private:
    LedgerOptions ledger_options() const;
    HostsOptions hosts_options() const;
    std::optional<TrafficFeed> make_traffic();

    RunOptions options_;
    const base::Clock& clock_;
    std::vector<ReadyAccount> ready_;
    sim::Contracts contracts_;
    Ledger ledger_;
    std::optional<TrafficFeed> traffic_;
    Hosts hosts_;
    BlockTicker ticker_;
};

}  // namespace receiptd::sandbox
