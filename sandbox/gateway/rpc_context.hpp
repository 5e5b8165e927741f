// A JSON-RPC method's view of the host that was asked.
#pragma once

#include "sandbox/gateway/live_chain.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace receiptd::sandbox {

struct RpcContext {
    const Chain& chain;
    LiveChain* live = nullptr;  // the same chain, if it is more than a recording
    std::string_view chain_id;
    Window window;  // the heights the host shows
    std::uint64_t uptime_sec = 0;
};

// Both need an existing block; they do not build its whole JSON tree.
std::string block_hash(const Chain& chain, Height height);
nlohmann::json block_header(const Chain& chain, Height height);

}  // namespace receiptd::sandbox
