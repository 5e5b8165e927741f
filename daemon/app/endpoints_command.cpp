// `receiptd endpoints`: what gets alerts, tried out, switched on and paused.
#include "api/endpoint_json.hpp"
#include "app/commands.hpp"
#include "app/endpoint_test.hpp"
#include "app/print_json.hpp"
#include "app/store_for_command.hpp"
#include "app/wait_for.hpp"
#include "base/joined.hpp"
#include "base/line.hpp"
#include "base/visible.hpp"
#include "storage/pg_endpoint_store.hpp"

#include <algorithm>
#include <iostream>
#include <map>

namespace receiptd::app {
namespace {

constexpr std::size_t kShownOfBody = 400;  // bytes

using Endpoints = StoreForCommand<storage::PgEndpointStore>;

void print_endpoint(const storage::EndpointRow& endpoint) {
    std::cout << endpoint.name << ": ";
    if (!endpoint.active)
        std::cout << "switched off since " << endpoint.off_since << ", it answered 410 Gone; ";
    if (!endpoint.paused_since.empty()) std::cout << "paused since " << endpoint.paused_since << "; ";
    std::cout << endpoint.pending << " pending, " << endpoint.dead << " dead\n    takes "
              << base::joined(endpoint.rules) << "\n    "
              << (endpoint.is_served ? "served" : "not served, nothing is queued for it; the last time was")
              << " at " << endpoint.served_at
              << (endpoint.served_by.empty() ? "" : ", by " + base::one_line(endpoint.served_by)) << '\n';
}

void print_answer(const std::string& name, const api::EndpointAnswer& answer) {
    std::cout << name << ' ' << in_words(answer) << '\n';
    if (const auto said = base::shortened(base::one_line(base::visible(answer.body)), kShownOfBody);
        !said.empty())
        std::cout << "    it said: " << said << '\n';
}

}  // namespace

int list_endpoints(const config::Settings& settings, bool as_json) {
    Endpoints asking(settings);
    const auto endpoints = wait_for(asking.store().endpoints());
    auto all = nlohmann::ordered_json::array();
    for (const auto& endpoint : endpoints)
        as_json ? all.push_back(api::endpoint_json(endpoint)) : print_endpoint(endpoint);
    if (as_json) print_json(all);
    return kOk;
}

int test_endpoint(const config::Settings& settings, const EndpointTest& command) {
    const auto found = std::find_if(settings.endpoints.begin(), settings.endpoints.end(),
                                    [&](const auto& endpoint) { return endpoint.name == command.name; });
    if (found == settings.endpoints.end()) {
        std::cerr << "no endpoint \"" << command.name << "\" is configured\n";
        return kUsage;
    }
    const auto answer = answer_of(settings, *found);
    command.as_json ? print_json(api::answer_json(answer)) : print_answer(command.name, answer);
    return answer.accepted ? kOk : kFailed;
}

int switch_endpoint(const config::Settings& settings, const EndpointSwitch& command) {
    Endpoints asking(settings);
    auto& store = asking.store();
    const auto& name = command.name;
    const auto switched = wait_for(command.to == EndpointSwitch::To::paused    ? store.pause(name)
                                   : command.to == EndpointSwitch::To::resumed ? store.resume(name)
                                                                               : store.switch_on(name));
    if (switched == storage::Switched::no_such_endpoint) {
        std::cerr << "the database has no endpoint \"" << name
                  << "\": a daemon that serves it makes it known\n";
        return kFailed;
    }
    static const std::map<EndpointSwitch::To, const char*> kIs = {
        {EndpointSwitch::To::on, "switched on"},
        {EndpointSwitch::To::paused, "paused: its deliveries wait until `receiptd endpoints resume`"},
        {EndpointSwitch::To::resumed, "not paused"}};
    std::cout << name << " is " << kIs.at(command.to)
              << (switched == storage::Switched::before ? ", as it was" : "") << '\n';
    return kOk;
}

}  // namespace receiptd::app
