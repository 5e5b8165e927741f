#include "storage/silence_book.hpp"

#include "base/log.hpp"
#include "storage/sql_time.hpp"

#include <utility>

namespace receiptd::storage {

SilenceBook::Silences SilenceBook::current(pqxx::transaction_base& tx, std::int64_t changes) {
    const std::lock_guard lock(mutex_);
    if (changes == known_) return silences_;
    std::vector<storm::Silence> silences;
    for (const auto& row :
         tx.exec("SELECT silence_id, matcher, " + microseconds_of("starts_at") + ", " +
                 microseconds_of("ends_at") + " FROM silences WHERE ends_at > now() ORDER BY silence_id")) {
        auto matcher = storm::parse_matcher(row[1].c_str());
        const auto id = row[0].as<std::int64_t>();
        if (matcher)
            silences.push_back({id, std::move(*matcher), wall_time(row[2]), wall_time(row[3])});
        else  // of a newer program, which knows more than this one
            log::error("a silence is not understood here and matches nothing",
                       {{"silence_id", id}, {"because", matcher.error()}});
    }
    silences_ = std::make_shared<const std::vector<storm::Silence>>(std::move(silences));
    known_ = changes;
    return silences_;
}

}  // namespace receiptd::storage
