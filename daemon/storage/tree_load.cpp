#include "storage/tree_load.hpp"

#include "chain/json/failed_action.hpp"
#include "chain/tree/facts.hpp"
#include "chain/tree/losses.hpp"
#include "chain/tree/silence.hpp"
#include "chain/tree/wallet.hpp"
#include "storage/copy.hpp"
#include "storage/sql_time.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace receiptd::storage {
namespace {

const std::string kMicroseconds = microseconds_of("block_time");
// All executions of a hash are read.
const std::string kTreesHash = "split_part(tree_id, '@', 1)";

// Functions, as planning these questions takes longer than answering them (schema/30_receipt_tree.sql).
const std::string kPlace = "($1::text[], $2::timestamptz, $3::timestamptz) ";

const std::string kTransactions =
    "SELECT tx_hash, signer_id, receiver_id, status, coalesce(initial_receipt_id, ''), "
    "coalesce(error_class, ''), coalesce(error_text, ''), coalesce(gas_burnt, 0), coalesce(tokens_burnt, 0), "
    "block_height, " +
    kMicroseconds + ", actions, shard_id, coalesce(confirmed, false) FROM tree_transactions" + kPlace +
    "ORDER BY block_time";

// chain::speaks() of the stored outcome.
const std::string kSpeaks =
    "(logs IS NOT NULL OR status = 'success_receipt_id' OR (status = 'success_value' AND result IS NOT NULL "
    "AND result <> '" +
    std::string(chain::kNullInBase64) + "'))";

const std::string kReceipts =
    "SELECT " + kTreesHash +
    ", receipt_id, coalesce(predecessor_id, ''), receiver_id, coalesce(signer_id, ''), "
    "actions, input_data_ids, output_data_ids, receipt_ids, status, coalesce(error_class, ''), "
    "coalesce(error_text, ''), coalesce(gas_burnt, 0), coalesce(tokens_burnt, 0), block_height, " +
    kMicroseconds +
    ", predecessor_id IS NOT NULL, method_name, error, coalesce(is_promise_yield, false), "
    "coalesce(parent_receipt_id, ''), CASE WHEN status = 'success_receipt_id' OR receiver_id LIKE '0x%' "
    "OR method_name LIKE '%_resolve_transfer' THEN result END, " +
    kSpeaks +
    ", shard_id, CASE WHEN method_name LIKE '%_resolve_transfer' THEN array_to_string(logs, chr(30)) END "
    "FROM tree_receipts" +
    kPlace + "ORDER BY block_time, index_in_chunk, receipt_id";

// A promise that failed has no data; one that returned nothing has an empty text.
const std::string kData =
    "SELECT " + kTreesHash +
    ", data_id, data IS NULL, coalesce(is_promise_resume, false) FROM tree_data_receipts" + kPlace +
    "ORDER BY block_time, receipt_id";

const std::string kContracts =
    "SELECT " + kTreesHash +
    ", receipt_id, coalesce(contract_hash, ''), coalesce(contract_account_id, ''), "
    "shards_with_it, shards FROM tree_global_contracts" +
    kPlace;

bool deploys(const chain::ReceiptFacts& receipt) {
    return std::ranges::any_of(receipt.action_names, [](const std::string& name) {
        return name.starts_with("DeployGlobalContract");
    });
}

std::optional<chain::ExecutedAt> place_of(const pqxx::field& height, const pqxx::field& microseconds) {
    if (height.is_null()) return std::nullopt;
    return chain::ExecutedAt{height.as<chain::BlockHeight>(),
                             microseconds.as<std::uint64_t>() * kNanosecondsPerMicrosecond};
}

chain::ActionFacts actions_of(const pqxx::field& field) {
    return field.is_null() ? chain::ActionFacts() : chain::stored_action_facts(field.c_str());
}

chain::TransactionFacts transaction_of(const pqxx::row& row) {
    chain::TransactionFacts facts;
    facts.tx_hash = row[0].as<std::string>();
    facts.signer_id = row[1].as<std::string>();
    facts.receiver_id = row[2].as<std::string>();
    facts.take(actions_of(row[11]));
    return facts;
}

chain::OutcomeFacts conversion_of(const pqxx::row& row) {
    chain::OutcomeFacts facts;
    facts.id = row[0].as<std::string>();
    facts.executor_id = row[1].as<std::string>();
    facts.status = chain::parse_status(row[3].as<std::string>());
    if (const auto initial = row[4].as<std::string>(); !initial.empty()) {
        facts.receipt_ids = {initial};
        facts.returned_id = initial;
    }
    facts.failure = {row[5].as<std::string>(), row[6].as<std::string>()};
    facts.gas_burnt = row[7].as<chain::Gas>();
    facts.tokens_burnt = amount_of(row[8]);
    facts.at = place_of(row[9], row[10]);
    facts.shard_id = shim::optional_of<chain::ShardId>(row[12]);
    return facts;
}

chain::ReceiptFacts body_of(const pqxx::row& row) {
    chain::ReceiptFacts facts;
    facts.take(actions_of(row[5]));
    facts.receipt_id = row[1].as<std::string>();
    facts.predecessor_id = row[2].as<std::string>();
    facts.receiver_id = row[3].as<std::string>();
    facts.signer_id = row[4].as<std::string>();
    if (!row[17].is_null()) facts.method_name = row[17].as<std::string>();
    facts.input_data_ids = ids_of(row[6]);
    facts.output_data_ids = ids_of(row[7]);
    facts.is_promise_yield = row[19].as<bool>();
    facts.parent_receipt_id = row[20].as<std::string>();
    return facts;
}

void take_result(chain::OutcomeFacts& facts, const char* result) {
    if (facts.status == chain::StatusKind::success_receipt_id) facts.returned_id = result;
    chain::ExecutionStatus status;
    status.kind = facts.status;
    status.success_value = result;
    facts.wallet_refusal = chain::wallet_refusal(facts.executor_id, status);
    if (facts.status == chain::StatusKind::success_value) facts.value = chain::short_value(result);
}

// No JSON has the character between them.
chain::List<chain::Text> texts_in(std::string_view joined) {
    constexpr char kUnitSeparator = 30;
    chain::List<chain::Text> texts;
    for (std::size_t from = 0; from <= joined.size();) {
        const auto end = std::min(joined.find(kUnitSeparator, from), joined.size());
        texts.push_back(joined.substr(from, end - from));
        from = end + 1;
    }
    return texts;
}

chain::OutcomeFacts outcome_of(const pqxx::row& row) {
    chain::OutcomeFacts facts;
    facts.id = row[1].as<std::string>();
    facts.executor_id = row[3].as<std::string>();
    facts.receipt_ids = ids_of(row[8]);
    facts.status = chain::parse_status(row[9].as<std::string>());
    facts.failure = {row[10].as<std::string>(), row[11].as<std::string>()};
    facts.speaks = row[22].as<bool>();
    if (!row[21].is_null()) take_result(facts, row[21].c_str());
    if (!row[18].is_null()) facts.failure.action_index = chain::failed_action(row[18].c_str());
    facts.gas_burnt = row[12].as<chain::Gas>();
    facts.tokens_burnt = amount_of(row[13]);
    facts.at = place_of(row[14], row[15]);
    facts.shard_id = shim::optional_of<chain::ShardId>(row[23]);
    if (!row[24].is_null()) facts.gone = chain::burnt_in_events(texts_in(row[24].c_str()));
    return facts;
}

}  // namespace

TreeTimes whole_times(pqxx::transaction_base& tx, const std::vector<std::string>& tx_hashes) {
    const auto row = shim::query(
        tx,
        "WITH r AS MATERIALIZED (SELECT block_time, input_data_ids || output_data_ids AS data_ids "
        "  FROM tree_receipts($1::text[], '-infinity', 'infinity')), "
        "data AS MATERIALIZED (SELECT unnest(data_ids) AS id FROM r), "
        "rows AS (SELECT block_time FROM r "
        "  UNION ALL SELECT block_time FROM tree_transactions($1::text[], '-infinity', 'infinity') "
        "  UNION ALL SELECT block_time FROM tree_data_receipts($1::text[], '-infinity', 'infinity') "
        "  UNION ALL SELECT block_time FROM resumes_of(array(SELECT id FROM data), '-infinity', 'infinity') "
        "  UNION ALL SELECT o.block_time FROM data JOIN orphan_receipts o ON o.kind = 'data' AND o.id = "
        "data.id) "
        "SELECT coalesce(min(block_time) - interval '7 days', '-infinity'), "
        "  coalesce(max(block_time) + interval '7 days', '-infinity') FROM rows",
        text_array(tx_hashes))[0];
    return {row[0].as<std::string>(), row[1].as<std::string>()};
}

std::map<std::string, StoredTree> load_trees(pqxx::transaction_base& tx,
                                             const std::vector<std::string>& trees, const TreeTimes& times) {
    std::map<std::string, StoredTree> loaded;
    const auto ids = text_array(trees);
    const auto transactions = shim::query(tx, kTransactions, ids, times.since, times.until);
    for (const auto& row : transactions) {
        auto& tree = loaded[row[0].as<std::string>()];
        if (!tree.transaction) {  // of two listings the first
            tree.transaction = transaction_of(row);
            tree.confirmed = row[13].as<bool>();
            tree.listed_at = place_of(row[9], row[10]);
        }
        if (!row[3].is_null())
            tree.outcomes.push_back(conversion_of(row));
        else if (const auto at = place_of(row[9], row[10]))
            tree.untold.push_back({*at, {}});
    }
    const auto receipts = shim::query(tx, kReceipts, ids, times.since, times.until);
    for (const auto& row : receipts) {
        auto& tree = loaded[row[0].as<std::string>()];
        if (row[16].as<bool>()) tree.receipts.push_back(body_of(row));
        tree.outcomes.push_back(outcome_of(row));
    }
    return loaded;
}

// The first of several resumes for one yield counts; of two that one block lists, the contract's, as it is
// made before that of the time-out.
void load_resumes(pqxx::transaction_base& tx, const TreeTimes& times,
                  std::map<std::string, StoredTree>& loaded) {
    std::map<std::string, StoredTree*> awaited;
    for (auto& [tx_hash, tree] : loaded)
        for (const auto& receipt : tree.receipts)
            if (receipt.is_promise_yield)
                for (const auto& data_id : receipt.input_data_ids) awaited[data_id] = &tree;
    if (awaited.empty()) return;
    std::vector<std::string> data_ids;
    for (const auto& [data_id, tree] : awaited) data_ids.push_back(data_id);
    for (const auto& row : shim::query(tx,
                                       "SELECT data_id, data IS NULL FROM resumes_of($1::text[], "
                                       "$2::timestamptz, $3::timestamptz) "
                                       "ORDER BY block_time, data IS NULL, receipt_id",
                                       text_array(data_ids), times.since, times.until)) {
        const auto data_id = row[0].as<std::string>();
        awaited.at(data_id)->data.push_back({data_id, row[1].as<bool>(), true});
    }
}

std::map<std::string, StoredTree> load_to_judge(pqxx::transaction_base& tx,
                                                const std::vector<std::string>& trees,
                                                const TreeTimes& times) {
    auto loaded = load_trees(tx, trees, times);
    load_resumes(tx, times, loaded);
    return loaded;
}

void load_data(pqxx::transaction_base& tx, const std::vector<std::string>& trees, const TreeTimes& times,
               std::map<std::string, StoredTree>& loaded) {
    const auto rows = shim::query(tx, kData, text_array(trees), times.since, times.until);
    for (const auto& row : rows) {
        const auto tree = loaded.find(row[0].as<std::string>());
        if (tree == loaded.end()) continue;
        chain::DataFacts data;
        data.data_id = row[1].as<std::string>();
        data.failed = row[2].as<bool>();
        data.is_promise_resume = row[3].as<bool>();
        tree->second.data.push_back(std::move(data));
    }
}

void load_contracts(pqxx::transaction_base& tx, const TreeTimes& times,
                    std::map<std::string, StoredTree>& loaded) {
    std::vector<std::string> trees;
    for (const auto& [tx_hash, tree] : loaded)
        if (std::ranges::any_of(tree.receipts, deploys)) trees.push_back(tx_hash);
    if (trees.empty()) return;
    for (const auto& row : shim::query(tx, kContracts, text_array(trees), times.since, times.until)) {
        DeployedContract contract;
        contract.receipt_id = row[1].as<std::string>();
        contract.contract_hash = row[2].as<std::string>();
        contract.contract_account_id = row[3].as<std::string>();
        contract.shards_with_it = row[4].as<unsigned>();
        if (!row[5].is_null()) contract.shards = row[5].as<unsigned>();
        loaded.at(row[0].as<std::string>()).contracts.push_back(std::move(contract));
    }
}

}  // namespace receiptd::storage
