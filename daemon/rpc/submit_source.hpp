// Sends transactions, and asks the chain the questions that come before sending.
#pragma once

#include "base/task_group.hpp"
#include "rpc/account_calls.hpp"
#include "rpc/block_cache.hpp"
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

    // The newest the hosts have, not the final one: what was just made counts. nullopt: there is none.
    virtual Told<std::optional<chain::AccountView>> account(std::string account_id) = 0;
    virtual Told<std::optional<chain::AccessKeyView>> access_key(std::string account_id,
                                                                 std::string public_key) = 0;
    // The block with that hash; nullopt: no host knows one. Of two hosts that differ the higher one: nothing
    // expires by the lower one.
    virtual Told<std::optional<chain::BlockRef>> block(std::string hash) = 0;
    virtual Told<chain::BlockRef> final_head() = 0;
    struct Opinion {  // of one host
        std::string host;
        chain::BlockRef head;
        std::optional<chain::AccountView> account;
        std::optional<chain::AccessKeyView> key;
    };
    // Of each host that can be asked at once and answers; empty where there are no two of them.
    virtual base::Task<std::vector<Opinion>> opinions(std::string account_id, std::string public_key) = 0;
    // Gas price of the next block; of two that differ the lower one: by the higher one a signer might seem
    // unable to pay.
    virtual Told<chain::u128> gas_price() = 0;
    // How many heights a block hash is good for; of two that differ the larger number: nothing expires by
    // the smaller one. Asked for once a day.
    virtual Told<std::uint64_t> validity_blocks() = 0;
    // Whether a block holds the transaction.
    virtual Told<bool> is_included(std::string tx_hash, std::string sender_id) = 0;

    struct Taken {
        std::string hosts;  // that took it, "first, second"
    };
    // As invalid, by every host that was asked: by two, where two have a word (second_word.hpp).
    struct Refused {
        std::string error_json;  // the InvalidTxError
        std::string hosts;       // "first, second"
    };
    // No host took it; any of them may have got it all the same.
    struct NotTaken {
        std::string detail;
    };
    // Sends the transaction to every regular host that can be asked; to an archival one only if none took it.
    using Broadcast = std::variant<Taken, Refused, NotTaken>;
    virtual base::Task<Broadcast> broadcast(std::string signed_tx_base64, std::string tx_hash,
                                            Priority priority) = 0;
};

class RpcSubmitSource final : public SubmitSource {
public:
    RpcSubmitSource(base::asio::any_io_executor executor, base::asio::thread_pool& pool,
                    std::shared_ptr<TimeAndChance> time, std::shared_ptr<Router> router, TreeSource& trees,
                    std::uint64_t validity_blocks)
        : executor_(executor),
          pool_(pool),
          time_(std::move(time)),
          router_(std::move(router)),
          trees_(trees),
          configured_validity_(validity_blocks),
          sendings_(std::move(executor)) {}

    Told<std::optional<chain::AccountView>> account(std::string account_id) override;
    Told<std::optional<chain::AccessKeyView>> access_key(std::string account_id,
                                                         std::string public_key) override;
    Told<std::optional<chain::BlockRef>> block(std::string hash) override;
    Told<chain::BlockRef> final_head() override;
    base::Task<std::vector<Opinion>> opinions(std::string account_id, std::string public_key) override;
    Told<chain::u128> gas_price() override;
    Told<std::uint64_t> validity_blocks() override;
    Told<bool> is_included(std::string tx_hash, std::string sender_id) override;
    base::Task<Broadcast> broadcast(std::string signed_tx_base64, std::string tx_hash,
                                    Priority priority) override;

private:
    struct Sending;
    void send_to_regular(const std::shared_ptr<Sending>& sending, const Call& call);
    base::Task<void> send_to(std::shared_ptr<Sending> sending, Call call);
    base::Task<void> wait_for_hosts(std::shared_ptr<Sending> sending);
    base::Task<Broadcast> send_to_any(std::shared_ptr<Sending> sending, Call call);
    base::Task<Broadcast> ask_who_has_not_refused(std::shared_ptr<Sending> sending, Call call);
    struct Poll;
    base::Task<void> ask_opinion(std::shared_ptr<Poll> poll, std::size_t host);

    base::asio::any_io_executor executor_;
    base::asio::thread_pool& pool_;
    std::shared_ptr<TimeAndChance> time_;
    std::shared_ptr<Router> router_;
    BlockCache told_blocks_;  // by two hosts, where two could be asked
    std::uint64_t believed(const Answer<std::uint64_t>& told);
    void warn_once(const std::string& what);

    TreeSource& trees_;
    std::uint64_t configured_validity_;
    base::TaskGroup sendings_;  // a slow host goes on when the others have taken it
    std::optional<std::uint64_t> validity_blocks_;
    base::SteadyTime validity_asked_at_{};
    std::set<std::string> warned_;  // of values that were not believed, or differed
};

}  // namespace receiptd::rpc
