// The sample chain, and what all of the sandbox's tests share.
#pragma once

#include "sandbox/replay/replay_chain.hpp"
#include "support/recordings.hpp"
#include "support/sandbox_requests.hpp"

#include <filesystem>

namespace receiptd::sandbox::test {

inline std::filesystem::path sample() {
    return std::filesystem::path(RECEIPTD_TEST_DATA) / "../../sandbox/sample";
}

// Both shapes of the sample chain.
inline ReplayChain sample_chain(const base::Clock& clock, TipOptions tip = {}) {
    static const RpcRecording rpc({sample() / "rpc"});
    static const WholeBlockRun whole_blocks(sample() / "whole-block", std::nullopt);
    return ReplayChain(rpc, whole_blocks, clock, tip);
}

}  // namespace receiptd::sandbox::test
