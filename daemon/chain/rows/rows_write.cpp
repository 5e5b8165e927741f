#include "chain/rows/rows_write.hpp"

#include "base/json_text.hpp"
#include "base/nul.hpp"
#include "chain/json/contract_distribution.hpp"
#include "chain/json/events.hpp"
#include "chain/json/json_check.hpp"
#include "chain/rows/args_json.hpp"
#include "chain/tree/facts.hpp"
#include "chain/tree/user.hpp"

#include <boost/unordered/unordered_flat_set.hpp>

#include <algorithm>
#include <utility>

namespace receiptd::chain {

namespace {

Text result_of(const ExecutionStatus& status) {
    if (status.kind == StatusKind::success_value) return status.success_value;
    if (status.kind == StatusKind::success_receipt_id) return status.success_receipt_id;
    return {};
}

u128 deposit_sum(const Receipt& receipt) {
    constexpr u128 kMax = ~u128{0};
    u128 sum = 0;
    for (const auto& action : receipt.actions)
        sum = action.deposit > kMax - sum ? kMax : sum + action.deposit;
    return sum;
}

std::uint64_t new_chunks(const Block& block) {
    return static_cast<std::uint64_t>(std::count_if(
        block.chunks.begin(), block.chunks.end(),
        [&block](const ChunkHeader& chunk) { return chunk.height_included == block.header.height; }));
}

void note_new_actions(const List<Action>& actions, NewKinds& kinds) {
    for (const auto& action : actions) {
        if (action.kind == ActionKind::unknown) kinds.add("action", class_of_variant(action.name));
        note_new_actions(action.delegate_actions, kinds);
    }
}

// The name of a receipt's kind is the first member of its body.
void note_new_receipt(const Receipt& receipt, NewKinds& kinds) {
    note_new_actions(receipt.actions, kinds);
    if (receipt.kind != ReceiptKind::unknown) return;
    const auto name = receipt.json.substr(std::min(receipt.json.find('"') + 1, receipt.json.size()));
    kinds.add("receipt", class_of_variant(name.substr(0, name.find('"'))));
}

void note_new_error(const FailureClass& failure, NewKinds& kinds) {
    if (!failure.error_class.empty() && error_class_label(failure.error_class) != failure.error_class)
        kinds.add("error", failure.error_class);
}

// The members of a row that are stored as another text, as they were given.
class AsGiven {
public:
    void json(Text name, Text given) { members_.json(name, given); }
    void texts(Text name, std::span<const Text> given) {
        std::string list;
        for (const auto text : given) base::append_quoted(list.append(list.empty() ? "[" : ","), text);
        json(name, list + "]");
    }
    void write(CopyWriter& row) const {
        const auto given = members_.to_json();
        given == "{}" ? row.null() : row.bytes(given);
    }

private:
    base::JsonObject members_;
};

// predecessor_id … output_data_ids of a receipt, in the table's order.
void write_body(CopyWriter& row, const Receipt& receipt, std::optional<Role> role, AsGiven& as_given) {
    const bool is_action = receipt.kind == ReceiptKind::action;
    row.text(receipt.predecessor_id);
    row.text(receipt.receiver_id);
    row.text_or_null(receipt.signer_id);
    role ? row.text(role_name(*role)) : row.null();
    row.text_or_null(called_method(receipt.actions));
    if (!is_action)
        row.null();
    else if (write_actions(row, receipt.actions_json, receipt.actions))
        as_given.json("actions", receipt.actions_json);
    is_action ? row.numeric(deposit_sum(receipt)) : row.null();
    row.texts(receipt.input_data_ids);
    row.data_ids(receipt.output_data_receivers);
}

void write_missing_body(CopyWriter& row, const Outcome& outcome, std::optional<Role> role) {
    row.null();  // predecessor_id
    row.text(outcome.executor_id);
    row.null();  // signer_id
    role ? row.text(role_name(*role)) : row.null();
    for (int i = 0; i < 5; ++i) row.null();  // method_name … output_data_ids
}

void write_event(RowBatch& batch, const RowPlace& place, const Outcome& outcome, const TreeRef& tree,
                 std::size_t index, const ContractEvent& event) {
    auto& table = batch[Table::events];
    CopyWriter row(table.piece());
    row.text(outcome.id);
    row.text(tree.tree_id);
    row.text_or_null(tree.tx_hash());
    row.bigint_or_null(place.block_height);
    row.time(place.block_time);
    row.integer(index);
    row.text(outcome.executor_id);
    row.text_or_null(event.standard);
    row.text_or_null(event.version);
    row.text_or_null(event.event);
    row.text_or_null(event.data);
    row.end_row();
    ++table.rows;
}

ReceiptOutline outline_of(const RowPlace& place, const Outcome& outcome, const Receipt& body,
                          const TreeRef& tree, std::optional<Role> role) {
    const auto adds_key = [](const Action& action) { return action.kind == ActionKind::add_key; };
    ReceiptOutline outline;
    outline.receipt_id = outcome.id;
    outline.tx_hash = tree.tx_hash();
    outline.user_id = tree.user_id;
    const bool by_system = body.signer_id == kSystemAccount;
    outline.signer_id = by_system && !tree.signer_id.empty() ? tree.signer_id : body.signer_id;
    if (by_system) outline.payer_id = tree.payer_id;
    outline.predecessor_id = body.predecessor_id;
    outline.receiver_id = body.receiver_id;
    outline.method_name = called_method(body.actions);
    outline.role = role;
    outline.deposit = deposit_of(body.actions);
    outline.adds_keys = std::any_of(body.actions.begin(), body.actions.end(), adds_key);
    outline.gas_burnt = outcome.gas_burnt;
    outline.at = {place.block_height.value_or(0), place.block_time.nanosec_since_1970()};
    return outline;
}

void write_events(RowBatch& batch, const RowPlace& place, const Outcome& outcome, const TreeRef& tree,
                  Gathering* gathering) {
    for (std::size_t i = 0; i < outcome.logs.size(); ++i) {
        const auto event = read_event(outcome.logs[i]);
        if (!event) continue;
        write_event(batch, place, outcome, tree, i, *event);
        if (gathering != nullptr) gathering->event(i, *event);
    }
}

// A failed receipt changed nothing, though its logs stay.
void write_events(RowBatch& batch, const RowPlace& place, const Outcome& outcome, const Receipt* body,
                  const TreeRef& tree, std::optional<Role> role) {
    const auto* interest = batch.happened.interest.get();
    if (interest == nullptr || interest->kinds() == 0 || body == nullptr || !succeeded(outcome.status.kind))
        return write_events(batch, place, outcome, tree, nullptr);
    const auto outline = outline_of(place, outcome, *body, tree, role);
    Gathering gathering(
        interest, outline, [body] { return action_facts(body->actions); }, batch.happened.chosen);
    write_events(batch, place, outcome, tree, &gathering);
    gathering.actions();
}

void write_failure(CopyWriter& row, Text json, AsGiven& as_given) {
    const StorableJson storable(json);
    storable.text ? row.text(*storable.text) : row.null();
    if (storable.is_changed()) as_given.json("error", json);
}

void write_outcome(CopyWriter& row, const Outcome& outcome, AsGiven& as_given, NewKinds& kinds) {
    row.texts(outcome.receipt_ids);
    row.text(status_name(outcome.status.kind));
    row.text_or_null(result_of(outcome.status));
    const auto failure = failure_of(outcome.status);
    note_new_error(failure, kinds);
    row.text_or_null(failure.error_class);
    row.text_or_null(failure.error_text);
    write_failure(row, outcome.status.failure_json, as_given);
    row.bigint(outcome.gas_burnt);
    row.numeric(outcome.tokens_burnt);
    row.texts(outcome.logs);
    if (std::any_of(outcome.logs.begin(), outcome.logs.end(), base::has_nul))
        as_given.texts("logs", outcome.logs);
}

}  // namespace

FailureClass failure_of(const ExecutionStatus& status) {
    return status.kind == StatusKind::failure ? classify_failure(status.failure_json) : FailureClass{};
}

Text conversion_status(const ExecutionStatus& status) {
    return status_name(status.kind == StatusKind::success_value ? StatusKind::unknown : status.kind);
}

Text initial_receipt_id(const Outcome& conversion) {
    if (conversion.status.kind == StatusKind::success_receipt_id) return conversion.status.success_receipt_id;
    return conversion.receipt_ids.empty() ? Text() : conversion.receipt_ids.front();
}

void begin_block(RowBatch& batch, const Block& block, std::optional<BlockHeight> known_prev_height) {
    auto ref = block_ref(block.header);
    if (!ref.prev_height) ref.prev_height = known_prev_height;
    write_block(batch, block, ref.prev_height);
    batch.facts.covered.add(ref.height);
    batch.facts.blocks.push_back(std::move(ref));
}

void write_block(RowBatch& batch, const Block& block, std::optional<BlockHeight> prev_height) {
    const auto& header = block.header;
    auto& table = batch[Table::blocks];
    CopyWriter row(table.piece());
    row.bigint(header.height);
    row.text(header.hash);
    row.text(header.prev_hash);
    row.bigint_or_null(prev_height);
    row.time(RowTime(header.timestamp_nanosec));
    row.bigint(header.timestamp_nanosec);
    row.text_or_null(block.author);
    row.text_or_null(header.epoch_id);
    row.integer(header.chunks_included != 0 ? header.chunks_included : new_chunks(block));
    row.integer(block.chunks.size());
    row.numeric(header.gas_price);
    row.numeric(header.total_supply);
    row.integer(header.latest_protocol_version);
    row.text_or_null(header.on_trust);
    row.end_row();
    ++table.rows;
}

std::vector<const ChunkHeader*> chunk_of_each_shard(const Block& block) {
    std::vector<const ChunkHeader*> chunks;
    boost::unordered_flat_set<ShardId> shards;
    for (const auto& chunk : block.chunks)
        if (shards.insert(chunk.shard_id).second) chunks.push_back(&chunk);
    return chunks;
}

void write_chunk(RowBatch& batch, const RowPlace& place, const ChunkRow& chunk) {
    const auto* header = chunk.header;
    auto& table = batch[Table::chunks];
    CopyWriter row(table.piece());
    row.bigint_or_null(place.block_height);
    row.time(place.block_time);
    row.bigint(chunk.shard_id);
    header ? row.text(header->chunk_hash) : row.null();
    row.boolean(chunk.missing);
    if (header) {
        row.bigint(header->height_created);
        row.bigint(header->height_included);
        row.bigint_or_null(header->gas_used);
        row.bigint_or_null(header->gas_limit);
        row.numeric_or_null(header->balance_burnt);
        row.bigint_or_null(header->encoded_length);
        row.text_or_null(header->outcome_root);
        row.text_or_null(header->tx_root);
    } else {
        for (int i = 0; i < 8; ++i) row.null();
    }
    row.text_or_null(chunk.executed_root);
    row.boolean(chunk.covered);
    row.end_row();
    ++table.rows;
}

void write_transaction(RowBatch& batch, const RowPlace& place, const SignedTransaction& transaction,
                       const Outcome* conversion) {
    auto& table = batch[Table::transactions];
    CopyWriter row(table.piece());
    row.text(transaction.hash);
    row.text(transaction.hash);
    row.bigint_or_null(place.block_height);
    row.time(place.block_time);
    row.bigint_or_null(place.shard_id);
    row.integer_or_null(place.index_in_chunk);
    row.text(transaction.signer_id);
    row.text(transaction.receiver_id);
    row.numeric(transaction.nonce);
    row.text_or_null(transaction.public_key);
    AsGiven as_given;
    if (write_actions(row, transaction.actions_json, transaction.actions))
        as_given.json("actions", transaction.actions_json);
    note_new_actions(transaction.actions, batch.facts.new_kinds);
    if (conversion) {
        const auto failure = failure_of(conversion->status);
        note_new_error(failure, batch.facts.new_kinds);
        if (StorableJson(conversion->status.failure_json).is_changed())
            as_given.json("error", conversion->status.failure_json);
        row.text(conversion_status(conversion->status));
        row.text_or_null(initial_receipt_id(*conversion));
        row.text_or_null(failure.error_class);
        row.text_or_null(failure.error_text);
        row.bigint(conversion->gas_burnt);
        row.numeric(conversion->tokens_burnt);
    } else {
        for (int i = 0; i < 6; ++i) row.null();
    }
    row.integer_or_null(transaction.nonce_index);
    const auto named = relayed_user(transaction);
    const bool failed = conversion && conversion->status.kind == StatusKind::failure;
    row.text_or_null(failed ? Text() : named);
    as_given.write(row);
    row.text_or_null(failed ? named : Text());
    row.end_row();
    ++table.rows;
}

void write_receipt(RowBatch& batch, const RowPlace& place, const Outcome& outcome, const Receipt* body,
                   const TreeRef& tree, Text parent_receipt_id, std::optional<Role> role) {
    auto& table = batch[Table::receipts];
    CopyWriter row(table.piece());
    row.text(outcome.id);
    row.text(tree.tree_id);
    row.bigint_or_null(place.block_height);
    row.time(place.block_time);
    row.bigint_or_null(place.shard_id);
    row.integer_or_null(place.index_in_chunk);
    row.text_or_null(tree.tx_hash());
    row.text_or_null(parent_receipt_id);
    AsGiven as_given;
    body ? write_body(row, *body, role, as_given) : write_missing_body(row, outcome, role);
    write_outcome(row, outcome, as_given, batch.facts.new_kinds);
    if (body) note_new_receipt(*body, batch.facts.new_kinds);
    row.text_or_null(place.block_height ? Text() : place.executed_block_hash);
    body && body->is_promise_yield ? row.boolean(true) : row.null();
    as_given.write(row);
    row.end_row();
    ++table.rows;
    write_events(batch, place, outcome, body, tree, role);
}

void write_data_receipt(RowBatch& batch, const RowPlace& place, const Receipt& receipt, const TreeRef& tree) {
    auto& table = batch[Table::data_receipts];
    CopyWriter row(table.piece());
    row.text(receipt.data_id);
    row.text(receipt.receipt_id);
    row.text(tree.tree_id);
    row.text_or_null(tree.tx_hash());
    row.bigint_or_null(place.block_height);
    row.time(place.block_time);
    row.bigint_or_null(place.shard_id);
    row.text(receipt.predecessor_id);
    row.text(receipt.receiver_id);
    row.boolean(receipt.is_promise_resume);
    receipt.data ? row.text(*receipt.data) : row.null();
    row.end_row();
    ++table.rows;
}

void write_distribution(RowBatch& batch, const RowPlace& place, const Receipt& receipt) {
    const auto distribution = contract_distribution(receipt.json);
    if (!distribution) {
        batch.facts.left_out.push_back({place.block_height.value_or(0),
                                        "global contract distribution " + std::string(receipt.receipt_id),
                                        "its form is not known"});
        batch.facts.new_kinds.add("receipt", "global_contract_distribution");
        return;
    }
    auto& table = batch[Table::global_contract_distributions];
    CopyWriter row(table.piece());
    row.text(receipt.receipt_id);
    row.bigint_or_null(place.block_height);
    row.time(place.block_time);
    row.bigint_or_null(place.shard_id);
    row.text(receipt.predecessor_id);
    row.text_or_null(distribution->contract_hash);
    row.text_or_null(distribution->contract_account_id);
    row.text(distribution->code);
    distribution->nonce ? row.numeric(*distribution->nonce) : row.null();
    row.bigint(distribution->target_shard);
    row.integer(distribution->delivered);
    row.end_row();
    ++table.rows;
}

void write_pending_tree(RowBatch& batch, const BlockHeader& header, const SignedTransaction& transaction,
                        std::optional<ShardId> shard_id) {
    auto& table = batch[Table::pending_trees];
    CopyWriter row(table.piece());
    row.text(transaction.hash);
    row.text(transaction.signer_id);
    row.bigint(header.height);
    row.text(header.hash);
    row.time(RowTime(header.timestamp_nanosec));
    row.bigint(header.timestamp_nanosec);
    row.bigint_or_null(shard_id);
    row.end_row();
    ++table.rows;
}

}  // namespace receiptd::chain
