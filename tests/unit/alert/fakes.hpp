// A queue in memory on a clock of its own, and endpoints that answer as they are told.
#pragma once

#include "alert/dispatcher.hpp"
#include "base/coroutine.hpp"
#include "base/event.hpp"
#include "config/settings.hpp"
#include "storage/errors.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>

#include <algorithm>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::alert::testing {

inline std::vector<config::Endpoint> endpoints(const std::vector<std::string>& names) {
    std::vector<config::Endpoint> endpoints;
    for (const auto& name : names) endpoints.emplace_back().name = name;
    return endpoints;
}

class FakeClock final : public base::Clock {
public:
    base::WallTime wall() const override {
        return base::WallTime(std::chrono::seconds(1'700'000'000)) + passed;
    }
    base::SteadyTime steady() const override { return base::SteadyTime(std::chrono::hours(1)) + passed; }
    base::Duration passed{};
};

class MemoryAlerts final : public storage::DeliveryStore {
public:
    explicit MemoryAlerts(const FakeClock& clock) : clock_(clock) {}

    struct Delivery {
        storage::DueDelivery due;
        std::string state = "pending";
        base::WallTime next{};
        storage::DeliveryOutcome last;
        unsigned times_delivered = 0;
    };

    void add(const std::string& alert_id, const std::string& endpoint) {
        Delivery delivery;
        delivery.due.alert_id = delivery.due.finding_id = alert_id;
        delivery.due.endpoint = endpoint;
        delivery.due.kind = "failed_receipt";
        delivery.due.created_at = delivery.next = clock_.wall();
        deliveries[{alert_id, endpoint}] = delivery;
    }
    const Delivery& of(const std::string& alert_id, const std::string& endpoint) const {
        return deliveries.at({alert_id, endpoint});
    }
    std::size_t count(const std::string& state, const std::string& endpoint = "") const {
        return static_cast<std::size_t>(
            std::count_if(deliveries.begin(), deliveries.end(), [&](const auto& entry) {
                return entry.second.state == state && (endpoint.empty() || entry.first.second == endpoint);
            }));
    }

    base::Task<std::vector<std::string>> serve_endpoints(std::vector<storage::ServedEndpoint> endpoints,
                                                         storage::Serving how) override {
        served.clear();
        for (const auto& endpoint : endpoints) served.push_back(endpoint.name);
        serving.push_back(how);
        std::vector<std::string> off;
        std::copy_if(served.begin(), served.end(), std::back_inserter(off),
                     [&](const auto& name) { return gone.contains(name); });
        co_return off;
    }
    base::Task<storage::Claimed> claim_deliveries(std::vector<storage::EndpointRoom> rooms,
                                                  std::chrono::seconds lease) override {
        ++claims;
        storage::Claimed claimed;
        for (auto& [key, delivery] : deliveries)
            for (auto& room : rooms)
                if (room.endpoint == key.second && room.limit > 0 && !gone.contains(room.endpoint) &&
                    delivery.state == "pending" && delivery.next <= clock_.wall()) {
                    --room.limit;
                    delivery.next = clock_.wall() + lease;
                    delivery.due.payload = payloads[key.first];
                    claimed.due.push_back(delivery.due);
                }
        claimed.not_sent = std::exchange(not_sent, {});
        claimed.pauses = std::exchange(pauses, {});
        co_return claimed;
    }
    base::Task<unsigned> tend_storms(std::vector<storage::EndpointStorm> endpoints) override {
        tended = std::move(endpoints);
        co_return 0;
    }
    base::Task<std::map<std::string, storage::KeptPayload>> keep_payloads(
        std::map<std::string, std::string> made) override {
        std::map<std::string, storage::KeptPayload> all;
        for (auto& [alert_id, payload] : made) {
            auto& kept = payloads[alert_id];
            if (kept.empty()) kept = payload;
            all[alert_id] = {kept, confirmed_when_kept};
        }
        co_return all;
    }
    bool confirmed_when_kept = true;
    base::Task<std::map<std::string, storage::StoredCause>> causes(
        std::vector<storage::DueDelivery> due) override {
        std::map<std::string, storage::StoredCause> known;
        on_causes();
        for (const auto& delivery : due) {
            ++findings_read;
            chain::Finding row;
            row.finding_id = delivery.alert_id;
            row.kind = "failed_receipt";
            row.failure.error_text = "told " + std::to_string(findings_read) + " times";
            known[delivery.alert_id].finding = row;
        }
        co_return known;
    }
    base::Task<void> record_delivery(storage::DeliveryOutcome outcome) override {
        auto& delivery = deliveries.at({outcome.alert_id, outcome.endpoint});
        if (delivery.state != "pending") co_return;
        if (outcome.counts) ++delivery.due.attempts;
        if (outcome.delivered) ++delivery.times_delivered;
        delivery.state = outcome.delivered ? "delivered" : outcome.dead ? "dead" : "pending";
        if (outcome.again_in) delivery.next = clock_.wall() + *outcome.again_in;
        if (outcome.endpoint_gone) gone.insert(outcome.endpoint);
        delivery.last = std::move(outcome);
        co_return;
    }
    base::Task<std::optional<std::chrono::milliseconds>> next_delivery_in(std::vector<std::string>) override {
        // Whether anything is due is found by waking, so that no test sleeps.
        co_return std::nullopt;
    }
    base::Task<std::vector<storage::DeliveryBacklog>> delivery_backlog() override { co_return backlog; }

    std::map<std::pair<std::string, std::string>, Delivery> deliveries;
    std::map<std::string, std::string> payloads;
    std::vector<std::string> served;
    std::vector<storage::Serving> serving;
    std::set<std::string> gone;
    std::vector<storage::DeliveryBacklog> backlog;
    std::vector<storage::NotSent> not_sent;  // of the next claim
    std::vector<storage::EndpointPause> pauses;
    std::vector<storage::EndpointStorm> tended;
    std::function<void()> on_causes = [] {};  // before they are told
    unsigned claims = 0;
    unsigned findings_read = 0;

private:
    const FakeClock& clock_;
};

class FakeSender final : public Sender {
public:
    explicit FakeSender(base::asio::any_io_executor executor) : released_(executor) {}

    base::Task<Answer> post(Message message) override {
        posted.push_back(message);
        if (broken) throw std::runtime_error("nobody foresaw this");
        const auto now = ++running[message.endpoint];
        most_running[message.endpoint] = std::max(most_running[message.endpoint], now);
        while (held.count(message.endpoint) > 0) co_await released_.wait();
        --running[message.endpoint];
        auto& answers = scripts[message.endpoint];
        Answer answer;
        answer.status = 200;
        if (!answers.empty()) {
            answer = answers.front();
            answers.pop_front();
        }
        co_return answer;
    }
    void release(const std::string& endpoint) {
        held.erase(endpoint);
        released_.notify_all();
    }
    std::size_t posts(const std::string& endpoint) const {
        return static_cast<std::size_t>(std::count_if(
            posted.begin(), posted.end(), [&](const Message& each) { return each.endpoint == endpoint; }));
    }

    std::vector<Message> posted;
    std::map<std::string, std::deque<Answer>> scripts;  // 200 when there is none
    std::set<std::string> held;                         // do not answer
    bool broken = false;                                // throws
    std::map<std::string, unsigned> running, most_running;

private:
    base::Event released_;
};

// Lets everything happen that can happen now. Bodies are made on `cpu`; it has one thread, so what was handed
// over before is done when its turn comes.
inline void settle(Dispatcher& dispatcher, boost::asio::io_context& io, boost::asio::thread_pool& cpu) {
    const auto poll_after_cpu = [&] {
        std::promise<void> done;
        boost::asio::post(cpu, [&] { done.set_value(); });
        done.get_future().wait();
        return io.poll();
    };
    dispatcher.wake();
    io.restart();
    while (io.poll() + poll_after_cpu() > 0) {
    }
}

}  // namespace receiptd::alert::testing
