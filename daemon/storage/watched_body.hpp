// What the tables hold of a watched transaction beside its watch.
#pragma once

#include <string>

namespace receiptd::storage {

// Joins to a row of watches, as w: when it was included, as i, and its row of transactions, as t. By the
// chain's time: a chain may be months behind the clock.
// `t_is`: a condition on t.
inline std::string watched_body(const std::string& t_is) {
    return "LEFT JOIN LATERAL (SELECT s.block_time FROM watch_transitions s WHERE s.tx_hash = w.tx_hash "
           "  AND s.to_stage = 'included' AND s.block_time IS NOT NULL ORDER BY s.at DESC LIMIT 1) i ON true "
           "LEFT JOIN LATERAL (SELECT user_id, receiver_id, actions FROM transactions t WHERE t.tx_hash = "
           "w.tx_hash "
           "  AND t.block_time BETWEEN i.block_time - interval '1 second' AND i.block_time + interval '1 "
           "second' "
           "  AND " +
           t_is + " LIMIT 1) t ON true ";
}

}  // namespace receiptd::storage
