// `receiptd alerts`: deliveries as people see them, and sent anew. Works on the database; the daemon that
// runs sends what it finds due there.
#include "api/delivery_json.hpp"
#include "app/commands.hpp"
#include "app/joined.hpp"
#include "app/runtime.hpp"
#include "app/store_for_command.hpp"
#include "metrics/registry.hpp"
#include "storage/pg_delivery_store.hpp"

#include <nlohmann/json.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <algorithm>
#include <array>
#include <iostream>
#include <string>
#include <vector>

namespace receiptd::app {
namespace {

using Json = nlohmann::ordered_json;

std::string last_answer(const storage::DeliveryRow& row) {
    if (!row.last_error.empty()) return row.last_error;
    return row.last_status == 0 ? "-" : "HTTP " + std::to_string(row.last_status);
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
    return {
        row.state,    row.endpoint,    std::to_string(row.attempts), to_the_second(row.created_at), when(row),
        row.alert_id, last_answer(row)};
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
        text += line.back();
        // A terminal would execute control characters in the text.
        std::replace_if(
            text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }, '?');
        std::cout << text << '\n';
    }
}

void print_json(const std::vector<storage::DeliveryRow>& rows) {
    Json all = Json::array();
    for (const auto& row : rows) all.push_back(api::delivery_json(row));
    std::cout << all.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

std::string configured(const config::Settings& settings) {
    std::vector<std::string> names;
    for (const auto& endpoint : settings.endpoints) names.push_back(endpoint.name);
    return names.empty() ? "there is no [[endpoint]]" : "there are: " + joined(names);
}

// Nobody would send to any other.
std::vector<std::string> endpoints_of(const config::Settings& settings, const std::string& wanted) {
    std::vector<std::string> names;
    for (const auto& endpoint : settings.endpoints)
        if (wanted.empty() || endpoint.name == wanted) names.push_back(endpoint.name);
    return names;
}

std::uint64_t send_anew(storage::DeliveryStore& store, const std::vector<std::string>& endpoints,
                        const storage::DeliveryFilter& chosen) {
    std::uint64_t moved = 0;
    for (const auto& endpoint : endpoints) {
        auto filter = chosen;
        filter.endpoint = endpoint;
        filter.limit = 0;
        moved += wait_for(store.resend(std::move(filter)));
    }
    return moved;
}

}  // namespace

int list_alerts(const config::Settings& settings, const AlertsList& command) {
    StoreForCommand<storage::PgDeliveryStore> asking(settings);
    storage::DeliveryFilter filter;
    filter.state = command.state;
    filter.endpoint = command.endpoint;
    filter.rule = command.rule;
    filter.limit = command.limit + 1;
    auto rows = wait_for(asking.store().list_deliveries(std::move(filter)));
    const bool more = rows.size() > command.limit;
    if (more) rows.resize(command.limit);
    if (command.as_json) {
        print_json(rows);
    } else if (rows.empty()) {
        std::cout << "no " << (command.state.empty() ? "" : command.state + " ") << "deliveries"
                  << (command.endpoint.empty() ? "" : " to " + command.endpoint) << '\n';
    } else {
        print_table(rows);
        if (more) std::cout << "there are older ones: --limit N\n";
    }
    return kOk;
}

int resend_alerts(const config::Settings& settings, const AlertsResend& command) {
    const auto endpoints = endpoints_of(settings, command.endpoint);
    if (endpoints.empty()) {
        std::cerr << (command.endpoint.empty() ? "nobody would send them"
                                               : "no endpoint \"" + command.endpoint + "\" is configured")
                  << ": " << configured(settings) << '\n';
        return kUsage;
    }
    StoreForCommand<storage::PgDeliveryStore> asking(settings);
    std::uint64_t moved = 0;
    int code = kOk;
    storage::DeliveryFilter chosen;
    if (command.dead) chosen.state = "dead";
    chosen.rule = command.rule;
    if (command.dead || !command.rule.empty()) moved = send_anew(asking.store(), endpoints, chosen);
    for (const auto& id : command.alert_ids) {
        chosen.alert_id = id;
        const auto of_one = send_anew(asking.store(), endpoints, chosen);
        moved += of_one;
        if (of_one > 0) continue;
        code = kFailed;
        std::cerr << "no delivery of \"" << id << "\" to "
                  << (command.endpoint.empty() ? "a configured endpoint" : command.endpoint) << '\n';
    }
    std::cout << moved << (moved == 1 ? " delivery is" : " deliveries are") << " due now\n";
    return code;
}

}  // namespace receiptd::app
