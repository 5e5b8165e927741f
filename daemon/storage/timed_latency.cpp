#include "storage/timed_latency.hpp"

#include "base/json_text.hpp"
#include "base/line.hpp"
#include "chain/tree/facts.hpp"
#include "rule/keys.hpp"
#include "storage/rule_actions.hpp"
#include "storage/sql_time.hpp"
#include "storage/watched_body.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace receiptd::storage {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kSlowest = 3;

// A transaction began when it was handed in or watched here, or in its block if that is earlier. One that
// was watched later than it was included tells nothing of inclusion, unless it was handed in here: then only
// the clocks differ.
const std::string kSampleColumns =
    "w.tx_hash, w.sender_id, coalesce(t.user_id, ''), coalesce(t.receiver_id, ''), t.actions, " +
    microseconds_of("least(w.created_at, i.block_time)");

const std::string kIsNear = "t.block_time BETWEEN " + time_parameter(1, std::chrono::days(8)) + " AND " +
                            time_parameter(2, -std::chrono::days(8));

// A block may be learned of by a clock that is late.
const std::string kEntered =
    "WITH entered AS (SELECT DISTINCT ON (tx_hash, to_stage) tx_hash, to_stage, block_time "
    "  FROM watch_transitions WHERE at > " +
    time_parameter(1, std::chrono::hours(1)) + " AND block_time > " + time_parameter(1) +
    "   AND block_time <= " + time_parameter(2) +
    "   AND to_stage IN ('included', 'executing', 'completed', 'final') AND final IS NOT FALSE ORDER BY "
    "tx_hash, to_stage, at "
    "DESC), "
    "newest AS (SELECT * FROM entered ORDER BY block_time DESC LIMIT $3) "
    "SELECT " +
    kSampleColumns + ", e.to_stage, " + microseconds_of("e.block_time") +
    " FROM newest e JOIN watches w USING (tx_hash) " + watched_body(kIsNear) +
    "WHERE e.to_stage <> 'included' OR w.origin = 'submission' OR w.created_at <= e.block_time "
    "ORDER BY e.block_time DESC, w.tx_hash";

const std::string kWaiting =
    "WITH open AS (SELECT * FROM watches WHERE stage IN ('accepted', 'pending', 'included', 'executing', "
    "  'completed') ORDER BY created_at DESC LIMIT $3) "
    "SELECT " +
    kSampleColumns + ", w.stage, NULL FROM open w " + watched_body(kIsNear) +
    "WHERE least(w.created_at, i.block_time) BETWEEN " + time_parameter(1) + " AND " + time_parameter(2) +
    " ORDER BY w.created_at, w.tx_hash";

struct LatencySample {
    milliseconds took{0};
    std::string tx_hash;
    std::string sender_id;
    std::string stage;
    bool waits = false;
};

// A transaction as rules match it. The subject views the row.
class SampledTransaction {
public:
    explicit SampledTransaction(const pqxx::row& row)
        : began_(wall_time(row[5])), stage_(row[6].c_str()), is_waiting_(row[7].is_null()) {
        if (!row[4].is_null()) facts_ = chain::stored_action_facts({row[4].c_str(), row[4].size()});
        if (!is_waiting_) entered_ = wall_time(row[7]);
        subject_.kind = rule::Kind::latency;
        subject_.tx_hash = row[0].c_str();
        subject_.signer_id = row[1].c_str();
        subject_.user_id = row[2].c_str();
        subject_.receiver_id = row[3].c_str();
        subject_.method_name = facts_.method_name;
        subject_.args_json = facts_.args_json;
        subject_.actions = actions_in(facts_.names);
        if (!row[4].is_null()) subject_.deposit = facts_.deposit;
    }

    template <class Use>
    void each_match(const rule::RuleSet& rules, const Use& use) {
        bool is_ahead = false;
        for (const auto stage : rule::latency_stages()) {
            if (is_waiting_ ? is_ahead || before_inclusion() : stage == stage_) {
                subject_.stage = stage;
                for (const auto index : rules.match(subject_)) use(index, *this);
            }
            is_ahead = is_ahead || stage == stage_;
        }
    }

    // nullopt: it does not count in that window.
    std::optional<LatencySample> sample(const rule::Latency& latency, base::WallTime now) const {
        const auto until = is_waiting_ ? now : entered_;
        const auto took = std::max(std::chrono::floor<milliseconds>(until - began_), milliseconds(0));
        // It counts from when it is too slow on.
        const auto counts_from = is_waiting_ ? began_ + latency.over : entered_;
        if (counts_from <= now - latency.window || counts_from > now) return std::nullopt;
        if (is_waiting_ && took <= latency.over) return std::nullopt;
        return LatencySample{took, std::string(subject_.tx_hash), std::string(subject_.signer_id),
                             std::string(subject_.stage), is_waiting_};
    }

private:
    bool before_inclusion() const { return stage_ == "accepted" || stage_ == "pending"; }

    base::WallTime began_;
    std::string_view stage_;
    bool is_waiting_;
    base::WallTime entered_{};
    chain::ActionFacts facts_;
    rule::Subject subject_;
};

std::string seconds_text(milliseconds time) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", static_cast<double>(time.count()) / 1000);
    std::string_view number(text);
    while (number.ends_with('0')) number.remove_suffix(1);
    if (number.ends_with('.')) number.remove_suffix(1);
    return std::string(number);
}

std::string examples_json(const std::vector<LatencySample>& slowest_last) {
    std::string list = "[";
    const auto count = std::min(kSlowest, slowest_last.size());
    for (auto sample = slowest_last.rbegin();
         sample != slowest_last.rbegin() + static_cast<std::ptrdiff_t>(count); ++sample)
        list += (list.size() > 1 ? "," : "") + base::JsonObject()
                                                   .text("tx_hash", sample->tx_hash)
                                                   .text("sender_id", sample->sender_id)
                                                   .text("stage", sample->stage)
                                                   .json("took_seconds", seconds_text(sample->took))
                                                   .json("waits", sample->waits ? "true" : "false")
                                                   .to_json();
    return list + "]";
}

std::string percent_text(double percent) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", percent);
    return text;
}

void judge_latency(TimedRule& rule, std::vector<LatencySample> samples) {
    const auto& latency = *rule.definition->latency;
    std::stable_sort(samples.begin(), samples.end(),
                     [](const LatencySample& a, const LatencySample& b) { return a.took < b.took; });
    std::vector<milliseconds> times;
    for (const auto& sample : samples) times.push_back(sample.took);
    rule.judgement = rule::judge(latency, times, rule.until);
    const bool holds = rule.judgement.is == rule::Judgement::Is::holds;
    rule.state = samples.size() < rule::kFewestSamples ? TimedState::samples
                 : holds                               ? TimedState::alert
                                                       : TimedState::quiet;
    if (!holds) return;
    const auto slow = times.end() - std::upper_bound(times.begin(), times.end(), latency.over);
    rule.numbers_json = base::JsonObject()
                            .json("window_seconds", seconds_text(latency.window))
                            .json("percentile", percent_text(latency.percentile))
                            .json("over_seconds", seconds_text(latency.over))
                            .json("took_seconds", seconds_text(rule::percentile(times, latency.percentile)))
                            .number("transactions", samples.size())
                            .number("too_slow", static_cast<std::uint64_t>(slow))
                            .json("slowest", examples_json(samples))
                            .to_json();
}

}  // namespace

void judge_latencies(pqxx::transaction_base& tx, const rule::RuleSet& rules,
                     const std::vector<TimedRule*>& latencies) {
    if (latencies.empty()) return;
    const auto now = latencies.front()->until;
    std::map<rule::RuleIndex, std::pair<TimedRule*, std::vector<LatencySample>>> by_index;
    milliseconds window{0}, over{0};
    for (auto* rule : latencies) {
        by_index[rule->index].first = rule;
        window = std::max(window, rule->definition->latency->window);
        over = std::max(over, rule->definition->latency->over);
    }
    const auto use = [&](rule::RuleIndex index, const SampledTransaction& transaction) {
        const auto found = by_index.find(index);
        if (found == by_index.end()) return;
        auto& [rule, samples] = found->second;
        if (auto sample = transaction.sample(*rule->definition->latency, now))
            samples.push_back(std::move(*sample));
    };
    const auto until = microseconds(now);
    for (const auto& rows :
         {shim::query(tx, kEntered, microseconds(now - window), until, kMostSamples),
          shim::query(tx, kWaiting, microseconds(now - window - over), until, kMostSamples)})
        for (const auto& row : rows) SampledTransaction(row).each_match(rules, use);
    for (auto& [index, of] : by_index) judge_latency(*of.first, std::move(of.second));
}

}  // namespace receiptd::storage
