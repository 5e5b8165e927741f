#include "sandbox/replay/rpc_recording.hpp"

#include "sandbox/gateway/json_text.hpp"
#include "sandbox/replay/files.hpp"

#include <stdexcept>

namespace receiptd::sandbox {

namespace {

using json_text::elements;
using json_text::is_array;
using json_text::is_object;
using json_text::member;
using json_text::require;
using json_text::string_body;

std::uint64_t required_number(std::string_view object, std::string_view name) {
    if (const auto number = json_text::number(require(object, name))) return *number;
    throw std::invalid_argument("JSON: `" + std::string(name) + "` is not a number");
}

}  // namespace

RpcRecording::RpcRecording(const std::vector<std::filesystem::path>& folders) {
    for (const auto& folder : folders) add_folder(folder);
    index_receipts();
}

void RpcRecording::add_folder(const std::filesystem::path& folder) {
    const auto each = [&](const char* kind, void (RpcRecording::*add)(std::string)) {
        for (const auto& path : json_files(folder / kind)) {
            try {
                (this->*add)(read_json_file(path));
            } catch (const std::invalid_argument& error) {
                throw std::runtime_error(path.string() + ": not a recorded " + kind + ": " + error.what());
            }
        }
    };
    const std::size_t before = blocks_.size();
    each("block", &RpcRecording::add_block);
    each("chunk", &RpcRecording::add_chunk);
    each("tx", &RpcRecording::add_transaction);
    if (blocks_.size() == before) throw std::runtime_error(folder.string() + ": no block/HEIGHT.json there");
}

void RpcRecording::add_block(std::string text) {
    const auto header = require(text, "header");
    const Height height = required_number(header, "height");
    heights_.insert_or_assign(std::string(string_body(require(header, "hash"))), height);
    for (const auto chunk : elements(require(text, "chunks"))) {
        if (required_number(chunk, "height_included") == height)
            including_.insert_or_assign(std::string(string_body(require(chunk, "chunk_hash"))), height);
    }
    blocks_.insert_or_assign(height, std::move(text));
}

void RpcRecording::add_chunk(std::string text) {
    const auto header = require(text, "header");
    std::string hash(string_body(require(header, "chunk_hash")));
    // A chunk whose block is not recorded is still dated by its own header.
    const auto included = required_number(header, "height_included");
    including_.try_emplace(hash, included != 0 ? included : required_number(header, "height_created"));
    chunks_.insert_or_assign(std::move(hash), std::move(text));
}

void RpcRecording::add_transaction(std::string text) {
    std::string hash(string_body(require(require(text, "transaction"), "hash")));
    transactions_.insert_or_assign(std::move(hash), std::move(text));
}

void RpcRecording::index_receipts() {
    const auto add = [&](std::string_view receipts, Height height) {
        if (!is_array(receipts)) return;
        for (const auto receipt : elements(receipts)) {
            std::string id(string_body(require(receipt, "receipt_id")));
            receipts_.try_emplace(std::move(id), std::pair(receipt, height));
        }
    };
    for (const auto& [hash, text] : chunks_) add(require(text, "receipts"), including_.find(hash)->second);
    for (const auto& [hash, text] : transactions_) {
        const auto receipts = member(text, "receipts");
        if (!receipts) continue;
        transactions_with_receipts_ = true;
        const auto outcome = member(text, "transaction_outcome");
        const auto known = outcome && is_object(*outcome);
        const auto height =
            known ? height_of_block(string_body(require(*outcome, "block_hash"))) : std::nullopt;
        add(*receipts, height.value_or(0));
    }
}

std::vector<Height> RpcRecording::heights() const {
    std::vector<Height> heights;
    for (const auto& [height, text] : blocks_) heights.push_back(height);
    return heights;
}

const std::string* RpcRecording::block(Height height) const {
    const auto found = blocks_.find(height);
    return found == blocks_.end() ? nullptr : &found->second;
}

std::optional<Height> RpcRecording::height_of_block(std::string_view hash) const {
    const auto found = heights_.find(hash);
    return found == heights_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Located> RpcRecording::chunk(std::string_view hash) const {
    const auto found = chunks_.find(hash);
    if (found == chunks_.end()) return std::nullopt;
    return Located{found->second, including_.find(hash)->second};
}

std::optional<Located> RpcRecording::receipt(std::string_view receipt_id) const {
    const auto found = receipts_.find(receipt_id);
    if (found == receipts_.end()) return std::nullopt;
    return Located{std::string(found->second.first), found->second.second};
}

const std::string* RpcRecording::transaction(std::string_view hash) const {
    const auto found = transactions_.find(hash);
    return found == transactions_.end() ? nullptr : &found->second;
}

}  // namespace receiptd::sandbox
