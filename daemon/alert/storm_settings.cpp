#include "alert/storm_settings.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace receiptd::alert {

namespace {

using storm::KeyPart;

constexpr std::array<std::pair<std::string_view, KeyPart>, 4> kKeyParts = {
    {{"rule", KeyPart::rule},
     {"receiver", KeyPart::receiver},
     {"method", KeyPart::method},
     {"error_class", KeyPart::error_class}}};

}  // namespace

// In one order, whatever the configuration's is: equal groups have equal keys.
storm::Settings storm_settings(const config::Endpoint& endpoint) {
    storm::Settings settings;
    for (const auto& [name, part] : kKeyParts)
        if (const auto& group = endpoint.channel.group;
            std::find(group.begin(), group.end(), name) != group.end())
            settings.group.push_back(part);
    settings.keeps_open = endpoint.channel.kind == channel::Kind::pagerduty;
    settings.repeats = endpoint.channel.kind == channel::Kind::alertmanager;
    settings.digest_after = endpoint.digest_after;
    settings.resolve_after = endpoint.resolve_after;
    settings.most_groups_per_hour = endpoint.most_groups_per_hour;
    settings.most_per_hour = endpoint.most_per_hour;
    settings.most_per_second = endpoint.most_per_second;
    settings.late_after = endpoint.late_after;
    settings.expire_after = endpoint.expire_after;
    return settings;
}

}  // namespace receiptd::alert
