// Transactions, their actions and the result of `tx`: rpc.md §4.2, §5.3, chain-model.md §6.
#include "chain/json/decode_parts.hpp"

#include <array>

namespace receiptd::chain::decoding {

namespace {

struct ActionName {
    Text name;
    ActionKind kind;
};

// The frequent ones first.
constexpr std::array kActionNames{
    ActionName{"FunctionCall", ActionKind::function_call},
    ActionName{"Transfer", ActionKind::transfer},
    ActionName{"Delegate", ActionKind::delegate},
    ActionName{"DelegateV2", ActionKind::delegate_v2},
    ActionName{"CreateAccount", ActionKind::create_account},
    ActionName{"AddKey", ActionKind::add_key},
    ActionName{"DeployContract", ActionKind::deploy_contract},
    ActionName{"Stake", ActionKind::stake},
    ActionName{"DeleteKey", ActionKind::delete_key},
    ActionName{"DeleteAccount", ActionKind::delete_account},
    ActionName{"DeployGlobalContract", ActionKind::deploy_global_contract},
    ActionName{"DeployGlobalContractByAccountId", ActionKind::deploy_global_contract},
    ActionName{"UseGlobalContract", ActionKind::use_global_contract},
    ActionName{"UseGlobalContractByAccountId", ActionKind::use_global_contract},
    ActionName{"DeterministicStateInit", ActionKind::deterministic_state_init},
    ActionName{"TransferToGasKey", ActionKind::transfer_to_gas_key},
    ActionName{"WithdrawFromGasKey", ActionKind::withdraw_from_gas_key},
    ActionName{"UniversalStateInit", ActionKind::universal_state_init},
};

ActionKind kind_of(Text name) {
    const auto found = std::find_if(kActionNames.begin(), kActionNames.end(),
                                    [name](const ActionName& entry) { return entry.name == name; });
    return found == kActionNames.end() ? ActionKind::unknown : found->kind;
}

// chain-model.md §6.2: the same for every version so far.
bool read_delegate(Reader& reader, Value value, Action& out) {
    return reader.object(value, required("sender_id", Account{out.delegate_sender_id}),
                         required("receiver_id", Account{out.delegate_receiver_id}),
                         required("actions", out.delegate_actions));
}

bool read_versioned_delegate(Reader& reader, Value value, Action& out) {
    return reader.variant(value, [&](Text version, Value* payload) {
        if (payload == nullptr) return true;
        return version == "V2" ? read_delegate(reader, *payload, out) : reader.check(*payload);
    });
}

// As facts.cpp reads it from a row: what is no amount counts as none.
bool read_deposit_if_any(Reader& reader, Value value, u128& out) {
    Text text;
    bool plain = false;
    if (first_of(value) != '"') return reader.check(value);
    if (!reader.string(value, text, plain)) return false;
    out = base::parse_u128(text).value_or(0);
    return true;
}

bool read_unknown(Reader& reader, Value payload, Action& out) {
    if (first_of(payload) != '{') return reader.check(payload);
    return reader.object(payload, optional("deposit", [&](Value value) {
                             return read_deposit_if_any(reader, value, out.deposit);
                         }));
}

bool read_payload(Reader& reader, Value payload, Action& out) {
    switch (out.kind) {
        case ActionKind::function_call:
            return reader.object(payload, required("method_name", out.method_name),
                                 required("args", out.args), required("gas", out.gas),
                                 required("deposit", out.deposit));
        case ActionKind::transfer:
        case ActionKind::transfer_to_gas_key:
        case ActionKind::deterministic_state_init:
        case ActionKind::universal_state_init:
            return reader.object(payload, required("deposit", out.deposit));
        case ActionKind::delete_account:
            return reader.object(payload, required("beneficiary_id", out.beneficiary_id));
        case ActionKind::delegate:
            return reader.object(payload, required("delegate_action", [&](Value action) {
                                     return read_delegate(reader, action, out);
                                 }));
        case ActionKind::delegate_v2:
            return reader.object(payload, required("delegate_action", [&](Value action) {
                                     return read_versioned_delegate(reader, action, out);
                                 }));
        case ActionKind::unknown: return read_unknown(reader, payload, out);
        default: return reader.check(payload);
    }
}

// Kinds that may come as a bare name: those we read nothing from.
bool needs_payload(ActionKind kind) {
    switch (kind) {
        case ActionKind::function_call:
        case ActionKind::transfer:
        case ActionKind::transfer_to_gas_key:
        case ActionKind::deterministic_state_init:
        case ActionKind::universal_state_init:
        case ActionKind::delete_account:
        case ActionKind::delegate:
        case ActionKind::delegate_v2: return true;
        default: return false;
    }
}

// FinalExecutionStatus: nothing to tell while it has not ended.
bool read_final_status(Reader& reader, Value value, std::optional<ExecutionStatus>& out) {
    const Text token = token_of(value);
    if (token == "\"NotStarted\"" || token == "\"Started\"") return true;
    return decode(reader, value, out.emplace());
}

}  // namespace

bool decode(Reader& reader, Value value, Action& out) {
    return reader.verbatim(value, out.json, [&](Value whole) {
        return reader.variant(whole, [&](Text name, Value* payload) {
            out.name = name;
            out.kind = kind_of(name);
            if (payload != nullptr) return read_payload(reader, *payload, out);
            return !needs_payload(out.kind) || reader.fail("not an object");
        });
    });
}

bool decode(Reader& reader, Value value, Actions out) {
    return reader.verbatim(value, out.json, [&](Value whole) { return decode(reader, whole, out.list); });
}

bool members(Reader& reader, ondemand::object& object, SignedTransaction& out) {
    return reader.object(object, required("signer_id", Account{out.signer_id}),
                         required("public_key", out.public_key), required("nonce", out.nonce),
                         optional("nonce_index", out.nonce_index),
                         required("receiver_id", Account{out.receiver_id}),
                         required("actions", Actions{out.actions, out.actions_json}),
                         optional("priority_fee", out.priority_fee), optional("signature", out.signature),
                         required("hash", Hash{out.hash}));
}

bool members(Reader& reader, ondemand::object& object, TransactionStatus& out) {
    const bool read = reader.object(
        object, optional("final_execution_status", out.final_execution_status),
        optional("status", [&](Value value) { return read_final_status(reader, value, out.status); }),
        optional("transaction", out.transaction), optional("transaction_outcome", out.transaction_outcome),
        optional("receipts_outcome", out.receipts_outcome), optional("receipts", out.receipts));
    if (!read) return false;
    // Old nodes do not send the first, answers to NONE not the second.
    return !out.final_execution_status.empty() || out.transaction.has_value() ||
           reader.fail_at("transaction", "missing");
}

}  // namespace receiptd::chain::decoding
