#include "storage/watch_findings.hpp"

#include "base/json_text.hpp"
#include "base/line.hpp"
#include "chain/json/json_check.hpp"
#include "storage/certainty_rows.hpp"
#include "storage/copy.hpp"
#include "storage/days_of.hpp"
#include "storage/news.hpp"
#include "storage/sql_time.hpp"

#include <algorithm>

namespace receiptd::storage {
namespace {

std::string words_of(const std::string& reason) {
    if (reason == chain::reason::kSuperseded) return "another transaction used its nonce";
    if (reason == chain::reason::kExpired) return "its block hash is too old";
    if (reason == chain::reason::kInvalidChain) return "its block hash is of a fork that lost";
    if (reason == chain::reason::kNoRoute) return "no host took it";
    if (reason == chain::reason::kNeverSeen) return "it was not seen while it could have been included";
    if (reason == chain::reason::kHeightsMissing) return "it may be in a block that no host shows any more";
    if (reason == chain::reason::kRefusedByDatabase) return "what was to be stored of it was refused";
    return reason;
}

chain::Finding ending(const AppliedUpdate& item, const chain::Transition& end, std::uint64_t now) {
    chain::Finding finding;
    finding.kind = chain::stage_name(end.to);
    finding.finding_id = finding.kind + ":" + item.update->tx_hash;
    finding.failure.error_class = storable_text(item.update->state.reason);
    finding.failure.error_text = base::shortened(
        words_of(finding.failure.error_class) + ": " + storable_json(end.evidence), chain::kLongestErrorText);
    finding.certainty = item.certainty_of(end, item.update->state.confirmed);
    finding.at = end.at.value_or(chain::ExecutedAt{0, now});
    return finding;
}

// A told end that the chain has taken back.
chain::Finding correction(const AppliedUpdate& item, const chain::Transition& step) {
    const std::string told(chain::stage_name(step.from));
    const auto height = step.at ? step.at->height : 0;
    chain::Finding finding;
    finding.kind = chain::kind::kCorrected;
    finding.finding_id = "corrected:" + item.update->tx_hash + ":" + told + ":" + std::to_string(height);
    finding.failure.error_class = told;
    finding.failure.error_text = "it was told as " + told + " (" + storable_text(item.before.reason) +
                                 "), but a block at height " + std::to_string(height) + " includes it";
    const auto evidence = item.before.evidence_json.empty() ? "null" : item.before.evidence_json;
    const auto end = base::JsonObject()
                         .text("finding_id", told + ":" + item.update->tx_hash)
                         .text("stage", told)
                         .text("reason", storable_text(item.before.reason))
                         .json("evidence", evidence);
    finding.correction_json =
        base::JsonObject()
            .json("told", end.to_json())
            .json("true", base::JsonObject()
                              .text("stage", chain::stage_name(item.update->state.stage))
                              .number("included_height", height)
                              .to_json())
            .text("why", "a block includes it")
            .to_json();
    finding.certainty = item.certainty_of(item.update->state);
    finding.at = step.at.value_or(chain::ExecutedAt{});
    return finding;
}

// Being stuck in another stage is another finding.
chain::Finding being_stuck(const AppliedUpdate& item, std::uint64_t now) {
    const std::string stage(chain::stage_name(item.update->state.stage));
    chain::Finding finding;
    finding.kind = chain::kind::kStuck;
    finding.finding_id = "stuck:" + item.update->tx_hash + ":" + stage;
    finding.failure.error_class = "stuck_" + stage;
    finding.failure.error_text = "it is longer in the stage " + stage + " than it should be";
    finding.certainty = item.certainty_of(item.update->state);
    finding.at = {0, now};
    return finding;
}

// Earlier findings stay as they are: a watch may be removed and come again.
std::string insert_findings(const DaysOf& days) {
    return "INSERT INTO findings (finding_id, kind, tx_hash, tree_id, signer_id, error_class, error_text, "
           "block_height, "
           "  block_time, conclusive, safe_to_resign_after_height, safe_to_resign_estimated_at, correction) "
           "SELECT id, kind, tx_hash, tx_hash, signer_id, nullif(class, ''), nullif(text, ''), "
           "  nullif(height, '')::bigint, timestamptz 'epoch' + interval '1 microsecond' * at::bigint, "
           "  conclusive::boolean, nullif(safe, '')::bigint, estimated_time(nullif(safe, '')::bigint), "
           "  nullif(correction, '')::json "
           "FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], "
           "$8::text[], $9::text[], $10::text[], $11::text[]) "
           "  AS new (id, kind, tx_hash, signer_id, class, text, height, at, conclusive, safe, correction) "
           "WHERE NOT EXISTS (SELECT FROM findings f WHERE f.tree_id = new.tx_hash AND f.finding_id = new.id "
           "AND " +
           days.have("f.block_time") + ") RETURNING kind, coalesce(error_class, '')";
}

}  // namespace

std::string storable_json(const std::string& json) {
    const auto check = chain::check_json(json);
    if (check.queryable()) return json;
    return check.valid ? chain::Evidence().text("raw", json).to_json() : "{}";
}
std::string storable_text(std::string text) {
    std::replace(text.begin(), text.end(), '\0', ' ');
    return text;
}

base::WallTime alerts_sent_since(const std::vector<AppliedUpdate>& applied) {
    auto since = base::WallTime::max();
    for (const auto& item : applied) since = std::min(since, item.update->alerts_sent_since);
    return since;
}

std::vector<chain::Finding> findings_of(const std::vector<AppliedUpdate>& applied, std::int64_t now) {
    const auto now_nanosec = static_cast<std::uint64_t>(now) * kNanosecondsPerMicrosecond;
    std::vector<chain::Finding> findings;
    const auto add = [&](const AppliedUpdate& item, chain::Finding finding) {
        finding.tx_hash = item.update->tx_hash;
        finding.signer_id = item.before.sender_id;
        findings.push_back(std::move(finding));
    };
    for (const auto& item : applied) {
        for (const auto& transition : item.update->transitions)
            if (chain::is_end(transition.to) && transition.to != chain::Stage::final)
                add(item, ending(item, transition, now_nanosec));
        for (const auto& transition : item.update->transitions)
            if (takes_back(transition)) add(item, correction(item, transition));
        if (item.becomes_stuck()) add(item, being_stuck(item, now_nanosec));
    }
    return findings;
}

WrittenFindings write_findings(pqxx::transaction_base& tx, RuleBook& rules,
                               const std::vector<chain::Finding>& findings, base::WallTime sent_since) {
    if (findings.empty()) return {};
    std::vector<std::string> ids, kinds, tx_hashes, signers, classes, texts, heights, times, corrections;
    CertaintyColumns certainty;
    News news;
    news.sent_since = sent_since;
    News taken_back;
    for (const auto& finding : findings) {
        const auto at = finding.at.timestamp_nanosec;
        ids.push_back(finding.finding_id);
        kinds.push_back(finding.kind);
        tx_hashes.push_back(finding.tx_hash);
        signers.push_back(finding.signer_id);
        classes.push_back(finding.failure.error_class);
        texts.push_back(finding.failure.error_text);
        heights.push_back(finding.at.height > 0 ? std::to_string(finding.at.height) : std::string());
        times.push_back(std::to_string(at / kNanosecondsPerMicrosecond));
        certainty.add(finding.certainty.value_or(chain::Certainty{}));
        corrections.push_back(finding.correction_json);
        (finding.kind == chain::kind::kCorrected ? taken_back : news).add(finding.finding_id, at);
    }
    const auto rows = shim::query(
        tx, insert_findings(DaysOf(tx, tx_hashes)), text_array(ids), text_array(kinds), text_array(tx_hashes),
        text_array(signers), text_array(classes), text_array(texts), text_array(heights), text_array(times),
        text_array(certainty.conclusive), text_array(certainty.safe_heights), text_array(corrections));
    WrittenFindings written;
    written.told = tell(tx, rules, news);
    tell_corrections(tx, taken_back);
    written.told.is_due |= !taken_back.finding_ids.empty();
    for (const auto& row : rows)
        written.added.emplace_back(row[0].as<std::string>(), row[1].as<std::string>());
    return written;
}

}  // namespace receiptd::storage
