#include "rpc/witnesses.hpp"

#include "base/coroutine.hpp"
#include "base/task_group.hpp"
#include "chain/proof/header_hash.hpp"
#include "rpc/block_source.hpp"
#include "rpc/neardata_service.hpp"
#include "rpc/questions.hpp"

#include <utility>

namespace receiptd::rpc {
namespace {

using DecodedBlock = chain::Decoded<chain::Block>;
using DecodedWholeBlock = chain::Decoded<chain::WholeBlock>;

void without_block(Witness& witness, const CallError& error, const Upstream& host,
                   chain::BlockHeight height) {
    if (!error.absent) witness.fault = error.reason;
    if (!error.absent) return;
    const bool pruned = error.reason == "GARBAGE_COLLECTED_BLOCK" || host.memory().below_horizon(height);
    witness.word = pruned ? Witness::Word::unable : Witness::Word::denies;
}

bool is_of_another_network(const Upstream& host) {
    return host.network().state == NetworkState::other_network;
}

void with_block(Witness& witness, const chain::BlockHeader& header) {
    witness.word = Witness::Word::has;
    witness.block = chain::block_ref(header);
    witness.hash_is = header.hash_is;
    witness.stored_part = chain::stored_part(header).to_string();
    witness.chunk_roots = chain::chunk_roots(header);
}

}  // namespace

struct ConfiguredWitnesses::Asked {
    std::vector<Witness> witnesses;  // JSON-RPC hosts in their order, then the whole-block service
};

ConfiguredWitnesses::ConfiguredWitnesses(base::asio::any_io_executor executor, base::asio::thread_pool& pool,
                                         std::shared_ptr<Router> rpc, std::shared_ptr<Router> neardata)
    : executor_(std::move(executor)), pool_(pool), rpc_(std::move(rpc)), neardata_(std::move(neardata)) {}

std::size_t ConfiguredWitnesses::count() const { return rpc_->hosts().size() + (neardata_ ? 1 : 0); }

base::Task<std::vector<Witness>> ConfiguredWitnesses::ask(chain::BlockHeight height, std::string except) {
    auto asked = std::make_shared<Asked>();
    for_each_host([&](Upstream& host) { asked->witnesses.emplace_back().host = host.name(); });
    const auto is_asked = [&](const std::string& host) { return except.empty() || host != except; };
    base::TaskGroup group(executor_);
    for (std::size_t i = 0; i < rpc_->hosts().size(); ++i)
        if (is_asked(rpc_->hosts()[i]->name())) group.spawn(ask_rpc(i, height, asked));
    if (neardata_ && is_asked(neardata_->hosts().front()->name())) group.spawn(ask_neardata(height, asked));
    co_await group.join();
    std::erase_if(asked->witnesses, [&](const auto& witness) { return !is_asked(witness.host); });
    co_return std::move(asked->witnesses);
}

base::Task<void> ConfiguredWitnesses::ask_rpc(std::size_t host, chain::BlockHeight height,
                                              std::shared_ptr<Asked> asked) {
    if (is_of_another_network(*rpc_->hosts()[host])) {
        asked->witnesses[host].word = Witness::Word::unable;
        co_return;
    }
    auto call = ask_block(height, Priority::head);
    call.only_host = host;
    auto answer = co_await decoded_call<DecodedBlock>(*rpc_, pool_, std::move(call), block_decoder(height));
    if (answer)
        with_block(asked->witnesses[host], answer->value.value.header);
    else
        without_block(asked->witnesses[host], answer.error(), *rpc_->hosts()[host], height);
}

base::Task<void> ConfiguredWitnesses::ask_neardata(chain::BlockHeight height, std::shared_ptr<Asked> asked) {
    if (is_of_another_network(*neardata_->hosts().front())) {
        asked->witnesses.back().word = Witness::Word::unable;
        co_return;
    }
    auto call = get_neardata("/v0/block/" + std::to_string(height), Priority::head, height);
    auto answer = co_await decoded_call<DecodedWholeBlock>(*neardata_, pool_, std::move(call),
                                                           whole_block_decoder(height));
    if (answer)
        with_block(asked->witnesses.back(), answer->value.value.block.header);
    else
        without_block(asked->witnesses.back(), answer.error(), *neardata_->hosts().front(), height);
}

template <class Visit>
void ConfiguredWitnesses::for_each_host(const Visit& visit) {
    for (auto& host : rpc_->hosts()) visit(*host);
    if (neardata_) visit(*neardata_->hosts().front());
}

void ConfiguredWitnesses::doubt(const std::string& host) {
    for_each_host([&](Upstream& each) {
        if (each.name() == host) each.doubt();
    });
}

void ConfiguredWitnesses::doubt_heads(chain::BlockHeight height) {
    for_each_host([&](Upstream& each) {
        if (each.memory().head() >= height) each.doubt();
    });
}

}  // namespace receiptd::rpc
