// Plays what may happen to the messages of one group of alerts on a queue, in memory or in PostgreSQL, and
// what an on-call service makes of it.
#pragma once

#include "storm/order.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace receiptd::test {

// A message that an endpoint is sent. `group` empty: as an alert of no group.
struct Post {
    std::string id, group;
    storm::Part part = storm::Part::alert;
    bool is_by_hand = false;
};

enum class Reply { taken, refused, given_up };

// What of it is stored, by id: the state, and how many alerts the message counts.
using Stored = std::map<std::string, std::pair<std::string, std::uint64_t>>;

class GroupQueue {
public:
    virtual ~GroupQueue() = default;
    virtual void alert() = 0;
    virtual void pass(std::chrono::minutes time) = 0;  // then digests and ends are queued that are due
    virtual std::vector<Post> claim() = 0;
    virtual void reply(const Post& post, Reply reply) = 0;
    virtual void retry() = 0;   // all that was refused is due
    virtual void forget() = 0;  // the process has died: its leases run out
    virtual void resend() = 0;  // people: all that is not in the queue
    virtual Stored stored() = 0;
    virtual std::uint64_t members() = 0;  // of all groups
};

class GroupPlay {
public:
    explicit GroupPlay(GroupQueue& queue) : queue_(&queue) {}
    void plays_on(GroupQueue& queue) { queue_ = &queue; }

    // One letter: j an alert, c a claim, m a minute, e the time until the end, r what was refused is due, x
    // the process dies, h people resend; of the oldest or (capital) newest attempt under way: o it is taken,
    // f refused, d given up for good, l taken, but the process dies before it hears so. False: nothing
    // happens.
    bool play(char event) {
        switch (event) {
            case 'j': queue_->alert(); return true;
            case 'm': queue_->pass(std::chrono::minutes(1)); return true;
            case 'e': queue_->pass(std::chrono::minutes(10)); return true;
            case 'r': queue_->retry(); return true;
            case 'h':
                is_resent_ = true;
                queue_->resend();
                return true;
            case 'c': {
                const auto posts = queue_->claim();
                under_way_.insert(under_way_.end(), posts.begin(), posts.end());
                return !posts.empty();
            }
            case 'x':
                under_way_.clear();
                queue_->forget();
                return true;
        }
        if (under_way_.empty()) return false;
        const bool is_newest = event >= 'A' && event <= 'Z';
        const auto at = is_newest ? under_way_.end() - 1 : under_way_.begin();
        const auto post = *at;
        under_way_.erase(at);
        switch (is_newest ? event - 'A' + 'a' : event) {
            case 'o':
                hear(post);
                queue_->reply(post, Reply::taken);
                break;
            case 'f': queue_->reply(post, Reply::refused); break;
            case 'd':
                queue_->reply(post, Reply::given_up);
                if (post.part == storm::Part::end) open_[post.group] = false;  // people are told
                break;
            case 'l':
                hear(post);
                under_way_.clear();
                queue_->forget();
                break;
        }
        return true;
    }

    // From here on everything is taken, until nothing is left to be sent.
    void settle() {
        for (int quiet = 0; quiet < 3;) {
            play('e');
            play('r');
            while (play('c') || !under_way_.empty()) {
                quiet = -1;
                while (play('o')) {
                }
                play('r');
            }
            ++quiet;
        }
    }

    // What is wrong; empty: nothing.
    std::string fault() {
        if (!fault_.empty()) return fault_;
        for (const auto& [group, is_open] : open_)
            if (is_open && shows_until_end) return group + " stays open";
        if (is_resent_ || !counts_once) return {};
        std::uint64_t counted = 0;
        for (const auto& [id, of] : queue_->stored())
            if (of.first == "delivered" || of.first == "dead") counted += of.second;
        if (counted == queue_->members()) return {};
        return std::to_string(counted) + " of " + std::to_string(queue_->members()) + " alerts are counted";
    }
    const std::vector<std::string>& heard() const { return heard_; }

    bool shows_until_end = true;  // the service
    bool counts_once = true;      // no message is told again under its old id

private:
    void hear(const Post& post) {
        heard_.push_back(post.id + (post.group.empty() ? " alone" : ""));
        if (post.group.empty()) return;
        if (post.part == storm::Part::end) {
            ended_.insert(post.group);
            open_[post.group] = false;
            return;
        }
        // What people resend may come again before an end that is still to be sent.
        if (ended_.contains(post.group) && !post.is_by_hand) fault_ = post.id + " comes after the end";
        open_[post.group] = true;
    }

    GroupQueue* queue_;
    std::vector<Post> under_way_;
    std::vector<std::string> heard_;
    std::map<std::string, bool> open_;
    std::set<std::string> ended_;
    std::string fault_;
    bool is_resent_ = false;
};

}  // namespace receiptd::test
