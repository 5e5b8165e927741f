// Writes updates of watches in one transaction: their rows, their transitions, the lines of the stream, and
// the findings of watches that end badly or are stuck.
#include "metrics/watch_series.hpp"
#include "storage/certainty_rows.hpp"
#include "storage/copy.hpp"
#include "storage/fault.hpp"
#include "storage/pg_watch_store.hpp"
#include "storage/set_aside.hpp"
#include "storage/sql_time.hpp"
#include "storage/trace_outbox.hpp"
#include "storage/watch_findings.hpp"
#include "storage/watch_stages.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace receiptd::storage {
namespace {

constexpr std::int64_t kMicrosecondsPerDay = 86'400ll * 1'000'000;

// Locked to the end of the transaction, in one order for everybody.
std::unordered_map<std::string, WatchBefore> lock_rows(pqxx::transaction_base& tx,
                                                       std::span<const WatchUpdate> updates) {
    std::vector<std::string> tx_hashes;
    for (const auto& update : updates) tx_hashes.push_back(update.tx_hash);
    std::unordered_map<std::string, WatchBefore> found;
    const auto rows = shim::query(tx,
                                  "SELECT tx_hash, stage, stuck_since IS NOT NULL, sender_id, valid_until, "
                                  "coalesce(reason, ''), coalesce(evidence::text, ''), "
                                  "coalesce(watched_since, 0), coalesce(early_block_hash, '') "
                                  "FROM watches "
                                  "WHERE tx_hash = ANY ($1::text[]) ORDER BY tx_hash FOR UPDATE",
                                  text_array(tx_hashes));
    for (const auto& row : rows) {
        const auto stage = chain::parse_stage(row[1].as<std::string>()).value_or(chain::Stage::accepted);
        found.emplace(
            row[0].as<std::string>(),
            WatchBefore{stage, row[2].as<bool>(), row[3].as<std::string>(),
                        shim::optional_of<chain::BlockHeight>(row[4]), row[5].as<std::string>(),
                        row[6].as<std::string>(), row[7].as<chain::BlockHeight>(), row[8].as<std::string>()});
    }
    return found;
}

// Microseconds since 1970.
std::string time_text(const chain::ExecutedAt& at) {
    return std::to_string(at.timestamp_nanosec / kNanosecondsPerMicrosecond);
}

template <class T>
std::string text_of(const std::optional<T>& value) {
    return value ? std::to_string(*value) : std::string();
}

const std::string kWatches =
    "UPDATE watches w SET stage = u.stage, verdict = nullif(u.verdict, ''), reason = nullif(u.reason, "
    "''), "
    "  evidence = coalesce(nullif(u.evidence, '')::json, w.evidence), "
    "  next_check_at = coalesce(timestamptz 'epoch' + interval '1 microsecond' * nullif(u.next_check, "
    "'')::bigint, "
    "    w.next_check_at), checks = least(w.checks::bigint + u.checks::bigint, 2147483647), "
    "  stuck_since = CASE WHEN u.stuck = 't' THEN CASE WHEN u.moved = 't' THEN now.at "
    "                       ELSE coalesce(w.stuck_since, now.at) END "
    "                     WHEN u.stuck = 'f' OR u.moved = 't' THEN NULL ELSE w.stuck_since END, "
    "  objection = CASE WHEN u.objection = '=' THEN w.objection ELSE nullif(u.objection, '')::json END, "
    "  conclusive = u.conclusive::boolean, safe_to_resign_after_height = nullif(u.safe, '')::bigint, "
    "  safe_to_resign_estimated_at = CASE WHEN w.safe_to_resign_estimated_at IS NOT NULL "
    "      AND w.safe_to_resign_after_height::text = u.safe THEN w.safe_to_resign_estimated_at "
    "    ELSE estimated_time(nullif(u.safe, '')::bigint) END, "
    "  watched_since = coalesce(w.watched_since, nullif(u.watched, '')::bigint), "
    "  sender_id = coalesce(nullif(u.sender, ''), w.sender_id), "
    "  block_hash_height = coalesce(nullif(u.block_height, '')::bigint, w.block_hash_height), "
    "  valid_until = coalesce(nullif(u.valid_until, '')::bigint, w.valid_until), "
    "  early_block_hash = nullif(u.early_hash, ''), early_block_height = nullif(u.early_height, "
    "'')::bigint, "
    "  early_block_time = timestamptz 'epoch' + interval '1 microsecond' * nullif(u.early_time, "
    "'')::bigint, "
    "  stage_since = CASE WHEN u.moved = 't' THEN now.at ELSE w.stage_since END, updated_at = now.at "
    "FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], "
    "  $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], "
    "  $15::text[], $16::text[], $17::text[], $18::text[], $19::text[]) "
    "  AS u (tx_hash, stage, verdict, reason, evidence, next_check, checks, stuck, objection, watched, "
    "  moved, sender, conclusive, safe, block_height, valid_until, early_hash, early_height, "
    "early_time), "
    "  (SELECT " +
    time_parameter(20) + " AS at) AS now WHERE w.tx_hash = u.tx_hash";

void write_watches(pqxx::transaction_base& tx, const std::vector<AppliedUpdate>& applied, std::int64_t now) {
    std::vector<std::string> tx_hashes, stages, verdicts, reasons, evidence, next_checks, checks, stuck,
        objections, watched, moved, senders, block_heights, valid_until, early_hashes, early_heights,
        early_times;
    CertaintyColumns certainty;
    for (const auto& item : applied) {
        const auto& [update, before] = item;
        const auto& [state, good] = std::tie(update->state, update->validity);
        certainty.add(item.certainty_of(state));
        tx_hashes.push_back(update->tx_hash);
        stages.emplace_back(chain::stage_name(state.stage));
        verdicts.emplace_back(state.verdict ? chain::verdict_name(*state.verdict) : chain::Text());
        reasons.push_back(storable_text(state.reason));
        evidence.push_back(update->transitions.empty() ? std::string()
                                                       : storable_json(update->transitions.back().evidence));
        next_checks.push_back(update->next_check_at ? std::to_string(microseconds(*update->next_check_at))
                                                    : std::string());
        checks.push_back(std::to_string(update->more_checks));
        stuck.emplace_back(!update->stuck ? "" : *update->stuck ? "t" : "f");
        objections.push_back(!update->objection           ? std::string("=")
                             : update->objection->empty() ? std::string()
                                                          : storable_json(*update->objection));
        watched.push_back(text_of(update->watched_since));
        moved.emplace_back(state.stage != before.stage ? "t" : "f");
        senders.push_back(storable_text(update->sender_id));
        block_heights.push_back(good ? std::to_string(good->block_hash_height) : std::string());
        valid_until.push_back(good ? std::to_string(good->valid_until) : std::string());
        const auto& early = state.early;
        early_hashes.push_back(early ? early->block_hash : std::string());
        early_heights.push_back(early ? std::to_string(early->at.height) : std::string());
        early_times.push_back(early ? time_text(early->at) : std::string());
    }
    shim::query(tx, kWatches, text_array(tx_hashes), text_array(stages), text_array(verdicts),
                text_array(reasons), text_array(evidence), text_array(next_checks), text_array(checks),
                text_array(stuck), text_array(objections), text_array(watched), text_array(moved),
                text_array(senders), text_array(certainty.conclusive), text_array(certainty.safe_heights),
                text_array(block_heights), text_array(valid_until), text_array(early_hashes),
                text_array(early_heights), text_array(early_times), now);
}

// Transitions of one update are told apart by a microsecond each, so that their order stays known.
const std::string kTransitions =
    "WITH steps AS MATERIALIZED (SELECT n, tx_hash, from_stage, to_stage, " + time_parameter(10) +
    "    + interval '1 microsecond' * place::int AS at, nullif(height, '')::bigint AS block_height, "
    "    timestamptz 'epoch' + interval '1 microsecond' * nullif(block_at, '')::bigint AS block_time, "
    "    evidence::json AS evidence, conclusive::boolean AS conclusive, nullif(safe, '')::bigint AS safe, "
    "    estimated_time(nullif(safe, '')::bigint) AS safe_at, nullif(is_final, '')::boolean AS final, "
    "    nullif(inclusion_id, '') AS inclusion_id "
    "  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], "
    "    $8::text[], $9::text[], $11::text[], $12::text[]) WITH ORDINALITY "
    "    AS s (tx_hash, from_stage, to_stage, place, height, block_at, evidence, conclusive, safe, is_final, "
    "inclusion_id, n)), "
    "written AS (INSERT INTO watch_transitions (tx_hash, from_stage, to_stage, at, block_height, block_time, "
    "    evidence, conclusive, safe_to_resign_after_height, safe_to_resign_estimated_at, final, "
    "inclusion_id) "
    "  SELECT tx_hash, from_stage, to_stage, at, block_height, block_time, evidence, conclusive, safe, "
    "    safe_at, final, inclusion_id "
    "  FROM steps ORDER BY n) "
    "INSERT INTO stream_events (kind, tx_hash, body) SELECT 'transition', s.tx_hash, "
    "  json_build_object('tx_hash', s.tx_hash, 'sender_id', w.sender_id, "
    "  'idempotency_key', w.idempotency_key, 'metadata', w.metadata, 'from_stage', s.from_stage, "
    "  'to_stage', s.to_stage, 'final', s.final, 'inclusion_id', s.inclusion_id, 'at', s.at, 'block_height', "
    "s.block_height, 'block_time', s.block_time, "
    "  'verdict', CASE WHEN s.to_stage IN ('completed', 'final') THEN w.verdict END, "
    "  'reason', CASE WHEN s.to_stage = w.stage THEN w.reason END, 'conclusive', s.conclusive, "
    "  'safe_to_resign_after_height', s.safe, 'safe_to_resign_estimated_at', s.safe_at, "
    "  'evidence', s.evidence) "
    "FROM steps s JOIN watches w USING (tx_hash) ORDER BY n";

void write_transitions(pqxx::transaction_base& tx, const std::vector<AppliedUpdate>& applied,
                       std::int64_t now) {
    std::vector<std::string> tx_hashes, from, to, places, heights, times, evidence, finals, inclusions;
    CertaintyColumns certainty;
    for (const auto& item : applied) {
        for (std::size_t i = 0; i < item.update->transitions.size(); ++i) {
            const auto& transition = item.update->transitions[i];
            tx_hashes.push_back(item.update->tx_hash);
            from.emplace_back(chain::stage_name(transition.from));
            to.emplace_back(chain::stage_name(transition.to));
            places.push_back(std::to_string(i));
            heights.push_back(transition.at ? std::to_string(transition.at->height) : std::string());
            times.push_back(transition.at ? time_text(*transition.at) : std::string());
            evidence.push_back(storable_json(transition.evidence));
            certainty.add(item.certainty_of(transition, item.update->state.confirmed));
            finals.emplace_back(!transition.final ? "" : *transition.final ? "t" : "f");
            inclusions.push_back(transition.inclusion_id);
        }
    }
    if (tx_hashes.empty()) return;
    shim::query(tx, kTransitions, text_array(tx_hashes), text_array(from), text_array(to), text_array(places),
                text_array(heights), text_array(times), text_array(evidence),
                text_array(certainty.conclusive), text_array(certainty.safe_heights), now, text_array(finals),
                text_array(inclusions));
}

// An end without a tree, or one that is taken back.
bool makes_finding(const chain::Transition& step) {
    return takes_back(step) || (chain::is_end(step.to) && step.to != chain::Stage::final);
}

std::set<std::int64_t> days_of(std::span<const WatchUpdate> updates, std::int64_t now) {
    std::set<std::int64_t> days = {now / kMicrosecondsPerDay};
    for (const auto& update : updates)
        for (const auto& transition : update.transitions)
            if (transition.at && makes_finding(transition))
                days.insert(
                    static_cast<std::int64_t>(transition.at->timestamp_nanosec / kNanosecondsPerMicrosecond) /
                    kMicrosecondsPerDay);
    return days;
}

struct Updated {
    std::vector<std::string> moved;                             // whose update was not written
    std::vector<chain::Stage> stages;                           // reached, each as often as it was
    std::vector<std::string> inclusions;                        // what became of each
    std::vector<std::pair<std::string, std::string>> findings;  // kind and error_class
    Told told;
};

// Empty: it is about another stage.
std::string fate_of_inclusion(const chain::Transition& transition) {
    if (transition.confirms()) return "confirmed";
    if (transition.retracts()) return "retracted";
    if (transition.to != chain::Stage::included) return {};
    return transition.final == false ? "early" : "final";
}

std::vector<std::string> that_end(const std::vector<AppliedUpdate>& applied) {
    std::vector<std::string> tx_hashes;
    for (const auto& item : applied)
        if (item.update->state.stage != item.before.stage && chain::is_end(item.update->state.stage))
            tx_hashes.push_back(item.update->tx_hash);
    return tx_hashes;
}

Updated write(pqxx::connection& connection, std::span<const WatchUpdate> updates, std::int64_t now,
              Database& database) {
    auto& rules = database.rules;
    pqxx::work tx(connection);
    auto rows = lock_rows(tx, updates);
    std::vector<AppliedUpdate> applied;
    Updated updated;
    for (const auto& update : updates) {
        const auto row = rows.find(update.tx_hash);
        if (row == rows.end() || !row->second.fits(update)) {
            updated.moved.push_back(update.tx_hash);
            continue;
        }
        for (const auto& transition : update.transitions) {
            if (!transition.confirms()) updated.stages.push_back(transition.to);
            if (auto fate = fate_of_inclusion(transition); !fate.empty())
                updated.inclusions.push_back(std::move(fate));
        }
        applied.push_back({&update, std::move(row->second)});
        rows.erase(row);
    }
    if (!applied.empty()) {
        write_watches(tx, applied, now);
        write_transitions(tx, applied, now);
        auto written = write_findings(tx, rules, findings_of(applied, now), alerts_sent_since(applied));
        updated.findings = std::move(written.added);
        updated.told = std::move(written.told);
        updated.told += tell_stages(tx, rules, applied, now);
        queue_watched(tx, database.traces.rules(), that_end(applied));
    }
    tx.commit();
    return updated;
}

WatchUpdate refused_update(const WatchUpdate& update, const Refusal& refusal) {
    WatchUpdate end;
    end.tx_hash = update.tx_hash;
    end.from = update.from;
    end.state.stage = chain::Stage::unknown;
    end.state.reason = chain::reason::kRefusedByDatabase;
    const auto evidence = chain::Evidence().text("sqlstate", refusal.sqlstate);
    end.judged_early = update.judged_early;
    if (!end.judged_early.empty())
        end.transitions.push_back(chain::retraction(end.tx_hash, end.judged_early, evidence));
    const auto from = end.transitions.empty() ? update.from : end.transitions.back().to;
    end.transitions.push_back({from, end.state.stage, std::nullopt, evidence.to_json()});
    return end;
}

class Writing {
public:
    Writing(pqxx::connection& connection, Database& database, std::int64_t now)
        : connection_(connection), database_(database), now_(now) {}

    void write(std::span<const WatchUpdate> updates) {
        const auto id_of = [](const WatchUpdate& update) { return update.tx_hash; };
        const auto write_some = [this](std::span<const WatchUpdate> some) {
            add(database_.partitions.with_days(connection_, days_of(some, now_), DayLeave::free, [&] {
                return storage::write(connection_, some, now_, database_);
            }));
        };
        const auto leave = [this](const WatchUpdate& update, const Refusal& refusal) {
            end(update, refusal);
        };
        database_.set_aside.apart(Aside::watch, updates, id_of, write_some, leave);
    }
    Updated result;

private:
    // The database does not take its values: it ends. What waits for another fault is tried again when it is
    // due, as is one whose row itself cannot be written.
    void end(const WatchUpdate& update, const Refusal& refusal) {
        if (fault_kind(refusal.sqlstate) != FaultKind::refused) return;
        if (update.from == chain::Stage::unknown) return;  // as before
        const std::array one{refused_update(update, refusal)};
        try {
            add(storage::write(connection_, one, now_, database_));
        } catch (const pqxx::sql_error& e) {
            if (fault_kind(shim::sqlstate_of(e)) != FaultKind::refused) throw;
        }
    }

    void add(Updated part) {
        std::move(part.moved.begin(), part.moved.end(), std::back_inserter(result.moved));
        std::move(part.stages.begin(), part.stages.end(), std::back_inserter(result.stages));
        std::move(part.inclusions.begin(), part.inclusions.end(), std::back_inserter(result.inclusions));
        std::move(part.findings.begin(), part.findings.end(), std::back_inserter(result.findings));
        result.told += part.told;
    }

    pqxx::connection& connection_;
    Database& database_;
    std::int64_t now_;
};

bool may_alert(const WatchUpdate& update) {
    return update.stuck == true ||
           std::any_of(update.transitions.begin(), update.transitions.end(), makes_finding);
}

void count(metrics::WatchSeries& series, const Updated& updated) {
    for (const auto stage : updated.stages) series.count_stage(std::string(chain::stage_name(stage)));
    for (const auto& fate : updated.inclusions) series.count_inclusion(fate);
    for (const auto& [kind, error_class] : updated.findings) {
        // Only a refused transaction has a class that a host gave.
        const bool is_told = kind == chain::stage_name(chain::Stage::rejected);
        series.count_finding(kind, is_told ? std::string(chain::error_class_label(error_class)) : error_class,
                             1);
    }
}

}  // namespace

base::Task<std::vector<std::string>> PgWatchStore::update_watches(std::vector<WatchUpdate> updates) {
    return lane_.run([&database = database_, &clock = clock_, series = series_,
                      updates = std::move(updates)](pqxx::connection& connection) {
        if (updates.empty()) return std::vector<std::string>();
        Writing writing(connection, database, microseconds(clock.wall()));
        writing.write(updates);
        // A commit in doubt may have made alerts that its repetition does not know of.
        writing.result.told.is_due |= std::any_of(updates.begin(), updates.end(), may_alert);
        database.announce(writing.result.told);
        if (series) count(*series, writing.result);
        return std::move(writing.result.moved);
    });
}

}  // namespace receiptd::storage
