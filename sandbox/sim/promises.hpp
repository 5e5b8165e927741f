// The promises of one function call and the receipts they become (gateway.md §1.1, §1.2): indices, data
// dependencies, gas weights. Costs nothing here: the host charges.
#pragma once

#include "sandbox/sim/host.hpp"

namespace receiptd::sandbox::sim {

// Index of a receipt under construction, in order of creation.
using ReceiptIndex = std::size_t;

struct PromiseReceipt {
    std::string receiver_id;
    std::vector<DataReceiver> output_data_receivers;
    std::vector<CryptoHash> input_data_ids;
    std::vector<wire::Action> actions;
    bool is_yield = false;
};

class Promises {
public:
    // Data ids are derived from the action's hash and the block's height (encoding.md §5).
    Promises(const CryptoHash& action_hash, Height height) : action_hash_(action_hash), height_(height) {}

    // All throw HostError: an unknown index, more than kMaxPromises.
    PromiseIndex create(std::string receiver_id, const std::vector<ReceiptIndex>& after);
    PromiseIndex join(const std::vector<PromiseIndex>& promises);
    Host::Yield create_yield(std::string receiver_id);

    // The receipts a promise stands for: one, or those of a joint promise.
    const std::vector<ReceiptIndex>& receipts_of(PromiseIndex promise) const;
    bool is_joint(PromiseIndex promise) const;

    void append(ReceiptIndex receipt, wire::Action action, std::uint64_t gas_weight);
    const PromiseReceipt& receipt(ReceiptIndex index) const { return receipts_[index]; }
    // Whether this very call has made the yield.
    bool has_yield(const CryptoHash& data_id) const;

    // Shares out by weight all that is left; returns how much that was: `unused`, or 0 without weights.
    Gas distribute(Gas unused);
    std::vector<PromiseReceipt> take() { return std::move(receipts_); }

private:
    struct Promise {
        std::vector<ReceiptIndex> receipts;
        bool joint = false;
    };
    struct Weight {
        ReceiptIndex receipt = 0;
        std::size_t action = 0;
        std::uint64_t weight = 0;
    };

    PromiseIndex push(Promise promise);
    CryptoHash next_data_id();

    CryptoHash action_hash_;
    Height height_;
    std::uint64_t data_ids_ = 0;
    std::vector<Promise> promises_;
    std::vector<PromiseReceipt> receipts_;
    std::vector<Weight> weights_;
};

}  // namespace receiptd::sandbox::sim
