// Transactions that are not stored, as the hosts told them: one question a second at most, whoever asks, so
// that readers cannot spend what the hosts allow.
#pragma once

#include "base/clock.hpp"
#include "watch/transaction_json.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <utility>

namespace receiptd::api {

class HostQuestions {
public:
    explicit HostQuestions(const base::Clock& clock) : clock_(clock) {}

    // The last answers are kept for a moment: a page asks for its parts one after the other.
    std::optional<watch::OpenTree> known(const std::string& tx_hash) const {
        const auto since = clock_.steady() - kFresh;
        const auto found = std::find_if(answers_.begin(), answers_.end(), [&](const Answer& answer) {
            return answer.tx_hash == tx_hash && answer.at > since;
        });
        return found == answers_.end() ? std::nullopt : std::optional(found->tree);
    }
    // False: somebody has asked less than a second ago.
    bool take_turn() {
        const auto now = clock_.steady();
        if (asked_at_ && now < *asked_at_ + kPause) return false;
        asked_at_ = now;
        return true;
    }
    void keep(std::string tx_hash, watch::OpenTree tree) {
        answers_.push_front({std::move(tx_hash), std::move(tree), clock_.steady()});
        if (answers_.size() > kMostKept) answers_.pop_back();
    }

private:
    static constexpr auto kPause = std::chrono::seconds(1);
    static constexpr auto kFresh = std::chrono::seconds(10);
    static constexpr std::size_t kMostKept = 8;
    struct Answer {
        std::string tx_hash;
        watch::OpenTree tree;
        base::SteadyTime at;
    };
    const base::Clock& clock_;
    std::optional<base::SteadyTime> asked_at_;
    std::deque<Answer> answers_;
};

}  // namespace receiptd::api
