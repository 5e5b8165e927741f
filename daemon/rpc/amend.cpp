#include "rpc/amend.hpp"

#include "chain/json/id_maps.hpp"
#include "chain/proof/outcome_order.hpp"
#include "chain/proof/outcomes_root.hpp"
#include "chain/tree/receipt_tree.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::rpc {
namespace {

using Roots = std::vector<std::string>;

struct Proven {
    const chain::Outcome* outcome = nullptr;
    const chain::TransactionStatus* told_in = nullptr;
};
using ProvenById = chain::IdMap<Proven>;

bool leads_to(const Roots& roots, const std::string& root) {
    return std::find(roots.begin(), roots.end(), root) != roots.end();
}

ProvenById proven_in(const BlockContents::Amendment& told, const Roots& roots) {
    ProvenById proven;
    for (const auto& status : told.statuses) {
        const auto look_at = [&](const chain::Outcome& outcome) {
            if (leads_to(roots, outcome.root)) proven.emplace(outcome.id, Proven{&outcome, &status.value});
        };
        if (const auto& conversion = status.value.transaction_outcome) look_at(*conversion);
        for (const auto& outcome : status.value.receipts_outcome) look_at(outcome);
    }
    return proven;
}

chain::ProofSides sides_of(const chain::List<chain::MerklePathItem>& path) {
    chain::ProofSides sides;
    for (const auto& step : path) {
        if (sides.steps == chain::ProofSides::kMostSteps) break;
        sides.left |= std::uint64_t{step.left} << sides.steps++;
    }
    return sides;
}

chain::Outcome as_in_a_block(const chain::Outcome& told) {
    auto outcome = told;
    outcome.sides = sides_of(told.proof);
    return outcome;
}

std::optional<chain::Receipt> body_of(chain::Text id, const Proven& proven,
                                      const BlockContents::Amendment& told) {
    const auto is_it = [id](const chain::Receipt& receipt) { return receipt.receipt_id == id; };
    if (const auto& listed = proven.told_in->receipts) {
        const auto found = std::find_if(listed->begin(), listed->end(), is_it);
        if (found != listed->end()) return *found;
    }
    for (const auto& body : told.bodies)
        if (is_it(body.receipt)) return body.receipt;
    auto initial = chain::initial_receipt(*proven.told_in);
    return initial && is_it(*initial) ? std::move(initial) : std::nullopt;
}

// Takes each out of `proven` that the shard has.
void replace(chain::WholeBlockShard& shard, ProvenById& proven) {
    for (auto& item : shard.transactions) {
        const auto found = proven.find(item.transaction.hash);
        if (found == proven.end()) continue;
        item.outcome = as_in_a_block(*found->second.outcome);
        proven.erase(found);
    }
    for (auto& item : shard.executed) {
        const auto found = proven.find(item.outcome.id);
        if (found == proven.end()) continue;
        item.outcome = as_in_a_block(*found->second.outcome);
        proven.erase(found);
    }
}

void add(chain::WholeBlockShard& shard, const ProvenById& proven, const BlockContents::Amendment& told) {
    for (const auto& [id, it] : proven) {
        const auto& transaction = it.told_in->transaction;
        if (transaction && transaction->hash == id) {
            shard.transactions.push_back({*transaction, as_in_a_block(*it.outcome)});
        } else if (auto body = body_of(id, it, told)) {
            shard.executed.push_back({as_in_a_block(*it.outcome), std::move(*body),
                                      transaction ? transaction->hash : chain::Text()});
        }
    }
}

// In the order of the chunk, if all paths tell their place.
void order_transactions(chain::WholeBlockShard& shard) {
    std::size_t leaves = shard.executed.size();
    for (const auto& item : shard.transactions) leaves += item.outcome ? 1 : 0;
    const auto place = [leaves](const auto& item) {
        return item.outcome ? chain::place_in_tree(item.outcome->sides, leaves) : std::nullopt;
    };
    const bool all_told = std::all_of(shard.transactions.begin(), shard.transactions.end(),
                                      [&](const auto& item) { return place(item).has_value(); });
    if (!all_told) return;
    std::stable_sort(shard.transactions.begin(), shard.transactions.end(),
                     [&](const auto& a, const auto& b) { return *place(a) < *place(b); });
}

void compute_root(chain::WholeBlockShard& shard) {
    order_transactions(shard);
    const auto root = chain::outcomes_root(shard);
    shard.outcomes_root = root ? root->to_string() : std::string();
}

template <class Remove>
chain::WholeBlockShard without(chain::WholeBlockShard shard, const Remove& remove) {
    std::erase_if(shard.transactions, [&](const auto& item) { return remove(item.transaction.hash); });
    std::erase_if(shard.executed, [&](const auto& item) { return remove(item.outcome.id); });
    compute_root(shard);
    return shard;
}

void amend(chain::WholeBlockShard& shard, const BlockContents::Amendment& told, const Roots& roots) {
    const auto proven = proven_in(told, roots);
    auto lacking = proven;
    replace(shard, lacking);
    add(shard, lacking, told);
    compute_root(shard);
    if (leads_to(roots, shard.outcomes_root)) return;
    const auto is_unproven = [&](chain::Text id) { return !proven.contains(id); };
    // Trees out of scope are not asked for: what the block was stored with is in doubt, and no other.
    const auto is_refuted = [&](chain::Text id) {
        return is_unproven(id) && told.stored.contains(std::string(id));
    };
    auto rest = without(shard, is_unproven);
    if (!leads_to(roots, rest.outcomes_root)) rest = without(shard, is_refuted);
    if (leads_to(roots, rest.outcomes_root)) shard = std::move(rest);
}

}  // namespace

void amend(chain::WholeBlock& whole, const BlockContents::Amendment& told) {
    for (auto& shard : whole.shards)
        if (const auto roots = told.roots.find(shard.shard_id); roots != told.roots.end())
            amend(shard, told, roots->second);
}

bool proves_some(const chain::TransactionStatus& status, const BlockContents::Amendment& told) {
    const auto leads = [&](const chain::Outcome& outcome) {
        return std::any_of(told.roots.begin(), told.roots.end(),
                           [&](const auto& of) { return leads_to(of.second, outcome.root); });
    };
    const auto& conversion = status.transaction_outcome;
    return (conversion && leads(*conversion)) ||
           std::any_of(status.receipts_outcome.begin(), status.receipts_outcome.end(), leads);
}

}  // namespace receiptd::rpc
