#include "page/now.hpp"

#include "base/line.hpp"
#include "chain/tree/sentences.hpp"
#include "chain/tree/units.hpp"
#include "page/texts.hpp"

#include <algorithm>
#include <cmath>

namespace receiptd::page {

namespace {

constexpr std::size_t kLongestWhy = 300;

Json tile(std::string_view name, std::string value, std::string_view tone, std::string note,
          std::string_view link = "") {
    return {{"name", name},
            {"value", std::move(value)},
            {"tone", tone},
            {"note", std::move(note)},
            {"link", link}};
}

std::string seconds_text(double seconds) {
    if (seconds < 90) return count_text(static_cast<std::uint64_t>(std::max(0.0, seconds))) + " s";
    return count_text(static_cast<std::uint64_t>(seconds / 60)) + " min";
}

std::uint64_t lag_of(const api::DaemonStatus& status) {
    if (!status.head || !status.committed || status.head->height < status.committed->height) return 0;
    return status.head->height - status.committed->height;
}

Json head_tile(const api::DaemonStatus& status) {
    if (!status.committed) return tile("Newest block", "none yet", "wait", "The first block is on its way.");
    const auto lag = lag_of(status);
    const auto note =
        lag == 0 ? std::string("level with the chain") : plural(lag, "block", "blocks") + " behind the chain";
    return tile("Newest block", height_text(status.committed->height), lag > 20 ? "odd" : "", note);
}

Json stored_tile(const api::DaemonStatus& status) {
    if (status.gap_heights == 0) {
        const auto& skipped = status.skipped_by_operator;
        const auto note = skipped.empty() ? std::string("without a gap")
                                          : "without a gap, but for heights skipped by operator from " +
                                                height_text(skipped.front().from);
        return tile("Blocks stored", count_text(status.covered_heights), "", note);
    }
    return tile("Blocks stored", count_text(status.covered_heights), "odd",
                plural(status.gap_heights, "height is", "heights are") + " missing and fetched again");
}

Json verdict_tiles(const storage::RecentCounts& counts) {
    const auto of = [&](const char* verdict) {
        const auto found = counts.verdicts.find(verdict);
        return found == counts.verdicts.end() ? std::uint64_t{0} : found->second;
    };
    std::uint64_t all = 0;
    for (const auto& [verdict, count] : counts.verdicts) all += count;
    const auto hidden = counts.hidden_failures;
    const auto failed = counts.told_failures;
    Json tiles = Json::array();
    tiles.push_back(tile("Transactions judged", count_text(all), "",
                         count_text(of("succeeded") + of("succeeded_with_handled_failure")) + " went well"));
    tiles.push_back(tile("Failed", count_text(failed), failed > 0 ? "bad" : "good", "and the sender was told",
                         "/findings"));
    tiles.push_back(tile("Hidden failures", count_text(hidden), hidden > 0 ? "bad" : "good",
                         "behind a success", "/findings?handled=false"));
    tiles.push_back(tile(
        "Watched now", count_text(counts.open_watches), counts.stuck_watches > 0 ? "odd" : "",
        counts.stuck_watches > 0 ? plural(counts.stuck_watches, "is stuck", "are stuck") : "none is stuck",
        "/watches?open=true"));
    return tiles;
}

Json alert_tile(const api::OutboxView& outbox) {
    const bool late = outbox.pending > 0;
    auto note =
        late ? "the oldest for " + seconds_text(outbox.oldest_pending_seconds) : std::string("all delivered");
    if (outbox.dead > 0) note = plural(outbox.dead, "was", "were") + " given up" + (late ? "; " + note : "");
    return tile("Alerts waiting", count_text(outbox.pending),
                outbox.dead > 0 ? "bad"
                : late          ? "wait"
                                : "good",
                note, "/alerts");
}

Json host_values(const api::UpstreamView& host, std::uint64_t newest) {
    Json values;
    values["name"] = host.name;
    values["kind"] = host.kind;
    values["origin"] = host.origin;
    const bool is_bad = !host.is_usable || host.refused || host.is_unpaid;
    const char* tone = is_bad ? "bad" : host.health < 0.5 ? "odd" : "good";
    values["tone"] = tone;
    values["icon"] = icon_of(tone);
    values["state"] = host.refused        ? "Refuses us (401 or 403)"
                      : !host.is_usable   ? "Not used"
                      : host.is_unpaid    ? "Wants to be paid (402)"
                      : host.health < 0.5 ? "Often fails"
                                          : "Answers";
    values["health"] = std::to_string(std::lround(std::clamp(host.health, 0.0, 1.0) * 100));
    values["height"] = host.head_height ? Json(height_text(*host.head_height)) : Json();
    const bool behind = host.head_height && *host.head_height + 20 < newest;
    values["behind"] =
        behind ? Json(plural(newest - *host.head_height, "block behind", "blocks behind")) : Json();
    values["note"] = host.is_usable ? base::shortened(host.last_error, kLongestWhy)
                                    : base::shortened(host.network_detail, kLongestWhy);
    return values;
}

Json hosts_values(const api::DaemonStatus& status) {
    const auto newest = status.head ? status.head->height : 0;
    Json hosts = Json::array();
    for (const auto& host : status.upstreams) hosts.push_back(host_values(host, newest));
    return hosts;
}

Json reasons_values(const std::vector<api::Unreadiness>& reasons) {
    Json all = Json::array();
    for (const auto& reason : reasons) all.push_back({{"text", base::shortened(reason.detail, kLongestWhy)}});
    return all;
}

Json state_values(const api::DaemonStatus& status) {
    const auto reasons = api::unreadiness(status);
    Json state;
    const char* tone = reasons.empty() ? "good" : "odd";
    state["tone"] = tone;
    state["icon"] = icon_of(tone);
    state["text"] = reasons.empty() ? "Everything is in order" : "Something needs a look";
    state["reasons"] = reasons_values(reasons);
    state["notes"] = reasons_values(api::notes(status));
    return state;
}

// Where the failure is; of a transaction that never ran, whose it is.
std::string where_of(const chain::Finding& finding) {
    if (!finding.method_name.empty() && !finding.contract_id.empty())
        return base::shortened(finding.method_name, 80) + " " + std::string(chain::joint_of(finding)) + " " +
               short_account(finding.contract_id);
    if (!finding.contract_id.empty()) return short_account(finding.contract_id);
    if (!finding.method_name.empty()) return base::shortened(finding.method_name, 80);
    return "transaction of " + short_account(finding.signer_id);
}

std::string why_of(const chain::Finding& finding) {
    if (finding.flow)
        return count_text(finding.flow->returned) +
               (finding.flow->returned == 1 ? " token unit" : " token units") + " came back, " +
               count_text(finding.flow->kept) + (finding.flow->kept == 1 ? " was kept" : " were kept");
    if (finding.burnt) return chain::near_in_words(*finding.burnt) + " is gone";
    if (!finding.failure.error_text.empty()) return base::shortened(finding.failure.error_text, kLongestWhy);
    return finding.failure.error_class.empty() ? std::string()
                                               : error_class_words(finding.failure.error_class);
}

}  // namespace

Json finding_values(const chain::Finding& finding, base::WallTime now) {
    Json values;
    values["id"] = finding.finding_id;
    auto kind = kind_badge(finding.kind);
    if (finding.kind == chain::kind::kFailedReceipt && finding.role == chain::Role::callback)
        kind["label"] = "Failed callback";
    if (finding.handled == true) {
        kind["label"] = kind["label"].get<std::string>() + ", handled";
        kind["tone"] = "odd";
        kind["icon"] = icon_of("odd");
    }
    values["kind"] = std::move(kind);
    values["where"] = where_of(finding);
    values["why"] = why_of(finding);
    values["error_class"] = finding.failure.error_class;
    values["contract"] = finding.contract_id;
    values["signer"] = finding.user_id.empty() ? finding.signer_id : finding.user_id;
    values["tx"] = transaction_link(finding.tx_hash);
    if (!finding.receipt_id.empty() && !finding.tx_hash.empty())
        values["tx"]["link"] =
            "/tx/" + url_encoded(finding.tx_hash) + "?receipt=" + url_encoded(finding.receipt_id);
    values["time"] = time_json(finding.at.timestamp_nanosec, now);
    values["height"] = finding.at.height > 0 ? Json(height_text(finding.at.height)) : Json();
    values["hidden"] = finding.near_status && !finding.near_status->failed && finding.handled == false;
    values["expected"] = finding.expected;
    return values;
}

Json now_values(const NowView& view) {
    const auto& status = view.status;
    Json values;
    values["state"] = state_values(status);
    values["network"] = status.network;
    values["block_time"] = status.committed ? time_json(status.committed->time, view.now) : Json();
    values["tiles"] = Json::array({head_tile(status), stored_tile(status)});
    if (view.counts)
        for (auto& each : verdict_tiles(*view.counts)) values["tiles"].push_back(std::move(each));
    if (status.outbox) values["tiles"].push_back(alert_tile(*status.outbox));
    values["hosts"] = hosts_values(status);
    values["findings"] = Json::array();
    if (view.findings)
        for (const auto& finding : *view.findings)
            values["findings"].push_back(finding_values(finding, view.now));
    values["findings_away"] = !view.findings;
    values["source"] = status.source;
    values["scope"] = status.scope;
    values["pending_trees"] = status.pending_trees > 0 ? Json(count_text(status.pending_trees)) : Json();
    values["leader"] =
        status.leader ? Json(status.leader->is_this_one ? "this daemon" : status.leader->place) : Json();
    return values;
}

}  // namespace receiptd::page
