#include "chain/tree/sightings.hpp"

#include "chain/tree/user.hpp"

#include <iterator>
#include <unordered_set>

namespace receiptd::chain {

namespace {

// Each method once.
void add_methods(const List<Action>& actions, std::unordered_set<Text>& known,
                 std::vector<std::string>& methods) {
    for (const auto& action : actions) {
        add_methods(action.delegate_actions, known, methods);
        if (action.kind != ActionKind::function_call) continue;
        if (known.insert(action.method_name).second) methods.emplace_back(action.method_name);
    }
}

template <class T>
void move_behind(std::vector<T>& all, std::vector<T>&& more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

SeenTransaction seen_transaction(const SignedTransaction& transaction, ExecutedAt included_at, bool stored) {
    SeenTransaction seen;
    seen.tx_hash = transaction.hash;
    seen.signer_id = transaction.signer_id;
    seen.named_user = relayed_user(transaction);
    seen.receiver_id = transaction.receiver_id;
    std::unordered_set<Text> known;
    add_methods(transaction.actions, known, seen.methods);
    seen.included_at = included_at;
    seen.stored = stored;
    return seen;
}

void Sightings::append(Sightings&& other) {
    collected = collected && other.collected;
    move_behind(transactions, std::move(other.transactions));
    move_behind(trees, std::move(other.trees));
    move_behind(data_ids, std::move(other.data_ids));
}

}  // namespace receiptd::chain
