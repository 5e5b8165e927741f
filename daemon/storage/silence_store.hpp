// Silences as people make and end them (migrations/0004_alerts.sql). Every daemon that sends alerts asks
// for them.
#pragma once

#include "base/result.hpp"
#include "base/task.hpp"
#include "storm/silence.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::storage {

inline constexpr int kMostSilences = 1'000;  // that last, or are yet to begin
inline constexpr std::chrono::hours kLongestSilence{24 * 366};
inline constexpr std::size_t kLongestSilenceText = 1'000;  // of a reason and of an author

struct SilenceRow {
    std::int64_t silence_id = 0;
    std::string state;                           // "active", "coming" or "over"
    std::string matcher_json;                    // storm/silence.hpp
    std::string starts_at, ends_at, created_at;  // ISO 8601
    std::string reason, author;
    std::string ended_by;  // empty: its time has ended it, or will
};

struct NewSilence {
    storm::Matcher matcher;
    std::string starts_at;               // ISO 8601; empty: now
    std::string ends_at;                 // ISO 8601; empty: `lasts` counts
    std::chrono::milliseconds lasts{0};  // from its start
    std::string reason;
    std::string author;
};

class SilenceStore {
public:
    virtual ~SilenceStore() = default;

    // Newest first; without `all` only those that are not over.
    virtual base::Task<std::vector<SilenceRow>> silences(bool all) = 0;
    // Or why there is no such silence.
    virtual base::Task<base::Result<SilenceRow, std::string>> add_silence(NewSilence silence) = 0;
    // Ends it now; one that is over stays as it is. nullopt: there is none.
    virtual base::Task<std::optional<SilenceRow>> end_silence(std::int64_t silence_id, std::string by) = 0;
};

}  // namespace receiptd::storage
