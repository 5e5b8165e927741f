// Questions of the page to the database that no other store answers. People wait for them, but not long.
#pragma once

#include "base/task.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::storage {

// A stored receipt beyond what judges it. Longer values than were asked for are empty.
struct ReceiptDetail {
    std::string receipt_id;
    std::string row_json;     // an object: signer_id, shard_id, deposit, actions, result, logs and the like
    std::string events_json;  // an array of {standard, version, event, data}
};

// Counts for all to see, of the last hour of the chain.
struct RecentCounts {
    std::map<std::string, std::uint64_t> verdicts;  // transactions whose tree was judged
    std::uint64_t hidden_failures = 0;              // failed, and NEAR calls them a success
    std::uint64_t told_failures = 0;                // failed, and NEAR says so
    std::uint64_t open_watches = 0;
    std::uint64_t stuck_watches = 0;
};

// Where findings are looked for: `hours` before the newest block, and what else is asked for; empty: any.
struct FailureFilter {
    unsigned hours = 24;
    std::string contract_id;
    std::string kind;
    std::optional<bool> handled;
};

// Findings of one cause.
struct FailureGroup {
    std::string kind, contract_id, method_name, error_class;
    std::string error_text;         // of the newest
    std::string tx_hash;            // of the newest
    std::string first_at, last_at;  // ISO 8601
    std::uint64_t findings = 0;
};

// A step of the trend.
struct FailureCount {
    std::string from;  // ISO 8601
    std::uint64_t findings = 0;
};

struct MethodHealth {
    std::string contract_id, method_name;
    std::uint64_t calls = 0, failures = 0, failed_callbacks = 0;
};

// Alerts that an endpoint got as one message and digests.
struct AlertGroup {
    std::int64_t group_id = 0;
    std::string endpoint;
    std::string key_json;           // an object: what its alerts have in common
    std::uint64_t members = 0;      // with the first
    std::uint64_t told = 0;         // of them: by messages, alone or counted
    std::uint64_t digests = 0;      // messages that counted some
    std::string first_at, last_at;  // ISO 8601; of the first and the last cause
    std::string ended_at;           // empty: it goes on
};

class PageStore {
public:
    virtual ~PageStore() = default;

    // The receipts among these of a tree that are stored. Each value is cut to at most so many bytes.
    virtual base::Task<std::vector<ReceiptDetail>> receipt_details(std::string tree_id,
                                                                   std::vector<std::string> receipt_ids,
                                                                   std::size_t most_bytes) = 0;
    virtual base::Task<RecentCounts> recent_counts() = 0;
    // The most frequent first.
    virtual base::Task<std::vector<FailureGroup>> failure_groups(FailureFilter filter, unsigned limit) = 0;
    // So many steps of equal length up to the newest block, the oldest first, none left out.
    virtual base::Task<std::vector<FailureCount>> failure_trend(FailureFilter filter, unsigned steps) = 0;
    // Methods with the most failures first, of `hours` before the newest block. `contract_id` empty: all.
    virtual base::Task<std::vector<MethodHealth>> contract_health(std::string contract_id, unsigned hours,
                                                                  unsigned limit) = 0;
    // nullopt: there was none, or retention has deleted it.
    virtual base::Task<std::optional<AlertGroup>> alert_group(std::int64_t group_id) = 0;
};

}  // namespace receiptd::storage
