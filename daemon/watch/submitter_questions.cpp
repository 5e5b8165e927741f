// Questions to the database and the chain before a transaction is stored.
#include "watch/submitter.hpp"

#include "base/log.hpp"
#include "base/sleep.hpp"

#include <utility>

namespace receiptd::watch {

namespace {

constexpr base::Duration kBlockAgain = std::chrono::seconds(1);
constexpr std::size_t kMostLookUps = 64;  // those nobody waits for any more included

SubmitError unavailable(const rpc::Unavailable& fault) {
    SubmitError error;
    error.kind = SubmitError::Kind::unavailable;
    error.error_class = "unavailable";
    error.detail = "the chain could not be asked, nothing was stored or sent: " + fault.detail;
    error.remedy = "hand the same bytes in again";
    return error;
}

}  // namespace

// Answers to the questions of one submission; outlives a caller that was cancelled.
struct Submitter::Asked {
    std::string block_hash;
    std::string signer_id;
    std::string public_key;
    ChainFacts facts;
    std::optional<rpc::Unavailable> fault;
};

struct Submitter::LookUp {
    explicit LookUp(const base::asio::any_io_executor& executor) : ended(executor) {}

    base::asio::steady_timer ended;  // cancelled then
    std::optional<Stored> stored;
    std::exception_ptr error;
};

base::Task<std::optional<Submitter::Stored>> Submitter::look_up(std::string tx_hash,
                                                                std::string idempotency_key) {
    if (look_ups_.running() >= kMostLookUps) co_return std::nullopt;
    auto found = std::make_shared<LookUp>(executor_);
    look_ups_.spawn(look_up_into(found, std::move(tx_hash), std::move(idempotency_key)));
    if (!found->stored && !found->error) co_await time_->sleep(found->ended, options_.database_patience);
    if (found->error) std::rethrow_exception(found->error);
    co_return std::move(found->stored);
}

base::Task<void> Submitter::look_up_into(std::shared_ptr<LookUp> found, std::string tx_hash,
                                         std::string idempotency_key) {
    try {
        Stored stored;
        if (!idempotency_key.empty()) {
            const auto owner = co_await store_.watch_by_idempotency_key(std::move(idempotency_key));
            if (owner) stored.key_owner = owner->tx_hash;
        }
        stored.watch = co_await store_.watch(std::move(tx_hash));
        found->stored = std::move(stored);
    } catch (...) {
        found->error = std::current_exception();
    }
    found->ended.cancel();
}

base::Task<base::Result<Submitter::Checked, SubmitError>> Submitter::check(const ReadTransaction& read) {
    auto facts = co_await ask_chain(read.body());
    if (!facts) co_return facts.error();
    Checked checked;
    auto refused = check_against_chain(read.body(), *facts);
    // Its own inclusion uses its nonce up.
    if (refused && refused->error_class == "invalid_nonce") {
        const auto told = co_await source_.is_included(read.tx_hash, read.body().signer_id);
        if (!told) co_return unavailable(told.error());
        checked.included = *told;
    }
    if (refused && !checked.included && !co_await milder_facts(read.body(), *facts))
        co_return std::move(*refused);
    checked.facts = std::move(*facts);
    co_return std::move(checked);
}

// Where two hosts can be asked, both must refuse it.
base::Task<bool> Submitter::milder_facts(const chain::wire::Transaction& transaction, ChainFacts& facts) {
    if (!facts.block) co_return false;  // all hosts were asked for it
    const auto opinions =
        co_await source_.opinions(transaction.signer_id, transaction.public_key.to_string());
    for (const auto& opinion : opinions) {
        auto told = facts;
        told.head = opinion.head;
        told.account = opinion.account;
        told.key = opinion.key;
        if (check_against_chain(transaction, told)) continue;
        log::warn("hosts differ about the signer of a transaction: it is sent",
                  {{"signer_id", transaction.signer_id}, {"upstream_that_takes_it", opinion.host}});
        facts = std::move(told);
        co_return true;
    }
    co_return false;
}

base::Task<base::Result<ChainFacts, SubmitError>> Submitter::ask_chain(
    const chain::wire::Transaction& transaction) {
    auto asked = std::make_shared<Asked>();
    asked->block_hash = transaction.block_hash.to_string();
    asked->signer_id = transaction.signer_id;
    asked->public_key = transaction.public_key.to_string();
    base::TaskGroup questions(executor_);
    questions.spawn(ask_block(asked));
    questions.spawn(ask_head(asked));
    questions.spawn(ask_account(asked));
    questions.spawn(ask_key(asked));
    questions.spawn(ask_network(asked));
    co_await questions.join();
    if (asked->fault) co_return unavailable(*asked->fault);
    co_return std::move(asked->facts);
}

base::Task<void> Submitter::ask_block(std::shared_ptr<Asked> asked) {
    base::asio::steady_timer timer(executor_);
    const auto give_up_at = time_->now() + options_.block_patience;
    while (true) {
        auto told = co_await source_.block(asked->block_hash);
        if (!told) {
            asked->fault = told.error();
            co_return;
        }
        if (*told || time_->now() >= give_up_at) {
            asked->facts.block = std::move(*told);
            co_return;
        }
        co_await time_->sleep(timer, kBlockAgain);
    }
}

base::Task<void> Submitter::ask_head(std::shared_ptr<Asked> asked) {
    auto told = co_await source_.final_head();
    if (told)
        asked->facts.head = std::move(*told);
    else
        asked->fault = told.error();
}

base::Task<void> Submitter::ask_account(std::shared_ptr<Asked> asked) {
    auto told = co_await source_.account(asked->signer_id);
    if (told)
        asked->facts.account = std::move(*told);
    else
        asked->fault = told.error();
}

base::Task<void> Submitter::ask_key(std::shared_ptr<Asked> asked) {
    auto told = co_await source_.access_key(asked->signer_id, asked->public_key);
    if (told)
        asked->facts.key = std::move(*told);
    else
        asked->fault = told.error();
}

// If a host does not answer here, the chain checks it later.
base::Task<void> Submitter::ask_network(std::shared_ptr<Asked> asked) {
    const auto validity = co_await source_.validity_blocks();
    asked->facts.validity_blocks = validity ? *validity : options_.validity_blocks;
    const auto price = co_await source_.gas_price();
    if (price) asked->facts.gas_price = *price;
}

}  // namespace receiptd::watch
