#include "watch/submitter.hpp"

#include "base/exact_json.hpp"
#include "base/iso_time.hpp"
#include "base/json_text.hpp"
#include "base/log.hpp"
#include "base/sleep.hpp"
#include "base/task_group.hpp"
#include "watch/metadata.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace receiptd::watch {

namespace {

constexpr unsigned kPage = 2'000;
constexpr std::size_t kMostInRound = 64;
constexpr base::Duration kSubmitTick = std::chrono::milliseconds(500);

Submitted submitted(const storage::Watch& watch, bool existing, std::string note) {
    Submitted result;
    result.tx_hash = watch.tx_hash;
    result.sender_id = watch.sender_id;
    result.stage = watch.state.stage;
    result.certainty = watch.certainty;
    result.existing = existing;
    result.valid_until = watch.transaction.valid_until;
    result.note = std::move(note);
    return result;
}

SubmitError conflict(const std::string& key, const std::string& tx_hash) {
    SubmitError error;
    error.kind = SubmitError::Kind::conflict;
    error.error_class = "idempotency_conflict";
    error.detail = "idempotency key \"" + key + "\" belongs to transaction " + tx_hash;
    error.where = "idempotency_key";
    error.remedy = "use a key of its own for each transaction, and the same bytes with the same key";
    return error;
}

SubmitError database_away() {
    SubmitError error;
    error.kind = SubmitError::Kind::unavailable;
    error.error_class = "unavailable";
    error.detail = "the database does not answer: nothing was sent, and nothing is known to be stored";
    error.remedy = "hand the same bytes in again";
    return error;
}

// Ends that prove nothing; and what this protocol version refuses, a later one may take.
bool may_begin_again(const storage::Watch& watch) {
    const auto stage = watch.state.stage;
    if (!chain::is_end(stage) || stage == chain::Stage::final) return false;
    return stage == chain::Stage::rejected || !watch.certainty.conclusive;
}

// Whether an objection of that class says more than the one that is kept. In the end every host says that it
// has expired: why it came so far is worth more.
bool says_more(const Judged& judged, const std::string& error_class, const std::string& kept) {
    if (kept.empty()) return true;
    if (judged.block_refused) return !refuses_block(kept);
    const auto known = base::read_json(kept);
    const bool is_same =
        known.is_object() && known.value("error_class", nlohmann::ordered_json()) == error_class;
    return !is_same && error_class != "expired";
}

std::string stays_ended(const SubmitError& error) {
    return "it has ended and was not sent again: " + error.error_class + ": " + error.detail;
}

storage::NewWatch new_watch(const ReadTransaction& read, const ChainFacts& facts,
                            const SubmitRequest& request) {
    const auto& body = read.body();
    storage::NewWatch watch;
    watch.tx_hash = read.tx_hash;
    watch.sender_id = body.signer_id;
    watch.origin = storage::WatchOrigin::submission;
    watch.signed_tx_base64 = read.base64;
    watch.idempotency_key = request.idempotency_key;
    watch.metadata_json = request.metadata_json;
    watch.traceparent = request.traceparent;
    watch.public_key = body.public_key.to_string();
    watch.nonce = body.nonce.nonce;
    watch.nonce_index = body.nonce.nonce_index;
    watch.valid_until = valid_until(facts);
    if (facts.block) {
        watch.block_hash = body.block_hash.to_string();
        watch.block_hash_height = height_of_block_hash(facts);
    }
    return watch;
}

SubmitError other_key(const std::string& tx_hash) {
    SubmitError error;
    error.kind = SubmitError::Kind::conflict;
    error.where = "idempotency_key";
    error.detail = "transaction " + tx_hash + " was handed in with another idempotency key";
    error.remedy = "use the key that it was handed in with, or none";
    return error;
}

SubmitError other_metadata(const std::string& tx_hash) {
    SubmitError error;
    error.kind = SubmitError::Kind::conflict;
    error.where = "metadata";
    error.detail = "transaction " + tx_hash + " was given with other metadata";
    error.remedy = "use the metadata that was given with it, or none";
    return error;
}

// A copy of a stored row, to give it what it has not.
storage::NewWatch completed_row(const storage::Watch& watch, const SubmitRequest& request) {
    storage::NewWatch row;
    row.tx_hash = watch.tx_hash;
    row.sender_id = watch.sender_id;
    row.origin = watch.origin;
    row.signed_tx_base64 = watch.signed_tx_base64;
    row.idempotency_key = request.idempotency_key;
    row.metadata_json = request.metadata_json;
    row.traceparent = request.traceparent;
    return row;
}

}  // namespace

struct Submitter::Round {
    std::vector<storage::Watch> watches;
    std::size_t next = 0;
};

Submitter::Submitter(base::asio::any_io_executor executor, storage::WatchStore& store,
                     rpc::SubmitSource& source, std::shared_ptr<rpc::TimeAndChance> time,
                     SubmitterOptions options)
    : executor_(std::move(executor)),
      store_(store),
      source_(source),
      time_(std::move(time)),
      options_(options),
      look_ups_(executor_) {}

base::Task<SubmitResult> Submitter::submit(SubmitRequest request) {
    if (auto bad = check_idempotency_key(request.idempotency_key)) co_return std::move(*bad);
    auto read = read_transaction(request);
    if (!read) co_return read.error();
    const bool is_checked = read->is_checked;
    auto result = co_await submit_read(std::move(request), std::move(read));
    if (result) result->note = note_of(is_checked, std::move(result->note));
    co_return std::move(result);
}

base::Task<SubmitResult> Submitter::submit_read(SubmitRequest request,
                                                base::Result<ReadTransaction, SubmitError> read) {
    auto stored = co_await look_up(read->tx_hash, request.idempotency_key);
    if (!stored) co_return database_away();
    if (!stored->key_owner.empty() && stored->key_owner != read->tx_hash)
        co_return conflict(request.idempotency_key, stored->key_owner);
    auto& before = stored->watch;
    if (before && !may_have_metadata(before->metadata_json, request.metadata_json))
        co_return other_metadata(read->tx_hash);
    if (before && before->signed_tx_base64.empty()) before.reset();
    if (before) {
        auto refused = co_await complete(*before, request);
        if (refused) co_return std::move(*refused);
    }
    if (before && !may_begin_again(*before)) co_return co_await go_on(std::move(*before));
    auto checked = co_await check(*read);
    if (!checked && before) co_return submitted(*before, true, stays_ended(checked.error()));
    if (!checked) co_return checked.error();
    auto row = new_watch(*read, checked->facts, request);
    std::optional<chain::Stage> ended;
    if (before) ended = before->state.stage;
    co_return co_await store_and_send(std::move(row), ended, checked->included);
}

base::Task<std::optional<SubmitError>> Submitter::complete(const storage::Watch& watch,
                                                           const SubmitRequest& request) {
    const bool has_key = request.idempotency_key.empty() || watch.idempotency_key == request.idempotency_key;
    const bool has_metadata = request.metadata_json.empty() || !watch.metadata_json.empty();
    const bool has_trace = request.traceparent.empty() || !watch.traceparent.empty();
    if (has_key && has_metadata && has_trace) co_return std::nullopt;
    std::vector<storage::NewWatch> rows;
    rows.push_back(completed_row(watch, request));
    co_await store_.add_watches(std::move(rows));
    const auto now = co_await store_.watch(watch.tx_hash);
    if (!has_key && (!now || now->idempotency_key != request.idempotency_key))
        co_return other_key(watch.tx_hash);
    if (now && !may_have_metadata(now->metadata_json, request.metadata_json))
        co_return other_metadata(watch.tx_hash);
    co_return std::nullopt;
}

// Stored, but perhaps never sent.
base::Task<SubmitResult> Submitter::go_on(storage::Watch watch) {
    std::string note;
    if (watch.state.stage == chain::Stage::accepted) note = co_await send(watch, rpc::Priority::submit);
    co_return submitted(watch, true, std::move(note));
}

base::Task<SubmitResult> Submitter::store_and_send(storage::NewWatch row, std::optional<chain::Stage> ended,
                                                   bool included) {
    const auto tx_hash = row.tx_hash;
    const auto idempotency_key = row.idempotency_key;
    const auto metadata = row.metadata_json;
    if (!included) schedule(tx_hash, 0);
    if (ended) {
        co_await store_.replace_ended(std::move(row), *ended);
    } else {
        std::vector<storage::NewWatch> rows;
        rows.push_back(std::move(row));
        co_await store_.add_watches(std::move(rows));
    }
    auto watch = co_await store_.watch(tx_hash);
    // Somebody was faster with the key: at best the bare hash is stored.
    if ((!watch || watch->signed_tx_base64.empty()) && !idempotency_key.empty()) {
        const auto owner = co_await store_.watch_by_idempotency_key(idempotency_key);
        co_return conflict(idempotency_key, owner ? owner->tx_hash : "that was removed");
    }
    if (!watch) throw storage::StorageError("a watch was removed while it was stored");
    // Somebody else gave the same bytes at the same time.
    if (!may_have_metadata(watch->metadata_json, metadata)) co_return other_metadata(tx_hash);
    if (included) co_return submitted(*watch, ended.has_value(), "a block holds it already");
    if (!chain::waits_for_inclusion(watch->state)) co_return submitted(*watch, true, {});
    auto note = co_await send(*watch, rpc::Priority::submit);
    co_return submitted(*watch, ended.has_value(), std::move(note));
}

base::Task<std::string> Submitter::send(storage::Watch& watch, rpc::Priority priority) {
    const auto before = schedule_.find(watch.tx_hash);
    schedule(watch.tx_hash, before == schedule_.end() ? 1 : before->second.attempts + 1);
    const auto result = co_await source_.broadcast(watch.signed_tx_base64, watch.tx_hash, priority);
    const auto waiting = schedule_.find(watch.tx_hash);
    if (const auto* sent = std::get_if<rpc::SubmitSource::Sent>(&result)) {
        if (waiting != schedule_.end()) waiting->second.since = time_->now();
        co_return co_await hear_opinions(watch, sent->hosts, priority);
    }
    auto detail = std::get<rpc::SubmitSource::NotSent>(result).detail;
    if (waiting != schedule_.end() && time_->now() - waiting->second.since >= options_.give_up) {
        chain::NoRoute seen{detail};
        co_await observe(watch, std::move(seen));
    }
    co_return "no host took it yet: " + detail;
}

base::Task<std::string> Submitter::hear_opinions(storage::Watch& watch, std::string sent_to,
                                                 rpc::Priority priority) {
    const auto opinions =
        co_await source_.opinions(watch.signed_tx_base64, watch.tx_hash, watch.sender_id, priority);
    const auto judged = judge(opinions);
    if (judged.on_chain) co_return std::string("a block holds it already");
    if (!judged.unobjected_by.empty()) {
        chain::NoObjection seen{judged.unobjected_by};
        std::optional<std::string> objection;
        if (!watch.transaction.objection.empty()) objection.emplace();
        co_await observe(watch, std::move(seen), std::move(objection));
        co_return std::string();
    }
    if (judged.error_json.empty())
        co_return "sent to " + sent_to +
            "; no host that tracks its signer's shard has said anything of it yet";
    const auto read = chain::wire::decode_signed_transaction_base64(watch.signed_tx_base64);
    const auto error = refusal(judged.error_json, read ? read->transaction : chain::wire::Transaction());
    if (judged.is_proof) {
        chain::Refused seen{error.error_class, judged.error_json, judged.objected_by};
        co_await observe(watch, std::move(seen));
    } else if (says_more(judged, error.error_class, watch.transaction.objection)) {
        co_await observe(watch, std::nullopt, objection_json(judged, error));
    }
    co_return judged.objected_by + " would not take it now: " + error.detail;
}

std::string Submitter::objection_json(const Judged& judged, const SubmitError& error) const {
    base::JsonObject objection;
    objection.text("host", judged.objected_by)
        .text("error_class", error.error_class)
        .json("error", judged.error_json)
        .text("since", base::iso_time(time_->wall()));
    if (judged.block_refused) objection.json(kBlockRefused, "true");
    return objection.to_json();
}

base::Task<void> Submitter::observe(storage::Watch& watch, std::optional<chain::Observation> observation,
                                    std::optional<std::string> objection) {
    auto update = storage::update_of(watch);
    if (observation) update.transitions = chain::step(update.state, watch.transaction, *observation, {});
    update.objection = std::move(objection);
    if (update.transitions.empty() && !update.objection) co_return;
    const auto state = update.state;
    const auto noted = update.objection;
    std::vector<storage::WatchUpdate> updates;
    updates.push_back(std::move(update));
    // If somebody else moved the watch meanwhile, they know more.
    const auto moved = co_await store_.update_watches(std::move(updates));
    if (!moved.empty()) co_return;
    watch.state = state;
    if (noted) watch.transaction.objection = *noted;
    if (!chain::waits_for_inclusion(state)) schedule_.erase(watch.tx_hash);
}

void Submitter::schedule(const std::string& tx_hash, unsigned attempts) {
    const auto now = time_->now();
    auto& due = schedule_.try_emplace(tx_hash, Due{now, now, 0}).first->second;
    due.attempts = attempts;
    due.at = now + base::backoff_delay(options_.again, attempts + 1, time_->chance());
}

base::Task<void> Submitter::run() {
    base::asio::steady_timer timer(executor_);
    auto look_at = time_->now();
    while (true) {
        try {
            if (time_->now() >= look_at) {
                look_at = time_->now() + options_.look_every;
                co_await look();
            }
            co_await send_due();
        } catch (const storage::StorageError& e) {
            log::error("submissions cannot be sent again for now", {{"because", e.what()}});
        }
        co_await time_->sleep(timer, kSubmitTick);
    }
}

// All of them each time: an old one begins anew when the block that included it is removed.
base::Task<void> Submitter::look() {
    base::WallTime since{};
    std::string after;
    while (true) {
        const auto page = co_await store_.open_submissions(since, after, kPage);
        for (const auto& open : page) {
            if (schedule_.contains(open.tx_hash)) continue;
            // One that a host has taken waits its turn; the other may never have been sent.
            if (open.stage == chain::Stage::pending)
                schedule(open.tx_hash, 1);
            else
                schedule_.try_emplace(open.tx_hash, Due{time_->now(), time_->now(), 0});
        }
        if (page.size() < kPage) co_return;
        since = page.back().created_at;
        after = page.back().tx_hash;
    }
}

// However many there are, each has its turn.
std::vector<std::string> Submitter::longest_due(base::SteadyTime now) const {
    std::vector<std::pair<base::SteadyTime, const std::string*>> due;
    for (const auto& [tx_hash, each] : schedule_)
        if (each.at <= now) due.emplace_back(each.at, &tx_hash);
    const auto taken = std::min(due.size(), kMostInRound);
    std::partial_sort(due.begin(), due.begin() + static_cast<std::ptrdiff_t>(taken), due.end(),
                      [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> hashes;
    for (std::size_t i = 0; i < taken; ++i) hashes.push_back(*due[i].second);
    return hashes;
}

base::Task<void> Submitter::send_due() {
    const auto now = time_->now();
    const auto hashes = longest_due(now);
    if (hashes.empty()) co_return;
    auto round = std::make_shared<Round>();
    round->watches = co_await store_.watches(hashes);
    for (const auto& tx_hash : hashes) {
        const auto open = [&](const storage::Watch& watch) {
            return watch.tx_hash == tx_hash && chain::waits_for_inclusion(watch.state);
        };
        if (std::none_of(round->watches.begin(), round->watches.end(), open)) schedule_.erase(tx_hash);
    }
    std::erase_if(round->watches, [](const auto& watch) {
        return !chain::waits_for_inclusion(watch.state) || watch.signed_tx_base64.empty();
    });
    base::TaskGroup workers(executor_);
    for (std::size_t i = 0; i < std::min(options_.at_once, round->watches.size()); ++i)
        workers.spawn(send_some(round));
    co_await workers.join();
}

base::Task<void> Submitter::send_some(std::shared_ptr<Round> round) {
    while (round->next < round->watches.size()) {
        auto& watch = round->watches[round->next++];
        co_await send(watch, rpc::Priority::watch);
    }
}

}  // namespace receiptd::watch
