// TraceStore on PostgreSQL. It reads on the connection of the stream: neither ingest nor deliveries wait for
// it.
#pragma once

#include "storage/database.hpp"
#include "storage/trace_store.hpp"

namespace receiptd::storage {

class PgTraceStore final : public TraceStore {
public:
    // `database` must outlive it.
    explicit PgTraceStore(Database& database) : database_(database) {}

    base::Task<ClaimedTraces> claim_traces(unsigned most, bool with_arguments) override;
    base::Task<void> traces_done(std::vector<QueuedTrace> traces) override;
    base::Task<void> release_traces(std::vector<QueuedTrace> traces) override;
    base::Task<TraceBacklog> tend_traces() override;

private:
    Database& database_;
};

}  // namespace receiptd::storage
