// The gateway's interface to a chain: a recording (ReplayChain) or any other.
//
// JSON comes as text ready to be sent. A Chain answers for all it will ever serve; which heights a
// host shows (its tip, its retention) is the gateway's matter. Heights are those of one chain: blocks of
// forks that lost are to be had by hash alone.
#pragma once

#include "base/clock.hpp"
#include "base/height_set.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace receiptd::sandbox {

using base::Height;

// The heights a host shows at one moment, both inclusive.
struct Window {
    Height floor = 0;
    Height tip = 0;
    bool contains(Height height) const { return floor <= height && height <= tip; }
};

struct Located {
    std::string json;
    Height height = 0;  // of the block it belongs to; 0: that block is not recorded
};

// rpc.md §5.4; the two middle ones are not ordered.
enum class ExecutionLevel { none, included, executed_optimistic, included_final, executed, final };
const char* to_string(ExecutionLevel level);
std::optional<ExecutionLevel> parse_execution_level(std::string_view text);
// Whether a transaction at `level` answers a request that waits for `wanted`.
bool satisfies(ExecutionLevel level, ExecutionLevel wanted);

struct TransactionView {
    std::string json;                // result of `tx`
    std::string json_with_receipts;  // result of EXPERIMENTAL_tx_status; empty: not recorded
    ExecutionLevel level = ExecutionLevel::none;
    Height height = 0;  // of the including block; 0: that block is not recorded
};

class Chain {
public:
    virtual ~Chain() = default;

    // A client has asked for something: chains that wait for the first one start now.
    virtual void note_request() = 0;

    virtual Height first() const = 0;  // genesis, or the oldest block of a recording
    virtual Height tip() const = 0;    // the newest block servable now
    // The oldest block that is kept; genesis alone is known beside it.
    virtual Height oldest() const { return first(); }
    // The newest final block, and the newest nearly final one, when `tip` is the newest. A recording is all
    // final.
    virtual Height final_head(Height tip) const { return tip; }
    virtual Height near_final_head(Height tip) const { return tip; }
    // The block `blocks` existing blocks below `height`, or the oldest one.
    virtual Height back(Height height, std::uint64_t blocks) const = 0;
    // When a height became servable; nullopt if it is not, or has no block.
    virtual std::optional<base::WallTime> served_at(Height height) const = 0;
    // Until there is a block at or above `height`; nullopt if none is expected.
    virtual std::optional<base::Duration> until(Height height) const = 0;

    virtual bool has_block(Height height) const = 0;
    virtual std::optional<Height> height_of_block(std::string_view hash) const = 0;
    virtual std::optional<std::string> block(Height height) const = 0;
    virtual std::optional<Located> lost_block(std::string_view /*hash*/) const { return std::nullopt; }
    virtual std::optional<Located> chunk(std::string_view hash) const = 0;
    virtual std::optional<Located> receipt(std::string_view receipt_id) const = 0;
    // As it stands when `tip` is the newest block; nullopt: unknown.
    virtual std::optional<TransactionView> transaction(std::string_view hash, Height tip) const = 0;
    // Whether EXPERIMENTAL_tx_status exists here at all.
    virtual bool has_receipts_of_transactions() const = 0;

    // The newest final whole block when `tip` is the newest block; nullopt if there are no whole blocks here.
    virtual std::optional<Height> whole_tip(Height tip) const = 0;
    // null: no block at that height.
    virtual std::shared_ptr<const std::string> whole_block(Height height) const = 0;
    // The same as gzip, where it was made in advance; null: it was not.
    virtual std::shared_ptr<const std::string> whole_block_gzip(Height /*height*/) const { return nullptr; }
};

}  // namespace receiptd::sandbox
