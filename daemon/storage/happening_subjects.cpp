#include "storage/happening_subjects.hpp"

#include "base/json_text.hpp"
#include "base/line.hpp"
#include "storage/rule_actions.hpp"

#include <variant>

namespace receiptd::storage {
namespace {

constexpr std::size_t kLongestData = 4'096;
constexpr std::size_t kLongestWord = 256;  // contracts may choose longer ones

struct TakeInto {
    void operator()(const chain::Emitted& emitted) const {
        subject.kind = rule::Kind::event;
        subject.standard = emitted.standard;
        subject.event = emitted.event;
        subject.data_json = emitted.data_json;
    }
    void operator()(const chain::Transferred& side) const {
        subject.kind = rule::Kind::transfer;
        subject.account_id = side.account_id;
        subject.direction = side.incoming ? "in" : "out";
        subject.token_id = side.token_id;
        subject.cause = chain::cause_name(side.cause);
        subject.amount = side.amount;
    }
    void operator()(const chain::AddedKey& key) const {
        subject.kind = rule::Kind::key_added;
        subject.access = key.access;
    }
    void operator()(const chain::Succeeded&) const { subject.kind = rule::Kind::absence; }

    rule::Subject& subject;
};

std::string word(std::string_view text) { return base::shortened(std::string(text), kLongestWord); }

struct TellIn {
    void operator()(const chain::Emitted& emitted) const {
        const auto& data = emitted.data_json;
        const bool is_long = data.size() > kLongestData;
        object.text("standard", word(emitted.standard))
            .text("event", word(emitted.event))
            .json("data", is_long || data.empty() ? "null" : data)
            .text("data_cut", is_long ? base::shortened(data, kLongestData) : "");
    }
    void operator()(const chain::Transferred& side) const {
        object.text("account_id", side.account_id)
            .text("direction", side.incoming ? "in" : "out")
            .text("other_account_id", side.other_id)
            .text("amount", base::to_string(side.amount))
            .text("token", side.token_id)
            .text("token_id", word(side.of_many))
            .text("cause", chain::cause_name(side.cause));
    }
    void operator()(const chain::AddedKey& key) const {
        object.text("access", key.access).text("public_key", word(key.public_key));
    }
    void operator()(const chain::Succeeded&) const {}

    base::JsonObject& object;
};

}  // namespace

rule::Subject subject_of(const chain::Happening& happening) {
    static const AskedBy kNobody;
    return subject_of(happening, kNobody);
}

rule::Subject subject_of(const chain::Happening& happening, const AskedBy& asked) {
    const auto& receipt = *happening.receipt;
    rule::Subject subject;
    subject.cause_id = happening.cause_id;
    subject.tx_hash = receipt.tx_hash;
    subject.receipt_id = receipt.receipt_id;
    subject.block_height = receipt.at.height;
    subject.time = base::WallTime(base::Duration(receipt.at.timestamp_nanosec));
    const bool is_open = receipt.signer_id == chain::kSystemAccount && !asked.signer_id.empty();
    subject.signer_id = is_open ? asked.signer_id : receipt.signer_id;
    subject.user_id = receipt.user_id ? *receipt.user_id : asked.user_id;
    subject.predecessor_id = receipt.predecessor_id;
    subject.receiver_id = receipt.receiver_id;
    subject.method_name = receipt.method_name;
    subject.args_json = receipt.args_json;
    subject.actions = actions_in(receipt.action_names);
    subject.deposit = receipt.deposit;
    subject.gas = receipt.gas_burnt;
    if (receipt.role) subject.role = chain::role_name(*receipt.role);
    std::visit(TakeInto{subject}, happening.what);
    return subject;
}

std::string told_of(const chain::Happening& happening, const rule::Subject& subject) {
    base::JsonObject object;
    std::visit(TellIn{object}, happening.what);
    return object.text("receipt_id", subject.receipt_id)
        .text("sender_id", subject.signer_id)
        .text("user_id", subject.user_id.empty() ? subject.signer_id : subject.user_id)
        .text("predecessor_id", subject.predecessor_id)
        .text("contract_id", subject.receiver_id)
        .text("method_name", word(subject.method_name))
        .number("block_height", subject.block_height)
        .to_json();
}

}  // namespace receiptd::storage
