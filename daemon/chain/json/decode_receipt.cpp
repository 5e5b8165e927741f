// Receipts and outcomes: chain-model.md §4, rpc.md §5.3.
#include "chain/json/decode_parts.hpp"

namespace receiptd::chain::decoding {

namespace {

bool read_action_receipt(Reader& reader, Value value, Receipt& out) {
    out.kind = ReceiptKind::action;
    if (!reader.with_actions()) return true;
    return reader.object(
        value, required("signer_id", Account{out.signer_id}),
        required("signer_public_key", out.signer_public_key), required("gas_price", out.gas_price),
        required("output_data_receivers", out.output_data_receivers),
        required("input_data_ids", out.input_data_ids),
        required("actions", Actions{out.actions, out.actions_json}),
        optional("is_promise_yield", out.is_promise_yield), optional("refund_to", out.refund_to));
}

bool read_data_receipt(Reader& reader, Value value, Receipt& out) {
    out.kind = ReceiptKind::data;
    return reader.object(value, required("data_id", out.data_id), optional("data", out.data),
                         optional("is_promise_resume", out.is_promise_resume));
}

bool read_body(Reader& reader, Value value, Receipt& out) {
    return reader.variant(value, [&](Text name, Value* payload) {
        if (name == "GlobalContractDistribution") out.kind = ReceiptKind::global_contract_distribution;
        if (payload == nullptr) {
            return (name != "Action" && name != "Data") || reader.fail("not an object");
        }
        if (name == "Action") return read_action_receipt(reader, *payload, out);
        if (name == "Data") return read_data_receipt(reader, *payload, out);
        return reader.check(*payload);
    });
}

bool read_execution(Reader& reader, Value value, Outcome& out) {
    // The last two are absent from answers of the first months.
    return reader.object(value, required("logs", out.logs), required("receipt_ids", Hashes{out.receipt_ids}),
                         required("gas_burnt", out.gas_burnt), required("status", out.status),
                         optional("tokens_burnt", out.tokens_burnt),
                         optional("executor_id", Account{out.executor_id}));
}

}  // namespace

// Found by the reads of vectors below.
static bool members(Reader& reader, ondemand::object& object, DataReceiver& out) {
    return reader.object(object, required("data_id", out.data_id), required("receiver_id", out.receiver_id));
}

bool members(Reader& reader, ondemand::object& object, MerklePathItem& out) {
    return reader.object(object, required("hash", out.hash), required("direction", [&](Value value) {
                             Text direction;
                             if (!decode(reader, value, direction)) return false;
                             out.left = direction == "Left";
                             return out.left || direction == "Right" || reader.fail("neither Left nor Right");
                         }));
}

// Tens of thousands of steps are in a large block: reading them as other objects are read would cost a fifth
// of its decoding.
static bool decode_sides(Reader& reader, Value value, ProofSides& out) {
    return reader.array(value, [&](Value step) {
        if (out.steps == ProofSides::kMostSteps) return reader.fail("a path of more than 64 steps");
        ondemand::object members;
        if (!reader.open(step, members)) return false;
        Value direction;
        const auto error = members.find_field_unordered("direction").get(direction);
        if (error == simdjson::NO_SUCH_FIELD) return reader.fail_at("direction", "missing");
        if (error) return reader.broken(error);
        const Text token = token_of(direction);
        const bool left = token == R"("Left")";
        if (!left && token != R"("Right")") return reader.fail_at("direction", "neither Left nor Right");
        out.left |= std::uint64_t{left} << out.steps++;
        return true;
    });
}

bool members(Reader& reader, ondemand::object& object, Receipt& out) {
    const auto body = [&](Value value) {
        return reader.verbatim(value, out.json, [&](Value whole) { return read_body(reader, whole, out); });
    };
    return reader.object(object, required("predecessor_id", Account{out.predecessor_id}),
                         required("receiver_id", Account{out.receiver_id}),
                         required("receipt_id", Hash{out.receipt_id}), required("receipt", body));
}

bool decode(Reader& reader, Value value, ExecutionStatus& out) {
    Text json;
    const bool read = reader.verbatim(value, json, [&](Value whole) {
        return reader.variant(whole, [&](Text name, Value* payload) {
            if (payload == nullptr) return true;
            if (name == "SuccessValue") {
                out.kind = StatusKind::success_value;
                return decode(reader, *payload, out.success_value);
            }
            if (name == "SuccessReceiptId") {
                out.kind = StatusKind::success_receipt_id;
                return decode(reader, *payload, Hash{out.success_receipt_id});
            }
            if (name != "Failure") return reader.check(*payload);
            out.kind = StatusKind::failure;
            return decode(reader, *payload, Verbatim{out.failure_json});
        });
    });
    if (out.kind == StatusKind::unknown) out.json = json;
    return read;
}

bool members(Reader& reader, ondemand::object& object, Outcome& out) {
    const auto read_proof = [&](Value value) {
        return reader.with_proofs() ? decode(reader, value, out.proof)
                                    : decode_sides(reader, value, out.sides);
    };
    return reader.object(object, optional("proof", read_proof), required("block_hash", Hash{out.block_hash}),
                         required("id", Hash{out.id}), required("outcome", [&](Value value) {
                             return read_execution(reader, value, out);
                         }));
}

}  // namespace receiptd::chain::decoding
