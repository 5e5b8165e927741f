// Contract events in logs (NEP-297): "EVENT_JSON:" and a JSON object.
#pragma once

#include "chain/json/model.hpp"

#include <optional>

namespace receiptd::chain {

// Members that are missing or no strings are empty: the contract breaks NEP-297, but people may
// still want to find the event. The three names are cut after 256 bytes; the log stays whole.
struct ContractEvent {
    Text standard;
    Text version;
    Text event;
    // Verbatim; empty if missing, null, or if PostgreSQL could not work with it
    // (chain/json_check.hpp; the log itself is kept whole in any case).
    Text data;
};

// nullopt: the log is no event, or its JSON is malformed or no object. The views are valid until
// the next call on this thread.
std::optional<ContractEvent> read_event(Text log);

}  // namespace receiptd::chain
