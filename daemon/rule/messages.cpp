#include "rule/messages.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace receiptd::rule {
namespace {

using Schema = nlohmann::ordered_json;

// docs/webhooks.md has the same rows (tests/checks/check_messages.py).
constexpr std::array kMessages = {
    MessageType{"failed_receipt", "finding.failed_receipt", "finding", "a receipt failed"},
    MessageType{"failed_transaction", "finding.failed_transaction", "finding",
                "a transaction failed before it made a receipt"},
    MessageType{"tokens_returned", "finding.tokens_returned", "finding",
                "tokens came back to their sender, and nothing failed"},
    MessageType{"burnt_tokens", "finding.burnt_tokens", "finding",
                "tokens were burnt, and not as a fee: nobody has them any more"},
    MessageType{"wallet_refused", "finding.wallet_refused", "finding",
                "a wallet did not do what its owner signed"},
    MessageType{"yield_timed_out", "finding.yield_timed_out", "finding", "nobody resumed a yield in time"},
    MessageType{"undecided", "finding.undecided", "finding",
                "for ten minutes no host has told receipts that decide a transaction's verdict"},
    MessageType{"stuck", "finding.stuck", "finding",
                "a watched transaction is longer in a stage than it should be"},
    MessageType{"rejected", "finding.rejected", "finding", "a watched transaction ended: no node takes it"},
    MessageType{"forwarding_failed", "finding.forwarding_failed", "finding",
                "a watched transaction ended: no host took it"},
    MessageType{"dropped", "finding.dropped", "finding",
                "a watched transaction ended: its nonce or key is used or gone"},
    MessageType{"expired", "finding.expired", "finding",
                "a watched transaction ended: its block hash is too old"},
    MessageType{"unknown", "finding.unknown", "finding",
                "a watched transaction ended: nobody can tell what became of it"},
    MessageType{"corrected", "transaction.corrected", "finding", "something that was told does not hold"},
    MessageType{"accepted", "transaction.accepted", "stage", "a watched transaction begins anew"},
    MessageType{"pending", "transaction.pending", "stage", "hosts took a watched transaction"},
    MessageType{"included", "transaction.included", "stage", "a block has a watched transaction"},
    MessageType{"confirmed", "transaction.confirmed", "stage",
                "the block that has a watched transaction is final: it was told before that it is not"},
    MessageType{"retracted", "transaction.retracted", "stage",
                "the block that has a watched transaction did not become final: the transaction waits again"},
    MessageType{"executing", "transaction.executing", "stage",
                "the first receipt of a watched transaction was executed"},
    MessageType{"completed", "transaction.completed", "stage",
                "a watched transaction ended: nothing but refunds can follow"},
    MessageType{"final", "transaction.final", "stage", "the refunds of a watched transaction have run, too"},
    MessageType{"verdict", "transaction.judged", "verdict", "the result of any transaction is stored"},
    MessageType{"event", "event.emitted", "event", "a contract emits a NEP-297 event"},
    MessageType{"transfer", "account.transfer", "transfer",
                "an account gets or gives tokens; each side has its own message"},
    MessageType{"key_added", "account.key_added", "key_added", "an access key is added"},
    MessageType{"absence", "rule.absence", "absence",
                "fewer receipts succeeded than a rule wants in its time"},
    MessageType{"latency", "rule.latency", "latency", "watched transactions take longer than a rule allows"},
    MessageType{"test", "test", "test", "somebody tests the endpoint; nothing has happened"},
    MessageType{"group_digest", "group.digest", "group", "more alerts have joined a group, or it goes on"},
    MessageType{"group_resolved", "group.resolved", "group", "a group of alerts is over"},
    MessageType{"endpoint_withheld", "endpoint.withheld", "withheld",
                "the alerts of an hour are more than the endpoint takes"},
    MessageType{"daemon_stalled", "daemon.stalled", "daemon", "a part of a daemon stands still"},
    MessageType{"daemon_recovered", "daemon.recovered", "daemon", "a daemon that stood still works again"},
    MessageType{"plain", "message.plain", "plain", "a message would not have been as its schema says"},
};

Schema file(std::string_view name) {
    for (const auto& each : schema_files())
        if (each.name == std::string(name) + ".json") return Schema::parse(each.text);
    return {};
}

}  // namespace

std::span<const MessageType> message_types() { return kMessages; }

std::span<const std::string_view> kinds_about_outcomes() {
    static constexpr std::array<std::string_view, 14> kAboutOutcomes{
        "failed_receipt",  "failed_transaction", "tokens_returned", "burnt_tokens", "wallet_refused",
        "yield_timed_out", "undecided",          "event",           "transfer",     "key_added",
        "verdict",         "executing",          "completed",       "final"};
    return kAboutOutcomes;
}

std::string_view type_of(std::string_view kind) {
    const auto found = std::find_if(kMessages.begin(), kMessages.end(),
                                    [&](const MessageType& each) { return each.kind == kind; });
    return found == kMessages.end() ? kind : found->type;
}

std::string message_schema(std::string_view type) {
    const auto found = std::find_if(kMessages.begin(), kMessages.end(),
                                    [&](const MessageType& each) { return each.type == type; });
    if (found == kMessages.end()) return {};
    auto schema = file("message");
    schema["title"] = found->type;
    schema["description"] = std::string("Sent when ") + std::string(found->meaning) + ".";
    schema["properties"]["type"] = {{"const", found->type}};
    schema["properties"]["data"] = file(found->data);
    return schema.dump();
}

}  // namespace receiptd::rule
