#include "storage/corrections.hpp"

#include "storage/copy.hpp"
#include "storage/days_of.hpp"
#include "storage/news.hpp"

namespace receiptd::storage {
namespace {

// Takes back each row of a SELECT of (id, kind, tx_hash, signer_id, block_time, told, truth, why, now_is).
const std::string kTakeBack =
    "written AS (INSERT INTO findings (finding_id, kind, tx_hash, tree_id, signer_id, error_class, "
    "error_text, block_time, correction) "
    "  SELECT 'corrected:' || id || ':' || now_is || ':' || (corrections_of(id, tx_hash) + 1), 'corrected', "
    "    tx_hash, tx_hash, signer_id, kind, 'it was told as ' || kind || "
    "    CASE now_is WHEN 'handled' THEN ' that nobody handled' WHEN 'unhandled' THEN ' that was handled' "
    "      ELSE '' END || ', which does not hold: ' || why, block_time, "
    "    json_build_object('told', told, 'true', truth, 'why', why) FROM wrong "
    "  RETURNING finding_id, tx_hash, block_time, correction), "
    "known AS (UPDATE alerts a SET handled = (now_is = 'handled') FROM wrong w "
    "    CROSS JOIN LATERAL last_telling(w.id) AS last "
    "  WHERE now_is IN ('handled', 'unhandled') AND a.alert_id = last.alert_id), ";

// A transition of a watch that leaves its stage where it is.
const std::string kInTransitions =
    "noted AS (INSERT INTO watch_transitions (tx_hash, from_stage, to_stage, evidence, conclusive, "
    "    safe_to_resign_after_height, safe_to_resign_estimated_at) "
    "  SELECT c.tx_hash, w.stage, w.stage, json_build_object('corrects', c.correction), w.conclusive, "
    "    w.safe_to_resign_after_height, w.safe_to_resign_estimated_at "
    "  FROM written c JOIN watches w USING (tx_hash) "
    "  RETURNING tx_hash, from_stage, to_stage, at, evidence, conclusive, safe_to_resign_after_height, "
    "    safe_to_resign_estimated_at), ";
const std::string kInStream =
    "streamed AS (INSERT INTO stream_events (kind, tx_hash, body) "
    "  SELECT 'transition', n.tx_hash, json_build_object('tx_hash', n.tx_hash, 'sender_id', w.sender_id, "
    "    'idempotency_key', w.idempotency_key, 'metadata', w.metadata, 'from_stage', from_stage, 'to_stage', "
    "to_stage, 'final', NULL, 'inclusion_id', NULL, 'at', n.at, "
    "    'verdict', coalesce(n.evidence #>> '{corrects,true,verdict}', w.verdict), 'reason', w.reason, "
    "    'conclusive', n.conclusive, 'safe_to_resign_after_height', n.safe_to_resign_after_height, "
    "    'safe_to_resign_estimated_at', n.safe_to_resign_estimated_at, 'evidence', n.evidence) "
    "  FROM noted n JOIN watches w USING (tx_hash)) ";
const std::string kWhatIsNews =
    "SELECT finding_id, (extract(epoch FROM block_time) * 1000000000)::numeric::bigint FROM written";

bool tell_all(pqxx::transaction_base& tx, const pqxx::result& corrections) {
    News news;
    for (const auto& row : corrections) news.add(row[0].as<std::string>(), row[1].as<std::uint64_t>());
    tell_corrections(tx, news);
    return !corrections.empty();
}

const std::string kToldFinding =
    "json_build_object('finding_id', f.finding_id, 'kind', f.kind, 'error_class', f.error_class, "
    "'receipt_id', f.receipt_id, 'handled', coalesce(last.handled, f.handled), "
    "'block_height', f.block_height)";

// A watch told its verdict as its end; findings count if they were told, and not taken back since.
std::string judged_anew(const DaysOf& days) {
    return "WITH judged AS (SELECT tx_hash, nullif(verdict, '') AS verdict, class "
           "  FROM unnest($1::text[], $2::text[], $3::text[]) AS j (tx_hash, verdict, class)), "
           "holding AS (SELECT id, nullif(handled, '')::boolean AS handled FROM unnest($4::text[], "
           "$5::text[]) "
           "  AS h (id, handled)), "
           "wrong AS MATERIALIZED (SELECT f.finding_id AS id, f.kind, f.tx_hash, f.signer_id, "
           "f.block_time, " +
           kToldFinding +
           " AS told, json_strip_nulls(json_build_object('verdict', j.verdict, 'handled', h.handled)) AS "
           "truth, "
           "    $6::text AS why, "
           "    CASE WHEN h.id IS NULL THEN 'gone' WHEN h.handled THEN 'handled' ELSE 'unhandled' END AS "
           "now_is "
           "  FROM judged j JOIN findings f ON f.tree_id = j.tx_hash LEFT JOIN holding h ON h.id = "
           "f.finding_id "
           "    CROSS JOIN LATERAL last_telling(f.finding_id) AS last "
           "  WHERE " +
           days.have("f.block_time") + " AND f." + kTreeFindings +
           "    AND (h.id IS NULL OR h.handled <> coalesce(last.handled, f.handled)) "
           "    AND last.telling > corrections_of(f.finding_id, f.tree_id, 'gone') "
           "  UNION ALL SELECT 'final:' || w.tx_hash, 'final', w.tx_hash, w.sender_id, (SELECT "
           "min(t.block_time) "
           "      FROM transactions t WHERE t.tx_hash = w.tx_hash AND " +
           days.have("t.block_time") +
           "), "
           "    json_build_object('stage', w.stage, 'verdict', w.verdict, 'reason', w.reason), "
           "    json_build_object('verdict', j.verdict), $6::text, coalesce(j.verdict, 'undecided') "
           "  FROM judged j JOIN watches w USING (tx_hash) "
           "  WHERE w.stage = 'final' AND w.verdict IS DISTINCT FROM j.verdict), " +
           kTakeBack +
           "truer AS (UPDATE watches w SET verdict = j.verdict, reason = nullif(j.class, ''), "
           "    safe_to_resign_after_height = CASE WHEN j.verdict = 'failed' THEN "
           "w.safe_to_resign_after_height "
           "END, "
           "    updated_at = now() "
           "  FROM judged j WHERE w.tx_hash = j.tx_hash AND w.stage = 'final' "
           "    AND w.verdict IS DISTINCT FROM j.verdict), " +
           kInTransitions + kInStream + kWhatIsNews;
}

// A pending listing that may bring the findings of a removed block back. Another one of the same hash, of
// which nothing was ever told, brought none, and may wait for ever: hosts know one execution of a hash.
std::string may_bring_it_back(const DaysOf& days) {
    return "SELECT FROM pending_trees p WHERE p.tx_hash = o.tx_hash "
           "  AND (p.placed_at >= o.removed_at OR NOT EXISTS (SELECT FROM transactions t "
           "    WHERE t.tx_hash = p.tx_hash AND t.block_height = p.block_height AND t.block_time = "
           "p.block_time "
           "      AND t.status IS NULL AND t.initial_receipt_id IS NULL AND " +
           days.have("t.block_time") + "))";
}

// An alert whose finding went with blocks, and has not come back, or came back otherwise, though these
// heights are stored again and the tree is judged. That the chain does not have the transaction shows once a
// block hash has grown too old.
std::string of_removed(const DaysOf& days) {
    return "WITH removed AS (SELECT adopted_into AS tx_hash, max(block_height) AS height, max(block_time) AS "
           "block_time, min(adopted_at) AS removed_at "
           "  FROM orphan_receipts WHERE id = 'removed block' GROUP BY 1 "
           "  HAVING bool_and((SELECT heights FROM coverage) @> block_height)), "
           "told AS MATERIALIZED (SELECT o.*, a.kind, a.telling, a.handled, finding_of(a) AS id FROM removed "
           "o "
           "    JOIN alerts a USING (tx_hash) "
           "  WHERE a." +
           kTreeFindings + "    AND NOT EXISTS (" + may_bring_it_back(days) +
           ") AND NOT EXISTS (SELECT FROM late_trees l WHERE l.tx_hash = o.tx_hash)), "
           "wrong AS MATERIALIZED (SELECT o.id, o.kind, o.tx_hash, NULL::text AS signer_id, o.block_time, "
           "    json_strip_nulls(json_build_object('finding_id', o.id, 'kind', o.kind, 'handled', "
           "o.handled)) "
           "      AS told, "
           "    json_strip_nulls(json_build_object('verdict', r.verdict, 'handled', f.handled)) AS truth, "
           "    CASE WHEN r.verdict IS NULL THEN 'the chain does not have it: ' ELSE '' END || 'the block at "
           "height "
           "' "
           "      || o.height || ' was not of this chain' AS why, "
           "    CASE WHEN f.tree_id IS NULL THEN 'gone' WHEN f.handled THEN 'handled' ELSE 'unhandled' END "
           "AS "
           "now_is "
           "  FROM told o LEFT JOIN findings f ON f.tree_id = ANY (trees_of_hashes(ARRAY[o.tx_hash])) "
           "      AND f.finding_id = o.id AND " +
           days.have("f.block_time") +
           "    LEFT JOIN transaction_results r ON r.tx_hash = o.tx_hash "
           "      AND r.tree_id = coalesce(f.tree_id, o.tx_hash) AND " +
           days.have("r.block_time") +
           " "
           "  WHERE (f.tree_id IS NULL OR f.handled <> o.handled) "
           "    AND o.telling = (SELECT telling FROM last_telling(o.id)) "
           "    AND o.telling > corrections_of(o.id, o.tx_hash, 'gone') "
           "    AND (r.tx_hash IS NOT NULL OR NOT EXISTS (SELECT FROM transactions t WHERE t.tx_hash = "
           "o.tx_hash "
           "        AND " +
           days.have("t.block_time") +
           ") "
           "      AND o.block_time < newest_block_time() - interval '1 day')), " +
           kTakeBack + kInTransitions + kInStream + kWhatIsNews;
}

const std::string kBeginAnew =
    "WITH before AS MATERIALIZED (SELECT tx_hash, sender_id, stage, verdict, reason, evidence, valid_until, "
    "    idempotency_key, metadata FROM watches WHERE (tx_hash = ANY ($1::text[]) OR tx_hash IN (SELECT "
    "t.tx_hash FROM watch_transitions "
    "t "
    "      WHERE t.block_height = $2::bigint AND t.final IS NOT FALSE AND t.at >= $3::timestamptz - interval "
    "'1 hour' "
    "        AND t.block_time BETWEEN $3::timestamptz - interval '1 second' "
    "          AND $3::timestamptz + interval '1 second')) "
    "    AND stage IN ('accepted', 'included', 'executing', 'completed', 'final') AND early_block_hash IS "
    "NULL ORDER BY tx_hash "
    "    FOR UPDATE), "
    "wrong AS MATERIALIZED (SELECT 'final:' || tx_hash AS id, stage AS kind, tx_hash, "
    "    sender_id AS signer_id, $3::timestamptz AS block_time, "
    "    json_build_object('stage', stage, 'verdict', verdict, 'reason', reason, 'evidence', evidence) AS "
    "told, "
    "    json_build_object('stage', 'accepted') AS truth, "
    "    'the block at height ' || $2::bigint || ' was not of this chain' AS why FROM before "
    "  WHERE stage <> 'accepted'), "
    "anew AS (UPDATE watches w SET stage = 'accepted', verdict = NULL, reason = NULL, conclusive = false, "
    "    safe_to_resign_after_height = w.valid_until, safe_to_resign_estimated_at = "
    "estimated_time(w.valid_until), "
    "    watched_since = NULL, checks = 0, stuck_since = NULL, next_check_at = now(), "
    "    stage_since = CASE w.stage WHEN 'accepted' THEN w.stage_since ELSE now() END, "
    "    updated_at = now() FROM before b WHERE w.tx_hash = b.tx_hash), "
    "noted AS (INSERT INTO watch_transitions (tx_hash, from_stage, to_stage, evidence, conclusive, "
    "    safe_to_resign_after_height, safe_to_resign_estimated_at) "
    "  SELECT tx_hash, b.stage, 'accepted', json_build_object('corrects', w.told, 'why', w.why), false, "
    "    b.valid_until, estimated_time(b.valid_until) FROM before b JOIN wrong w USING (tx_hash) "
    "  RETURNING tx_hash, from_stage, to_stage, at, evidence, conclusive, safe_to_resign_after_height, "
    "    safe_to_resign_estimated_at), "
    "streamed AS (INSERT INTO stream_events (kind, tx_hash, body) "
    "  SELECT 'transition', n.tx_hash, json_build_object('tx_hash', n.tx_hash, 'sender_id', b.sender_id, "
    "    'idempotency_key', idempotency_key, 'metadata', metadata, 'from_stage', from_stage, 'to_stage', "
    "to_stage, 'final', NULL, 'inclusion_id', NULL, 'at', n.at, 'verdict', NULL, 'reason', NULL, "
    "    'conclusive', n.conclusive, 'safe_to_resign_after_height', n.safe_to_resign_after_height, "
    "    'safe_to_resign_estimated_at', n.safe_to_resign_estimated_at, 'evidence', n.evidence) "
    "  FROM noted n JOIN before b USING (tx_hash)), "
    "written AS (INSERT INTO findings (finding_id, kind, tx_hash, tree_id, signer_id, error_class, "
    "error_text, block_time, correction) "
    "  SELECT 'corrected:' || w.id || ':accepted:' || (corrections_of(w.id, tx_hash) + 1), 'corrected', "
    "    tx_hash, tx_hash, w.signer_id, w.kind, 'it was told as ' || w.kind || ', which does not hold: ' || "
    "why, "
    "    block_time, json_build_object('told', told, 'true', truth, 'why', why) "
    "  FROM wrong w JOIN before b USING (tx_hash) WHERE b.stage = 'final' OR EXISTS (SELECT FROM alerts a "
    "    WHERE a.tx_hash = w.tx_hash AND a.kind IN ('included', 'executing', 'completed')) "
    "  RETURNING finding_id, block_time) " +
    kWhatIsNews;

}  // namespace

bool take_back_judged(pqxx::transaction_base& tx, const JudgedAnew& judged) {
    if (judged.tx_hashes.empty()) return false;
    return tell_all(tx,
                    shim::query(tx, judged_anew(DaysOf(tx, judged.tx_hashes)), text_array(judged.tx_hashes),
                                text_array(judged.verdicts), text_array(judged.error_classes),
                                text_array(judged.holding), text_array(judged.handled), judged.why));
}

bool begin_watches_anew(pqxx::transaction_base& tx, const std::vector<std::string>& tx_hashes,
                        const LostBlock& block) {
    return tell_all(tx, shim::query(tx, kBeginAnew, text_array(tx_hashes), block.height, block.time));
}

// The days and what lies on them are of one state of the database: what is judged between the two would seem
// to be gone.
bool take_back_removed(pqxx::transaction_base& tx) {
    tx.exec("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
    const auto tx_hashes =
        texts_of(tx.exec("SELECT DISTINCT adopted_into FROM orphan_receipts WHERE id = 'removed block'"));
    return !tx_hashes.empty() && tell_all(tx, tx.exec(of_removed(DaysOf::trees_of(tx, tx_hashes))));
}

}  // namespace receiptd::storage
