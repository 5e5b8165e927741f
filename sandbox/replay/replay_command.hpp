// `receiptd-sandbox replay`: recorded data behind the gateway, on two hosts.
#pragma once

#include "sandbox/gateway/gateway.hpp"
#include "sandbox/replay/tip_schedule.hpp"
#include "sandbox/replay/whole_block_run.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::sandbox {

struct ReplayOptions {
    std::vector<std::filesystem::path> rpc_folders;
    std::filesystem::path whole_blocks;  // empty: none
    std::optional<Repeat> repeat;        // of the whole blocks
    bool compress = false;               // the whole blocks, before the first is served
    std::string listen = "127.0.0.1:0";
    std::string archival_listen = "127.0.0.1:0";
    TipOptions tip;
    GatewayOptions gateway;  // retention_blocks is the regular host's
    bool quiet = false;
};

// Serves until SIGTERM or SIGINT; returns the exit code. Throws std::runtime_error or
// std::system_error where the recording or a listener is at fault.
int run_replay(const ReplayOptions& options);

}  // namespace receiptd::sandbox
