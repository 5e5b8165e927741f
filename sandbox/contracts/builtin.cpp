#include "sandbox/contracts/builtin.hpp"

#include "sandbox/contracts/ft.hpp"
#include "sandbox/contracts/receiver.hpp"
#include "sandbox/contracts/script.hpp"
#include "sandbox/contracts/wallet.hpp"
#include "sandbox/contracts/yield.hpp"
#include "sandbox/sim/limits.hpp"

namespace receiptd::sandbox {

void add_builtin_contracts(sim::Contracts& contracts) {
    contracts.add(kFtCode, std::make_unique<FtContract>());
    contracts.add(kReceiverCode, std::make_unique<ReceiverContract>());
    contracts.add(kYieldCode, std::make_unique<YieldContract>());
    contracts.add(kScriptCode, std::make_unique<ScriptContract>());
    contracts.add(sim::kEthWalletCode, std::make_unique<WalletContract>());
}

}  // namespace receiptd::sandbox
