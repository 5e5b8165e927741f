// An Api on stores in memory, which can be away, and requests to it as values.
#pragma once

#include "api/api.hpp"
#include "base/coroutine.hpp"
#include "metrics/registry.hpp"
#include "unit/api/alert_fakes.hpp"
#include "unit/api/fake_database.hpp"
#include "unit/api/fake_history.hpp"
#include "unit/api/fake_silences.hpp"
#include "unit/net/net_loop.hpp"

#include <boost/asio/thread_pool.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace receiptd::api::testing {

using net::testing::run_on;
using nlohmann::json;
using std::chrono::milliseconds;

inline const std::string kToken = "a-token-of-the-tests";
// Hashes of 32 bytes.
inline const std::string kHash = "4XXtr7JrXpYrTj9RnVsbyyw1NDeaMzcQuyWKFRBPNaEh";
inline const std::string kOther = "7zDLsxTKTuTxqdHAYzWZ5keYrnog3SsYvEXWXum3TzCZ";

class FakeWatches final : public storage::WatchAccess {
public:
    explicit FakeWatches(Database& database) : database_(database) {}

    base::Task<std::vector<std::string>> add_watches(std::vector<storage::NewWatch> added) override {
        co_await database_.ask();
        std::vector<std::string> fresh;
        for (const auto& each : added) {
            storage::Watch watch;
            watch.tx_hash = each.tx_hash;
            watch.sender_id = each.sender_id;
            watch.metadata_json = each.metadata_json;
            watch.traceparent = each.traceparent;
            if (rows.emplace(each.tx_hash, watch).second) fresh.push_back(each.tx_hash);
        }
        co_return fresh;
    }
    base::Task<bool> remove_watch(std::string tx_hash) override {
        co_await database_.ask();
        co_return rows.erase(tx_hash) > 0;
    }
    base::Task<std::optional<storage::Watch>> watch(std::string tx_hash) override {
        co_await database_.ask();
        const auto found = rows.find(tx_hash);
        if (found == rows.end()) co_return std::nullopt;
        co_return found->second;
    }
    base::Task<std::vector<storage::Watch>> watches(std::vector<std::string> tx_hashes) override {
        co_await database_.ask();
        std::vector<storage::Watch> found;
        for (const auto& hash : tx_hashes)
            if (rows.contains(hash)) found.push_back(rows.at(hash));
        co_return found;
    }
    base::Task<std::vector<storage::Watch>> list_watches(storage::WatchFilter filter) override {
        co_await database_.ask();
        asked = filter;
        std::vector<storage::Watch> found;
        for (const auto& [hash, watch] : rows) {
            const bool has_key =
                filter.idempotency_key.empty() || watch.idempotency_key == filter.idempotency_key;
            if (has_key && found.size() < filter.limit) found.push_back(watch);
        }
        co_return found;
    }
    base::Task<std::vector<storage::StoredTransition>> transitions(std::string tx_hash) override {
        co_await database_.ask();
        co_return passed[tx_hash];
    }
    base::Task<std::map<std::string, storage::StoredTree>> stored_trees(
        std::vector<std::string> tx_hashes) override {
        co_await database_.ask();
        std::map<std::string, storage::StoredTree> found;
        for (const auto& hash : tx_hashes)
            if (trees.contains(hash)) found.emplace(hash, trees.at(hash));
        co_return found;
    }
    base::Task<std::optional<std::string>> tree_of(std::string id) override {
        co_await database_.ask();
        if (trees.contains(id)) co_return id;
        for (const auto& [tx_hash, tree] : trees)
            for (const auto& receipt : tree.receipts)
                if (receipt.receipt_id == id) co_return tx_hash;
        co_return std::nullopt;
    }

    std::map<std::string, storage::Watch> rows;
    std::map<std::string, std::vector<storage::StoredTransition>> passed;
    std::map<std::string, storage::StoredTree> trees;
    storage::WatchFilter asked;

private:
    Database& database_;
};

class FakeFindings final : public storage::FindingStore {
public:
    FakeFindings(Database& database, const base::asio::any_io_executor& executor)
        : answer_sent(executor), database_(database) {}

    base::Task<std::vector<chain::Finding>> list_findings(storage::FindingFilter filter) override {
        co_await database_.ask();
        asked = filter;
        std::vector<chain::Finding> found;
        for (const auto& row : findings)
            if (found.size() < filter.limit && (filter.tx_hash.empty() || row.tx_hash == filter.tx_hash))
                found.push_back(row);
        co_return found;
    }

    base::Task<storage::Kept> kept(std::string) override {
        co_await database_.ask();
        co_return what_is_kept;
    }

    // In the order of `events`, which is not that of their ids.
    base::Task<std::vector<storage::StreamEvent>> stream_events(std::int64_t after,
                                                                storage::StreamPage page) override {
        co_await database_.ask();
        ++polls;
        auto found = events_behind(after, page.lines);
        last_asked = after;
        ++late_waiting;
        for (; late_answers.contains(after); co_await answer_sent.wait()) late_asked = after;
        --late_waiting;
        co_return found;
    }
    std::vector<storage::StreamEvent> events_behind(std::int64_t after, unsigned limit) const {
        auto from = std::find_if(events.begin(), events.end(), [&](const auto& e) { return e.id == after; });
        if (from != events.end()) ++from;
        if (after == 0) from = events.begin();
        std::vector<storage::StreamEvent> found;
        for (; from != events.end() && found.size() < limit; ++from) found.push_back(*from);
        return found;
    }
    base::Task<std::int64_t> last_stream_event() override {
        co_await database_.ask();
        co_return events.empty() ? 0 : events.back().id;
    }
    base::Task<std::int64_t> highest_stream_id() override {
        co_await database_.ask();
        std::int64_t highest = 0;
        for (const auto& event : events) highest = std::max(highest, event.id);
        co_return highest;
    }

    std::vector<chain::Finding> findings;
    std::vector<storage::StreamEvent> events;
    storage::Kept what_is_kept;
    storage::FindingFilter asked;
    int polls = 0;
    std::set<std::int64_t> late_answers;  // to questions about what is behind them
    std::int64_t late_asked = 0;
    int late_waiting = 0;
    std::int64_t last_asked = 0;
    base::Event answer_sent;

private:
    Database& database_;
};

class FakeSubmissions final : public watch::Submissions {
public:
    explicit FakeSubmissions(Database& database) : database_(database) {}
    base::Task<watch::SubmitResult> submit(watch::SubmitRequest request) override {
        co_await database_.ask();
        asked = request;
        co_return answer;
    }
    watch::SubmitRequest asked;
    watch::SubmitResult answer = watch::Submitted();

private:
    Database& database_;
};

// Moved by the test alone.
class FakeClock final : public base::Clock {
public:
    base::WallTime wall() const override { return base::WallTime(now.time_since_epoch()); }
    base::SteadyTime steady() const override { return now; }
    base::SteadyTime now{std::chrono::hours(1)};
};

struct Ask {
    std::string method = "GET";
    std::string target;
    std::string body;
    std::string token = kToken;
    std::string content_type = "application/json";
    std::string last_event_id;
    std::string traceparent = {};
    std::string client;
};

class ApiTest : public ::testing::Test {
protected:
    void SetUp() override {
        options_.database.patience = milliseconds(20);
        options_.submission_patience = milliseconds(20);
        options_.trial_patience = milliseconds(20);
        options_.stream.poll = milliseconds(1);
        options_.stream.patience = milliseconds(20);
    }

    Api& api() {
        if (!api_) {
            Services services{
                [this] { return status_; },
                [] { return std::string("receiptd_up 1\n"); },
                [this] {
                    return Guard{token_, read_token_, metrics_are_open_, hosts_};
                },
                watches_,
                findings_,
                history_,
                deliveries_,
                alert_rules_,
                endpoints_,
                [this](std::string name) { return test_endpoint(std::move(name)); },
                [this](const std::string& toml) {
                    drafts_checked_.push_back(toml);
                    drafts_checked_on_ = std::this_thread::get_id();
                    return checked_;
                },
                [this](std::string rule, base::HeightRange heights) {
                    return rehearse_rules(std::move(rule), heights);
                },
                silences_,
                submissions_,
                [this](std::string tx_hash, std::string) { return open_tree(std::move(tx_hash)); },
                cpu_,
                clock_,
                series_};
            api_.emplace(io_.get_executor(), std::move(services), options_, more_routes_);
        }
        return *api_;
    }

    base::Task<std::optional<watch::OpenTree>> open_tree(std::string tx_hash) {
        ++open_trees_asked_[tx_hash];
        const auto found = open_trees_.find(tx_hash);
        if (found == open_trees_.end()) co_return std::nullopt;
        co_return found->second;
    }

    base::Task<std::optional<EndpointAnswer>> test_endpoint(std::string name) {
        const auto found = endpoint_answers_.find(name);
        if (found == endpoint_answers_.end()) co_return std::nullopt;
        co_return found->second;
    }

    base::Task<std::optional<storage::Rehearsed>> rehearse_rules(std::string rule,
                                                                 base::HeightRange heights) {
        rehearsals_asked_.push_back({rule, heights});
        co_await database_.ask();
        if (!rehearsal_refused_.empty()) throw storage::RehearsalTooLarge(rehearsal_refused_);
        if (!rule.empty() && rule != "payments") co_return std::nullopt;
        co_return rehearsed_;
    }

    net::ServerReply send(Ask ask) {
        net::ServerRequest request;
        request.method = std::move(ask.method);
        const auto mark = std::min(ask.target.find('?'), ask.target.size());
        request.path = ask.target.substr(0, mark);
        request.query = ask.target.substr(std::min(mark + 1, ask.target.size()));
        request.body = std::move(ask.body);
        request.client = std::move(ask.client);
        if (!ask.token.empty()) request.headers.push_back({"Authorization", "Bearer " + ask.token});
        if (!ask.content_type.empty()) request.headers.push_back({"Content-Type", ask.content_type});
        if (!ask.traceparent.empty()) request.headers.push_back({"traceparent", ask.traceparent});
        if (!ask.last_event_id.empty()) request.headers.push_back({"Last-Event-ID", ask.last_event_id});
        return run_on(io_, api().handler()(std::move(request)));
    }
    net::ServerReply get(std::string target) {
        Ask ask;
        ask.target = std::move(target);
        return send(std::move(ask));
    }
    net::ServerReply post(std::string target, std::string body) {
        Ask ask;
        ask.method = "POST";
        ask.target = std::move(target);
        ask.body = std::move(body);
        return send(std::move(ask));
    }
    net::ServerReply remove(std::string target) {
        Ask ask;
        ask.method = "DELETE";
        ask.target = std::move(target);
        return send(std::move(ask));
    }

    static std::string header(const net::ServerReply& reply, const std::string& name) {
        for (const auto& each : reply.headers)
            if (each.name == name) return each.value;
        return "";
    }
    // The members every problem has; and the body, to look for the others.
    static json problem(const net::ServerReply& reply, int status) {
        EXPECT_EQ(reply.status, status) << reply.body;
        EXPECT_EQ(header(reply, "Content-Type"), "application/problem+json");
        auto body = json::parse(reply.body);
        EXPECT_EQ(body["type"], "about:blank");
        EXPECT_EQ(body["status"], status);
        EXPECT_FALSE(body["title"].get<std::string>().empty());
        EXPECT_FALSE(body["detail"].get<std::string>().empty());
        return body;
    }
    static json answer(const net::ServerReply& reply, int status = 200) {
        EXPECT_EQ(reply.status, status) << reply.body;
        EXPECT_EQ(header(reply, "Content-Type"), "application/json");
        EXPECT_EQ(header(reply, "Cache-Control"), "no-store");
        return json::parse(reply.body);
    }

    base::asio::io_context io_{1};
    base::asio::thread_pool cpu_{1};
    Database database_{io_.get_executor()};
    FakeWatches watches_{database_};
    FakeFindings findings_{database_, io_.get_executor()};
    FakeHistory history_{database_};
    FakeDeliveries deliveries_{database_};
    FakeAlertRules alert_rules_{database_};
    FakeEndpoints endpoints_{database_};
    std::map<std::string, EndpointAnswer> endpoint_answers_;  // of those that this daemon serves
    struct AskedRehearsal {
        std::string rule;
        base::HeightRange heights;
    };
    std::vector<AskedRehearsal> rehearsals_asked_;
    storage::Rehearsed rehearsed_;
    std::string rehearsal_refused_;  // as too large; empty: it is not
    std::vector<std::string> drafts_checked_;
    std::thread::id drafts_checked_on_;
    CheckedDraft checked_;
    FakeSilences silences_{database_};
    FakeSubmissions submissions_{database_};
    FakeClock clock_;
    metrics::Registry registry_;
    metrics::ApiSeries series_{registry_};
    DaemonStatus status_;
    base::Secret token_{kToken};
    base::Secret read_token_;
    bool metrics_are_open_ = false;
    std::vector<std::string> hosts_;
    ApiOptions options_;
    MakeRoutes more_routes_;
    std::map<std::string, watch::OpenTree> open_trees_;
    std::map<std::string, unsigned> open_trees_asked_;
    std::optional<Api> api_;
};

}  // namespace receiptd::api::testing
