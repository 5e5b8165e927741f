// The configured hosts' word about a block, from each alone: JSON-RPC hosts and the whole-block service.
#pragma once

#include "rpc/decoded_call.hpp"
#include "rpc/source.hpp"

#include <memory>

namespace receiptd::rpc {

class ConfiguredWitnesses final : public Witnesses {
public:
    // `neardata` may be null.
    ConfiguredWitnesses(base::asio::any_io_executor executor, base::asio::thread_pool& pool,
                        std::shared_ptr<Router> rpc, std::shared_ptr<Router> neardata);

    std::size_t count() const override;
    base::Task<std::vector<Witness>> ask(chain::BlockHeight height, std::string except) override;
    void doubt(const std::string& host) override;
    void doubt_heads(chain::BlockHeight height) override;

private:
    struct Asked;
    base::Task<void> ask_rpc(std::size_t host, chain::BlockHeight height, std::shared_ptr<Asked> asked);
    base::Task<void> ask_neardata(chain::BlockHeight height, std::shared_ptr<Asked> asked);
    template <class Visit>
    void for_each_host(const Visit& visit);

    base::asio::any_io_executor executor_;
    base::asio::thread_pool& pool_;
    std::shared_ptr<Router> rpc_;
    std::shared_ptr<Router> neardata_;
};

}  // namespace receiptd::rpc
