#include "sandbox/replay/lineage_items.hpp"

#include "sandbox/gateway/json_text.hpp"

#include <utility>

namespace receiptd::sandbox {

namespace {

using json_text::elements;
using json_text::is_array;
using json_text::is_object;
using json_text::member;
using json_text::require;
using json_text::string_body;

std::vector<std::string_view> elements_of(std::string_view object, std::string_view name) {
    const auto list = member(object, name);
    return list && is_array(*list) ? elements(*list) : std::vector<std::string_view>{};
}

std::string_view text_of(std::string_view object, std::string_view name) {
    const auto value = member(object, name);
    return value ? string_body(*value) : std::string_view{};
}

class ItemReader {
public:
    LineageItems read(const std::vector<std::string_view>& recorded) {
        for (slot_ = 0; slot_ < recorded.size(); ++slot_) {
            for (const auto shard : elements(require(recorded[slot_], "shards"))) {
                const auto chunk = member(shard, "chunk");
                if (chunk && is_object(*chunk)) read_chunk(*chunk);
                for (const auto item : elements_of(shard, "receipt_execution_outcomes")) read_executed(item);
            }
        }
        return std::move(found_);
    }

private:
    void read_chunk(std::string_view chunk) {
        for (const auto item : elements(require(chunk, "transactions"))) {
            const auto outcome = member(item, "outcome");
            if (!outcome || !is_object(*outcome)) continue;
            LineageItem transaction;
            transaction.is_transaction = true;
            transaction.id = text_of(require(item, "transaction"), "hash");
            add(std::move(transaction), require(*outcome, "execution_outcome"));
        }
        for (const auto name : {"receipts", "local_receipts", "instant_receipts"}) {
            for (const auto receipt : elements_of(chunk, name)) {
                const auto data = member(require(receipt, "receipt"), "Data");
                if (data) found_.data_listed.try_emplace(text_of(*data, "data_id"), slot_);
            }
        }
    }

    void read_executed(std::string_view item) {
        const auto with_id = require(item, "execution_outcome");
        LineageItem executed;
        executed.id = string_body(require(with_id, "id"));
        if (const auto receipt = member(item, "receipt"); receipt && is_object(*receipt))
            read_receipt(*receipt, executed);
        executed.tx_hash = text_of(item, "tx_hash");
        add(std::move(executed), with_id);
    }

    static void read_receipt(std::string_view receipt, LineageItem& executed) {
        const auto predecessor = text_of(receipt, "predecessor_id");
        const auto action = member(require(receipt, "receipt"), "Action");
        if (action) {
            for (const auto id : elements_of(*action, "input_data_ids"))
                executed.awaits.push_back(string_body(id));
            for (const auto to : elements_of(*action, "output_data_receivers"))
                executed.makes.push_back(text_of(to, "data_id"));
        }
        if (predecessor == "system")
            executed.kind = ReceiptKind::refund;
        else if (!executed.awaits.empty())
            executed.kind = ReceiptKind::callback;
        else if (!executed.makes.empty())
            executed.kind = ReceiptKind::promise;
        else if (!action || text_of(*action, "signer_id") != predecessor)
            executed.kind = ReceiptKind::detached;
    }

    void add(LineageItem item, std::string_view with_id) {
        const auto outcome = require(with_id, "outcome");
        const auto ids = elements(require(outcome, "receipt_ids"));
        const auto named = text_of(require(outcome, "status"), "SuccessReceiptId");
        item.slot = slot_;
        item.announcements = {found_.announcements.size(), ids.size()};
        for (std::size_t i = 0; i < ids.size(); ++i) {
            const auto id = string_body(ids[i]);
            const auto expected = item.is_transaction ? ReceiptKind::initial : expected_kind(i, ids.size());
            found_.announcements.push_back(
                {ids[i], id, found_.items.size(), expected, !named.empty() && id == named, {}});
        }
        found_.items.push_back(std::move(item));
    }

    // The order in which nodes announce: a promise and the callback that awaits it, then receipts
    // that nobody awaits, then the refund of unused gas.
    static ReceiptKind expected_kind(std::size_t index, std::size_t count) {
        if (index + 1 == count) return ReceiptKind::refund;
        if (count < 3 || index > 1) return ReceiptKind::detached;
        return index == 0 ? ReceiptKind::promise : ReceiptKind::callback;
    }

    LineageItems found_;
    std::size_t slot_ = 0;
};

}  // namespace

LineageItems read_lineage(const std::vector<std::string_view>& recorded) {
    return ItemReader().read(recorded);
}

}  // namespace receiptd::sandbox
