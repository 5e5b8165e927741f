// The contracts that come with the sandbox, as native code. An account runs one of them if exactly its
// bytes are deployed there, so a test may deploy `kFtCode` on an account of its own.
#pragma once

#include "sandbox/sim/host.hpp"

#include <array>
#include <string_view>

namespace receiptd::sandbox {

inline constexpr std::string_view kFtCode = "receiptd-sandbox native contract: ft";  // ft.hpp
inline constexpr std::string_view kReceiverCode =
    "receiptd-sandbox native contract: receiver";                                            // receiver.hpp
inline constexpr std::string_view kYieldCode = "receiptd-sandbox native contract: yield";    // yield.hpp
inline constexpr std::string_view kScriptCode = "receiptd-sandbox native contract: script";  // script.hpp

// A contract that genesis deploys, and its account.
struct BuiltinContract {
    std::string_view account_id;
    std::string_view code;
};
inline constexpr std::array<BuiltinContract, 4> kBuiltinContracts{{
    {"ft.sandbox", kFtCode},
    {"receiver.sandbox", kReceiverCode},
    {"yield.sandbox", kYieldCode},
    {"script.sandbox", kScriptCode},
}};

void add_builtin_contracts(sim::Contracts& contracts);

}  // namespace receiptd::sandbox
