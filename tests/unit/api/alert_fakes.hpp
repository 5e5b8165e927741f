// Stores of alerts for the API, in memory.
#pragma once

#include "storage/alert_rule_store.hpp"
#include "storage/delivery_access.hpp"
#include "storage/endpoint_store.hpp"
#include "unit/api/fake_database.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::api::testing {

class FakeDeliveries final : public storage::DeliveryAccess {
public:
    explicit FakeDeliveries(Database& database) : database_(database) {}

    base::Task<std::vector<storage::DeliveryRow>> list_deliveries(storage::DeliveryFilter filter) override {
        co_await database_.ask();
        asked = filter;
        co_return rows;
    }
    base::Task<std::uint64_t> count_deliveries(storage::DeliveryFilter filter) override {
        co_await database_.ask();
        asked = filter;
        co_return rows.size();
    }
    base::Task<std::optional<storage::StoredAlert>> alert(std::string alert_id) override {
        co_await database_.ask();
        const auto found = alerts.find(alert_id);
        if (found == alerts.end()) co_return std::nullopt;
        co_return found->second;
    }
    base::Task<std::uint64_t> resend(storage::DeliveryFilter filter) override {
        co_await database_.ask();
        asked = filter;
        resent += rows.size();
        co_return rows.size();
    }

    std::vector<storage::DeliveryRow> rows;
    std::map<std::string, storage::StoredAlert> alerts;
    storage::DeliveryFilter asked;
    std::uint64_t resent = 0;

private:
    Database& database_;
};

class FakeAlertRules final : public storage::AlertRuleStore {
public:
    explicit FakeAlertRules(Database& database) : database_(database) {}

    base::Task<std::vector<storage::RuleRow>> rules() override {
        co_await database_.ask();
        co_return stored;
    }
    base::Task<std::vector<storage::ListRow>> lists() override {
        co_await database_.ask();
        std::vector<storage::ListRow> rows;
        for (const auto& [name, accounts] : listed)
            rows.push_back({name, false, "here:1", "", accounts.size()});
        co_return rows;
    }
    base::Task<std::optional<std::vector<std::string>>> accounts(std::string list, std::string after,
                                                                 unsigned limit) override {
        co_await database_.ask();
        const auto found = listed.find(list);
        if (found == listed.end()) co_return std::nullopt;
        std::vector<std::string> some;
        for (auto at = found->second.upper_bound(after); at != found->second.end() && some.size() < limit;
             ++at)
            some.push_back(*at);
        co_return some;
    }
    base::Task<storage::Listing> set_listed(std::string list, std::string account_id,
                                            bool is_listed) override {
        co_await database_.ask();
        if (list == "of-a-file") co_return storage::Listing::kept_in_a_file;
        const auto found = listed.find(list);
        if (found == listed.end()) co_return storage::Listing::no_such_list;
        const bool changes =
            is_listed ? found->second.insert(account_id).second : found->second.erase(account_id) > 0;
        co_return changes ? storage::Listing::changed : storage::Listing::as_it_was;
    }

    std::vector<storage::RuleRow> stored;
    std::map<std::string, std::set<std::string>> listed;

private:
    Database& database_;
};

class FakeEndpoints final : public storage::EndpointStore {
public:
    explicit FakeEndpoints(Database& database) : database_(database) {}

    base::Task<std::vector<storage::EndpointRow>> endpoints() override {
        co_await database_.ask();
        co_return rows;
    }
    base::Task<storage::Switched> switch_on(std::string endpoint) override {
        co_await database_.ask();
        for (auto& row : rows)
            if (row.name == endpoint)
                co_return std::exchange(row.active, true) ? storage::Switched::before
                                                          : storage::Switched::now;
        co_return storage::Switched::no_such_endpoint;
    }
    base::Task<storage::Switched> pause(std::string) override {
        co_await database_.ask();
        co_return storage::Switched::no_such_endpoint;
    }
    base::Task<storage::Switched> resume(std::string endpoint) override { return pause(std::move(endpoint)); }

    std::vector<storage::EndpointRow> rows;

private:
    Database& database_;
};

}  // namespace receiptd::api::testing
