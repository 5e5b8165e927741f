// Recorded data as a Chain: JSON-RPC recordings, whole blocks, or both of the same chain.
#pragma once

#include "sandbox/gateway/chain.hpp"
#include "sandbox/replay/rpc_recording.hpp"
#include "sandbox/replay/tip_schedule.hpp"
#include "sandbox/replay/whole_block_run.hpp"

#include <vector>

namespace receiptd::sandbox {

class ReplayChain final : public Chain {
public:
    // At least one of the two holds a block, else std::runtime_error. The clock must outlive it.
    ReplayChain(RpcRecording recording, WholeBlockRun run, const base::Clock& clock, TipOptions tip);

    void note_request() override { schedule_.note_request(); }
    Height first() const override { return height_at(0); }
    Height tip() const override { return height_at(schedule_.servable() - 1); }
    Height back(Height height, std::uint64_t blocks) const override;
    std::optional<base::WallTime> served_at(Height height) const override;
    std::optional<base::Duration> until(Height height) const override;

    bool has_block(Height height) const override;
    std::optional<Height> height_of_block(std::string_view hash) const override;
    std::optional<std::string> block(Height height) const override;
    std::optional<Located> chunk(std::string_view hash) const override;
    std::optional<Located> receipt(std::string_view receipt_id) const override;
    std::optional<TransactionView> transaction(std::string_view hash, Height tip) const override;
    bool has_receipts_of_transactions() const override;

    std::optional<Height> whole_tip(Height tip) const override;
    std::shared_ptr<const std::string> whole_block(Height height) const override;
    std::shared_ptr<const std::string> whole_block_gzip(Height height) const override;

private:
    // Blocks are counted over both sources, in height order.
    std::uint64_t count() const { return heights_.empty() ? run_.size() : heights_.size(); }
    Height height_at(std::uint64_t index) const;
    // Index of the first block at or above `height`; count() if there is none.
    std::uint64_t index_from(Height height) const;
    ExecutionTree tree_of(const WholeBlockRun::TransactionPlace& place, Height tip) const;

    RpcRecording recording_;
    WholeBlockRun run_;
    std::vector<Height> heights_;  // of both, merged; empty: the run alone, whose heights are computed
    TipSchedule schedule_;
};

}  // namespace receiptd::sandbox
