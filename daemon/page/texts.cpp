#include "page/texts.hpp"

#include "base/iso_time.hpp"
#include "chain/tree/finding.hpp"
#include "rule/messages.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <chrono>

namespace receiptd::page {

namespace {

constexpr std::size_t kHeadOfId = 6;
constexpr std::size_t kTailOfId = 4;
constexpr std::size_t kLongestAccount = 32;

std::string shortened(std::string_view text, std::size_t head, std::size_t tail) {
    if (text.size() <= head + tail + 1) return std::string(text);
    return std::string(text.substr(0, head)) + "…" + std::string(text.substr(text.size() - tail));
}

// "group_digest" is "Group digest".
std::string label_of(std::string_view text) {
    std::string label(text);
    std::replace(label.begin(), label.end(), '_', ' ');
    if (!label.empty()) label[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(label[0])));
    return label;
}

std::string with_commas(std::string digits) {
    for (auto at = digits.size(); at > 3;) {
        at -= 3;
        digits.insert(at, 1, ',');
    }
    return digits;
}

Json badge(std::string_view key, std::string_view label, std::string_view tone, std::string_view means) {
    return {{"key", key}, {"label", label}, {"tone", tone}, {"icon", icon_of(tone)}, {"means", means}};
}

struct Word {
    std::string_view key, label, tone, means;
};

namespace kind = chain::kind;

constexpr std::array<Word, kind::kAll.size()> kKinds = {{
    {kind::kFailedReceipt, "Failed receipt", "bad", "A step of the transaction failed."},
    {kind::kFailedTransaction, "Failed transaction", "bad", "The transaction failed before it did anything."},
    {kind::kTokensReturned, "Tokens returned", "odd",
     "Nothing failed, but the receiver gave the tokens back."},
    {kind::kBurntTokens, "Burnt tokens", "bad", "A refund could not be paid, so the tokens are gone."},
    {kind::kWalletRefused, "Wallet refused", "bad", "The wallet did not do what its owner signed."},
    {kind::kYieldTimedOut, "Yield timed out", "odd",
     "A contract waited to be resumed, and nobody resumed it in time."},
    {kind::kUndecided, "Undecided", "odd",
     "No host tells the steps that decide whether the transaction did what it should."},
    {kind::kRejected, "Rejected", "bad", "No node will ever take this transaction."},
    {kind::kForwardingFailed, "Not forwarded", "bad", "No host took the transaction."},
    {kind::kDropped, "Dropped", "bad", "The transaction can never be included any more."},
    {kind::kExpired, "Expired", "bad", "The transaction waited too long and is no longer valid."},
    {kind::kUnknown, "Unknown", "odd",
     "Nothing was learned of the transaction while it could have been included."},
    {kind::kStuck, "Stuck", "odd", "The transaction has been in one stage for longer than it should."},
    {kind::kCorrected, "Corrected", "odd", "What was told before does not hold any more."},
}};
static_assert(std::equal(kKinds.begin(), kKinds.end(), kind::kAll.begin(),
                         [](const Word& words, std::string_view key) { return words.key == key; }),
              "each kind has its words, in the same order");

constexpr std::array<Word, 15> kErrorClasses = {{
    {"contract_panic", "", "", "the contract refused and stopped (a panic)"},
    {"gas_exceeded", "", "", "the call used up all gas that it was given"},
    {"gas_limit_exceeded", "", "", "the call used more gas than one call may"},
    {"code_missing", "", "", "there is no contract on that account"},
    {"method_not_found", "", "", "the contract has no such method"},
    {"account_missing", "", "", "that account does not exist"},
    {"account_exists", "", "", "that account exists already"},
    {"not_enough_balance", "", "", "the balance does not cover it"},
    {"lack_balance_for_state", "", "", "the account holds too little NEAR for its storage"},
    {"invalid_nonce", "", "", "its nonce does not follow that of the key"},
    {"expired", "", "", "it was signed too long ago"},
    {"discarded", "", "", "a block listed it, but the chain dropped it and says nothing of why"},
    {"wasm_trap", "", "", "the contract's code crashed"},
    {"execution_error", "", "", "the contract's code failed"},
    {"compilation_error", "", "", "the contract's code cannot be compiled"},
}};

}  // namespace

std::string short_id(std::string_view id) { return shortened(id, kHeadOfId, kTailOfId); }

std::string short_account(std::string_view account) {
    if (account.size() <= kLongestAccount) return std::string(account);
    return shortened(account, kLongestAccount / 2, kLongestAccount / 2 - 1);
}

std::string count_text(base::u128 amount) { return with_commas(base::to_string(amount)); }

std::string height_text(chain::BlockHeight height) { return std::to_string(height); }

std::string plural(std::uint64_t count, std::string_view one, std::string_view many) {
    return count_text(count) + " " + std::string(count == 1 ? one : many);
}

std::string ago_text(base::Duration age) {
    using namespace std::chrono;
    const auto seconds_of = duration_cast<seconds>(age).count();
    const bool later = seconds_of < 0;
    const auto s = later ? -seconds_of : seconds_of;
    std::string text;
    if (s < 2) return "just now";
    if (s < 90)
        text = std::to_string(s) + " s";
    else if (s < 90 * 60)
        text = std::to_string((s + 30) / 60) + " min";
    else if (s < 36 * 3600)
        text = std::to_string((s + 1800) / 3600) + " h";
    else
        text = std::to_string((s + 43200) / 86400) + " days";
    return later ? "in " + text : text + " ago";
}

Json time_json(base::WallTime time, base::WallTime now) {
    if (time == base::WallTime{}) return nullptr;
    return {{"iso", base::iso_time(time)}, {"ago", ago_text(now - time)}};
}

Json time_json(std::uint64_t time_nanosec, base::WallTime now) {
    return time_json(base::WallTime(std::chrono::nanoseconds(time_nanosec)), now);
}

std::optional<base::WallTime> time_of(const std::string& iso) {
    const auto number = [&](std::size_t from, std::size_t count) {
        int value = -1;
        if (iso.size() >= from + count) std::from_chars(iso.data() + from, iso.data() + from + count, value);
        return value;
    };
    using namespace std::chrono;
    const year_month_day day{year(number(0, 4)), month(static_cast<unsigned>(number(5, 2))),
                             std::chrono::day(static_cast<unsigned>(number(8, 2)))};
    if (iso.size() < 20 || !day.ok()) return std::nullopt;
    return sys_days(day) + hours(number(11, 2)) + minutes(number(14, 2)) + seconds(number(17, 2));
}

Json time_json(const std::string& iso, base::WallTime now) {
    const auto time = time_of(iso);
    if (!time) return nullptr;
    return {{"iso", iso}, {"ago", ago_text(now - *time)}};
}

std::string url_encoded(std::string_view text) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    std::string encoded;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) != 0 || c == '-' || c == '.' || c == '_' || c == '~')
            encoded += c;
        else
            encoded.append({'%', kHex[byte >> 4u], kHex[byte & 15u]});
    }
    return encoded;
}

Json transaction_link(const std::string& tx_hash) {
    if (tx_hash.empty()) return nullptr;
    return {{"id", tx_hash}, {"short", short_id(tx_hash)}, {"link", "/tx/" + url_encoded(tx_hash)}};
}

std::string_view icon_of(std::string_view tone) {
    if (tone == "good") return "✓";
    if (tone == "bad") return "✕";
    if (tone == "odd") return "!";
    if (tone == "wait") return "…";
    return "·";
}

Json verdict_badge(chain::Verdict verdict) {
    const auto key = chain::verdict_name(verdict);
    switch (verdict) {
        case chain::Verdict::succeeded:
            return badge(key, "Succeeded", "good", "Every step of this transaction worked.");
        case chain::Verdict::failed:
            return badge(key, "Failed", "bad", "The transaction itself failed, and NEAR says so, too.");
        case chain::Verdict::callback_failed:
            return badge(
                key, "Callback failed", "bad",
                "A contract was called back with a result and failed: the second half of its work did "
                "not happen.");
        case chain::Verdict::receipt_failed:
            return badge(key, "Receipt failed", "bad",
                         "A step that no contract looked at has failed, although the transaction counts as a "
                         "success.");
        case chain::Verdict::succeeded_with_handled_failure:
            return badge(key, "Handled failure", "odd",
                         "A step failed, and the contract that waited for it noticed and went on.");
    }
    return badge(key, key, "calm", "");
}

Json stage_badge(chain::Stage stage) {
    const auto key = chain::stage_name(stage);
    switch (stage) {
        case chain::Stage::accepted: return badge(key, "Accepted", "wait", "receiptd knows of it.");
        case chain::Stage::pending:
            return badge(key, "Pending", "wait", "The hosts hold it and do not object.");
        case chain::Stage::included: return badge(key, "Included", "wait", "It is in a block.");
        case chain::Stage::executing:
            return badge(key, "Executing", "wait", "Its first receipt worked, others are under way.");
        case chain::Stage::completed:
            return badge(key, "Completed", "wait", "All of its work is done, refunds are under way.");
        case chain::Stage::final: return badge(key, "Final", "good", "All of its receipts are executed.");
        case chain::Stage::rejected: return badge(key, "Rejected", "bad", "No node will ever take it.");
        case chain::Stage::forwarding_failed: return badge(key, "Not forwarded", "bad", "No host took it.");
        case chain::Stage::dropped: return badge(key, "Dropped", "bad", "It can never be included any more.");
        case chain::Stage::expired:
            return badge(key, "Expired", "bad", "It waited too long and is no longer valid.");
        case chain::Stage::unknown:
            return badge(key, "Unknown", "odd",
                         "Nothing was learned of it while it could have been included.");
    }
    return badge(key, key, "calm", "");
}

Json stage_badge(const chain::WatchState& state) {
    if (!state.early) return stage_badge(state.stage);
    return badge("early", "Included, not final", "wait",
                 "It is in a block that is not final yet: the chain may still take the block back.");
}

Json stage_badge(const chain::Transition& transition) {
    if (transition.retracts())
        return badge("retracted", "Taken back", "odd",
                     "Its block did not become final; it waits for another one.");
    if (transition.confirms())
        return badge("confirmed", "Confirmed", "wait", "The block that has it is final.");
    chain::WatchState state;
    state.stage = transition.to;
    if (transition.final == false) state.early.emplace();
    return stage_badge(state);
}

Json part_badge() {
    return badge("part", "Only a part", "odd",
                 "Only some of its receipts are stored, not the transaction itself.");
}

Json kind_badge(std::string_view alert_kind) {
    for (const auto& words : kKinds)
        if (words.key == alert_kind) return badge(words.key, words.label, words.tone, words.means);
    for (const auto& message : rule::message_types())
        if (message.kind == alert_kind)
            return badge(alert_kind, label_of(alert_kind), "odd", label_of(message.meaning) + ".");
    return badge(alert_kind, alert_kind, "odd", "");
}

Json role_badge(chain::Role role) {
    const auto key = chain::role_name(role);
    switch (role) {
        case chain::Role::initial:
            return badge(key, "Initial", "calm", "What the transaction was turned into.");
        case chain::Role::callback:
            return badge(key, "Callback", "calm", "It runs when the results it waits for are there.");
        case chain::Role::promise:
            return badge(key, "Promise", "calm", "Another receipt waits for its result.");
        case chain::Role::returned:
            return badge(key, "Returned", "calm", "Its result is the transaction's own.");
        case chain::Role::detached: return badge(key, "Detached", "calm", "Nobody waits for it.");
        case chain::Role::refund: return badge(key, "Refund", "calm", "NEAR gives back what was not used.");
        case chain::Role::payout:
            return badge(key, "Payout", "calm", "What a deleted account leaves to its heir.");
    }
    return badge(key, key, "calm", "");
}

Json delivery_badge(std::string_view state) {
    if (state == "delivered") return badge(state, "Delivered", "good", "The endpoint took it.");
    if (state == "dead")
        return badge(state, "Given up", "bad", "The endpoint did not take it in all attempts.");
    if (state == "grouped")
        return badge(state, "Grouped", "calm", "A digest of its group counts it; it is not sent by itself.");
    if (state == "silenced")
        return badge(state, "Silenced", "calm", "A silence matched it; it is not sent by itself.");
    if (state == "withheld")
        return badge(state, "Withheld", "odd", "It was above the endpoint's limit per hour.");
    if (state == "overtaken")
        return badge(state, "Overtaken", "calm",
                     "A later message of its group says what it would have said.");
    if (state == "late")
        return badge(state, "Late", "odd", "It came long after its cause, and its rules withhold such ones.");
    return badge(state, "Pending", "wait", "It is sent as soon as the endpoint takes it.");
}

std::string error_class_words(std::string_view error_class) {
    for (const auto& known : kErrorClasses)
        if (known.key == error_class) return std::string(known.means);
    std::string words(error_class);
    std::replace(words.begin(), words.end(), '_', ' ');
    return words;
}

}  // namespace receiptd::page
