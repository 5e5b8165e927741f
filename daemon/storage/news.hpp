// Findings that are news: the transaction that stores them also makes their alerts and lines of the stream.
#pragma once

#include "chain/rows/rows.hpp"
#include "storage/pqxx_shim.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace receiptd::storage {

// Condition on a row of endpoints: a daemon alive, or alive in the last four days (the retry schedule's
// length), serves it.
inline const std::string kServed = "served_at > now() - interval '4 days'";

// Rows of findings by their ids, and the times between which they lie.
struct News {
    std::vector<std::string> finding_ids;
    std::uint64_t since = 0;  // nanoseconds
    std::uint64_t until = 0;

    void add(std::string finding_id, std::uint64_t at);
};

// Makes alerts, their deliveries to the served endpoints, and lines of the stream. The same cause, found
// again, is not reported again, unless it was taken back since (corrections.hpp): then its alert has an id of
// its own, "<finding_id>:2". `again`: those alone.
enum class Telling : std::uint8_t { any, again };
void tell(pqxx::transaction_base& tx, const News& news, Telling telling = Telling::any);
void tell_findings(pqxx::transaction_base& tx, const std::vector<chain::Finding>& findings,
                   Telling telling = Telling::any);

}  // namespace receiptd::storage
