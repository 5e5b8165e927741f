// Blocks for light clients (rpc.md §9, proofs.md).
#include "sandbox/ledger/block_json.hpp"
#include "sandbox/ledger/ledger.hpp"

#include <nlohmann/json.hpp>

namespace receiptd::sandbox {

namespace {

// The hash of a header without its parent's.
CryptoHash inner_hash(const chain::LightHeader& header) {
    return chain::sha256_pair(chain::sha256(chain::inner_lite_borsh(header.inner_lite)),
                              header.inner_rest_hash);
}

const CryptoHash& epoch_of(const BlockRecord& block) { return block.light.inner_lite.epoch_id; }

}  // namespace

// nearcore's rule: the final block of the newest head, if a client that knows the validators of its own epoch
// and of the next one can check it; else the final block of the next epoch's last head. The block after the
// next has the signatures, so it must be of the same epoch.
std::optional<Json> Ledger::next_light_client_block(Height last, Height tip) const {
    const BlockRecord& known = store_.at_or_below(last);
    const BlockRecord* head = &store_.at_or_below(tip);
    while (head->epoch_index > known.epoch_index + 1) head = &store_.at_ordinal(head->ordinal - 1);
    const BlockRecord* block = store_.by_hash(head->last_final_block);
    if (block == nullptr || block->ordinal == 0) return std::nullopt;
    if (epoch_of(store_.at_ordinal(block->ordinal + 2)) != epoch_of(*block))
        block = &store_.at_ordinal(block->ordinal - 1);
    if (block->height <= known.height) return std::nullopt;
    Json view = light_header_json(block->light);
    view["next_block_inner_hash"] = inner_hash(store_.at_ordinal(block->ordinal + 1).light).to_string();
    view["next_bps"] = validators_.stakes_json();
    view["approvals_after_next"] = Json::array();
    for (const chain::Signature& approval : store_.at_ordinal(block->ordinal + 2).approvals)
        view["approvals_after_next"].push_back(approval.to_string());
    return view;
}

}  // namespace receiptd::sandbox
