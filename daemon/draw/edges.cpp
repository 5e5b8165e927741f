#include "draw/edges.hpp"

#include <string_view>
#include <unordered_map>

namespace receiptd::draw {
namespace {

using chain::JudgedReceipt;
using Receipts = std::vector<const JudgedReceipt*>;
constexpr std::size_t kTransaction = 0;

bool is_handled(const JudgedReceipt& receipt) { return receipt.handling == chain::Handling::handled; }

class Edges {
public:
    Edges(const chain::Judgement& tree, const Receipts& receipts) : tree_(tree), receipts_(receipts) {
        for (std::size_t i = 0; i < receipts.size(); ++i) at_.emplace(receipts[i]->receipt_id, i + 1);
        leads_to_failure_.assign(receipts.size() + 1, false);
        for (std::size_t i = 0; i < receipts.size(); ++i)
            if (receipts[i]->failed() && !is_handled(*receipts[i]) && !receipts[i]->is_from_system())
                mark(i + 1);
    }

    std::vector<Edge> edges() const {
        std::vector<Edge> edges;
        for (std::size_t i = 0; i < receipts_.size(); ++i) {
            const auto& receipt = *receipts_[i];
            if (const auto parent = parent_of(i + 1); parent != kNone && parent != i + 1)
                edges.push_back(spawn(parent, i + 1));
            for (const auto& id : receipt.awaits)
                if (const auto maker = at_.find(id); maker != at_.end())
                    edges.push_back(data(maker->second, i + 1));
        }
        return edges;
    }

private:
    static constexpr auto kNone = static_cast<std::size_t>(-1);

    std::size_t parent_of(std::size_t index) const {
        const auto& receipt = *receipts_[index - 1];
        if (receipt.parent_receipt_id.empty())
            return receipt.attached && tree_.included ? kTransaction : kNone;
        const auto found = at_.find(receipt.parent_receipt_id);
        return found == at_.end() ? kNone : found->second;
    }

    void mark(std::size_t index) {
        while (index != kNone && !leads_to_failure_[index]) {
            leads_to_failure_[index] = true;
            index = index == kTransaction ? kNone : parent_of(index);
        }
    }

    Edge spawn(std::size_t from, std::size_t to) const {
        const auto& child = *receipts_[to - 1];
        Edge edge;
        edge.from = from;
        edge.to = to;
        edge.pending = !child.executed;
        edge.quiet = child.is_from_system();
        if (leads_to_failure_[to])
            edge.tone = Edge::Tone::failed;
        else if (child.failed() && is_handled(child))
            edge.tone = Edge::Tone::handled;
        else if (child.on_result_chain)
            edge.tone = Edge::Tone::result;
        return edge;
    }

    Edge data(std::size_t from, std::size_t to) const {
        const auto& maker = *receipts_[from - 1];
        const auto& awaiting = *receipts_[to - 1];
        Edge edge;
        edge.kind = Edge::Kind::data;
        edge.from = from;
        edge.to = to;
        edge.pending = !maker.executed || !awaiting.executed;
        if (maker.failed()) edge.tone = is_handled(maker) ? Edge::Tone::handled : Edge::Tone::failed;
        return edge;
    }

    const chain::Judgement& tree_;
    const Receipts& receipts_;
    std::unordered_map<std::string_view, std::size_t> at_;
    std::vector<bool> leads_to_failure_;
};

}  // namespace

std::vector<Edge> edges_of(const chain::Judgement& tree, const Receipts& receipts) {
    return Edges(tree, receipts).edges();
}

}  // namespace receiptd::draw
