// Silences in memory.
#pragma once

#include "storage/silence_store.hpp"
#include "unit/api/fake_database.hpp"

#include <string>
#include <vector>

namespace receiptd::api::testing {

class FakeSilences final : public storage::SilenceStore {
public:
    explicit FakeSilences(Database& database) : database_(database) {}

    base::Task<std::vector<storage::SilenceRow>> silences(bool all) override {
        co_await database_.ask();
        std::vector<storage::SilenceRow> rows;
        for (const auto& row : stored)
            if (all || row.state != "over") rows.push_back(row);
        co_return rows;
    }
    base::Task<base::Result<storage::SilenceRow, std::string>> add_silence(
        storage::NewSilence silence) override {
        co_await database_.ask();
        if (silence.lasts < std::chrono::milliseconds(0)) co_return std::string("it ends too early");
        added.push_back(silence);
        storage::SilenceRow row;
        row.silence_id = static_cast<std::int64_t>(added.size());
        row.state = "active";
        row.matcher_json = storm::to_json(silence.matcher);
        row.reason = silence.reason;
        row.author = silence.author;
        stored.push_back(row);
        co_return row;
    }
    base::Task<std::optional<storage::SilenceRow>> end_silence(std::int64_t silence_id,
                                                               std::string by) override {
        co_await database_.ask();
        for (auto& row : stored)
            if (row.silence_id == silence_id) {
                row.state = "over";
                row.ended_by = by;
                co_return row;
            }
        co_return std::nullopt;
    }

    std::vector<storage::SilenceRow> stored;
    std::vector<storage::NewSilence> added;

private:
    Database& database_;
};

}  // namespace receiptd::api::testing
