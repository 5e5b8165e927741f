#include "api/rehearsal_json.hpp"

namespace receiptd::api {

nlohmann::ordered_json rehearsal_json(const storage::Rehearsed& rehearsed) {
    nlohmann::ordered_json all;
    all["subjects"] = rehearsed.subjects;
    all["alerts"] = nlohmann::ordered_json::array();
    for (const auto& alert : rehearsed.alerts)
        all["alerts"].push_back({{"alert_id", alert.alert_id},
                                 {"kind", alert.kind},
                                 {"tx_hash", alert.tx_hash},
                                 {"block_height", alert.height},
                                 {"rules", alert.rules}});
    all["not_replayed"] = rehearsed.not_replayed;
    return all;
}

}  // namespace receiptd::api
