// A judged tree, and the stages of a watched transaction, as the spans of one trace. Pure: the same facts
// give the same bytes, whoever told them. Times are in whole microseconds, as the tables have them.
#pragma once

#include "chain/tree/judgement.hpp"
#include "chain/tree/lifecycle.hpp"
#include "trace/ids.hpp"
#include "trace/service_names.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::trace {

// Receipts of one trace. In a larger tree refunds are left out first, then the last ones.
inline constexpr std::size_t kMostReceipts = 2'000;
// Links to what one callback awaits, beyond which they are left out.
inline constexpr std::size_t kMostLinks = 128;
// Contracts of one trace that have a service of their own.
inline constexpr std::size_t kMostServices = 50;

// A stage that a watched transaction reached.
struct Step {
    chain::Stage stage = chain::Stage::accepted;
    std::uint64_t nanosec = 0;  // of the block that proves it, else when it was learned
    std::optional<chain::BlockHeight> height{};
    std::string evidence{};  // JSON
};

struct Transaction {
    std::string tx_hash;
    std::string network;
    std::string sender_id;                           // empty: not known
    const chain::TransactionFacts* facts = nullptr;  // null: not known
    const chain::Judgement* tree = nullptr;          // null: nothing is known of it
    bool is_later_execution = false;  // of a hash that was executed before, under the same trace id
    // Stages of a watched transaction, in their order: retracted inclusions too. Empty: nobody
    // watched it.
    std::vector<Step> steps{};
    std::string reason{};  // of an end without a tree
    std::optional<Caller> caller{};
    // JSON, by receipt. Empty: they are not asked for.
    std::map<std::string, std::string> arguments{};
};

TraceId trace_id_of(const Transaction& transaction);

struct Trace {
    std::string resource_spans;  // as Spans::to_resource_spans() has them; empty: nothing is known of it
    std::size_t spans = 0;
};
// Receipts without an outcome have no span yet.
Trace trace_of(const Transaction& transaction, ServiceNames& services);

}  // namespace receiptd::trace
