// Findings and results, and the lines of the stream about them, for the API.
#pragma once

#include "base/task.hpp"
#include "chain/tree/finding.hpp"
#include "storage/kept_result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::storage {

// Empty: any.
struct FindingFilter {
    std::string tx_hash;
    std::string contract_id;
    std::string signer_id;
    std::string user_id;  // the signer, or the account behind a relayer
    std::string kind, method_name, error_class, role, effect;
    std::optional<bool> handled;
    std::string since, until;  // ISO 8601; `until` is not included
    std::string cursor;        // cursor_after() the last one seen; empty: from the newest on
    unsigned limit = 100;
};

// A place in a list of findings, newest first.
struct FindingCursor {
    std::string block_time;
    std::string finding_id;
};
std::string cursor_after(const chain::Finding& finding);
// nullopt: not made by cursor_after().
std::optional<FindingCursor> parse_finding_cursor(const std::string& text);

struct StreamEvent {
    std::int64_t id = 0;
    std::string kind;  // transition, finding
    std::string tx_hash;
    std::string at;  // ISO 8601
    std::string body_json;
};

// As many lines as that, and no more than make so many bytes, but one at least.
struct StreamPage {
    unsigned lines = 500;
    std::size_t bytes = 1u << 20;
};

class FindingStore {
public:
    virtual ~FindingStore() = default;

    virtual base::Task<std::vector<chain::Finding>> list_findings(FindingFilter filter) = 0;
    // The transaction's tree is not stored.
    virtual base::Task<Kept> kept(std::string tx_hash) = 0;

    // Events behind `after` that no open transaction can still precede, oldest first.
    virtual base::Task<std::vector<StreamEvent>> stream_events(std::int64_t after, StreamPage page) = 0;
    virtual base::Task<std::int64_t> last_stream_event() = 0;
    // No event was ever given a higher id.
    virtual base::Task<std::int64_t> highest_stream_id() = 0;
};

}  // namespace receiptd::storage
