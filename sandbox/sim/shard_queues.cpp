#include "sandbox/sim/shard_queues.hpp"

namespace receiptd::sandbox::sim {

void ShardQueues::delay(Receipt receipt, Gas gas) {
    delayed_gas_ += gas;
    delayed_.push_back({std::move(receipt), gas});
}

std::optional<Receipt> ShardQueues::next_delayed() {
    if (delayed_.empty()) return std::nullopt;
    Delayed next = std::move(delayed_.front());
    delayed_.pop_front();
    delayed_gas_ -= next.gas;
    return std::move(next.receipt);
}

std::optional<Receipt> ShardQueues::admit(Receipt receipt) {
    std::size_t missing = 0;
    for (const CryptoHash& data_id : std::get<ActionReceipt>(receipt.body).input_data_ids) {
        if (received_.contains(data_id)) continue;
        awaited_.emplace(data_id, receipt.receipt_id);
        ++missing;
    }
    if (missing == 0) return receipt;
    const CryptoHash id = receipt.receipt_id;
    postponed_.emplace(id, Postponed{std::move(receipt), missing});
    return std::nullopt;
}

std::optional<Receipt> ShardQueues::deliver(const DataReceipt& data) {
    received_[data.data_id] = data.data;
    const auto awaited = awaited_.find(data.data_id);
    if (awaited == awaited_.end()) return std::nullopt;
    const auto waiting = postponed_.find(awaited->second);
    awaited_.erase(awaited);
    if (--waiting->second.missing > 0) return std::nullopt;
    Receipt receipt = std::move(waiting->second.receipt);
    postponed_.erase(waiting);
    return receipt;
}

std::vector<PromiseResult> ShardQueues::take_results(const ActionReceipt& receipt) {
    std::vector<PromiseResult> results;
    results.reserve(receipt.input_data_ids.size());
    for (const CryptoHash& data_id : receipt.input_data_ids) {
        auto node = received_.extract(data_id);
        results.push_back(std::move(node.mapped()));
    }
    return results;
}

void ShardQueues::add_yield(Receipt receipt, Height expires_at) {
    const CryptoHash data_id = std::get<ActionReceipt>(receipt.body).input_data_ids.front();
    timeouts_.push_back({expires_at, data_id});
    yields_.emplace(data_id, std::move(receipt));
}

bool ShardQueues::has_yield(std::string_view account_id, const CryptoHash& data_id) const {
    const auto found = yields_.find(data_id);
    return found != yields_.end() && found->second.receiver_id == account_id;
}

std::optional<Receipt> ShardQueues::resume(std::string_view account_id, const DataReceipt& data) {
    if (!has_yield(account_id, data.data_id)) return std::nullopt;
    received_[data.data_id] = data.data;
    auto node = yields_.extract(data.data_id);
    return std::move(node.mapped());
}

std::vector<ShardQueues::ExpiredYield> ShardQueues::expired_yields(Height height) {
    std::vector<ExpiredYield> expired;
    while (!timeouts_.empty() && timeouts_.front().expires_at <= height) {
        const auto found = yields_.find(timeouts_.front().data_id);
        if (found != yields_.end()) expired.push_back({found->second.receiver_id, found->first});
        timeouts_.pop_front();
    }
    return expired;
}

ShardQueues ShardQueues::part(const std::function<bool(const Receipt&)>& runs_there) const {
    ShardQueues part = *this;
    std::erase_if(part.delayed_, [&](const Delayed& delayed) { return !runs_there(delayed.receipt); });
    part.delayed_gas_ = 0;
    for (const Delayed& delayed : part.delayed_) part.delayed_gas_ += delayed.gas;
    std::erase_if(part.postponed_, [&](const auto& entry) { return !runs_there(entry.second.receipt); });
    std::erase_if(part.awaited_, [&](const auto& entry) { return !part.postponed_.contains(entry.second); });
    std::erase_if(part.yields_, [&](const auto& entry) { return !runs_there(entry.second); });
    return part;
}

void ShardQueues::for_each(const std::function<void(const Receipt&)>& visit) const {
    for (const Delayed& delayed : delayed_) visit(delayed.receipt);
    for (const auto& [id, postponed] : postponed_) visit(postponed.receipt);
    for (const auto& [data_id, receipt] : yields_) visit(receipt);
}

}  // namespace receiptd::sandbox::sim
