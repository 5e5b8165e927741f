// Questions of the tracker to the hosts; they count against the budget of watches.
#pragma once

#include "base/height_set.hpp"
#include "base/task.hpp"
#include "chain/tree/lifecycle.hpp"
#include "storage/unplaced_store.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace receiptd::watch {

class WatchUpstream {
public:
    virtual ~WatchUpstream() = default;

    // The final part of the transaction's tree.
    struct Known {
        chain::TreeSeen seen;
        std::string host;
        // The transaction, once the block that includes it is.
        std::optional<storage::FoundTransaction> found;
    };
    // The hosts' word on a transaction of which none tells an outcome.
    enum class Word : std::uint8_t {
        denied,      // none knows it: the word of two, where two have one
        none,        // no host tracks its shard
        in_a_chunk,  // one has a chunk with it, and keeps no outcomes (rpc.md §5.2): it may be executed
    };
    struct NotKnown {
        std::string asked;  // which hosts, and what they answered
        Word word = Word::denied;
    };
    struct NoAnswer {
        std::string why;
    };
    using TreeAnswer = std::variant<Known, NotKnown, NoAnswer>;
    // Regular hosts first, then archival ones. Blocks up to `final_height` count.
    virtual base::Task<TreeAnswer> tree(std::string tx_hash, std::string sender_id,
                                        chain::BlockHeight final_height) = 0;

    // Whether hosts still hold the blocks of these heights; nullopt: that cannot be told now.
    virtual base::Task<std::optional<bool>> holds_blocks(base::HeightRange heights) = 0;

    struct SenderQuestion {
        std::string account_id;
        std::string public_key;
        std::optional<std::uint16_t> nonce_index;  // of a gas key
        std::uint64_t own_nonce = 0;               // of the transaction
    };
    struct Sender {
        std::optional<std::uint64_t> nonce;  // nullopt: the key does not exist
        // The final height at which it does not, nor maybe the account; 0: the key exists, or none was told.
        chain::BlockHeight key_missing_at = 0;
        bool has_no_account = false;
        chain::BlockHeight height = 0;  // final, not below any answer's; 0: it was not told
        std::string hosts;              // "first, second"
    };
    // nullopt: nobody answered, or one host alone says what would end the transaction.
    virtual base::Task<std::optional<Sender>> sender(SenderQuestion question) = 0;
};

}  // namespace receiptd::watch
