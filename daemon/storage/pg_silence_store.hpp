#pragma once

#include "storage/database.hpp"
#include "storage/silence_store.hpp"

namespace receiptd::storage {

class PgSilenceStore final : public SilenceStore {
public:
    // `database` must outlive it.
    explicit PgSilenceStore(Database& database) : lane_(database.pool.people) {}

    base::Task<std::vector<SilenceRow>> silences(bool all) override;
    base::Task<base::Result<SilenceRow, std::string>> add_silence(NewSilence silence) override;
    base::Task<std::optional<SilenceRow>> end_silence(std::int64_t silence_id, std::string by) override;

private:
    Lane& lane_;
};

}  // namespace receiptd::storage
