// Questions to hosts that readers cause. All of them together take four seats, and spend a few requests a
// second of what the hosts allow; who asks the same waits for the same answer; a question that nobody waits
// for any more ends.
#pragma once

#include "base/clock.hpp"
#include "base/task.hpp"
#include "base/token_bucket.hpp"
#include "watch/transaction_json.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace receiptd::api {

class HostQuestions {
public:
    using Tree = std::optional<watch::OpenTree>;

    HostQuestions(const base::asio::any_io_executor& executor, const base::Clock& clock);

    // nullopt: no host told it in time, or too much is asked.
    static base::Task<Tree> ask(HostQuestions& questions, std::string tx_hash, base::Task<Tree> question,
                                std::chrono::milliseconds patience);

    // For transactions that are not stored. The last answers are kept for a moment: a page asks for its parts
    // one after the other.
    Tree known(const std::string& tx_hash) const;
    // False: somebody has asked less than a second ago, whoever it was.
    bool take_turn();
    void keep(std::string tx_hash, watch::OpenTree tree);

private:
    static constexpr std::size_t kAtOnce = 4;
    static constexpr double kPerSecond = 4;
    static constexpr double kBurst = 16;
    static constexpr auto kPause = std::chrono::seconds(1);
    static constexpr auto kFresh = std::chrono::seconds(10);
    static constexpr std::size_t kMostKept = 8;

    struct Flight;
    std::shared_ptr<Flight> join(const std::string& tx_hash, base::Task<Tree>& question);
    static base::Task<void> land(base::Task<Tree> question, std::weak_ptr<Flight> flight);

    struct Answer {
        std::string tx_hash;
        watch::OpenTree tree;
        base::SteadyTime at;
    };
    base::asio::any_io_executor executor_;
    const base::Clock& clock_;
    base::TokenBucket budget_;
    std::map<std::string, std::weak_ptr<Flight>> flights_;
    std::optional<base::SteadyTime> asked_at_;
    std::deque<Answer> answers_;
};

}  // namespace receiptd::api
