#include "rpc/network_check.hpp"

#include "base/coroutine.hpp"
#include "base/exact_json.hpp"
#include "base/log.hpp"
#include "rpc/block_source.hpp"
#include "rpc/neardata_service.hpp"
#include "rpc/questions.hpp"
#include "rpc/result_json.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::rpc {
namespace {

using namespace std::chrono_literals;

constexpr base::Duration kLookAtProofs = 250ms;  // less than a host is put aside for
constexpr base::Duration kFirstAnswers = 5s;     // longest wait at the start

struct HostStatus {
    ChainIdentity identity;
    std::optional<chain::BlockHeight> earliest_block;
    std::string version;
};

base::Result<HostStatus, std::string> read_status(const std::string& body) {
    const auto json = result_json(body);
    if (!json.is_object()) return refuse<HostStatus>(std::string("status: result is not an object"));
    HostStatus status;
    const auto text = [&](const char* name) {
        return json.contains(name) && json[name].is_string() ? json[name].get<std::string>() : std::string();
    };
    status.identity = {text("chain_id"), text("genesis_hash")};
    if (const auto version = json.find("version"); version != json.end())
        status.version = base::write_json(*version);
    const auto sync = json.find("sync_info");
    if (sync == json.end() || !sync->is_object()) return status;
    const auto earliest = sync->find("earliest_block_height");
    if (earliest != sync->end() && earliest->is_number_unsigned())
        status.earliest_block = earliest->get<chain::BlockHeight>();
    return status;
}

Decoder<chain::BlockRef> read_block(std::optional<chain::BlockHeight> height) {
    return [decode = block_decoder(height)](std::string body) -> base::Result<chain::BlockRef, std::string> {
        const auto block = decode(std::move(body));
        if (!block) return refuse<chain::BlockRef>(block.error());
        return chain::block_ref(block->value.header);
    };
}

Decoder<chain::BlockRef> read_whole_block(std::optional<chain::BlockHeight> height) {
    return [decode =
                whole_block_decoder(height)](std::string body) -> base::Result<chain::BlockRef, std::string> {
        const auto block = decode(std::move(body));
        if (!block) return refuse<chain::BlockRef>(block.error());
        return chain::block_ref(block->value.block.header);
    };
}

Call ask_whole_block(std::optional<chain::BlockHeight> height) {
    if (!height) return get_neardata("/v0/last_block/final", Priority::head, std::nullopt);
    return get_neardata("/v0/block/" + std::to_string(*height), Priority::head, height);
}

}  // namespace

NetworkCheck::NetworkCheck(base::asio::any_io_executor executor, base::asio::thread_pool& pool,
                           std::shared_ptr<TimeAndChance> time, std::shared_ptr<Router> rpc,
                           std::shared_ptr<Router> whole_blocks)
    : executor_(executor),
      pool_(pool),
      time_(std::move(time)),
      rpc_(std::move(rpc)),
      whole_blocks_(std::move(whole_blocks)),
      asked_(executor),
      questions_(std::move(executor)) {
    for (std::size_t i = 0; i < rpc_->hosts().size(); ++i)
        hosts_.push_back({rpc_.get(), i, true, std::nullopt});
    if (whole_blocks_)
        for (std::size_t i = 0; i < whole_blocks_->hosts().size(); ++i)
            hosts_.push_back({whole_blocks_.get(), i, false, std::nullopt});
}

// The other hosts are asked first: a whole-block service is compared with their answers.
base::Task<void> NetworkCheck::begin(OwnNetwork own) {
    own_ = std::move(own);
    for (auto& host : hosts_)
        host.upstream().set_network(unproven("has not been asked which network it is of", time_->now()));
    for (const bool whole_blocks : {false, true}) {
        for (auto& host : hosts_)
            if (host.tells_status != whole_blocks) ask(host);
        co_await wait_until_asked(whole_blocks);
        co_await learn_genesis();
    }
}

base::Task<void> NetworkCheck::wait_until_asked(bool whole_blocks) {
    const auto started = time_->now();
    const auto is_enough = [&] {
        const auto concerns = [&](const Host& host) { return host.tells_status != whole_blocks; };
        return std::all_of(hosts_.begin(), hosts_.end(),
                           [&](const Host& host) { return !concerns(host) || host.was_asked; }) ||
               std::any_of(hosts_.begin(), hosts_.end(), [&](const Host& host) {
                   return concerns(host) && may_be_used(host.upstream().network());
               });
    };
    while (!is_enough() && time_->now() < started + kFirstAnswers)
        co_await time_->sleep(asked_, started + kFirstAnswers - time_->now());
}

base::Task<void> NetworkCheck::run() {
    base::asio::steady_timer timer(executor_);
    while (true) {
        for (auto& host : hosts_)
            if (host.upstream().network().ask_at <= time_->now()) ask(host);
        co_await time_->sleep(timer, kLookAtProofs);
    }
}

void NetworkCheck::ask(Host& host) {
    if (std::exchange(host.is_asked, true)) return;
    questions_.spawn(prove(host));
}

base::Task<void> NetworkCheck::prove(Host& host) {
    const auto answer = co_await ask_for_proof(host);
    host.was_asked = true;
    const auto* told = std::get_if<ChainIdentity>(&answer);
    const bool is_right = told != nullptr && told->chain_id == own_.identity.chain_id;
    if (is_right && own_.identity.genesis_hash.empty() && !told->genesis_hash.empty()) {
        host.told = *told;
        // At the start the answers of all are waited for.
        if (std::all_of(hosts_.begin(), hosts_.end(),
                        [](const Host& each) { return !each.tells_status || each.was_asked; }))
            co_await learn_genesis();
    } else {
        judge(host, answer);
    }
    host.is_asked = false;
    asked_.cancel();
}

void NetworkCheck::judge(Host& host, const NetworkAnswer& answer) {
    auto& upstream = host.upstream();
    upstream.set_network(next(upstream.network(), answer, own_.identity, time_->now()));
}

base::Task<NetworkAnswer> NetworkCheck::ask_for_proof(Host& host) {
    auto call = ask_status();
    if (!host.tells_status || !host.upstream().memory().supports(call.request.method, time_->now()))
        co_return co_await compare_block(host);
    call.only_host = host.index;
    call.for_proof = true;
    Decoder<HostStatus> decode = read_status;
    const auto told =
        co_await decoded_call<HostStatus>(*host.router, pool_, std::move(call), std::move(decode));
    if (told && told->value.earliest_block) host.upstream().reaches_back_to(*told->value.earliest_block);
    if (told) host.upstream().runs(told->value.version);
    if (told && !told->value.identity.chain_id.empty()) co_return told->value.identity;
    if (told || told.error().method_missing || host.upstream().network().untold >= kUntoldIsAReason)
        co_return co_await compare_block(host);
    co_return Untold{told.error().reason};
}

base::Task<NetworkAnswer> NetworkCheck::compare_block(Host& host) {
    const auto stored = co_await own_.stored_block();
    std::optional<chain::BlockHeight> height;
    if (stored) height = stored->height;
    const auto block = co_await block_of(host, height);
    if (!block) co_return Untold{block.error().reason};
    if (stored && stored->hash == block->hash) co_return SameBlock{stored->height};
    if (stored) co_return OtherBlock{stored->height, block->hash, stored->hash};
    auto* witness = proven_host();
    if (witness == nullptr || witness == &host) co_return NothingToCompare{};
    const auto same = co_await block_of(*witness, block->height);
    if (!same) co_return Untold{same.error().reason + " of " + witness->upstream().name()};
    if (same->hash == block->hash) co_return SameBlock{block->height};
    co_return OtherBlock{block->height, block->hash, same->hash};
}

base::Task<base::Result<chain::BlockRef, CallError>> NetworkCheck::block_of(
    Host& host, std::optional<chain::BlockHeight> height) {
    Call call;
    if (!host.tells_status)
        call = ask_whole_block(height);
    else
        call = height ? ask_block(*height, Priority::head) : ask_final_block(Priority::head);
    call.only_host = host.index;
    call.for_proof = true;
    Decoder<chain::BlockRef> decode = host.tells_status ? read_block(height) : read_whole_block(height);
    auto answer =
        co_await decoded_call<chain::BlockRef>(*host.router, pool_, std::move(call), std::move(decode));
    if (!answer) co_return answer.error();
    co_return std::move(answer->value);
}

// Where the hosts differ, nobody but the operator can tell who is right.
base::Task<void> NetworkCheck::learn_genesis() {
    std::set<std::string> hashes;
    for (const auto& host : hosts_)
        if (host.told) hashes.insert(host.told->genesis_hash);
    if (hashes.empty() || std::exchange(is_learning_, true)) co_return;
    if (own_.identity.genesis_hash.empty() && hashes.size() == 1)
        own_.identity.genesis_hash = co_await own_.learn(*hashes.begin());
    for (auto& host : hosts_) {
        if (!host.told) continue;
        const NetworkAnswer told = *std::exchange(host.told, std::nullopt);
        if (!own_.identity.genesis_hash.empty())
            judge(host, told);
        else
            host.upstream().set_network(disputed(std::get<ChainIdentity>(told).genesis_hash, time_->now()));
    }
    is_learning_ = false;
}

NetworkCheck::Host* NetworkCheck::proven_host() {
    for (auto& host : hosts_)
        if (host.tells_status && host.upstream().network().state == NetworkState::proven) return &host;
    return nullptr;
}

}  // namespace receiptd::rpc
