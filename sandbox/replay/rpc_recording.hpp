// A recorded JSON-RPC session: block/HEIGHT.json, chunk/HASH.json and tx/HASH.json, each the
// `result` object of an answer. Several folders make one recording.
#pragma once

#include "sandbox/replay/execution_tree.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace receiptd::sandbox {

class RpcRecording {
public:
    RpcRecording() = default;
    // Throws std::runtime_error that names the folder or file.
    explicit RpcRecording(const std::vector<std::filesystem::path>& folders);

    std::vector<Height> heights() const;  // ascending
    const std::string* block(Height height) const;
    std::optional<Height> height_of_block(std::string_view hash) const;
    std::optional<Located> chunk(std::string_view hash) const;
    std::optional<Located> receipt(std::string_view receipt_id) const;
    // The recorded `tx` result; nullptr: none.
    const std::string* transaction(std::string_view hash) const;
    bool has_receipts_of_transactions() const { return transactions_with_receipts_; }

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    };
    template <class T>
    using Map = std::unordered_map<std::string, T, Hash, std::equal_to<>>;

    void add_folder(const std::filesystem::path& folder);
    void add_block(std::string text);
    void add_chunk(std::string text);
    void add_transaction(std::string text);
    void index_receipts();

    std::map<Height, std::string> blocks_;
    Map<Height> heights_;    // by block hash
    Map<Height> including_;  // by chunk hash: the block that first included it
    Map<std::string> chunks_;
    Map<std::string> transactions_;
    Map<std::pair<std::string_view, Height>> receipts_;  // bodies inside chunks_ and transactions_
    bool transactions_with_receipts_ = false;
};

}  // namespace receiptd::sandbox
