// Sends transactions, and asks the chain the questions that come before sending.
#pragma once

#include "base/task_group.hpp"
#include "rpc/block_cache.hpp"
#include "rpc/decoded_call.hpp"
#include "rpc/source.hpp"
#include "rpc/time_and_chance.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace receiptd::rpc {

class SubmitSource {
public:
    virtual ~SubmitSource() = default;

    template <class T>
    using Told = base::Task<base::Result<T, Unavailable>>;

    // The block with that hash; nullopt: no host knows one. Of two hosts that differ the higher one: nothing
    // expires by the lower one.
    virtual Told<std::optional<chain::BlockRef>> block(std::string hash) = 0;
    virtual Told<chain::BlockRef> final_head() = 0;
    // The nodes' own verifier judges the signed bytes (rpc.md §5.2): nothing is sent.
    struct Opinion {  // of one host
        enum class Says : std::uint8_t {
            on_chain,      // a block holds it
            no_objection,  // unknown to it, and it would take it
            objects,       // it would not take it now
            nothing,       // it does not track the signer's shard
            not_offered,   // it does not offer the question
            silent,        // it did not answer, or cannot be asked now
        };
        std::string host;
        Says says = Says::silent;
        std::string error_json;  // of one that objects: the InvalidTxError
    };
    // The opinion of each host. One that objects is asked by hash whether a block holds it: a node that
    // verifies first refuses what has deleted its own key. If it cannot say that, it is silent.
    virtual base::Task<std::vector<Opinion>> opinions(std::string signed_tx_base64, std::string tx_hash,
                                                      std::string sender_id, Priority priority) = 0;
    // How many heights a block hash is good for; of two that differ the larger number: nothing expires by
    // the smaller one. Asked for once a day.
    virtual Told<std::uint64_t> validity_blocks() = 0;

    // The hosts have read the bytes; that says nothing of what they do with them (rpc.md §5.1).
    struct Sent {
        std::string hosts;  // "first, second"
    };
    // No host has; any of them may have got them all the same.
    struct NotSent {
        std::string detail;
    };
    // Sends the transaction to every regular host that can be asked; to an archival one only if none had it.
    using Broadcast = std::variant<Sent, NotSent>;
    virtual base::Task<Broadcast> broadcast(std::string signed_tx_base64, std::string tx_hash,
                                            Priority priority) = 0;
};

class RpcSubmitSource final : public SubmitSource {
public:
    RpcSubmitSource(base::asio::any_io_executor executor, base::asio::thread_pool& pool,
                    std::shared_ptr<TimeAndChance> time, std::shared_ptr<Router> router,
                    std::uint64_t validity_blocks, bool is_public_network)
        : executor_(executor),
          pool_(pool),
          time_(std::move(time)),
          router_(std::move(router)),
          configured_validity_(validity_blocks),
          is_public_network_(is_public_network),
          asking_(std::move(executor)) {}

    Told<std::optional<chain::BlockRef>> block(std::string hash) override;
    Told<chain::BlockRef> final_head() override;
    base::Task<std::vector<Opinion>> opinions(std::string signed_tx_base64, std::string tx_hash,
                                              std::string sender_id, Priority priority) override;
    Told<std::uint64_t> validity_blocks() override;
    base::Task<Broadcast> broadcast(std::string signed_tx_base64, std::string tx_hash,
                                    Priority priority) override;

private:
    struct Crowd;
    base::Task<void> wait_for(std::shared_ptr<Crowd> crowd);
    struct Sending;
    base::Task<void> send_to(std::shared_ptr<Sending> sending, Call call);
    base::Task<Broadcast> send_to_any(std::shared_ptr<Sending> sending, Call call);
    struct Poll;
    base::Task<void> ask_opinion(std::shared_ptr<Poll> poll, std::size_t host, Call call);
    base::Task<Opinion::Says> objects_still(std::shared_ptr<Poll> poll, std::size_t host, Priority priority);

    base::asio::any_io_executor executor_;
    base::asio::thread_pool& pool_;
    std::shared_ptr<TimeAndChance> time_;
    std::shared_ptr<Router> router_;
    BlockCache told_blocks_;  // by two hosts, where two could be asked
    std::uint64_t believed(const Answer<std::uint64_t>& told);
    // Another host has not answered; what it would have said is asked for the next time.
    template <class T>
    bool is_word_of_one(const std::vector<Answer<T>>& told) const {
        return told.size() == 1 && router_->hosts().size() > 1;
    }
    void warn_once(const std::string& what);

    std::uint64_t configured_validity_;
    bool is_public_network_;  // whose validity is known to be long
    base::TaskGroup asking_;  // a slow host goes on when the others have answered
    std::optional<std::uint64_t> validity_blocks_;
    base::SteadyTime validity_asked_at_{};
    std::set<std::string> warned_;  // of values that were not believed, or differed
};

}  // namespace receiptd::rpc
