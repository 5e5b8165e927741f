#include "app/check_online.hpp"

#include "app/check_hosts.hpp"
#include "app/endpoint_test.hpp"
#include "app/runtime.hpp"
#include "base/visible.hpp"
#include "storage/inspect.hpp"

#include <utility>

namespace receiptd::app {
namespace {

using Result = OnlineCheck::Result;

constexpr unsigned kOldestServer = 140000;  // multiranges came with it

class Checks {
public:
    explicit Checks(std::string subject) : subject_(std::move(subject)) {}
    void add(Result result, std::string detail) { all_.push_back({subject_, result, std::move(detail)}); }
    std::vector<OnlineCheck> all() && { return std::move(all_); }

private:
    std::string subject_;
    std::vector<OnlineCheck> all_;
};

void check_identity(Checks& checks, const storage::DatabaseFacts& facts, const config::Settings& settings) {
    if (facts.network.empty()) {
        checks.add(Result::ok, "nothing is stored yet: `receiptd run` begins");
        return;
    }
    if (facts.network != settings.network)
        checks.add(Result::failed, "contains the network " + facts.network + ", not " + settings.network);
    if (const std::string scope = scope_name(settings.follow.scope); facts.scope != scope)
        checks.add(Result::failed, "contains the scope " + facts.scope + ", not " + scope);
}

void check_server(Checks& checks, const storage::DatabaseFacts& facts, const config::Settings& settings) {
    if (facts.server_number < kOldestServer)
        checks.add(Result::failed,
                   "PostgreSQL " + facts.server_version + " is too old: 14 or newer is needed");
    if (facts.is_replica) checks.add(Result::failed, "is a replica, which takes no writes");
    const auto connections = settings.database.most_connections(settings.follow.writers);
    if (facts.free_connections < connections)
        checks.add(Result::warning, std::to_string(facts.free_connections) +
                                        " connections are free; the daemon uses up to " +
                                        std::to_string(connections) + " (max_connections)");
    if (facts.locks.is_tight()) checks.add(Result::warning, facts.locks.in_words());
}

void check_schema(Checks& checks, const storage::DatabaseFacts& facts) {
    if (!facts.schema_problem.empty()) checks.add(Result::failed, facts.schema_problem);
    if (facts.pending_migrations.empty()) return;
    checks.add(facts.may_create ? Result::ok : Result::failed,
               std::to_string(facts.pending_migrations.size()) + " migrations are to be applied; the role " +
                   facts.user +
                   (facts.may_create ? " may do it" : " may not: run `receiptd migrate` as the owner"));
}

std::vector<OnlineCheck> check_database(const config::Settings& settings) {
    Checks checks("database");
    try {
        const auto facts = storage::database_facts(database_options(settings));
        checks.add(Result::ok, facts.where + ", PostgreSQL " + facts.server_version + ", as " + facts.user);
        check_server(checks, facts, settings);
        check_schema(checks, facts);
        check_identity(checks, facts, settings);
    } catch (const storage::StorageError& e) {
        checks.add(Result::failed, e.what());
    }
    return std::move(checks).all();
}

std::vector<OnlineCheck> check_endpoints(const config::Settings& settings, bool test_endpoints) {
    std::vector<OnlineCheck> checks;
    for (const auto& endpoint : settings.endpoints) {
        const auto subject = "endpoint " + endpoint.name;
        if (!test_endpoints) {
            checks.push_back({subject, Result::ok, "not asked; --test-endpoints sends it a test message"});
            continue;
        }
        const auto answer = answer_of(settings, endpoint);
        checks.push_back({subject, answer.accepted ? Result::ok : Result::failed, in_words(answer)});
    }
    return checks;
}

}  // namespace

std::vector<OnlineCheck> check_online(const config::Settings& settings, bool test_endpoints) {
    auto checks = check_hosts(settings);
    for (auto& check : check_database(settings)) checks.push_back(std::move(check));
    for (auto& check : check_endpoints(settings, test_endpoints)) checks.push_back(std::move(check));
    for (auto& check : checks) check.detail = base::visible(check.detail);
    return checks;
}

const char* to_string(OnlineCheck::Result result) {
    switch (result) {
        case Result::ok: return "ok";
        case Result::warning: return "warning";
        case Result::failed: return "failed";
    }
    return "failed";
}

}  // namespace receiptd::app
