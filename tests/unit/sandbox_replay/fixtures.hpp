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
    return ReplayChain(RpcRecording({sample() / "rpc"}),
                       WholeBlockRun(sample() / "whole-block", std::nullopt), clock, tip);
}

}  // namespace receiptd::sandbox::test
