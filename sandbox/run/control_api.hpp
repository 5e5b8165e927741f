// The control API: testers request troubles here and ask for the truth about transactions. docs/sandbox.md
// describes it.
#pragma once

#include "sandbox/run/control_reply.hpp"
#include "sandbox/run/sandbox.hpp"

#include <string>
#include <vector>

namespace receiptd::sandbox {

class ControlApi {
public:
    explicit ControlApi(Sandbox& sandbox) : sandbox_(sandbox) {}

    base::Task<net::ServerReply> handle(net::ServerRequest request);

    static constexpr std::uint64_t kMostBlocks = 100'000;  // of one /advance
    static constexpr std::uint64_t kMostHeights = 1'000;   // skipped or withheld in one call
    static constexpr std::uint64_t kMostTps = 100'000;

private:
    using Json = nlohmann::json;
    // The parts of a path between slashes.
    using Path = std::vector<std::string>;

    net::ServerReply read(const net::ServerRequest& request, const Path& path);
    net::ServerReply change(const net::ServerRequest& request, const Path& path);
    base::Task<net::ServerReply> advance(const net::ServerRequest& request);

    Json status();
    Json truth(const net::ServerRequest& request);
    Json transaction(const std::string& hash);
    // The hosts that `host` names: one, or all without it.
    std::vector<Gateway*> hosts_of(control::Fields& fields);
    Json faults();
    Json set_faults(const net::ServerRequest& request);
    Json lies();
    Json set_lies(const net::ServerRequest& request);
    Json set_traffic(const net::ServerRequest& request);
    Json pause();
    Json resume();
    Json drop(const std::string& hash, const net::ServerRequest& request);
    Json delay(const std::string& hash, const net::ServerRequest& request);
    Json include(const std::string& hash, const net::ServerRequest& request);
    Json again(const std::string& hash, const net::ServerRequest& request);
    Json congest(const std::string& shard, const net::ServerRequest& request);
    Json fork(const net::ServerRequest& request);
    Json skip_height(const net::ServerRequest& request);
    Json withhold_chunk(const net::ServerRequest& request);
    void expect_noted(Ledger::DropAnswer answer, const std::string& hash) const;
    [[noreturn]] void no_such_shard(const std::string& shard);

    Sandbox& sandbox_;
};

}  // namespace receiptd::sandbox
