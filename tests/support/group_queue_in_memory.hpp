// The queue of one endpoint's groups in memory: storm/group.hpp and storm/order.hpp with nothing else around
// them.
#pragma once

#include "support/group_play.hpp"

#include <optional>

namespace receiptd::test {

class MemoryGroupQueue final : public GroupQueue {
public:
    explicit MemoryGroupQueue(storm::Settings settings) : settings_(std::move(settings)) {}

    void alert() override { messages_.push_back({"alert:" + std::to_string(++alerts_)}); }

    void pass(std::chrono::minutes time) override {
        now_ += time;
        if (!open_ || due_at_ > now_) return;
        const auto step = storm::next_step(group_, settings_, now_);
        if (step.act != storm::Act::wait && !make_room(step.act)) return;
        const bool is_over = step.act == storm::Act::resolve;
        if (step.act == storm::Act::digest || (is_over && storm::is_end_told(group_, settings_)))
            tell(is_over ? storm::Part::end : storm::Part::digest);
        open_ = !is_over;
        due_at_ = storm::next_step(group_, settings_, now_).next;
    }

    std::vector<Post> claim() override {
        std::vector<Message*> claimed;
        for (auto& message : messages_)
            if (message.state == "pending" && !message.is_leased && message.is_due)
                claimed.push_back(&message);
        std::sort(claimed.begin(), claimed.end(), [](auto* a, auto* b) { return a->id < b->id; });
        std::vector<std::pair<Message*, storm::Turn>> turns;
        for (auto* message : claimed)
            if (message->group != 0) turns.emplace_back(message, turn_of(*message));
        std::vector<Post> posts;
        for (auto& [message, turn] : turns) take(*message, turn, posts);
        for (auto* message : claimed)
            if (message->group == 0) join(*message, posts);
        std::sort(posts.begin(), posts.end(), [](auto& a, auto& b) { return a.id < b.id; });
        return posts;
    }

    void reply(const Post& post, Reply reply) override {
        auto& message = *std::find_if(messages_.begin(), messages_.end(),
                                      [&](const auto& each) { return each.id == post.id; });
        if (!message.is_leased) return;
        message.is_leased = false;
        message.state = reply == Reply::taken ? "delivered" : reply == Reply::given_up ? "dead" : "pending";
        message.is_due = false;
        message.is_taken = reply == Reply::taken;
    }
    void retry() override {
        for (auto& message : messages_)
            if (!message.is_leased) message.is_due = true;
    }
    void forget() override {
        for (auto& message : messages_) {
            message.is_due = message.is_due || message.is_leased;
            message.is_leased = false;
        }
    }
    void resend() override {
        for (auto& message : messages_)
            if (message.state != "pending") {
                message.state = "pending";
                message.is_due = message.is_by_hand = true;
                message.is_leased = false;
            }
    }
    Stored stored() override {
        Stored stored;
        for (const auto& message : messages_) stored[message.id] = {message.state, message.counts};
        return stored;
    }
    std::uint64_t members() override { return members_; }

private:
    struct Message {
        std::string id;
        storm::Part part = storm::Part::alert;
        unsigned group = 0;
        std::string state = "pending";
        std::uint64_t counts = 0;  // alerts
        bool is_due = true, is_leased = false, was_tried = false, is_by_hand = false;
        bool is_taken = false;  // by the last attempt
    };

    bool make_room(storm::Act next) {
        const bool is_told = std::any_of(messages_.begin(), messages_.end(), [&](const auto& message) {
            return message.group == number_ && message.part == storm::Part::digest &&
                   message.state == "delivered";
        });
        std::vector<Message*> overtaken;
        for (auto& message : messages_) {
            if (message.group != number_ || message.state != "pending") continue;
            const auto way = storm::way_of(
                {message.part, message.is_leased, message.was_tried, message.is_by_hand, is_told}, next,
                settings_);
            if (way == storm::Way::awaited) return false;
            if (way == storm::Way::overtaken) overtaken.push_back(&message);
        }
        for (auto* message : overtaken) {
            message->state = "overtaken";
            if (!message->is_by_hand) group_.told -= message->counts;
        }
        return true;
    }

    void tell(storm::Part part) {
        const auto name = "group:" + std::to_string(number_);
        const bool repeats = settings_.repeats && part == storm::Part::digest;
        Message message;
        message.part = part;
        message.id = name + (part == storm::Part::end ? ":resolved"
                             : repeats                ? ":now"
                                                      : ":digest:" + std::to_string(++group_.digests));
        message.group = number_;
        message.counts = group_.members - group_.told;
        group_.told = group_.members;
        if (part == storm::Part::digest) group_.told_at = now_;
        std::erase_if(messages_, [&](const auto& each) { return each.id == message.id; });
        messages_.push_back(message);
    }

    storm::Turn turn_of(const Message& message) const {
        storm::Standing group;
        group.is_over = message.group != number_ || !open_;
        for (const auto& other : messages_) {
            if (other.group != message.group || other.state != "pending") continue;
            if (other.part == storm::Part::end && !other.is_taken && !other.is_leased)
                group.awaits_end = true;
            if (other.part == storm::Part::alert) group.has_alerts = true;
        }
        return storm::turn_of(message.part, group);
    }

    void take(Message& message, storm::Turn turn, std::vector<Post>& posts) const {
        if (turn == storm::Turn::later) message.is_due = false;
        if (turn == storm::Turn::overtaken) message.state = "overtaken";
        if (turn == storm::Turn::later || turn == storm::Turn::overtaken) return;
        message.is_leased = message.was_tried = true;
        const bool is_alone = turn == storm::Turn::alone;
        posts.push_back(
            {message.id, is_alone ? "" : std::to_string(message.group), message.part, message.is_by_hand});
    }

    void join(Message& message, std::vector<Post>& posts) {
        ++members_;
        group_.last_member_at = now_;
        if (open_) {
            message.state = "grouped";
            ++group_.members;
        } else {
            open_ = true;
            ++number_;
            group_ = {1, 1, 0, now_, now_};
            message.counts = 1;
            message.is_leased = message.was_tried = true;
            posts.push_back({message.id, std::to_string(number_), message.part, message.is_by_hand});
        }
        message.group = number_;
        due_at_ = storm::next_step(group_, settings_, now_).next;
    }

    storm::Settings settings_;
    base::WallTime now_{};
    std::vector<Message> messages_;
    storm::Group group_;  // the last one
    bool open_ = false;
    unsigned number_ = 0;
    base::WallTime due_at_{};
    unsigned alerts_ = 100;  // so that their ids have one length
    std::uint64_t members_ = 0;
};

}  // namespace receiptd::test
