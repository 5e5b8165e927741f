#include "api/silence_json.hpp"

#include "base/exact_json.hpp"
#include "watch/json_values.hpp"

namespace receiptd::api {

using nlohmann::ordered_json;

ordered_json silence_json(const storage::SilenceRow& row) {
    ordered_json one;
    one["silence_id"] = row.silence_id;
    one["state"] = row.state;
    one["matcher"] = base::read_json(row.matcher_json);
    one["starts_at"] = row.starts_at;
    one["ends_at"] = row.ends_at;
    one["reason"] = row.reason;
    one["author"] = row.author;
    one["created_at"] = row.created_at;
    one["ended_by"] = watch::text_or_null(row.ended_by);
    return one;
}

}  // namespace receiptd::api
