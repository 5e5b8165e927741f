#include "chain/proof/header_hash.hpp"

#include "chain/json/decode_parts.hpp"
#include "chain/proof/light_client.hpp"
#include "chain/wire/keys.hpp"

#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace receiptd::chain {

namespace {

// BlockHeaderInnerRestV2 to V6. `latest_protocol_version` is the producer's own, which may be ahead of the
// block's: so the forms are tried, newest first.
struct HeaderForm {
    int version;
    std::uint32_t first_protocol;
};
constexpr HeaderForm kHeaderForms[] = {{6, 85}, {5, 72}, {4, 63}, {3, 49}, {2, 30}};

// Elements in Borsh, without their count.
struct BorshList {
    std::size_t count = 0;
    Writer elements;
};

struct ValidatorStake {
    std::string_view account_id;
    PublicKey public_key;
    base::u128 stake = 0;
};

// Members that only the hash needs. Absent and null are nullopt.
struct HashedMembers {
    std::optional<CryptoHash> prev_state_root, next_bp_hash, block_merkle_root;
    std::optional<CryptoHash> block_body_hash, chunk_receipts_root, chunk_headers_root, chunk_tx_root;
    std::optional<CryptoHash> challenges_root, random_value, last_ds_final_block, epoch_sync_data_hash;
    std::optional<std::uint64_t> block_ordinal;
    std::optional<std::vector<ValidatorStake>> validator_proposals;
    std::optional<BorshList> chunk_mask, challenges_result, approvals, chunk_endorsements;
    std::optional<Writer> shard_split;
};

}  // namespace

namespace decoding {

// false, after fail(), unless the text of `value` is a CryptoHash, Signature or PublicKey.
template <class T>
static bool read_typed(Reader& reader, Value value, std::optional<T>& out) {
    Text text;
    if (!decode(reader, value, text)) return false;
    out = T::parse(text);
    return out || reader.fail("not base58 of the right size");
}

// Fills a list; each: bool(Value, Writer&)
template <class Each>
static auto list_of(Reader& reader, std::optional<BorshList>& out, Each each) {
    return [&reader, &out, each](Value list) {
        out.emplace();
        return reader.array(list, [&](Value element) {
            ++out->count;
            return each(element, out->elements);
        });
    };
}

static bool read_bitmap(Reader& reader, Value value, Writer& out) {
    Bytes bytes;
    const bool read = reader.array(value, [&](Value element) {
        std::uint32_t byte = 0;
        if (!decode(reader, element, byte)) return false;
        if (byte > std::numeric_limits<std::uint8_t>::max()) return reader.fail("not a byte");
        bytes.push_back(static_cast<std::uint8_t>(byte));
        return true;
    });
    out.bytes(bytes);
    return read;
}

static bool read_approval(Reader& reader, Value value, Writer& out) {
    const bool given = token_of(value) != "null";
    out.option(given);
    if (!given) return true;
    std::optional<Signature> signature;
    if (!read_typed(reader, value, signature)) return false;
    signature->write(out);
    return true;
}

static bool read_challenge(Reader& reader, Value value, Writer& out) {
    Text account_id;
    bool is_double_sign = false;
    if (!reader.object(value, required("account_id", account_id), required("is_double_sign", is_double_sign)))
        return false;
    out.string(account_id);
    out.boolean(is_double_sign);
    return true;
}

static bool read_proposal(Reader& reader, Value value, std::vector<ValidatorStake>& out) {
    ValidatorStake& stake = out.emplace_back();
    Text form = "V1";
    std::optional<PublicKey> public_key;
    const auto read_key = [&](Value text) { return read_typed(reader, text, public_key); };
    if (!reader.object(value, required("account_id", stake.account_id), required("public_key", read_key),
                       required("stake", stake.stake), optional("validator_stake_struct_version", form)))
        return false;
    if (form != "V1") return reader.fail("an unknown form");
    stake.public_key = std::move(*public_key);
    return true;
}

// `[shard_id, boundary_account]`.
static bool read_split(Reader& reader, Value value, std::optional<Writer>& out) {
    std::uint64_t shard_id = 0;
    Text boundary;
    std::size_t count = 0;
    const auto read_one = [&](Value element) {
        return count++ == 0 ? decode(reader, element, shard_id) : decode(reader, element, boundary);
    };
    if (!reader.array(value, read_one)) return false;
    if (count != 2) return reader.fail("not a shard and an account");
    out.emplace().u64(shard_id);
    out->string(boundary);
    return true;
}

static bool read_members(Reader& reader, ondemand::object& object, HashedMembers& out) {
    const auto hash = [&](std::optional<CryptoHash>& to) {
        return [&reader, &to](Value value) { return read_typed(reader, value, to); };
    };
    const auto proposals = [&](Value list) {
        auto& stakes = out.validator_proposals.emplace();
        return reader.array(list, [&](Value element) { return read_proposal(reader, element, stakes); });
    };
    const auto mask = [&](Value value, Writer& to) {
        bool is_new = false;
        if (!decode(reader, value, is_new)) return false;
        to.boolean(is_new);
        return true;
    };
    const auto with = [&](auto read) {
        return [&reader, read](Value value, Writer& to) { return read(reader, value, to); };
    };
    return reader.object(
        object,  //
        optional("prev_state_root", hash(out.prev_state_root)),
        optional("next_bp_hash", hash(out.next_bp_hash)),
        optional("block_merkle_root", hash(out.block_merkle_root)),
        optional("block_body_hash", hash(out.block_body_hash)),
        optional("chunk_receipts_root", hash(out.chunk_receipts_root)),
        optional("chunk_headers_root", hash(out.chunk_headers_root)),
        optional("chunk_tx_root", hash(out.chunk_tx_root)),
        optional("challenges_root", hash(out.challenges_root)),
        optional("random_value", hash(out.random_value)),
        optional("last_ds_final_block", hash(out.last_ds_final_block)),
        optional("epoch_sync_data_hash", hash(out.epoch_sync_data_hash)),
        optional("block_ordinal", out.block_ordinal), optional("validator_proposals", proposals),
        optional("chunk_mask", list_of(reader, out.chunk_mask, mask)),
        optional("challenges_result", list_of(reader, out.challenges_result, with(read_challenge))),
        optional("approvals", list_of(reader, out.approvals, with(read_approval))),
        optional("chunk_endorsements", list_of(reader, out.chunk_endorsements, with(read_bitmap))),
        optional("shard_split", [&](Value value) { return read_split(reader, value, out.shard_split); }));
}

}  // namespace decoding

namespace {

// Borsh of the part that light clients know only by its hash; notes what is missing.
class InnerRest {
public:
    InnerRest(const BlockHeader& header, const HashedMembers& members, int version)
        : header_(header), members_(members), version_(version) {}

    // nullopt: something that this version has is not shown.
    std::optional<CryptoHash> hash() {
        write_roots();
        write_chunks();
        write_links();
        write_approvals();
        return complete_ ? std::optional(sha256(writer_.result())) : std::nullopt;
    }

private:
    void write_roots() {
        if (version_ >= 4) put(members_.block_body_hash);
        put(members_.chunk_receipts_root);
        put(members_.chunk_headers_root);
        put(members_.chunk_tx_root);
        if (version_ < 6) put(members_.challenges_root);
        put(members_.random_value);
    }

    void write_chunks() {
        put_proposals();
        put(members_.chunk_mask);
        writer_.u128(header_.gas_price);
        writer_.u128(header_.total_supply);
        if (version_ < 6) put(members_.challenges_result);
    }

    void write_links() {
        put(CryptoHash::parse(header_.last_final_block));
        put(members_.last_ds_final_block);
        if (version_ < 3) return;
        put(members_.block_ordinal);
        put(header_.prev_height);
        writer_.option(members_.epoch_sync_data_hash.has_value());
        if (members_.epoch_sync_data_hash) put(members_.epoch_sync_data_hash);
    }

    void write_approvals() {
        put(members_.approvals);
        writer_.u32(header_.latest_protocol_version);
        if (version_ >= 5) put(members_.chunk_endorsements);
        if (version_ < 6) return;
        writer_.option(members_.shard_split.has_value());
        if (members_.shard_split) writer_.raw(members_.shard_split->result());
    }

    void put_proposals() {
        if (!is_there(members_.validator_proposals)) return;
        writer_.count(members_.validator_proposals->size());
        for (const auto& each : *members_.validator_proposals) {
            if (version_ >= 3) writer_.u8(0);  // ValidatorStake::V1
            writer_.string(each.account_id);
            each.public_key.write(writer_);
            writer_.u128(each.stake);
        }
    }
    void put(const std::optional<CryptoHash>& value) {
        if (is_there(value)) writer_.hash(*value);
    }
    void put(const std::optional<std::uint64_t>& value) {
        if (is_there(value)) writer_.u64(*value);
    }
    void put(const std::optional<BorshList>& list) {
        if (!is_there(list)) return;
        writer_.count(list->count);
        writer_.raw(list->elements.result());
    }
    template <class T>
    bool is_there(const std::optional<T>& value) {
        complete_ = complete_ && value;
        return value.has_value();
    }

    const BlockHeader& header_;
    const HashedMembers& members_;
    int version_;
    Writer writer_;
    bool complete_ = true;
};

// Without inner_rest_hash; nullopt: something is not shown.
std::optional<LightHeader> known_part(const BlockHeader& header, const HashedMembers& members) {
    const auto epoch_id = CryptoHash::parse(header.epoch_id);
    const auto next_epoch_id = CryptoHash::parse(header.next_epoch_id);
    const auto outcome_root = CryptoHash::parse(header.outcome_root);
    const auto prev_hash = CryptoHash::parse(header.prev_hash);
    if (!epoch_id || !next_epoch_id || !outcome_root || !prev_hash || !members.prev_state_root ||
        !members.next_bp_hash || !members.block_merkle_root)
        return std::nullopt;
    LightHeader light;
    light.inner_lite = {header.height,         *epoch_id,
                        *next_epoch_id,        *members.prev_state_root,
                        *outcome_root,         header.timestamp_nanosec,
                        *members.next_bp_hash, *members.block_merkle_root};
    light.prev_block_hash = *prev_hash;
    return light;
}

// Recordings of early blocks show the root of the headers in place of that of the receipts.
bool shows_a_root_twice(const HashedMembers& members) {
    return members.chunk_receipts_root && members.chunk_receipts_root == members.chunk_headers_root;
}

HeaderHash compare(const BlockHeader& header, const HashedMembers& members) {
    const auto told = CryptoHash::parse(header.hash);
    auto light = known_part(header, members);
    if (!told || !light || shows_a_root_twice(members)) return HeaderHash::unknown_form;
    bool all_tried = header.latest_protocol_version <= kNewestKnownHeader;
    bool tried = false;
    for (const auto& form : kHeaderForms) {
        if (form.first_protocol > header.latest_protocol_version) continue;
        const auto rest = InnerRest(header, members, form.version).hash();
        all_tried = all_tried && rest;
        if (!rest) continue;
        tried = true;
        light->inner_rest_hash = *rest;
        if (block_hash(*light) == *told) return HeaderHash::equal;
    }
    return tried && all_tried ? HeaderHash::different : HeaderHash::unknown_form;
}

}  // namespace

HeaderHash header_hash(Document& document, const BlockHeader& header) {
    if (header.json.empty()) return HeaderHash::unknown_form;
    HashedMembers members;
    const auto before = static_cast<std::size_t>(header.json.data() - document.json().data());
    const auto error = decoding::parse(header.json, document.capacity() - before, document,
                                       [&](decoding::Reader& reader, decoding::ondemand::object& root) {
                                           return decoding::read_members(reader, root, members);
                                       });
    return error ? HeaderHash::unknown_form : compare(header, members);
}

CryptoHash stored_part(const BlockHeader& header) {
    Writer writer;
    writer.u64(header.height);
    writer.option(header.prev_height.has_value());
    writer.u64(header.prev_height.value_or(0));
    for (const auto text : {header.hash, header.prev_hash, header.epoch_id}) writer.string(text);
    writer.u64(header.timestamp_nanosec);
    writer.u128(header.gas_price);
    writer.u128(header.total_supply);
    writer.u32(header.latest_protocol_version);
    return sha256(writer.result());
}

std::string chunk_roots(const BlockHeader& header) {
    return std::string(header.outcome_root) + ' ' + std::string(header.chunk_headers_root);
}

}  // namespace receiptd::chain
