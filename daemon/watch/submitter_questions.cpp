// Questions to the database and the chain before a transaction is stored.
#include "watch/submitter.hpp"

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

// A host that would take it has a head and a block of its own; a nonce beyond the limit it would not notice.
std::optional<SubmitError> judge_all(const chain::wire::Transaction& transaction, const ChainFacts& facts,
                                     const Judged& judged) {
    if (judged.on_chain) return std::nullopt;
    auto refused = check_against_chain(transaction, facts);
    if (refused && (judged.unobjected_by.empty() || refused->error_class == "nonce_too_large"))
        return refused;
    if (judged.error_json.empty() || is_congestion(judged.error_json)) return std::nullopt;
    refused = refusal(judged.error_json, transaction);
    refused->detail += " (said by " + judged.objected_by + ")";
    return refused;
}

}  // namespace

// Answers to the questions of one submission; outlives a caller that was cancelled.
struct Submitter::Asked {
    std::string block_hash;
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
    const auto opinions =
        co_await source_.opinions(read.base64, read.tx_hash, read.body().signer_id, rpc::Priority::submit);
    auto refused = judge_all(read.body(), *facts, judge(opinions));
    if (refused) co_return std::move(*refused);
    Checked checked;
    checked.included = judge(opinions).on_chain;
    checked.facts = std::move(*facts);
    co_return std::move(checked);
}

base::Task<base::Result<ChainFacts, SubmitError>> Submitter::ask_chain(
    const chain::wire::Transaction& transaction) {
    auto asked = std::make_shared<Asked>();
    asked->block_hash = transaction.block_hash.to_string();
    base::TaskGroup questions(executor_);
    questions.spawn(ask_block(asked));
    questions.spawn(ask_head(asked));
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

// If no host answers, the configured number has to do.
base::Task<void> Submitter::ask_network(std::shared_ptr<Asked> asked) {
    const auto validity = co_await source_.validity_blocks();
    asked->facts.validity_blocks = validity ? *validity : options_.validity_blocks;
}

}  // namespace receiptd::watch
