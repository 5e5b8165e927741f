// Functions that the decoders of different files share. Private to the decoders.
#pragma once

#include "chain/json/decode_reader.hpp"

namespace receiptd::chain::decoding {

// These are objects; Action and ExecutionStatus are enums.
bool members(Reader& reader, ondemand::object& object, Block& out);
bool members(Reader& reader, ondemand::object& object, BlockHeader& out);
bool members(Reader& reader, ondemand::object& object, ChunkHeader& out);
bool members(Reader& reader, ondemand::object& object, Chunk& out);
bool members(Reader& reader, ondemand::object& object, SignedTransaction& out);
bool members(Reader& reader, ondemand::object& object, Receipt& out);
bool members(Reader& reader, ondemand::object& object, Outcome& out);
bool members(Reader& reader, ondemand::object& object, MerklePathItem& out);
bool members(Reader& reader, ondemand::object& object, TransactionStatus& out);
bool members(Reader& reader, ondemand::object& object, WholeBlock& out);
bool decode(Reader& reader, Value value, Action& out);
bool decode(Reader& reader, Value value, ExecutionStatus& out);
// An object, or a mere text.
bool decode(Reader& reader, Value value, RpcErrorObject& out);

// An array of actions, and its text.
struct Actions {
    List<Action>& list;
    Text& json;
};
bool decode(Reader& reader, Value value, Actions out);

// The members of a block; `chunks` may be absent from a whole block of old times.
bool block_members(Reader& reader, ondemand::object& object, Presence chunks, Block& out);

// The lists of a chunk that hold receipts (providers.md §3).
struct ReceiptLists {
    std::vector<Receipt> listed;
    std::vector<Receipt> local;
    std::vector<Receipt> instant;
    std::vector<Receipt> merge() &&;  // without repeats
};

}  // namespace receiptd::chain::decoding
