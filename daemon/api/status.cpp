#include "api/status.hpp"

#include "base/exact_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace receiptd::api {
namespace {

using nlohmann::json;

constexpr double kHeadStaleSeconds = 60;
constexpr std::uint64_t kLagHeights = 100;
constexpr double kClockOffSeconds = 600;
constexpr std::uint64_t kHostsLag = 10;  // behind one another, near the head

json block_json(const std::optional<BlockView>& block) {
    if (!block) return nullptr;
    return {{"height", block->height}, {"hash", block->hash}, {"time", block->time}};
}

json number_json(const std::optional<double>& number) {
    if (!number) return nullptr;
    return *number;
}

json height_json(const std::optional<std::uint64_t>& height) {
    if (!height) return nullptr;
    return *height;
}

json upstream_json(const UpstreamView& upstream) {
    return {{"name", upstream.name},
            {"kind", upstream.kind},
            {"origin", upstream.origin},
            {"health", upstream.health},
            {"refused", upstream.refused},
            {"network", upstream.network},
            {"network_detail", upstream.network_detail},
            {"last_error", upstream.last_error},
            {"horizon_height", height_json(upstream.horizon_height)},
            {"head_height", height_json(upstream.head_height)},
            {"untracked_shards", upstream.untracked_shards},
            {"missing_methods", upstream.missing_methods},
            {"budget_available", upstream.budget_available},
            {"budget_limit", upstream.budget_limit == 0 ? json() : json(upstream.budget_limit)},
            {"requests", upstream.requests},
            {"requests_seconds", upstream.requests_seconds},
            {"requests_a_day", upstream.requests_a_day},
            {"in_flight", upstream.in_flight}};
}

json leader_json(const std::optional<LeaderView>& leader) {
    if (!leader) return nullptr;
    return {{"is_this_one", leader->is_this_one}, {"place", leader->place}, {"epoch", leader->epoch}};
}

json retention_json(const RetentionView& retention) {
    return {{"receipts", retention.receipts}, {"results", retention.results}};
}

json others_json(const std::vector<OtherDaemonView>& others) {
    json list = json::array();
    for (const auto& other : others)
        list.push_back({{"place", other.place},
                        {"source", other.source},
                        {"retention", retention_json(other.retention)},
                        {"seen_seconds_ago", other.seen_seconds_ago}});
    return list;
}

json accounts_json(const std::vector<AccountView>& accounts) {
    json list = json::array();
    for (const auto& account : accounts) {
        json ranges = json::array();
        for (const auto& range : account.not_whole)
            ranges.push_back({{"from", range.from}, {"to", range.to}});
        list.push_back({{"account_id", account.account_id},
                        {"since_height", account.since_height},
                        {"not_whole_heights", account.not_whole_heights},
                        {"not_whole", std::move(ranges)}});
    }
    return list;
}

// "a.near over 300 heights from 100 on, b.near over 12 heights from 100 on"
std::string accounts_text(const std::vector<AccountView>& accounts) {
    constexpr std::size_t kNamed = 3;
    std::string text;
    std::size_t found = 0;
    for (const auto& account : accounts) {
        if (account.not_whole_heights == 0 || ++found > kNamed) continue;
        text += (text.empty() ? "" : ", ") + account.account_id + " over " +
                std::to_string(account.not_whole_heights) + " heights from " +
                std::to_string(account.not_whole.front().from) + " on";
    }
    if (found > kNamed) text += " and " + std::to_string(found - kNamed) + " more";
    return text;
}

json outbox_json(const std::optional<OutboxView>& outbox) {
    if (!outbox) return nullptr;
    return {{"pending", outbox->pending},
            {"oldest_pending_seconds", outbox->oldest_pending_seconds},
            {"dead", outbox->dead}};
}

json timed_rules_json(const std::optional<TimedRulesView>& timed) {
    if (!timed) return nullptr;
    return {{"judged_until", timed->judged_until.empty() ? json() : json(timed->judged_until)},
            {"rules", timed->rules}};
}

std::string shards_text(const std::vector<std::uint64_t>& shards) {
    std::string text = shards.size() == 1 ? "shard" : "shards";
    for (const auto shard : shards) text += (shard == shards.front() ? " " : ", ") + std::to_string(shard);
    return text;
}

std::string overdue_text(const OverdueTreesView& overdue) {
    return std::to_string(overdue.count) + " trees should be complete by now; that of transaction " +
           overdue.oldest_tx_hash + " has been pending for " +
           std::to_string(static_cast<long>(overdue.oldest_seconds)) + " s, " +
           (overdue.oldest_fault.empty() ? "answers are incomplete" : "last fault: " + overdue.oldest_fault);
}

// A chain may keep a time of its own (a sandbox, a recording): that alone is no fault of the clock.
bool clock_is_off(const DaemonStatus& status) {
    return status.clock_ahead_seconds && std::abs(*status.clock_ahead_seconds) > kClockOffSeconds &&
           std::abs(status.clock_jumped_seconds) > kClockOffSeconds;
}

std::string counts_text(const std::map<std::string, std::uint64_t>& counts) {
    std::string text;
    for (const auto& [name, count] : counts)
        text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + name;
    return text;
}

constexpr const char* kUnpaid =
    "wants to be paid (402, payment_required): the credits of its plan are used up";

std::string why_unusable(const UpstreamView& upstream) {
    if (upstream.refused) return "refuses our requests (401 or 403)";
    if (upstream.is_usable && upstream.is_unpaid) return kUnpaid;
    return upstream.network_detail;
}

std::string unusable_text(const std::vector<UpstreamView>& upstreams) {
    std::string text = "no upstream can be used";
    for (const auto& upstream : upstreams)
        text += (upstream.name == upstreams.front().name ? ": " : "; ") + upstream.name + " " +
                why_unusable(upstream);
    return text;
}

}  // namespace

std::string outbox_line(const OutboxView& outbox) {
    auto line = std::to_string(outbox.pending) + " pending";
    if (outbox.pending > 0)
        line += ", the oldest for " + std::to_string(static_cast<long>(outbox.oldest_pending_seconds)) + " s";
    return line + ", " + std::to_string(outbox.dead) + " dead";
}

std::string to_json(const DaemonStatus& status) {
    json gaps = json::array();
    for (const auto& gap : status.gaps) gaps.push_back({{"from", gap.from}, {"to", gap.to}});
    json skipped = json::array();
    for (const auto& range : status.skipped_by_operator)
        skipped.push_back({{"from", range.from}, {"to", range.to}});
    json unavailable = json::array();
    for (const auto& height : status.unavailable)
        unavailable.push_back({{"height", height.height},
                               {"reason", height.reason},
                               {"detail", height.detail},
                               {"attempts", height.attempts}});
    json upstreams = json::array();
    for (const auto& upstream : status.upstreams) upstreams.push_back(upstream_json(upstream));
    json reasons = json::array();
    for (const auto& reason : unreadiness(status)) reasons.push_back(reason.reason);
    const json all = {{"version", status.version},
                      {"network", status.network},
                      {"source", status.source},
                      {"scope", status.scope},
                      {"ready", reasons.empty()},
                      {"not_ready_because", reasons},
                      {"head", block_json(status.head)},
                      {"head_seen_seconds_ago", status.head_seen_seconds_ago},
                      {"committed", block_json(status.committed)},
                      {"clock_ahead_seconds", number_json(status.clock_ahead_seconds)},
                      {"findings_withheld", status.findings_withheld},
                      {"database_connected", status.database_connected},
                      {"database_bad_setup", status.database_bad_setup},
                      {"held_up", status.held_up},
                      {"covered_heights", status.covered_heights},
                      {"gap_heights", status.gap_heights},
                      {"gaps", gaps},
                      {"skipped_by_operator", skipped},
                      {"unavailable_heights", status.unavailable_heights},
                      {"unavailable", unavailable},
                      {"pending_trees", status.pending_trees},
                      {"overdue_trees", status.overdue_trees.count},
                      {"untracked_shards", status.untracked_shards},
                      {"broken_chain", status.broken_chain},
                      {"disagreement", status.disagreement},
                      {"agreed_height", status.agreed_height},
                      {"left_out", status.left_out},
                      {"new_kinds", status.new_kinds},
                      {"unconfirmed", status.unconfirmed},
                      {"wrong_clock", status.wrong_clock},
                      {"clock_off", status.clock_off},
                      {"alerts", outbox_json(status.outbox)},
                      {"set_aside", status.set_aside},
                      {"deliveries_not_tried", status.not_tried},
                      {"timed_rules", timed_rules_json(status.timed_rules)},
                      {"endpoints_off", status.endpoints_off},
                      {"retention", retention_json(status.retention)},
                      {"leader", leader_json(status.leader)},
                      {"other_daemons", others_json(status.other_daemons)},
                      {"accounts", accounts_json(status.accounts)},
                      {"upstreams", upstreams}};
    // Details quote what hosts answered: bytes that are no UTF-8 must not end the answer.
    return base::write_json(all, 2) + "\n";
}

namespace {

using Reasons = std::vector<Unreadiness>;

// Other hosts may just be silent.
std::string stale_text(const DaemonStatus& status) {
    auto text = "the head has not advanced for " +
                std::to_string(static_cast<int>(status.head_seen_seconds_ago)) + " s";
    for (const auto& upstream : status.upstreams)
        if (upstream.is_usable && upstream.is_unpaid) text += "; " + upstream.name + " " + kUnpaid;
    return text;
}

void add_head(const DaemonStatus& status, Reasons& reasons) {
    if (!status.head)
        reasons.push_back({"head_unknown", "no upstream has told a final block yet"});
    else if (status.head_seen_seconds_ago > kHeadStaleSeconds)
        reasons.push_back({"head_stale", stale_text(status)});
    if (clock_is_off(status))
        reasons.push_back({"clock", "the clock of this machine has jumped: it is " +
                                        std::to_string(static_cast<long>(*status.clock_ahead_seconds)) +
                                        " s ahead of the newest block"});
    if (!status.head) return;
    const auto committed = status.committed ? status.committed->height : 0;
    if (status.head->height + kHostsLag < committed)
        reasons.push_back({"head_below_tip", "the head that is told, " + std::to_string(status.head->height) +
                                                 ", is below the stored block " + std::to_string(committed) +
                                                 ": another network, or one that was started anew"});
    if (committed + kLagHeights < status.head->height)
        reasons.push_back({"lag", "committed up to " + std::to_string(committed) + ", the head is at " +
                                      std::to_string(status.head->height)});
}

void add_contents(const DaemonStatus& status, Reasons& reasons) {
    if (status.unavailable_heights > 0)
        reasons.push_back({"gap", std::to_string(status.unavailable_heights) +
                                      " heights could not be had, the first " +
                                      std::to_string(status.unavailable.front().height) + ": " +
                                      status.unavailable.front().reason});
    if (!status.disagreement.empty()) reasons.push_back({"disagreement", status.disagreement});
    if (!status.broken_chain.empty()) reasons.push_back({"broken_chain", status.broken_chain});
    if (!status.untracked_shards.empty())
        reasons.push_back({"shards", "no upstream tracks " + shards_text(status.untracked_shards) +
                                         ": their chunks, outcomes and accounts cannot be had"});
    if (status.overdue_trees.count > 0) reasons.push_back({"trees", overdue_text(status.overdue_trees)});
}

void add_hosts_and_endpoints(const DaemonStatus& status, Reasons& reasons) {
    const bool any_upstream = std::any_of(status.upstreams.begin(), status.upstreams.end(),
                                          [](const auto& each) { return each.is_usable && !each.is_unpaid; });
    if (!any_upstream) reasons.push_back({"upstreams", unusable_text(status.upstreams)});
    for (const auto& endpoint : status.endpoints_off)
        reasons.push_back({"endpoint", "the endpoint " + endpoint +
                                           " answered 410 and gets no alerts: a restart or `receiptd alerts "
                                           "resend` switches it on"});
}

}  // namespace

std::vector<Unreadiness> unreadiness(const DaemonStatus& status) {
    Reasons reasons;
    // A session that is refused may be the one that would answer.
    if (!status.database_bad_setup.empty())
        reasons.push_back(
            {"database", "the database refuses work until this is put right: " + status.database_bad_setup});
    else if (!status.database_connected)
        reasons.push_back({"database", "no connection to the database"});
    const bool waits = status.leader && !status.leader->is_this_one;
    if (!waits) {
        add_head(status, reasons);
        add_contents(status, reasons);
    }
    add_hosts_and_endpoints(status, reasons);
    return reasons;
}

std::vector<Unreadiness> notes(const DaemonStatus& status) {
    std::vector<Unreadiness> notes;
    for (const auto& upstream : status.upstreams)
        if (upstream.network == "other_network" || upstream.network == "on_trust")
            notes.push_back({"network", upstream.name + " " + upstream.network_detail});
    if (!status.newer_schema.empty())
        notes.push_back({"schema", "the database's schema is newer than this program (" +
                                       status.newer_schema +
                                       "): restart it with the version that changed it"});
    if (const auto lacking = accounts_text(status.accounts); !lacking.empty())
        notes.push_back({"accounts",
                         "heights were stored before these accounts were followed, and what "
                         "belongs to them may be missing there: " +
                             lacking + "; `receiptd backfill --accounts` fills them"});
    if (!status.held_up.empty()) notes.push_back({"held_up", status.held_up});
    if (!status.lock_room.empty()) notes.push_back({"locks", status.lock_room});
    if (!status.left_out.empty()) notes.push_back({"left_out", status.left_out});
    if (!status.new_kinds.empty()) notes.push_back({"new_kinds", status.new_kinds});
    if (!status.unconfirmed.empty())
        notes.push_back({"unconfirmed", status.unconfirmed + "; until they are, no watch ends above"});
    if (!status.clock_off.empty()) notes.push_back({"clock", status.clock_off});
    if (!status.wrong_clock.empty()) notes.push_back({"clock", status.wrong_clock});
    if (!status.set_aside.empty())
        notes.push_back({"set_aside", "not dealt with because of their own data: " +
                                          counts_text(status.set_aside) + "; see the view set_aside"});
    if (!status.not_tried.empty())
        notes.push_back({"deliveries", "due for five minutes without an attempt, by endpoint: " +
                                           counts_text(status.not_tried)});
    return notes;
}

}  // namespace receiptd::api
