// `receiptd alerts`: alerts and their deliveries as people see them, and sent anew. Works on the database;
// the daemon that runs sends what it finds due there.
#include "api/delivery_json.hpp"
#include "api/query.hpp"
#include "app/commands.hpp"
#include "app/print_json.hpp"
#include "app/store_for_command.hpp"
#include "app/wait_for.hpp"
#include "base/joined.hpp"
#include "base/line.hpp"
#include "base/visible.hpp"
#include "storage/pg_delivery_access.hpp"

#include <algorithm>
#include <array>
#include <iostream>
#include <string>
#include <vector>

namespace receiptd::app {
namespace {

using Json = nlohmann::ordered_json;
using Deliveries = StoreForCommand<storage::PgDeliveryAccess>;

constexpr std::size_t kShownOfAnswer = 80;  // bytes

std::string last_answer(const storage::DeliveryRow& row) {
    if (!row.last_error.empty()) return row.last_error;
    return row.last_status == 0 ? "-" : "HTTP " + std::to_string(row.last_status);
}

// The reason that the service gives for a refusal.
std::string what_it_said(const storage::DeliveryRow& row) {
    const bool is_refusal = row.last_status >= 300;
    const auto said = base::shortened(base::one_line(base::visible(row.last_answer)), kShownOfAnswer);
    return !is_refusal || said.empty() ? "" : ": " + said;
}

std::string to_the_second(const std::string& iso) {
    return iso.size() < 19 ? std::string("-") : iso.substr(0, 19) + "Z";
}

std::string when(const storage::DeliveryRow& row) {
    if (row.state == "delivered") return to_the_second(row.delivered_at);
    return row.state == "pending" ? "due " + to_the_second(row.next_attempt_at) : "-";
}

using Line = std::array<std::string, 7>;

Line line_of(const storage::DeliveryRow& row) {
    return {row.state, row.endpoint, std::to_string(row.attempts),        to_the_second(row.created_at),
            when(row), row.alert_id, last_answer(row) + what_it_said(row)};
}

// A terminal would execute control characters in the text.
std::string plain(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }, '?');
    return text;
}

void print_table(const std::vector<storage::DeliveryRow>& rows) {
    std::vector<Line> lines = {
        {"STATE", "ENDPOINT", "ATTEMPTS", "MADE", "DELIVERED", "ALERT", "LAST ANSWER"}};
    for (const auto& row : rows) lines.push_back(line_of(row));
    Line widest;
    for (const auto& line : lines)
        for (std::size_t i = 0; i < line.size(); ++i)
            if (line[i].size() > widest[i].size()) widest[i] = line[i];
    for (const auto& line : lines) {
        std::string text;
        for (std::size_t i = 0; i + 1 < line.size(); ++i)
            text += line[i] + std::string(widest[i].size() - line[i].size() + 2, ' ');
        std::cout << plain(text + line.back()) << '\n';
    }
}

// A time that cannot be read is said here, by the name of its option.
bool are_times(const AlertsChosen& chosen) {
    for (const auto& [option, time] :
         {std::pair{"--since", &chosen.since}, std::pair{"--until", &chosen.until}}) {
        if (time->empty() || api::is_time(*time)) continue;
        std::cerr << option << " must be a time such as 2026-01-31T12:00:00Z\n";
        return false;
    }
    return true;
}

storage::DeliveryFilter filter_of(const AlertsChosen& chosen) {
    storage::DeliveryFilter filter;
    filter.state = chosen.state;
    filter.endpoint = chosen.endpoint;
    filter.rule = chosen.rule;
    filter.group_id = chosen.group_id;
    filter.since = chosen.since;
    filter.until = chosen.until;
    filter.limit = 0;
    return filter;
}

std::string text_at(const Json& json, const char* pointer) {
    const Json::json_pointer place(pointer);
    return json.contains(place) && json[place].is_string() ? json[place].get<std::string>() : std::string();
}

void print_alert(const storage::StoredAlert& alert) {
    const auto json = api::alert_json(alert);
    const auto& body = json["payload"];
    std::cout << plain(alert.alert_id) << '\n';
    if (const auto summary = text_at(body, "/data/summary"); !summary.empty())
        std::cout << plain(summary) << '\n';
    std::cout << "made " << alert.created_at;
    if (!alert.tx_hash.empty()) std::cout << ", about transaction " << plain(alert.tx_hash);
    std::cout << "\n\n";
    print_table(alert.deliveries);
    for (const auto& delivery : alert.deliveries)
        if (!delivery.rules.empty())
            std::cout << delivery.endpoint << " gets it by " << base::joined(delivery.rules) << '\n';
    std::cout << "\ncause:\n";
    print_json(json["cause"]);
    std::cout << (body.is_null() ? "\nbody: made before the first attempt\n"
                                 : "\nbody, to which each delivery adds its rules:\n");
    if (!body.is_null()) print_json(body);
}

std::string configured(const config::Settings& settings) {
    std::vector<std::string> names;
    for (const auto& endpoint : settings.endpoints) names.push_back(endpoint.name);
    return names.empty() ? "there is no [[endpoint]]" : "there are: " + base::joined(names);
}

// Nobody would send to any other.
std::vector<std::string> endpoints_of(const config::Settings& settings, const std::string& wanted) {
    std::vector<std::string> names;
    for (const auto& endpoint : settings.endpoints)
        if (wanted.empty() || endpoint.name == wanted) names.push_back(endpoint.name);
    return names;
}

// By endpoint: what goes to no configured one stays as it is.
template <class Operation>
std::uint64_t sum_of(const std::vector<std::string>& endpoints, storage::DeliveryFilter filter,
                     Operation&& operation) {
    std::uint64_t sum = 0;
    for (const auto& endpoint : endpoints) {
        filter.endpoint = endpoint;
        sum += wait_for(operation(filter));
    }
    return sum;
}

std::string deliveries(std::uint64_t count) {
    return std::to_string(count) + (count == 1 ? " delivery" : " deliveries");
}

int resend_chosen(storage::DeliveryAccess& store, const std::vector<std::string>& endpoints,
                  const AlertsResend& command) {
    const auto chosen = filter_of(command.chosen);
    const bool chooses_arrived = chosen.state.empty() || chosen.state == "delivered";
    if (command.dry_run || (chooses_arrived && !command.yes)) {
        const auto count =
            sum_of(endpoints, chosen, [&](const auto& filter) { return store.count_deliveries(filter); });
        if (command.dry_run) {
            std::cout << deliveries(count) << " would be due now\n";
            return kOk;
        }
        std::cerr << deliveries(count) << " would be sent again, also those that have arrived: add --yes\n";
        return kUsage;
    }
    const auto count = sum_of(endpoints, chosen, [&](const auto& filter) { return store.resend(filter); });
    std::cout << deliveries(count) << (count == 1 ? " is" : " are") << " due now\n";
    return kOk;
}

int resend_by_id(storage::DeliveryAccess& store, const std::vector<std::string>& endpoints,
                 const AlertsResend& command) {
    std::uint64_t due = 0;
    int code = kOk;
    for (const auto& id : command.alert_ids) {
        storage::DeliveryFilter filter;
        filter.alert_id = id;
        filter.limit = 0;
        const auto of_one = sum_of(endpoints, filter, [&](const auto& one) {
            return command.dry_run ? store.count_deliveries(one) : store.resend(one);
        });
        due += of_one;
        if (of_one > 0) continue;
        code = kFailed;
        std::cerr << "no delivery of \"" << id << "\" to "
                  << (command.chosen.endpoint.empty() ? "a configured endpoint" : command.chosen.endpoint)
                  << '\n';
    }
    std::cout << deliveries(due)
              << (command.dry_run ? " would be"
                  : due == 1      ? " is"
                                  : " are")
              << " due now\n";
    return code;
}

}  // namespace

int list_alerts(const config::Settings& settings, const AlertsList& command) {
    if (!are_times(command.chosen)) return kUsage;
    auto filter = filter_of(command.chosen);
    filter.cursor = command.cursor;
    if (!filter.cursor.empty() && !storage::parse_delivery_cursor(filter.cursor)) {
        std::cerr << "--cursor must be as an earlier list has told it\n";
        return kUsage;
    }
    filter.limit = command.limit + 1;
    Deliveries asking(settings);
    auto rows = wait_for(asking.store().list_deliveries(std::move(filter)));
    const bool more = rows.size() > command.limit;
    if (more) rows.resize(command.limit);
    if (command.as_json) {
        Json all = Json::array();
        for (const auto& row : rows) all.push_back(api::delivery_json(row));
        print_json(all);
    } else if (rows.empty()) {
        const auto& chosen = command.chosen;
        std::cout << "no " << (chosen.state.empty() ? "" : chosen.state + " ") << "deliveries"
                  << (chosen.endpoint.empty() ? "" : " to " + chosen.endpoint) << '\n';
    } else {
        print_table(rows);
    }
    if (more)
        std::cerr << "there are older ones: --cursor '" << plain(storage::delivery_cursor(rows.back()))
                  << "'\n";
    return kOk;
}

int show_alert(const config::Settings& settings, const AlertsShow& command) {
    Deliveries asking(settings);
    const auto found = wait_for(asking.store().alert(command.alert_id));
    if (!found) {
        std::cerr << "there is no alert \"" << command.alert_id
                  << "\": it was never made, or retention has deleted it\n";
        return kFailed;
    }
    command.as_json ? print_json(api::alert_json(*found)) : print_alert(*found);
    return kOk;
}

int resend_alerts(const config::Settings& settings, const AlertsResend& command) {
    if (!are_times(command.chosen)) return kUsage;
    const auto& wanted = command.chosen.endpoint;
    const auto endpoints = endpoints_of(settings, wanted);
    if (endpoints.empty()) {
        std::cerr << (wanted.empty() ? "nobody would send them"
                                     : "no endpoint \"" + wanted + "\" is configured")
                  << ": " << configured(settings) << '\n';
        return kUsage;
    }
    Deliveries asking(settings);
    return command.alert_ids.empty() ? resend_chosen(asking.store(), endpoints, command)
                                     : resend_by_id(asking.store(), endpoints, command);
}

}  // namespace receiptd::app
