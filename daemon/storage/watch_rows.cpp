#include "storage/watch_rows.hpp"

#include "chain/wire/base58.hpp"
#include "storage/certainty_rows.hpp"
#include "storage/sql_time.hpp"

#include <array>
#include <charconv>

namespace receiptd::storage {

std::string watch_cursor(const Watch& watch) {
    return std::to_string(microseconds(watch.created_at)) + "." + watch.tx_hash;
}

constexpr std::int64_t kLatestMicroseconds = 253'402'300'800'000'000;  // the year 10000

std::optional<WatchPosition> parse_watch_cursor(std::string_view cursor) {
    WatchPosition position;
    const auto* end = cursor.data() + cursor.size();
    const auto read = std::from_chars(cursor.data(), end, position.created_at_microseconds);
    if (read.ec != std::errc() || read.ptr == end || *read.ptr != '.') return std::nullopt;
    const auto at = position.created_at_microseconds;
    if (at < 0 || at > kLatestMicroseconds) return std::nullopt;
    position.tx_hash.assign(read.ptr + 1, end);
    if (!is_transaction_hash(position.tx_hash)) return std::nullopt;
    return position;
}

bool is_transaction_hash(std::string_view text) {
    std::array<std::uint8_t, 32> bytes{};
    return text.size() <= 44 && chain::base58_decode_exact(text, bytes);
}

namespace {

WatchOrigin origin_of(const std::string& name) {
    if (name == "rule") return WatchOrigin::rule;
    return name == "submission" ? WatchOrigin::submission : WatchOrigin::hash;
}

Watch watch_of(const pqxx::row& row) {
    Watch watch;
    watch.tx_hash = row[0].as<std::string>();
    watch.sender_id = row[1].as<std::string>();
    watch.origin = origin_of(row[2].as<std::string>());
    watch.state.stage = chain::parse_stage(row[3].as<std::string>()).value_or(chain::Stage::accepted);
    watch.state.verdict = chain::parse_verdict(row[4].as<std::string>());
    watch.state.reason = row[5].as<std::string>();
    watch.evidence_json = row[6].as<std::string>();
    watch.signed_tx_base64 = row[7].as<std::string>();
    watch.public_key = row[8].as<std::string>();
    watch.transaction.tx_hash = watch.tx_hash;
    watch.transaction.nonce = shim::optional_of<std::uint64_t>(row[9]);
    watch.transaction.valid_until = shim::optional_of<chain::BlockHeight>(row[10]);
    watch.transaction.nonce_index = shim::optional_of<std::uint16_t>(row[11]);
    watch.transaction.watched_since = shim::optional_of<chain::BlockHeight>(row[12]).value_or(0);
    watch.checks = row[13].as<unsigned>();
    watch.transaction.objection = row[14].as<std::string>();
    watch.stuck = row[15].as<bool>();
    watch.stage_since = wall_time(row[16]);
    watch.created_at = wall_time(row[17]);
    watch.next_check_at = wall_time(row[18]);
    watch.transaction.block_hash = row[19].as<std::string>();
    watch.transaction.block_hash_height = shim::optional_of<chain::BlockHeight>(row[20]);
    watch.idempotency_key = row[21].as<std::string>();
    watch.metadata_json = row[22].as<std::string>();
    watch.certainty = certainty_of(row, 23).value_or(chain::Certainty{});
    if (!row[26].is_null())
        watch.state.early = {
            {row[27].as<chain::BlockHeight>(), row[28].as<std::uint64_t>() * kNanosecondsPerMicrosecond},
            row[26].as<std::string>()};
    watch.traceparent = row[29].as<std::string>();
    return watch;
}

StoredTransition transition_of(const pqxx::row& row) {
    StoredTransition stored;
    auto& transition = stored.transition;
    transition.from = chain::parse_stage(row[1].as<std::string>()).value_or(chain::Stage::accepted);
    transition.to = chain::parse_stage(row[2].as<std::string>()).value_or(chain::Stage::accepted);
    stored.learned_at = wall_time(row[3]);
    if (!row[4].is_null() && !row[5].is_null())
        transition.at = chain::ExecutedAt{row[4].as<chain::BlockHeight>(),
                                          row[5].as<std::uint64_t>() * kNanosecondsPerMicrosecond};
    transition.evidence = row[6].as<std::string>();
    stored.certainty = certainty_of(row, 7).value_or(chain::Certainty{});
    transition.final = shim::optional_of<bool>(row[10]);
    transition.inclusion_id = row[11].as<std::string>();
    return stored;
}

}  // namespace

const std::string kWatchColumns =
    "tx_hash, sender_id, origin, stage, coalesce(verdict, ''), coalesce(reason, ''), "
    "coalesce(evidence::text, ''), coalesce(signed_tx_base64, ''), coalesce(public_key, ''), nonce, "
    "valid_until, "
    "nonce_index, watched_since, checks, coalesce(objection::text, ''), stuck_since IS NOT NULL, " +
    microseconds_of("stage_since") + ", " + microseconds_of("created_at") + ", " +
    microseconds_of("next_check_at") +
    ", coalesce(block_hash, ''), block_hash_height, "
    "coalesce(idempotency_key, ''), coalesce(metadata::text, ''), " +
    certainty_columns() + ", early_block_hash, early_block_height, " + microseconds_of("early_block_time") +
    ", coalesce(traceparent, '')";

std::vector<Watch> watches_of(const pqxx::result& rows) {
    std::vector<Watch> found;
    found.reserve(static_cast<std::size_t>(rows.size()));
    for (const auto& row : rows) found.push_back(watch_of(row));
    return found;
}

std::map<std::string, std::vector<StoredTransition>> transitions_of(
    pqxx::transaction_base& tx, const std::vector<std::string>& tx_hashes) {
    std::map<std::string, std::vector<StoredTransition>> found;
    for (const auto& row :
         shim::query(tx,
                     "SELECT tx_hash, from_stage, to_stage, " + microseconds_of("at") + ", block_height, " +
                         microseconds_of("block_time") + ", evidence, " + certainty_columns() +
                         ", final, coalesce(inclusion_id, '') FROM watch_transitions WHERE tx_hash = ANY "
                         "($1::text[]) "
                         "ORDER BY tx_hash, at",
                     text_array(tx_hashes)))
        found[row[0].as<std::string>()].push_back(transition_of(row));
    return found;
}

}  // namespace receiptd::storage
