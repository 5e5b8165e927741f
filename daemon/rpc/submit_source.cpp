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

constexpr base::Duration kOthersTakeIt = std::chrono::seconds(1);  // after the first host did
constexpr std::size_t kWordsEnough = 2;
constexpr chain::u128 kHighestGasPrice =
    chain::u128(10'000'000'000) * 1'000'000'000'000;  // the chain's maximum
constexpr unsigned kPricesApart = 2;
constexpr std::uint64_t kShortestValidity = 1'000;
constexpr std::uint64_t kLongestValidity = 10'000'000;
constexpr base::Duration kValidityHolds = std::chrono::hours(24);
constexpr std::size_t kMostWarnings = 16;
constexpr auto kNewest = "optimistic";
constexpr std::size_t kMostSendings = 256;  // under way, those nobody waits for any more included

base::Result<DecodedBlock, std::string> read_final_block(std::string body) {
    auto block = chain::decode_block_answer(std::move(body));
    if (!block) return refuse<DecodedBlock>(block.error());
    return std::move(*block);
}

base::Result<chain::u128, std::string> read_gas_price(const std::string& body) {
    const auto result = result_json(body);
    const auto text = result.is_object() ? result.value("gas_price", json()) : json();
    const auto price = text.is_string() ? base::parse_u128(text.get_ref<const std::string&>()) : std::nullopt;
    if (!price) return refuse<chain::u128>(std::string("gas_price: not an amount"));
    if (*price > kHighestGasPrice) return refuse<chain::u128>(std::string("gas_price: beyond any"));
    return *price;
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

bool is_refusal(const CallError& error) {
    return !error.invalid_transaction_json.empty() && error.error_class == ErrorClass::chain_state;
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

base::Task<base::Result<std::optional<chain::AccountView>, Unavailable>> RpcSubmitSource::account(
    std::string account_id) {
    auto call = ask_account(account_id, kNewest, Priority::submit);
    auto answer = co_await call_account(*router_, pool_, std::move(call));
    if (!answer) co_return not_told<std::optional<chain::AccountView>>(answer.error());
    co_return std::move(answer->value.view);
}

base::Task<base::Result<std::optional<chain::AccessKeyView>, Unavailable>> RpcSubmitSource::access_key(
    std::string account_id, std::string public_key) {
    auto call = ask_access_key(account_id, public_key, kNewest, Priority::submit);
    auto answer = co_await call_access_key(*router_, pool_, std::move(call));
    if (!answer) co_return not_told<std::optional<chain::AccessKeyView>>(answer.error());
    co_return std::move(answer->value.view);
}

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
    told_blocks_.put(block);
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

base::Task<base::Result<chain::u128, Unavailable>> RpcSubmitSource::gas_price() {
    auto call = ask_gas_price(Priority::submit);
    Decoder<chain::u128> decode = read_gas_price;
    auto told = co_await ask_two<chain::u128>(executor_, *router_, pool_, std::move(call), std::move(decode));
    if (!told) co_return not_told<chain::u128>(told.error());
    const auto [low, high] = std::minmax(told->front().value, told->back().value);
    // It changes from block to block, by one in a hundred.
    if (high / kPricesApart > low) warn_once("hosts tell very different gas prices: the lower one counts");
    co_return low;
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
    const auto one = believed(told->front());
    const auto other = believed(told->back());
    if (one != other)
        warn_once(
            "hosts differ about how long a block hash is good: " + std::to_string(std::max(one, other)) +
            " heights count, not " + std::to_string(std::min(one, other)));
    validity_blocks_ = std::max(one, other);
    validity_asked_at_ = time_->now();
    co_return *validity_blocks_;
}

base::Task<base::Result<bool, Unavailable>> RpcSubmitSource::is_included(std::string tx_hash,
                                                                         std::string sender_id) {
    TreeSource::Query query;
    query.tx_hash = std::move(tx_hash);
    query.sender_id = std::move(sender_id);
    query.priority = Priority::submit;
    auto result = co_await trees_.tree(std::move(query));
    if (auto* fault = std::get_if<Unavailable>(&result)) co_return std::move(*fault);
    const auto* tree = std::get_if<TreeSource::Tree>(&result);
    co_return tree != nullptr && tree->status.value.transaction_outcome.has_value();
}

// One transaction on its way to several hosts.
struct RpcSubmitSource::Sending {
    Sending(const base::asio::any_io_executor& executor, std::string hash)
        : answered(executor), tx_hash(std::move(hash)) {}

    base::asio::steady_timer answered;  // cancelled when a host has answered
    std::string tx_hash;
    std::size_t under_way = 0;
    std::optional<base::SteadyTime> taken_at;
    std::string taken_by;
    std::vector<CallError> failures;

    struct Seat {
        std::shared_ptr<Sending> sending;
        ~Seat() { --sending->under_way; }
    };
};

base::Task<SubmitSource::Broadcast> RpcSubmitSource::broadcast(std::string signed_tx_base64,
                                                               std::string tx_hash, Priority priority) {
    auto call = ask_to_broadcast(signed_tx_base64, tx_hash, priority);
    auto sending = std::make_shared<Sending>(executor_, tx_hash);
    send_to_regular(sending, call);
    co_await wait_for_hosts(sending);
    const auto& failures = sending->failures;
    if (sending->taken_at) {
        log::debug("transaction sent", {{"tx_hash", tx_hash}, {"taken_by", sending->taken_by}});
        co_return Taken{sending->taken_by};
    }
    if (std::none_of(failures.begin(), failures.end(), is_refusal))
        co_return co_await send_to_any(std::move(sending), std::move(call));
    co_return co_await ask_who_has_not_refused(std::move(sending), std::move(call));
}

void RpcSubmitSource::send_to_regular(const std::shared_ptr<Sending>& sending, const Call& call) {
    for (const auto host : router_->ready(HostKind::regular, call.request.method)) {
        if (sendings_.running() >= kMostSendings) return;
        auto one = call;
        one.only_host = host;
        ++sending->under_way;
        sendings_.spawn(send_to(sending, std::move(one)));
    }
}

base::Task<void> RpcSubmitSource::send_to(std::shared_ptr<Sending> sending, Call call) {
    const Sending::Seat seat{sending};
    auto decode = hash_decoder(sending->tx_hash);
    auto answer = co_await decoded_call<bool>(*router_, pool_, std::move(call), std::move(decode));
    if (answer) {
        if (!sending->taken_at) sending->taken_at = time_->now();
        append(sending->taken_by, router_->hosts()[answer->host]->name(), ", ");
    } else {
        sending->failures.push_back(answer.error());
    }
    sending->answered.cancel();
}

// Waits for all hosts, but not much longer than for the first one that takes the transaction.
base::Task<void> RpcSubmitSource::wait_for_hosts(std::shared_ptr<Sending> sending) {
    while (sending->under_way > 0) {
        base::Duration patience = kOthersTakeIt;
        if (sending->taken_at) patience = *sending->taken_at + kOthersTakeIt - time_->now();
        if (patience <= base::Duration::zero()) co_return;
        co_await time_->sleep(sending->answered, patience);
    }
}

base::Task<SubmitSource::Broadcast> RpcSubmitSource::send_to_any(std::shared_ptr<Sending> sending,
                                                                 Call call) {
    auto decode = hash_decoder(sending->tx_hash);
    auto answer = co_await decoded_call<bool>(*router_, pool_, call, std::move(decode));
    if (answer) co_return Taken{router_->hosts()[answer->host]->name()};
    sending->failures.clear();
    sending->failures.push_back(answer.error());
    co_return co_await ask_who_has_not_refused(std::move(sending), std::move(call));
}

// A host that failed may have received the transaction and may accept it; so may one that cannot be asked
// now.
base::Task<SubmitSource::Broadcast> RpcSubmitSource::ask_who_has_not_refused(std::shared_ptr<Sending> sending,
                                                                             Call call) {
    auto& failures = sending->failures;
    for (const auto& failure : failures)
        if (const auto host = router_->find(failure.host)) call.except.insert(*host);
    const auto& method = call.request.method;
    while (failures.size() < kWordsEnough && is_refusal(failures.back()) &&
           router_->is_offered(method, call.except)) {
        const auto other = router_->ready_except(method, call.except);
        if (!other) co_return NotTaken{"by the word of one host alone: " + failures.back().detail};
        auto one = call;
        one.only_host = other;
        call.except.insert(*other);
        auto decode = hash_decoder(sending->tx_hash);
        auto answer = co_await decoded_call<bool>(*router_, pool_, std::move(one), std::move(decode));
        if (answer) co_return Taken{router_->hosts()[*other]->name()};
        if (!answer.error().method_missing) failures.push_back(answer.error());
    }
    if (std::all_of(failures.begin(), failures.end(), is_refusal)) {
        Refused refused{failures.front().invalid_transaction_json, {}};
        for (const auto& failure : failures) append(refused.hosts, failure.host, ", ");
        co_return refused;
    }
    std::string detail;
    for (const auto& failure : failures) append(detail, failure.detail, "; ");
    co_return NotTaken{std::move(detail)};
}

struct RpcSubmitSource::Poll {
    std::string account_id;
    std::string public_key;
    std::vector<Opinion> opinions;
};

base::Task<std::vector<SubmitSource::Opinion>> RpcSubmitSource::opinions(std::string account_id,
                                                                         std::string public_key) {
    auto poll = std::make_shared<Poll>();
    poll->account_id = std::move(account_id);
    poll->public_key = std::move(public_key);
    std::set<std::size_t> hosts;
    const auto method = ask_account({}, kNewest, Priority::submit).request.method;
    while (const auto host = router_->ready_except(method, hosts)) hosts.insert(*host);
    if (hosts.size() < kWordsEnough) co_return std::vector<Opinion>();
    base::TaskGroup questions(executor_);
    for (const auto host : hosts) questions.spawn(ask_opinion(poll, host));
    co_await questions.join();
    co_return std::move(poll->opinions);
}

base::Task<void> RpcSubmitSource::ask_opinion(std::shared_ptr<Poll> poll, std::size_t host) {
    auto head = ask_final_block(Priority::submit);
    auto account = ask_account(poll->account_id, kNewest, Priority::submit);
    auto key = ask_access_key(poll->account_id, poll->public_key, kNewest, Priority::submit);
    head.only_host = account.only_host = key.only_host = host;
    Decoder<DecodedBlock> decode = read_final_block;
    const auto told_head =
        co_await decoded_call<DecodedBlock>(*router_, pool_, std::move(head), std::move(decode));
    auto told_account = co_await call_account(*router_, pool_, std::move(account));
    auto told_key = co_await call_access_key(*router_, pool_, std::move(key));
    if (!told_head || !told_account || !told_key) co_return;
    Opinion opinion;
    opinion.host = router_->hosts()[host]->name();
    opinion.head = chain::block_ref(told_head->value.value.header);
    opinion.account = std::move(told_account->value.view);
    opinion.key = std::move(told_key->value.view);
    poll->opinions.push_back(std::move(opinion));
}

}  // namespace receiptd::rpc
