// The daemon's status as plain values, and its JSON. The daemon's /v1/status answers it; `receiptd status`
// shows it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::api {

struct BlockView {
    std::uint64_t height = 0;
    std::string hash;
    std::string time;  // RFC 3339, UTC
};

struct UnavailableView {
    std::uint64_t height = 0;
    std::string reason;
    std::string detail;
    unsigned attempts = 0;
};

struct UpstreamView {
    std::string name;
    std::string kind;
    std::string origin;
    double health = 0;
    bool refused = false;
    std::string network;  // "proven", "unproven", "on_trust", "other_network", "unchecked"
    std::string network_detail;
    bool is_usable = true;
    bool is_unpaid = false;  // the credits of its plan are used up
    std::string last_error;
    std::optional<std::uint64_t> horizon_height;  // lowest height it is known to hold
    std::optional<std::uint64_t> head_height;
    std::vector<std::uint64_t> untracked_shards;
    std::vector<std::string> missing_methods;  // it does not offer them, and is asked for them again later
    double budget_available = 0;
    unsigned in_flight = 0;
    double budget_limit = 0;                        // requests a second; 0: no limit
    std::map<std::string, std::uint64_t> requests;  // of the last `requests_seconds`, by purpose
    double requests_seconds = 0;                    // at most a day
    std::uint64_t requests_a_day = 0;               // at the pace of the last hour
};

struct RangeView {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
};

// Alerts that the endpoints have not taken.
struct OutboxView {
    std::uint64_t pending = 0;
    std::uint64_t dead = 0;
    double oldest_pending_seconds = 0;
};

// Trees that are pending longer than they should.
struct OverdueTreesView {
    std::uint64_t count = 0;
    std::string oldest_tx_hash;
    std::string oldest_fault;  // the last one; empty: the answers were incomplete
    double oldest_seconds = 0;
};

// Timed rules, as the leader judged them last.
struct TimedRulesView {
    std::string judged_until;                    // chain time, RFC 3339; empty: none was judged
    std::map<std::string, std::uint64_t> rules;  // how many there are, by state (docs/rules.md)
};

// The daemon that follows the head for all on its database.
struct LeaderView {
    bool is_this_one = false;
    std::string place;
    std::int64_t epoch = 0;
};

// Hours, as "2160h", or "forever".
struct RetentionView {
    std::string receipts;
    std::string results;
};

struct OtherDaemonView {
    std::string place;
    std::string source;
    RetentionView retention;
    double seen_seconds_ago = 0;
};

struct AccountView {
    std::string account_id;
    std::uint64_t since_height = 0;  // 0: from the first stored height on
    // Stored heights at which what belongs to the account may be missing.
    std::uint64_t not_whole_heights = 0;
    std::vector<RangeView> not_whole;  // the first few
};

struct DaemonStatus {
    std::string version;
    std::string network;
    std::string source;
    std::string scope;
    std::optional<BlockView> head;
    double head_seen_seconds_ago = 0;
    std::optional<BlockView> committed;
    // The wall clock against the newest block, while that is stored; nullopt: not at the head.
    std::optional<double> clock_ahead_seconds;
    // How far the wall clock has moved against the steady one since the start.
    double clock_jumped_seconds = 0;
    // Findings without an alert since the start, by reason.
    std::map<std::string, std::uint64_t> findings_withheld;
    bool database_connected = false;
    std::string newer_schema;        // the database has a migration that this program does not know
    std::string database_bad_setup;  // why it takes no work though it answers; empty: nothing is known
    std::string lock_room;           // why its server has room for too few locks; empty: it has enough
    std::string held_up;             // what of it waits for which session of the database; empty: nothing
    std::uint64_t covered_heights = 0;
    std::uint64_t gap_heights = 0;
    std::vector<RangeView> gaps;                 // the first few
    std::vector<RangeView> skipped_by_operator;  // the first few
    std::uint64_t unavailable_heights = 0;
    std::vector<UnavailableView> unavailable;  // the first few
    std::uint64_t pending_trees = 0;
    OverdueTreesView overdue_trees;
    std::vector<std::uint64_t> untracked_shards;  // that no upstream tracks
    std::string broken_chain;                     // empty: none
    std::string disagreement;                     // of the hosts, which keeps blocks from being stored
    std::uint64_t agreed_height = 0;              // the hosts agree on the committed blocks up to it; 0: none
    std::string left_out;                         // by the source of blocks; empty: nothing lately
    std::string new_kinds;                        // of the chain, not known to this version; empty: none
    std::string unconfirmed;                      // why they do not agree on those above; empty: they do
    std::string clock_off;                        // by what hosts tell; empty: nothing is known against it
    std::string wrong_clock;                      // why the clock must be; empty: it need not be
    std::vector<UpstreamView> upstreams;
    std::vector<std::string> endpoints_off;  // of this daemon's, those that answered 410
    RetentionView retention;
    std::optional<LeaderView> leader;  // nullopt: not known yet, or it follows by itself (`run --until`)
    std::vector<OtherDaemonView> other_daemons;  // on this database, that live; the longest retention holds
    std::vector<AccountView> accounts;           // with scope accounts
    std::optional<OutboxView> outbox;            // nullopt: no endpoints, or not counted yet
    std::map<std::string, std::uint64_t> set_aside;  // rows of the view set_aside, by what they are
    std::map<std::string, std::uint64_t> not_tried;  // deliveries due for five minutes, by endpoint
    std::optional<TimedRulesView> timed_rules;       // nullopt: another daemon leads, or not judged yet
};

std::string to_json(const DaemonStatus& status);
// "3 pending, the oldest for 12 s, 1 dead". Endpoints that do not listen make nobody unready.
std::string outbox_line(const OutboxView& outbox);

// Why the daemon is not ready; empty: it is. One that waits to take over from the leader is ready. Each is
// short and stable: "database", "head_unknown", "head_stale", "head_below_tip", "clock", "lag", "gap",
// "disagreement", "broken_chain", "shards", "trees", "upstreams", "endpoint".
struct Unreadiness {
    std::string reason;
    std::string detail;
};
std::vector<Unreadiness> unreadiness(const DaemonStatus& status);
// A note worth a look, though it makes nobody unready: "network", "schema", "accounts", "unconfirmed",
// "clock", "held_up", "locks", "left_out", "new_kinds", "set_aside", "deliveries".
std::vector<Unreadiness> notes(const DaemonStatus& status);

}  // namespace receiptd::api
