#include "api/rule_json.hpp"

#include "base/exact_json.hpp"

namespace receiptd::api {

using nlohmann::ordered_json;

ordered_json rule_json(const storage::RuleRow& row) {
    ordered_json one;
    one["name"] = row.name;
    one["version"] = row.version;
    one["definition"] = base::read_json(row.definition);
    one["place"] = row.place;
    one["loaded_at"] = row.loaded_at;
    one["endpoints"] = row.endpoints;
    return one;
}

ordered_json account_list_json(const storage::ListRow& row) {
    ordered_json one;
    one["name"] = row.name;
    one["from_file"] = row.from_file;
    one["accounts"] = row.accounts;
    one["place"] = row.place;
    one["loaded_at"] = row.loaded_at;
    return one;
}

}  // namespace receiptd::api
