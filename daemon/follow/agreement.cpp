#include "follow/agreement.hpp"

#include "base/coroutine.hpp"
#include "base/log.hpp"

#include <algorithm>
#include <map>

namespace receiptd::follow {
namespace {

using namespace std::chrono_literals;
using Word = rpc::Witness::Word;

constexpr unsigned kAsks = 5;
constexpr auto kAskAgain = 400ms;
constexpr auto kBeginsAloneAfter = 1min;

std::size_t count(const std::vector<rpc::Witness>& witnesses, const std::string& hash) {
    return static_cast<std::size_t>(std::count_if(
        witnesses.begin(), witnesses.end(),
        [&](const auto& witness) { return witness.word == Word::has && witness.block->hash == hash; }));
}

// How many hosts have one and the same other block; of several the one that most have.
std::size_t most_of_another(const std::vector<rpc::Witness>& witnesses, const std::string& stored_hash) {
    std::size_t most = 0;
    for (const auto& witness : witnesses)
        if (witness.word == Word::has && witness.block->hash != stored_hash)
            most = std::max(most, count(witnesses, witness.block->hash));
    return most;
}

}  // namespace

Told tell_block(const std::vector<rpc::Witness>& witnesses, const std::string& hash) {
    const auto telling = count(witnesses, hash);
    const auto with = [&](Word word) {
        return std::count_if(witnesses.begin(), witnesses.end(),
                             [&](const auto& witness) { return witness.word == word; });
    };
    const bool alone = with(Word::unable) + 1 == static_cast<std::ptrdiff_t>(witnesses.size());
    if (telling >= 2 || (telling == 1 && alone)) return Told::yes;
    return telling == 1 && with(Word::silent) > 0 ? Told::unclear : Told::no;
}

Wrong judge_misfit(const std::vector<rpc::Witness>& witnesses, const std::string& stored_hash) {
    const auto stored = count(witnesses, stored_hash);
    std::map<std::string, std::size_t> others;  // by hash; "" denies
    for (const auto& witness : witnesses) {
        if (witness.word == Word::denies) ++others[""];
        if (witness.word == Word::has && witness.block->hash != stored_hash) ++others[witness.block->hash];
    }
    std::size_t most = 0;
    for (const auto& [hash, telling] : others) most = std::max(most, telling);
    if (stored > most) return Wrong::offered;
    if (most >= 2 && most > stored) return Wrong::stored;
    return Wrong::undecided;
}

bool contradicted(const std::vector<rpc::Witness>& witnesses, const std::string& stored_hash) {
    const auto another = most_of_another(witnesses, stored_hash);
    return another >= 2 && another > count(witnesses, stored_hash);
}

bool opposed(const std::vector<rpc::Witness>& witnesses, const std::string& stored_hash) {
    const auto another = most_of_another(witnesses, stored_hash);
    return another > 0 && another >= count(witnesses, stored_hash);
}

std::string in_words(const std::vector<rpc::Witness>& witnesses) {
    std::string words;
    for (const auto& witness : witnesses) {
        words += (words.empty() ? "" : ", ") + witness.host + ": ";
        switch (witness.word) {
            case Word::has: words += witness.block->hash; break;
            case Word::denies: words += "no block"; break;
            case Word::unable: words += "cannot tell"; break;
            case Word::silent:
                words += "no answer" + (witness.fault.empty() ? "" : " (" + witness.fault + ")");
                break;
        }
    }
    return words;
}

base::Task<Told> Agreement::on(const chain::BlockRef& block) {
    auto told = Told::unclear;
    for (unsigned asked = 1; !state_.stop.requested(); ++asked) {
        const auto witnesses = co_await witnesses_.ask(block.height);
        told = tell_block(witnesses, block.hash);
        if (told == Told::yes) {
            if (const auto shown = shown_alike(witnesses, block.hash)) state_.times.agree_on(*shown);
            state_.head.confirm(block.height);
            state_.disagreement.clear();
            begins_alone_at_.reset();
        } else {
            said_ = "block " + std::to_string(block.height) + " (" + block.hash +
                    ") is not told by two hosts: " + in_words(witnesses);
        }
        if (told == Told::yes || asked == kAsks) co_return told;
        co_await state_.pause(kAskAgain);
    }
    co_return Told::unclear;
}

base::Task<Agreement::Judgement> Agreement::about_stored(const chain::BlockRef& stored) {
    const auto witnesses = co_await witnesses_.ask(stored.height);
    Judgement judgement;
    judgement.told = tell_block(witnesses, stored.hash);
    judgement.wrong = judge_misfit(witnesses, stored.hash);
    judgement.contradicted = contradicted(witnesses, stored.hash);
    judgement.opposed = opposed(witnesses, stored.hash);
    for (const auto& witness : witnesses) {
        const bool tells_it = witness.block && witness.block->hash == stored.hash;
        if (tells_it) judgement.telling_stored.push_back(witness.host);
        const bool speaks = witness.word == Word::has || witness.word == Word::denies;
        judgement.spoken_against = judgement.spoken_against || (speaks && !tells_it);
    }
    judgement.said = in_words(witnesses);
    co_return judgement;
}

base::Task<bool> Agreement::begins_alone(const chain::BlockRef& first, Told told) {
    const auto now = state_.clock.steady();
    if (!begins_alone_at_) begins_alone_at_ = now + kBeginsAloneAfter;
    if (told != Told::unclear || now < *begins_alone_at_ || state_.stop.requested()) co_return false;
    begins_alone_at_.reset();
    state_.disagreement.clear();
    state_.set_unconfirmed(said_);
    log::warn("following the chain by the word of one host, as no other one answers", {{"because", said_}});
    state_.times.agree_on(first);
    co_await blocks_.set_one_host_since(first.height);
    state_.heights.set_one_host_since(first.height);
    co_return true;
}

base::Task<void> Agreement::end_one_host() {
    if (!state_.heights.coverage().one_host_since) co_return;
    co_await blocks_.set_one_host_since(std::nullopt);
    state_.heights.set_one_host_since(std::nullopt);
}

void Agreement::hold_up() { state_.disagreement = said_; }

void Agreement::doubt(const std::string& host) {
    witnesses_.doubt(host);
    state_.head.fall_back(state_.heights.tip());
}

void Agreement::doubt_head() {
    witnesses_.doubt_heads(state_.head.height());
    state_.head.fall_back(state_.heights.tip());
}

}  // namespace receiptd::follow
