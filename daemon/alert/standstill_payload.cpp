#include "alert/standstill_payload.hpp"

#include "base/iso_time.hpp"
#include "base/line.hpp"
#include "rule/messages.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace receiptd::alert {

namespace {

using StandstillJson = nlohmann::ordered_json;

constexpr std::size_t kLongestReason = 500;  // it may quote a host

std::string in_summary(const StandingPart& part) {
    auto text = part.part + " since " + base::iso_time(part.since);
    return part.why.empty() ? text
                            : text + " (" + base::shortened(base::one_line(part.why), kLongestReason) + ")";
}

std::string summary_of(const EpisodeNews& news, const std::string& daemon) {
    std::string parts;
    for (const auto& part : news.parts)
        parts += (parts.empty() ? "" : ", ") + (news.ended_at ? part.part : in_summary(part));
    return "receiptd " + daemon + (news.ended_at ? " works again; it stood still: " : " stands still: ") +
           parts;
}

StandstillJson parts_json(const std::vector<StandingPart>& parts) {
    auto list = StandstillJson::array();
    for (const auto& part : parts) {
        StandstillJson one;
        one["part"] = part.part;
        one["since"] = base::iso_time(part.since);
        one["why"] =
            part.why.empty() ? StandstillJson() : StandstillJson(base::shortened(part.why, kLongestReason));
        list.push_back(std::move(one));
    }
    return list;
}

StandstillJson links_of(const Site& site) {
    auto home = site.public_url;
    while (home.ends_with('/')) home.pop_back();
    StandstillJson links;
    links["api"] = home + "/v1/status";
    links["page"] = home + "/";
    return links;
}

}  // namespace

Message standstill_message(const EpisodeNews& news, const std::string& endpoint, const std::string& daemon,
                           const Site& site) {
    const auto began = std::chrono::floor<std::chrono::seconds>(news.since).time_since_epoch().count();
    const auto episode = daemon + ":" + std::to_string(began);
    StandstillJson data;
    data["summary"] = summary_of(news, daemon);
    data["episode"] = episode;
    data["daemon"] = daemon;
    data["number"] = news.number;
    data["since"] = base::iso_time(news.since);
    data["ended_at"] = news.ended_at ? StandstillJson(base::iso_time(*news.ended_at)) : StandstillJson();
    data["parts"] = parts_json(news.parts);
    data["links"] = links_of(site);
    StandstillJson body;
    body["type"] = rule::type_of(news.ended_at ? "daemon_recovered" : "daemon_stalled");
    body["timestamp"] = base::iso_time(news.ended_at.value_or(news.since));
    body["schema_version"] = kSchemaVersion;
    body["network"] = site.network;
    body["data"] = std::move(data);
    Message message;
    message.endpoint = endpoint;
    message.id = "daemon:" + episode + ":" + std::to_string(news.number);
    message.body = body.dump(-1, ' ', false, StandstillJson::error_handler_t::replace);
    return message;
}

}  // namespace receiptd::alert
