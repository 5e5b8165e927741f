// A report is played on a chain of the sandbox with its built-in contracts; the daemon's own decoder, lineage
// and judge make rows of its whole blocks.
#pragma once

#include "sandbox/ledger/ledger.hpp"
#include "sandbox/run/ready_accounts.hpp"
#include "unit/chain/copy_reader.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace receiptd::museum {

namespace wire = chain::wire;
using base::Height;
using base::u128;
using chain::Table;
using Json = nlohmann::json;
using Row = chain::testing::Row;
using Rows = std::vector<Row>;

inline constexpr u128 kNear = u128{1'000'000'000'000} * 1'000'000'000'000;

// All that whole blocks brought.
struct Stored {
    chain::RowBatch batch;

    Rows rows(Table table) const { return chain::testing::read_rows(batch, table); }
    // Rows of a transaction.
    Rows rows(Table table, const std::string& tx_hash) const;
    // Throws if there is not exactly one.
    Row result(const std::string& tx_hash) const;
    // "callback_failed, NEAR says success, refunded": verdict, near_status, effect.
    std::string end(const std::string& tx_hash) const;
    // "failed_receipt callback not handled: contract_panic" each, in alphabetical order.
    std::vector<std::string> findings(const std::string& tx_hash) const;
};

class Stage {
public:
    // alice, bob, carol and relayer.sandbox are there, and `guests` with 100 NEAR, who sign with alice's key.
    explicit Stage(const std::vector<std::string>& guests = {});

    // Signed with the signer's next nonce. Returns the hash.
    std::string send(const std::string& signer, const std::string& receiver,
                     std::vector<wire::Action> actions);
    // alice has script.sandbox run a program (sandbox/contracts/script.hpp).
    std::string run(const std::string& program, u128 deposit = 0);
    void blocks(int count);

    using Change = std::function<void(Json& whole_block)>;
    // Blocks from that height on, each changed before the daemon reads it.
    Stored stored(const Change& change = {}, Height from = 0) const;

    sandbox::Ledger& ledger() { return ledger_; }
    const sandbox::sim::SecretKey& key_of(const std::string& account) const;

private:
    std::vector<sandbox::ReadyAccount> accounts_;
    sandbox::sim::Contracts contracts_;
    sandbox::Ledger ledger_;
    std::map<std::string, std::uint64_t> nonces_;
};

// `tgas`: attached to it.
wire::Action call(const std::string& method, const std::string& args, std::uint64_t tgas, u128 deposit = 0);

}  // namespace receiptd::museum
