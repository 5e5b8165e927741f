// A failed callback as the cause of an alert.
#pragma once

#include "alert/payload.hpp"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::alert {

// alice calls app.swap; that calls token.ft_transfer and awaits it with app.on_transfer, which panics.
class Swap {
public:
    Swap() {
        chain::TransactionFacts transaction;
        transaction.tx_hash = "TX";
        transaction.signer_id = "alice.near";
        transaction.receiver_id = "app.near";
        cause.tree.transaction = transaction;
        outcome("TX", chain::StatusKind::success_receipt_id, {"r0"}, 100);
        receipt("r0", "alice.near", "app.near", "swap");
        outcome("r0", chain::StatusKind::success_receipt_id, {"r1", "r2"}, 101);
        receipt("r1", "app.near", "token.near", "ft_transfer").output_data_ids = {"d"};
        outcome("r1", chain::StatusKind::success_value, {}, 102);
        receipt("r2", "app.near", "app.near", "on_transfer").input_data_ids = {"d"};
        chain::DataFacts data;
        data.data_id = "d";
        cause.tree.data.push_back(data);
        outcome("r2", chain::StatusKind::failure, {}, 103).failure = {"contract_panic",
                                                                      "no such pool (src/lib.rs:7:5)"};

        cause.alert_id = cause.finding_id = "failed_receipt:r2";
        cause.kind = "failed_receipt";
        cause.tx_hash = "TX";
        cause.alerted_at = base::WallTime(std::chrono::milliseconds(1'700'000'000'250));
        chain::Finding finding;
        finding.finding_id = cause.alert_id;
        finding.kind = cause.kind;
        finding.tx_hash = "TX";
        finding.receipt_id = "r2";
        finding.role = chain::Role::callback;
        finding.handled = false;
        finding.contract_id = "app.near";
        finding.method_name = "on_transfer";
        finding.signer_id = "alice.near";
        finding.failure.error_class = "contract_panic";
        finding.failure.error_text = "no such pool (src/lib.rs:7:5)";
        finding.at = {103, 1'700'000'000'123'456'000};
        cause.finding = finding;
    }

    chain::ReceiptFacts& receipt(const std::string& id, const std::string& from, const std::string& to,
                                 const std::string& method) {
        chain::ReceiptFacts facts;
        facts.receipt_id = id;
        facts.predecessor_id = from;
        facts.receiver_id = to;
        facts.signer_id = "alice.near";
        facts.method_name = method;
        return cause.tree.receipts.emplace_back(std::move(facts));
    }

    chain::OutcomeFacts& outcome(const std::string& id, chain::StatusKind status,
                                 std::vector<std::string> children, chain::BlockHeight height) {
        chain::OutcomeFacts facts;
        facts.id = id;
        facts.status = status;
        facts.receipt_ids = std::move(children);
        facts.at = chain::ExecutedAt{height, height * 1'000'000'000};
        return cause.tree.outcomes.emplace_back(std::move(facts));
    }

    Cause cause;
};

}  // namespace receiptd::alert
