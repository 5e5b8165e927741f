#include "storage/stored_happenings.hpp"

#include <array>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace receiptd::storage {
namespace {

// Arguments have up to 4 MiB a receipt: many such receipts are not in memory at once.
constexpr std::size_t kSmallActions = 16 << 10;

// NULL: they are large.
std::string small_actions(const std::string& column) {
    return "CASE WHEN octet_length(" + column + "::text) > " + std::to_string(kSmallActions) +
           " THEN NULL ELSE coalesce(" + column + ", '[]') END";
}

// $3: ids, or NULL.
std::string between_times(const std::string& row) {
    return row + ".block_time BETWEEN " + time_parameter(1) + " AND " + time_parameter(2) +
           " AND ($3::text[] IS NULL OR " + row + ".receipt_id = ANY ($3::text[])) ";
}

// $4: receivers, or NULL.
const std::string kDone =
    "SELECT r.receipt_id, coalesce(r.tx_hash, ''), coalesce(r.signer_id, ''), r.predecessor_id, "
    "r.receiver_id, "
    "coalesce(r.method_name, ''), coalesce(r.role, ''), " +
    small_actions("r.actions") +
    ", coalesce(r.gas_burnt, 0), "
    "coalesce(r.block_height, 0), " +
    microseconds_of("r.block_time") +
    // chain::payer_of()
    ", CASE WHEN r.signer_id = 'system' THEN (SELECT p.receiver_id FROM receipts p "
    "  WHERE p.receipt_id = r.parent_receipt_id AND (p.status = 'failure' OR r.role = 'payout') "
    "    AND p.block_time BETWEEN " +
    time_parameter(1, std::chrono::days(1)) + " AND " + time_parameter(2) +
    "  LIMIT 1) END FROM receipts r WHERE r.status IN ('success_value', 'success_receipt_id') "
    "AND r.predecessor_id IS NOT NULL AND ($4::text[] IS NULL OR r.receiver_id = ANY ($4::text[])) AND " +
    between_times("r") + "ORDER BY r.block_time, r.shard_id, r.index_in_chunk, r.receipt_id";

// $1: when it was executed, $2: its id.
const std::string kActions =
    "SELECT actions FROM receipts WHERE block_time = " + time_parameter(1) + " AND receipt_id = $2 LIMIT 1";

const std::string kEmitted =
    "SELECT e.receipt_id, e.index, coalesce(e.standard, ''), coalesce(e.event, ''), coalesce(e.data, '') "
    "FROM (SELECT receipt_id, index, standard, event, data::text, block_time FROM events) e WHERE " +
    between_times("e") + "ORDER BY e.receipt_id, e.index";

constexpr auto kTellsOfEvents =
    chain::bit(chain::HappeningKind::event) | chain::bit(chain::HappeningKind::transfer);

std::string_view view(const pqxx::field& field) { return {field.c_str(), field.size()}; }

// Rows of events by the receipt that emitted them.
class EmittedRows {
public:
    explicit EmittedRows(pqxx::result rows) : rows_(std::move(rows)) {
        for (const auto& row : rows_) by_receipt_[view(row[0])].push_back(row);
    }

    void tell(std::string_view receipt_id, chain::Gathering& gathering) const {
        const auto found = by_receipt_.find(receipt_id);
        if (found == by_receipt_.end()) return;
        for (const auto& row : found->second) {
            chain::ContractEvent event;
            event.standard = view(row[2]);
            event.event = view(row[3]);
            event.data = view(row[4]);
            gathering.event(row[1].as<std::size_t>(), event);
        }
    }

private:
    pqxx::result rows_;
    std::map<std::string_view, std::vector<pqxx::row>> by_receipt_;
};

chain::ActionFacts facts_of(pqxx::transaction_base& tx, const pqxx::row& row) {
    if (!row[7].is_null()) return chain::stored_action_facts(view(row[7]));
    const auto large = shim::query(tx, kActions, row[10].as<std::int64_t>(), row[0].as<std::string>());
    return large.empty() ? chain::ActionFacts() : chain::stored_action_facts(view(large[0][0]));
}

void gather(pqxx::transaction_base& tx, const pqxx::row& row, const EmittedRows& emitted, const Users& users,
            const chain::Interest& interest, std::vector<chain::Happening>& found) {
    const auto known = users.find(view(row[1]));
    const auto asked = known == users.end() ? AskedBy() : known->second;
    const std::string_view user_id = asked.user_id;
    const bool by_system = view(row[2]) == chain::kSystemAccount;
    const auto signer_id =
        by_system && !asked.signer_id.empty() ? std::string_view(asked.signer_id) : view(row[2]);
    const std::array<chain::Text, 5> accounts = {signer_id, user_id, view(row[3]), view(row[4]),
                                                 view(row[11])};
    if ((interest.kinds() & kTellsOfEvents) == 0 && interest.kinds_for(accounts) == 0) return;
    auto facts = facts_of(tx, row);
    chain::ReceiptOutline receipt;
    receipt.receipt_id = view(row[0]);
    receipt.tx_hash = view(row[1]);
    receipt.user_id = user_id;
    receipt.signer_id = accounts[0];
    receipt.predecessor_id = accounts[2];
    receipt.receiver_id = accounts[3];
    receipt.payer_id = accounts[4];
    receipt.method_name = view(row[5]);
    receipt.role = chain::parse_role(view(row[6]));
    receipt.deposit = facts.deposit;
    receipt.adds_keys = !facts.keys.empty();
    receipt.gas_burnt = row[8].as<chain::Gas>();
    receipt.at = {row[9].as<chain::BlockHeight>(), row[10].as<std::uint64_t>() * kNanosecondsPerMicrosecond};
    chain::Gathering gathering(
        &interest, receipt, [&facts] { return std::move(facts); }, found);
    emitted.tell(receipt.receipt_id, gathering);
    gathering.actions();
}

}  // namespace

// A transaction is less than seven days older than its receipts.
Users users_of(pqxx::transaction_base& tx, const std::vector<std::string>& tx_hashes,
               const TimeSpan& executed) {
    Users users;
    if (tx_hashes.empty()) return users;
    for (const auto& row :
         shim::query(tx,
                     "SELECT tx_hash, signer_id, coalesce(user_id, '') FROM transactions "
                     "WHERE tx_hash = ANY ($3::text[]) AND block_time BETWEEN " +
                         time_parameter(1, std::chrono::days(7)) + " AND " + time_parameter(2),
                     executed.since, executed.until, text_array(tx_hashes)))
        users.emplace(row[0].as<std::string>(), AskedBy{row[1].as<std::string>(), row[2].as<std::string>()});
    return users;
}

StoredHappenings stored_happenings(pqxx::transaction_base& tx, const chain::Interest& interest,
                                   const TimeSpan& executed, const OnlyReceipts& only) {
    StoredHappenings stored;
    if (interest.kinds() == 0) return stored;
    std::optional<std::string> ids, receivers;
    if (!only.ids.empty()) ids = text_array(only.ids);
    if (!only.receivers.empty()) receivers = text_array(only.receivers);
    const auto* of_ids = ids ? ids->c_str() : nullptr;
    const auto receipts = shim::query(tx, kDone, executed.since, executed.until, of_ids,
                                      receivers ? receivers->c_str() : nullptr);
    stored.receipts = receipts.size();
    const bool of_events = (interest.kinds() & kTellsOfEvents) != 0;
    const EmittedRows emitted(of_events ? shim::query(tx, kEmitted, executed.since, executed.until, of_ids)
                                        : pqxx::result());
    std::set<std::string> tx_hashes;
    for (const auto& row : receipts) {
        if (row[1].size() > 0) tx_hashes.emplace(view(row[1]));
        stored.has_large_ones = stored.has_large_ones || row[7].is_null();
    }
    const auto users = users_of(tx, {tx_hashes.begin(), tx_hashes.end()}, executed);
    for (const auto& row : receipts) gather(tx, row, emitted, users, interest, stored.found);
    return stored;
}

}  // namespace receiptd::storage
