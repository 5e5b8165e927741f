#include "app/wait_for_end.hpp"

#include "alert/words.hpp"
#include "app/commands.hpp"
#include "app/stored_view.hpp"
#include "base/event.hpp"
#include "base/iso_time.hpp"
#include "base/sleep.hpp"
#include "base/visible.hpp"
#include "chain/tree/sentences.hpp"
#include "chain/tree/units.hpp"

#include <chrono>
#include <cstdio>
#include <ctime>
#include <iostream>

namespace receiptd::app {
namespace {

using namespace std::chrono_literals;

constexpr auto kLookAgain = 200ms;

std::string clock_text(base::WallTime at) {
    const auto milliseconds =
        std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
    const auto seconds = static_cast<std::time_t>(milliseconds / 1000);
    std::tm utc{};
    gmtime_r(&seconds, &utc);
    char text[32];
    const auto length = std::strftime(text, sizeof text, "%H:%M:%S", &utc);
    std::snprintf(text + length, sizeof text - length, ".%03u", static_cast<unsigned>(milliseconds % 1000));
    return text;
}

void print(const storage::StoredTransition& stored) {
    const auto& transition = stored.transition;
    std::cout << clock_text(stored.learned_at) << "  " << chain::stage_name(transition.to);
    if (transition.at) std::cout << "  at height " << transition.at->height;
    if (transition.final == false) std::cout << ", not final yet";
    if (transition.confirms()) std::cout << ", final";
    if (transition.retracts()) std::cout << "  its block did not become final";
    if (chain::is_end(transition.to) && transition.to != chain::Stage::final)
        std::cout << "  " << transition.evidence;
    std::cout << std::endl;
}

// The findings say why; of a transaction that succeeded the money says what came of it.
void print_why(const watch::TransactionView& view) {
    constexpr std::size_t kMostFindings = 5;
    std::size_t printed = 0;
    for (const auto& finding : view.findings) {
        if (finding.expected) continue;
        if (++printed > kMostFindings) break;
        std::cout << "finding   " << base::visible(alert::summary(finding)) << '\n';
    }
    if (printed > kMostFindings)
        std::cout << "finding   and more: see `receiptd tx " << view.tx_hash << "`\n";
    if (view.tree && view.tree->tokens_lost > 0)
        std::cout << "lost      " << chain::near_in_words(view.tree->tokens_lost) << '\n';
    if (view.tree && !view.tree->money_is_known())
        std::cout << "money     not known: " << chain::kReceiptsMissing << '\n';
}

void print_end(const storage::Watch& watch, const watch::TransactionView& view) {
    const auto& state = watch.state;
    if (state.verdict) {
        std::cout << "verdict   " << chain::verdict_name(*state.verdict);
        if (view.tree && view.tree->effect) std::cout << "; " << chain::effect_name(*view.tree->effect);
        const auto timeouts = view.tree ? chain::timeouts_in_words(*view.tree) : std::string();
        std::cout << (timeouts.empty() ? "" : "; " + timeouts) << '\n';
        print_why(view);
    } else if (state.stage == chain::Stage::final) {
        std::cout << "verdict   none: " << state.reason << '\n';
        print_why(view);
    } else
        std::cout << "ended     " << chain::stage_name(state.stage) << ": " << state.reason << '\n'
                  << "proven    " << in_words(watch.certainty) << '\n';
}

}  // namespace

std::string in_words(const chain::Certainty& certainty) {
    std::string words = certainty.conclusive ? "yes" : "no";
    const auto height = certainty.safe_to_resign_after_height;
    if (!height) return words;
    if (*height == 0) return words + ": it may be signed anew now";
    words += ": it may be signed anew after height " + std::to_string(*height);
    if (certainty.estimated_at) words += ", about " + base::iso_time(*certainty.estimated_at);
    return words;
}

base::Task<void> wait_for_end(base::asio::any_io_executor executor, Waiting waiting, std::string tx_hash,
                              int& code) {
    base::asio::steady_timer timer(executor);
    std::size_t shown = 0;
    auto watch = co_await waiting.watches.watch(tx_hash);
    while (watch) {
        const auto transitions = co_await waiting.watches.transitions(tx_hash);
        for (; shown < transitions.size(); ++shown)
            if (!waiting.as_json) print(transitions[shown]);
        if (chain::is_end(watch->state.stage)) break;
        co_await base::sleep_on(timer, kLookAgain);
        watch = co_await waiting.watches.watch(tx_hash);
    }
    if (!watch) {
        std::cerr << "it is not watched any more\n";
        code = kFailed;
        co_return;
    }
    const auto view = co_await stored_view(waiting.watches, waiting.findings, std::move(tx_hash));
    if (waiting.as_json)
        std::cout << watch::transaction_json(view) << '\n';
    else
        print_end(*watch, view);
    code = exit_code(watch->state, view.tree);
}

}  // namespace receiptd::app
