#include "storage/adoption.hpp"

#include <map>
#include <set>

namespace receiptd::storage {
namespace {

class Trees {
public:
    explicit Trees(const std::vector<TreeLink>& links) {
        for (const auto& [orphan, parent] : links) {
            learn(orphan);
            learn(parent);
            if (orphan.tree_id == parent.tree_id) continue;
            children_.insert(orphan.tree_id);
            representative_[find(orphan.tree_id)] = find(parent.tree_id);
        }
    }

    std::vector<TreeMove> moves() {
        std::map<std::string, std::set<std::string>> groups;
        for (const auto& [tree, tx_hash] : tx_hashes_) groups[find(tree)].insert(tree);
        std::map<std::string, TreeName> targets;
        for (const auto& [representative, members] : groups) {
            const auto target = name_of(members);
            if (target.tree_id.empty()) continue;
            for (const auto& tree : members)
                if (tree != target.tree_id) targets[tree] = target;
        }
        std::vector<TreeMove> moves;
        for (auto& [from, to] : targets) moves.push_back({from, std::move(to)});
        return moves;
    }

private:
    void learn(const TreeName& tree) {
        representative_.try_emplace(tree.tree_id, tree.tree_id);
        auto& tx_hash = tx_hashes_[tree.tree_id];
        if (!tree.tx_hash.empty()) tx_hash = tree.tx_hash;
    }

    std::string find(const std::string& tree) {
        auto at = tree;
        while (representative_[at] != at) at = representative_[at];
        return at;
    }

    // Empty when two transactions claim the group: then the data contradicts itself and stays as it is.
    TreeName name_of(const std::set<std::string>& members) const {
        std::set<std::string> transactions;
        std::string root;
        for (const auto& tree : members) {
            if (const auto& tx_hash = tx_hashes_.at(tree); !tx_hash.empty()) transactions.insert(tx_hash);
            if (root.empty() && children_.count(tree) == 0) root = tree;
        }
        if (transactions.size() > 1) return {};
        if (!transactions.empty()) return {*transactions.begin(), *transactions.begin()};
        return {root.empty() ? *members.begin() : root, {}};
    }

    std::map<std::string, std::string> representative_;
    std::map<std::string, std::string> tx_hashes_;
    std::set<std::string> children_;
};

}  // namespace

std::vector<TreeMove> plan_moves(const std::vector<TreeLink>& links) { return Trees(links).moves(); }

}  // namespace receiptd::storage
