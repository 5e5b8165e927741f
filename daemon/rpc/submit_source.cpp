#include "rpc/submit_source.hpp"

#include "base/log.hpp"
#include "base/sleep.hpp"
#include "rpc/block_source.hpp"
#include "rpc/questions.hpp"
#include "rpc/result_json.hpp"
#include "rpc/second_word.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

namespace receiptd::rpc {
namespace {

using DecodedBlock = chain::Decoded<chain::Block>;
using nlohmann::json;

constexpr base::Duration kOthersAnswer = std::chrono::seconds(1);  // after the first host did
constexpr unsigned kMostLookUps = 3;  // whether a block holds what a host objects to
constexpr base::Duration kLookUpAgain = std::chrono::milliseconds(300);
constexpr std::uint64_t kShortestValidity = 1'000;
constexpr std::uint64_t kLongestValidity = 10'000'000;
constexpr base::Duration kValidityHolds = std::chrono::hours(24);
constexpr std::size_t kMostWarnings = 16;
constexpr std::size_t kMostAsked = 256;  // under way, those nobody waits for any more included

base::Result<DecodedBlock, std::string> read_final_block(std::string body) {
    auto block = chain::decode_block_answer(std::move(body));
    if (!block) return refuse<DecodedBlock>(block.error());
    return std::move(*block);
}

base::Result<std::uint64_t, std::string> read_validity(const std::string& body) {
    const auto result = result_json(body);
    const auto period = result.is_object() ? result.value("transaction_validity_period", json()) : json();
    if (!period.is_number_unsigned())
        return refuse<std::uint64_t>(std::string("transaction_validity_period: not a number"));
    return period.get<std::uint64_t>();
}

// The hash the host answers must be ours: else it read other bytes.
Decoder<bool> hash_decoder(std::string hash) {
    return [hash = std::move(hash)](const std::string& body) -> base::Result<bool, std::string> {
        const auto result = result_json(body);
        if (!result.is_string() || result.get_ref<const std::string&>() != hash)
            return refuse<bool>("sent transaction " + hash + ", the host speaks of another one");
        return true;
    };
}

Decoder<chain::Decoded<chain::TransactionStatus>> opinion_decoder(std::string hash) {
    using Status = chain::Decoded<chain::TransactionStatus>;
    return [hash = std::move(hash)](std::string body) -> base::Result<Status, std::string> {
        auto status = chain::decode_transaction_status_answer(std::move(body));
        if (!status) return refuse<Status>(status.error());
        const auto& outcome = status->value.transaction_outcome;
        if (outcome && outcome->id != hash)
            return refuse<Status>("asked for transaction " + hash + ", got another one");
        return std::move(*status);
    };
}

// A host that does not track the shard tells a level and nothing else (rpc.md §5.2). A transaction that
// failed in a block without a receipt can still be executed in another one.
SubmitSource::Opinion::Says said(const chain::TransactionStatus& status) {
    const auto& outcome = status.transaction_outcome;
    const bool holds = outcome && !outcome->receipt_ids.empty();
    return holds ? SubmitSource::Opinion::Says::on_chain : SubmitSource::Opinion::Says::nothing;
}

SubmitSource::Opinion::Says said(const CallError& error) {
    using Says = SubmitSource::Opinion::Says;
    if (!error.invalid_transaction_json.empty()) return Says::objects;
    if (error.absent && error.reason == "UNKNOWN_TRANSACTION") return Says::no_objection;
    if (error.method_missing) return Says::not_offered;
    if (lacks_shard(error)) return Says::nothing;
    return Says::silent;
}

void append(std::string& list, const std::string& item, const char* separator) {
    if (!list.empty()) list += separator;
    list += item;
}

template <class T>
base::Result<T, Unavailable> not_told(CallError error) {
    return base::Result<T, Unavailable>(boost::system::in_place_error, unavailable(std::move(error)));
}

}  // namespace

base::Task<base::Result<std::optional<chain::BlockRef>, Unavailable>> RpcSubmitSource::block(
    std::string hash) {
    using Known = std::optional<chain::BlockRef>;
    if (const auto* known = told_blocks_.find(hash)) co_return Known(*known);
    auto call = ask_block(hash, Priority::submit);
    auto decode = block_with_hash(std::move(hash));
    const auto told =
        co_await ask_two<chain::BlockRef>(executor_, *router_, pool_, std::move(call), std::move(decode));
    if (!told && told.error().absent) co_return Known();
    if (!told) co_return not_told<Known>(told.error());
    const auto& [one, other] = std::pair(told->front().value, told->back().value);
    if (one.height != other.height)
        warn_once("hosts tell different heights of one block hash: the higher one counts");
    auto block = one.height < other.height ? other : one;
    if (!is_word_of_one(*told)) told_blocks_.put(block);
    co_return Known(std::move(block));
}

base::Task<base::Result<chain::BlockRef, Unavailable>> RpcSubmitSource::final_head() {
    auto call = ask_final_block(Priority::submit);
    Decoder<DecodedBlock> decode = read_final_block;
    auto answer = co_await decoded_call<DecodedBlock>(*router_, pool_, std::move(call), std::move(decode));
    if (!answer) co_return not_told<chain::BlockRef>(answer.error());
    co_return chain::block_ref(answer->value.value.header);
}

void RpcSubmitSource::warn_once(const std::string& what) {
    if (warned_.size() < kMostWarnings && warned_.insert(what).second) log::warn(what);
}

std::uint64_t RpcSubmitSource::believed(const Answer<std::uint64_t>& told) {
    const bool is_usual = told.value >= kShortestValidity && told.value <= kLongestValidity;
    if (is_usual || told.value == configured_validity_) return told.value;
    warn_once(router_->hosts()[told.host]->name() + " says that a block hash is good for " +
              std::to_string(told.value) + " heights, which is not believed: it counts as " +
              std::to_string(configured_validity_) + " (watching.validity_blocks)");
    return configured_validity_;
}

base::Task<base::Result<std::uint64_t, Unavailable>> RpcSubmitSource::validity_blocks() {
    if (validity_blocks_ && time_->now() < validity_asked_at_ + kValidityHolds) co_return *validity_blocks_;
    auto call = ask_protocol_config(Priority::submit);
    Decoder<std::uint64_t> decode = read_validity;
    const auto told =
        co_await ask_two<std::uint64_t>(executor_, *router_, pool_, std::move(call), std::move(decode));
    if (!told && validity_blocks_) co_return *validity_blocks_;
    if (!told) co_return not_told<std::uint64_t>(told.error());
    const bool all_agree = !is_word_of_one(*told) && told->front().value == told->back().value;
    const bool is_short = told->front().value > 0 && told->front().value < kShortestValidity;
    if (all_agree && is_short && !is_public_network_) {
        validity_blocks_ = told->front().value;
        validity_asked_at_ = time_->now();
        co_return *validity_blocks_;
    }
    const auto one = believed(told->front());
    if (is_word_of_one(*told)) {  // the other one is asked the next time
        validity_blocks_ = std::max({one, configured_validity_, validity_blocks_.value_or(0)});
        validity_asked_at_ = time_->now() - kValidityHolds;
        co_return *validity_blocks_;
    }
    const auto other = believed(told->back());
    if (one != other)
        warn_once(
            "hosts differ about how long a block hash is good: " + std::to_string(std::max(one, other)) +
            " heights count, not " + std::to_string(std::min(one, other)));
    validity_blocks_ = std::max(one, other);
    validity_asked_at_ = time_->now();
    co_return *validity_blocks_;
}

// Several hosts that are asked at once.
struct RpcSubmitSource::Crowd {
    explicit Crowd(const base::asio::any_io_executor& executor) : answered(executor) {}

    base::asio::steady_timer answered;  // cancelled when a host has answered
    std::size_t under_way = 0;
    std::optional<base::SteadyTime> good_at;  // a host gave the answer that is hoped for

    struct Seat {
        std::shared_ptr<Crowd> crowd;
        ~Seat() {
            --crowd->under_way;
            crowd->answered.cancel();
        }
    };
};

// Waits for all hosts, but not much longer than for the first good answer.
base::Task<void> RpcSubmitSource::wait_for(std::shared_ptr<Crowd> crowd) {
    while (crowd->under_way > 0) {
        base::Duration patience = kOthersAnswer;
        if (crowd->good_at) patience = *crowd->good_at + kOthersAnswer - time_->now();
        if (patience <= base::Duration::zero()) co_return;
        co_await time_->sleep(crowd->answered, patience);
    }
}

// One transaction on its way to several hosts.
struct RpcSubmitSource::Sending : Crowd {
    Sending(const base::asio::any_io_executor& executor, std::string hash)
        : Crowd(executor), tx_hash(std::move(hash)) {}

    std::string tx_hash;
    std::string read_by;
    std::string failures;
};

base::Task<SubmitSource::Broadcast> RpcSubmitSource::broadcast(std::string signed_tx_base64,
                                                               std::string tx_hash, Priority priority) {
    auto call = ask_to_broadcast(signed_tx_base64, tx_hash, priority);
    auto sending = std::make_shared<Sending>(executor_, tx_hash);
    for (const auto host : router_->ready(HostKind::regular, call.request.method)) {
        if (asking_.running() >= kMostAsked) break;
        auto one = call;
        one.only_host = host;
        ++sending->under_way;
        asking_.spawn(send_to(sending, std::move(one)));
    }
    co_await wait_for(sending);
    if (!sending->good_at) co_return co_await send_to_any(std::move(sending), std::move(call));
    log::debug("transaction sent", {{"tx_hash", tx_hash}, {"read_by", sending->read_by}});
    co_return Sent{sending->read_by};
}

base::Task<void> RpcSubmitSource::send_to(std::shared_ptr<Sending> sending, Call call) {
    const Crowd::Seat seat{sending};
    auto decode = hash_decoder(sending->tx_hash);
    auto answer = co_await decoded_call<bool>(*router_, pool_, std::move(call), std::move(decode));
    if (!answer) {
        append(sending->failures, answer.error().detail, "; ");
        co_return;
    }
    if (!sending->good_at) sending->good_at = time_->now();
    append(sending->read_by, router_->hosts()[answer->host]->name(), ", ");
}

base::Task<SubmitSource::Broadcast> RpcSubmitSource::send_to_any(std::shared_ptr<Sending> sending,
                                                                 Call call) {
    auto decode = hash_decoder(sending->tx_hash);
    auto answer = co_await decoded_call<bool>(*router_, pool_, call, std::move(decode));
    if (answer) co_return Sent{router_->hosts()[answer->host]->name()};
    append(sending->failures, answer.error().detail, "; ");
    co_return NotSent{sending->failures};
}

// The opinions of all hosts about one transaction.
struct RpcSubmitSource::Poll : Crowd {
    Poll(const base::asio::any_io_executor& executor, std::string hash, std::string sender)
        : Crowd(executor), tx_hash(std::move(hash)), sender_id(std::move(sender)) {}

    std::string tx_hash;
    std::string sender_id;
    std::vector<Opinion> opinions;
};

base::Task<std::vector<SubmitSource::Opinion>> RpcSubmitSource::opinions(std::string signed_tx_base64,
                                                                         std::string tx_hash,
                                                                         std::string sender_id,
                                                                         Priority priority) {
    auto poll = std::make_shared<Poll>(executor_, tx_hash, std::move(sender_id));
    const auto call = ask_verifier(signed_tx_base64, tx_hash, priority);
    std::set<std::size_t> ready;
    while (const auto host = router_->ready_except(call.request.method, ready)) ready.insert(*host);
    for (const auto& host : router_->hosts())
        poll->opinions.push_back({host->name(), Opinion::Says::silent, {}});
    for (std::size_t host = 0; host < poll->opinions.size(); ++host) {
        if (!router_->offers(host, call.request.method))
            poll->opinions[host].says = Opinion::Says::not_offered;
        if (!ready.contains(host) || asking_.running() >= kMostAsked) continue;
        ++poll->under_way;
        asking_.spawn(ask_opinion(poll, host, call));
    }
    co_await wait_for(poll);
    co_return poll->opinions;
}

base::Task<void> RpcSubmitSource::ask_opinion(std::shared_ptr<Poll> poll, std::size_t host, Call call) {
    using Status = chain::Decoded<chain::TransactionStatus>;
    const Crowd::Seat seat{poll};
    call.only_host = host;
    const auto priority = call.request.priority;
    auto decode = opinion_decoder(poll->tx_hash);
    auto answer = co_await decoded_call<Status>(*router_, pool_, std::move(call), std::move(decode));
    auto says = answer ? said(answer->value.value) : said(answer.error());
    if (says == Opinion::Says::objects) says = co_await objects_still(poll, host, priority);
    auto& opinion = poll->opinions[host];
    opinion.says = says;
    if (says == Opinion::Says::objects) opinion.error_json = answer.error().invalid_transaction_json;
    const bool good = opinion.says == Opinion::Says::on_chain || opinion.says == Opinion::Says::no_objection;
    if (good && !poll->good_at) poll->good_at = time_->now();
}

base::Task<SubmitSource::Opinion::Says> RpcSubmitSource::objects_still(std::shared_ptr<Poll> poll,
                                                                       std::size_t host, Priority priority) {
    using Status = chain::Decoded<chain::TransactionStatus>;
    TreeSource::Query query;
    query.tx_hash = poll->tx_hash;
    query.sender_id = poll->sender_id;
    query.priority = priority;
    query.only_host = host;
    base::asio::steady_timer timer(executor_);
    for (unsigned asked = 1; true; ++asked) {
        auto call = ask_transaction("tx", query);
        auto decode = opinion_decoder(poll->tx_hash);
        const auto answer =
            co_await decoded_call<Status>(*router_, pool_, std::move(call), std::move(decode));
        const auto says = answer ? said(answer->value.value) : said(answer.error());
        if (says == Opinion::Says::on_chain) co_return says;
        const bool failed = answer && answer->value.value.transaction_outcome;  // in a block
        if (failed || says == Opinion::Says::no_objection) co_return Opinion::Says::objects;
        if (asked == kMostLookUps) co_return Opinion::Says::silent;
        co_await time_->sleep(timer, kLookUpAgain);
    }
}

}  // namespace receiptd::rpc
