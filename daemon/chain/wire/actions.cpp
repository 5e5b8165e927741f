#include "chain/wire/actions.hpp"

#include "chain/wire/account_id.hpp"
#include "chain/wire/delegate.hpp"

#include <utility>

namespace receiptd::chain::wire {

namespace {

constexpr std::uint8_t kDelegateTag = 8;
constexpr std::uint8_t kDelegateV2 = 14;

GlobalContractId read_contract_id(Reader& reader, const char* what) {
    const Reader::Scope scope(reader, what);
    if (reader.variant("kind", 2) == 0) return reader.hash("code_hash");
    return read_account_id(reader, "account_id");
}

void write_contract_id(Writer& writer, const GlobalContractId& id) {
    writer.u8(static_cast<std::uint8_t>(id.index()));
    if (const auto* hash = std::get_if<CryptoHash>(&id))
        writer.hash(*hash);
    else
        writer.string(std::get<std::string>(id));
}

StateInit read_state_init(Reader& reader) {
    const Reader::Scope scope(reader, "state_init");
    reader.variant("version", 1);
    StateInit init;
    init.code = read_contract_id(reader, "code");
    const std::uint32_t count = reader.count("data", 8);
    for (std::uint32_t i = 0; i < count && reader.ok(); ++i) {
        const Reader::Scope entry(reader, "data", i);
        const std::size_t at = reader.offset();
        Bytes key = reader.bytes("key");
        Bytes value = reader.bytes("value");
        if (i > 0 && reader.ok() && key <= init.data.back().first)
            reader.fail("key", "not above the key before it", at);
        init.data.emplace_back(std::move(key), std::move(value));
    }
    return init;
}

void write_state_init(Writer& writer, const StateInit& init) {
    writer.u8(0);
    write_contract_id(writer, init.code);
    writer.count(init.data.size());
    for (const auto& [key, value] : init.data) {
        writer.bytes(key);
        writer.bytes(value);
    }
}

GasKeyInfo read_gas_key(Reader& reader) {
    GasKeyInfo info;
    info.balance = reader.u128("balance");
    info.num_nonces = reader.u16("num_nonces");
    return info;
}

void write_gas_key(Writer& writer, const GasKeyInfo& info) {
    writer.u128(info.balance);
    writer.u16(info.num_nonces);
}

FunctionCallPermission read_function_call_permission(Reader& reader) {
    FunctionCallPermission permission;
    if (reader.option("allowance")) permission.allowance = reader.u128("allowance");
    permission.receiver_id = reader.string("receiver_id");
    const std::uint32_t count = reader.count("method_names", 4);
    for (std::uint32_t i = 0; i < count && reader.ok(); ++i)
        permission.method_names.push_back(reader.string("method_names"));
    return permission;
}

void write_function_call_permission(Writer& writer, const FunctionCallPermission& permission) {
    writer.option(permission.allowance.has_value());
    if (permission.allowance) writer.u128(*permission.allowance);
    writer.string(permission.receiver_id);
    writer.count(permission.method_names.size());
    for (const std::string& name : permission.method_names) writer.string(name);
}

Permission read_permission(Reader& reader) {
    const Reader::Scope scope(reader, "permission");
    switch (reader.variant("kind", std::variant_size_v<Permission>)) {
        case 0: return read_function_call_permission(reader);
        case 1: return FullAccess{};
        case 2: {
            GasKeyFunctionCall permission;
            permission.gas_key = read_gas_key(reader);
            permission.function_call = read_function_call_permission(reader);
            return permission;
        }
        default: return GasKeyFullAccess{read_gas_key(reader)};
    }
}

void write_permission(Writer& writer, const Permission& permission) {
    writer.u8(static_cast<std::uint8_t>(permission.index()));
    if (const auto* call = std::get_if<FunctionCallPermission>(&permission)) {
        write_function_call_permission(writer, *call);
    } else if (const auto* gas_call = std::get_if<GasKeyFunctionCall>(&permission)) {
        write_gas_key(writer, gas_call->gas_key);
        write_function_call_permission(writer, gas_call->function_call);
    } else if (const auto* full = std::get_if<GasKeyFullAccess>(&permission)) {
        write_gas_key(writer, full->gas_key);
    }
}

// One overload per action, the fields in the order of the bytes.
struct ActionReader {
    Reader& r;

    void operator()(CreateAccount&) const {}
    void operator()(DeployContract& a) const { a.code = r.bytes("code"); }
    void operator()(FunctionCall& a) const {
        a.method_name = r.string("method_name");
        a.args = r.bytes("args");
        a.gas = r.u64("gas");
        a.deposit = r.u128("deposit");
    }
    void operator()(Transfer& a) const { a.deposit = r.u128("deposit"); }
    void operator()(Stake& a) const {
        a.stake = r.u128("stake");
        a.public_key = PublicKey::read(r, "public_key");
    }
    void operator()(AddKey& a) const {
        a.public_key = PublicKey::read(r, "public_key");
        a.access_key.nonce = r.u64("access_key.nonce");
        a.access_key.permission = read_permission(r);
    }
    void operator()(DeleteKey& a) const { a.public_key = PublicKey::read(r, "public_key"); }
    void operator()(DeleteAccount& a) const { a.beneficiary_id = read_account_id(r, "beneficiary_id"); }
    void operator()(SignedDelegate& a) const { a = read_signed_delegate(r); }
    void operator()(DeployGlobalContract& a) const {
        a.code = r.bytes("code");
        a.deploy_mode = static_cast<GlobalContractDeployMode>(r.variant("deploy_mode", 2));
    }
    void operator()(UseGlobalContract& a) const { a.contract = read_contract_id(r, "contract_identifier"); }
    void operator()(DeterministicStateInit& a) const {
        a.state_init = read_state_init(r);
        a.deposit = r.u128("deposit");
    }
    void operator()(TransferToGasKey& a) const {
        a.public_key = PublicKey::read(r, "public_key");
        a.deposit = r.u128("deposit");
    }
    void operator()(WithdrawFromGasKey& a) const {
        a.public_key = PublicKey::read(r, "public_key");
        a.amount = r.u128("amount");
    }
    void operator()(SignedDelegateV2& a) const { a = read_signed_delegate_v2(r); }
    void operator()(UniversalStateInit& a) const {
        a.state_init = r.bytes("state_init");
        a.deposit = r.u128("deposit");
    }
    void operator()(UnknownActions&) const {}
};

struct ActionWriter {
    Writer& w;

    void operator()(const CreateAccount&) const {}
    void operator()(const DeployContract& a) const { w.bytes(a.code); }
    void operator()(const FunctionCall& a) const {
        w.string(a.method_name);
        w.bytes(a.args);
        w.u64(a.gas);
        w.u128(a.deposit);
    }
    void operator()(const Transfer& a) const { w.u128(a.deposit); }
    void operator()(const Stake& a) const {
        w.u128(a.stake);
        a.public_key.write(w);
    }
    void operator()(const AddKey& a) const {
        a.public_key.write(w);
        w.u64(a.access_key.nonce);
        write_permission(w, a.access_key.permission);
    }
    void operator()(const DeleteKey& a) const { a.public_key.write(w); }
    void operator()(const DeleteAccount& a) const { w.string(a.beneficiary_id); }
    void operator()(const SignedDelegate& a) const { write_signed_delegate(w, a); }
    void operator()(const DeployGlobalContract& a) const {
        w.bytes(a.code);
        w.u8(static_cast<std::uint8_t>(a.deploy_mode));
    }
    void operator()(const UseGlobalContract& a) const { write_contract_id(w, a.contract); }
    void operator()(const DeterministicStateInit& a) const {
        write_state_init(w, a.state_init);
        w.u128(a.deposit);
    }
    void operator()(const TransferToGasKey& a) const {
        a.public_key.write(w);
        w.u128(a.deposit);
    }
    void operator()(const WithdrawFromGasKey& a) const {
        a.public_key.write(w);
        w.u128(a.amount);
    }
    void operator()(const SignedDelegateV2& a) const { write_signed_delegate(w, a); }
    void operator()(const UniversalStateInit& a) const {
        w.bytes(a.state_init);
        w.u128(a.deposit);
    }
    void operator()(const UnknownActions& a) const { w.raw(a.raw); }
};

template <std::size_t Index = 0>
Action make_action(std::uint8_t index) {
    if constexpr (Index + 1 < kKnownActions)
        if (index != Index) return make_action<Index + 1>(index);
    return Action{ActionVariant(std::in_place_index<Index>)};
}

// Everything up to `tail` bytes before the end; the caller stands on the unknown index.
UnknownActions read_unknown(Reader& reader, std::uint32_t count, std::optional<std::size_t> tail) {
    UnknownActions unknown;
    const std::size_t at = reader.offset();
    unknown.index = reader.u8("kind");
    unknown.count = count;
    if (!tail || reader.remaining() < *tail) {
        reader.fail("kind", "unknown action " + std::to_string(unknown.index), at);
        return unknown;
    }
    const ByteView raw = reader.raw("", reader.remaining() - *tail);
    unknown.raw.assign(raw.begin(), raw.end());
    return unknown;
}

}  // namespace

std::vector<Action> read_actions(Reader& reader, ActionContext context) {
    std::vector<Action> actions;
    const std::uint32_t count = reader.count("actions");
    for (std::uint32_t i = 0; i < count && reader.ok(); ++i) {
        const Reader::Scope scope(reader, "actions", i);
        const std::uint8_t index = reader.remaining() > 0 ? reader.peek(0) : std::uint8_t{0};
        if (index >= kKnownActions) {
            actions.push_back(Action{read_unknown(reader, count - i, context.tail)});
            break;
        }
        const std::size_t at = reader.offset();
        reader.u8("kind");
        if (context.inside_delegate && (index == kDelegateTag || index == kDelegateV2)) {
            reader.fail("kind", "a delegate inside a delegate", at);
            break;
        }
        Action action = make_action(index);
        std::visit(ActionReader{reader}, action.value);
        actions.push_back(std::move(action));
    }
    return actions;
}

void write_actions(Writer& writer, const std::vector<Action>& actions) {
    std::size_t count = actions.size();
    const auto* unknown = actions.empty() ? nullptr : std::get_if<UnknownActions>(&actions.back().value);
    if (unknown) count += unknown->count - 1;
    writer.count(count);
    for (const Action& action : actions) {
        writer.u8(unknown && &action == &actions.back() ? unknown->index
                                                        : static_cast<std::uint8_t>(action.value.index()));
        std::visit(ActionWriter{writer}, action.value);
    }
}

std::string read_account_id(Reader& reader, const char* what) {
    const std::size_t at = reader.offset();
    std::string id = reader.string(what);
    if (reader.ok() && !is_valid_account_id(id)) reader.fail(what, "not a valid account id", at);
    return id;
}

Bytes encode(const StateInit& state_init) {
    Writer writer;
    write_state_init(writer, state_init);
    return writer.take();
}

std::string deterministic_account(const StateInit& state_init) {
    return chain::deterministic_account(encode(state_init));
}

}  // namespace receiptd::chain::wire
