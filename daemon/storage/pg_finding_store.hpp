// FindingStore on PostgreSQL. Findings are listed for people, who do not wait long.
#pragma once

#include "storage/database.hpp"
#include "storage/finding_store.hpp"

#include <chrono>
#include <set>
#include <string>
#include <vector>

namespace receiptd::storage {

// Reads the findings of these ids. `since`: when the first of their alerts was made; `tx_hashes`: of the
// transactions that they are about.
std::vector<chain::Finding> findings_told(pqxx::connection& connection, const std::set<std::string>& ids,
                                          const std::vector<std::string>& tx_hashes, base::WallTime since);

struct StreamHeldUp {
    std::chrono::milliseconds time{};
    std::string by;
};

class PgFindingStore final : public FindingStore {
public:
    // `database` must outlive it.
    explicit PgFindingStore(Database& database) : database_(database) {}

    // First call of a daemon: makes the stream of a restored database one that goes on.
    base::Task<void> prepare();
    // For how long the oldest line of the stream has been waiting for older transactions of the cluster,
    // which hold it back, and the oldest of these; 0: none waits.
    base::Task<StreamHeldUp> stream_held_up();

    base::Task<std::vector<chain::Finding>> list_findings(FindingFilter filter) override;
    base::Task<Kept> kept(std::string tx_hash) override;
    base::Task<std::vector<StreamEvent>> stream_events(std::int64_t after, StreamPage page) override;
    base::Task<std::int64_t> last_stream_event() override;
    base::Task<std::int64_t> highest_stream_id() override;

    // Where a page of findings may lie: times as text.
    struct Days {
        std::string since, until;   // `until` is not included
        std::string results_since;  // of the transactions of these findings
    };

private:
    base::Task<std::vector<Days>> days_of(const FindingFilter& filter);
    base::Task<std::vector<chain::Finding>> findings_on(const Days& days, const FindingFilter& filter);
    base::Task<std::vector<chain::Finding>> newest_findings(FindingFilter filter);

    Database& database_;
};

}  // namespace receiptd::storage
