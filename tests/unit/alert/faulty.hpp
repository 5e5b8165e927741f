// The queue and the endpoints, with steps that fail.
#pragma once

#include "fakes.hpp"
#include "support/fault_steps.hpp"

#include <utility>

namespace receiptd::alert::testing {

class FaultyDeliveries final : public storage::DeliveryStore {
public:
    FaultyDeliveries(storage::DeliveryStore& store, test::Steps& steps) : store_(store), steps_(steps) {}

    base::Task<std::vector<std::string>> serve_endpoints(std::vector<storage::ServedEndpoint> names,
                                                         storage::Serving serving) override {
        return steps_.take(store_.serve_endpoints(std::move(names), serving));
    }
    base::Task<storage::Claimed> claim_deliveries(std::vector<storage::EndpointRoom> rooms,
                                                  std::chrono::seconds lease) override {
        return steps_.take(store_.claim_deliveries(std::move(rooms), lease));
    }
    base::Task<unsigned> tend_storms(std::vector<storage::EndpointStorm> endpoints) override {
        return steps_.take(store_.tend_storms(std::move(endpoints)));
    }
    base::Task<std::map<std::string, storage::StoredCause>> causes(
        std::vector<storage::DueDelivery> deliveries) override {
        return steps_.take(store_.causes(std::move(deliveries)));
    }
    base::Task<std::map<std::string, storage::KeptPayload>> keep_payloads(
        std::map<std::string, std::string> payloads) override {
        return steps_.take(store_.keep_payloads(std::move(payloads)));
    }
    base::Task<void> record_delivery(storage::DeliveryOutcome outcome) override {
        return steps_.take(store_.record_delivery(std::move(outcome)));
    }
    base::Task<std::optional<std::chrono::milliseconds>> next_delivery_in(
        std::vector<std::string> endpoints) override {
        return steps_.take(store_.next_delivery_in(std::move(endpoints)));
    }
    base::Task<std::vector<storage::DeliveryBacklog>> delivery_backlog() override {
        return steps_.take(store_.delivery_backlog());
    }

private:
    storage::DeliveryStore& store_;
    test::Steps& steps_;
};

class FaultySender final : public Sender {
public:
    FaultySender(Sender& sender, test::Steps& steps) : sender_(sender), steps_(steps) {}

    base::Task<Answer> post(Message message) override {
        Answer none;
        none.error = "no answer";
        return steps_.take(sender_.post(std::move(message)), std::move(none));
    }

private:
    Sender& sender_;
    test::Steps& steps_;
};

}  // namespace receiptd::alert::testing
