#include "chain/tree/sightings.hpp"

#include "chain/tree/user.hpp"

#include <algorithm>
#include <iterator>

namespace receiptd::chain {

namespace {

void add_methods(const List<Action>& actions, std::vector<std::string>& methods) {
    for (const auto& action : actions) {
        add_methods(action.delegate_actions, methods);
        if (action.kind != ActionKind::function_call) continue;
        if (std::find(methods.begin(), methods.end(), action.method_name) == methods.end())
            methods.emplace_back(action.method_name);
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
    seen.user_id = relayed_user(transaction);
    seen.receiver_id = transaction.receiver_id;
    add_methods(transaction.actions, seen.methods);
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
