#include "sandbox/run/sandbox.hpp"

#include "sandbox/contracts/builtin.hpp"
#include "sandbox/run/genesis.hpp"

#include <stdexcept>

namespace receiptd::sandbox {

namespace {

sim::Contracts builtin_contracts() {
    sim::Contracts contracts;
    add_builtin_contracts(contracts);
    return contracts;
}

std::string profile_names() {
    std::string names;
    for (std::size_t i = 0; i < kProfiles; ++i)
        names.append(names.empty() ? "" : ", ").append(profile_name(static_cast<Profile>(i)));
    return names;
}

Profile profile_of(const std::string& name) {
    const auto profile = parse_profile(name);
    if (!profile)
        throw std::invalid_argument("--traffic must be one of " + profile_names() + ", not \"" + name + "\"");
    return *profile;
}

}  // namespace

Sandbox::Sandbox(boost::asio::any_io_executor executor, RunOptions options, const base::Clock& clock)
    : options_(std::move(options)),
      clock_(clock),
      ready_(ready_accounts(options_.ledger.seed)),
      contracts_(builtin_contracts()),
      ledger_(ledger_options(), contracts_),
      traffic_(make_traffic()),
      hosts_(executor, static_cast<LiveChain&>(ledger_), clock, hosts_options()),
      ticker_(executor, clock, options_.block_time, [this] { make_block(); }) {}

// If blocks are made by hand, the chain's own time advances as with the default rhythm.
LedgerOptions Sandbox::ledger_options() const {
    LedgerOptions made = options_.ledger;
    if (options_.block_time > std::chrono::milliseconds::zero())
        made.block_time_nanosec =
            static_cast<std::uint64_t>(std::chrono::nanoseconds(options_.block_time).count());
    made.accounts = genesis_accounts(
        ready_, options_.traffic ? traffic_accounts(made.seed) : std::vector<TrafficAccount>());
    return made;
}

HostsOptions Sandbox::hosts_options() const {
    HostsOptions made;
    made.listen = options_.listen;
    made.archival_listen = options_.archival_listen;
    GatewayOptions& gateway = made.gateway;
    gateway.chain_id = options_.ledger.chain_id;
    gateway.retention_blocks = options_.retention_blocks;
    gateway.access.api_keys = options_.api_keys;
    gateway.access.require_key = options_.require_key;
    gateway.access.requests_per_second = options_.rate_limit;
    gateway.access.keyless_share = kKeylessShare;
    gateway.seed = options_.ledger.seed;
    gateway.longest_wait = options_.longest_wait;
    return made;
}

std::optional<TrafficFeed> Sandbox::make_traffic() {
    if (!options_.traffic) return std::nullopt;
    const auto seed = options_.ledger.seed;
    return TrafficFeed(ledger_, Traffic(profile_of(*options_.traffic), seed, traffic_signers(seed)),
                       options_.tps);
}

void Sandbox::make_block() {
    ledger_.produce_block(clock_.wall());
    if (traffic_) traffic_->after_block();
    hosts_.chain_moved();
}

}  // namespace receiptd::sandbox
