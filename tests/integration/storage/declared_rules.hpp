// A daemon with rules of its own, and an endpoint that takes all of them.
#pragma once

#include "rule/definition.hpp"
#include "storage/pg_delivery_store.hpp"
#include "store_test_support.hpp"

#include <string>
#include <vector>

namespace receiptd::test {

struct Declaring {
    std::string place;
    std::string endpoint = "team";
    std::string source = "neardata";
};

// Each rule is the JSON of a definition.
inline void declare_rules(OpenStore& daemon, const Declaring& as, const std::vector<std::string>& rules) {
    storage::DaemonSettings settings;
    settings.place = as.place;
    settings.source = as.source;
    std::vector<std::string> names;
    for (const auto& json : rules) {
        const auto read = rule::parse(json);
        ASSERT_TRUE(read) << read.error().front().path << " " << read.error().front().text;
        settings.alerts.rules.push_back({read->name, read->json});
        names.push_back(read->name);
    }
    await(daemon.database.join(settings));
    storage::PgDeliveryStore deliveries(daemon.database);
    await(
        deliveries.serve_endpoints({storage::ServedEndpoint{as.endpoint, names}}, storage::Serving::begins));
}

}  // namespace receiptd::test
