#include "sandbox/replay/run_links.hpp"

#include "sandbox/replay/id_shift.hpp"
#include "sandbox/replay/lineage_items.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <unordered_set>
#include <utility>

namespace receiptd::sandbox {

namespace {

constexpr std::array kCalls{ReceiptKind::detached, ReceiptKind::initial};
constexpr std::array kAnything{ReceiptKind::callback, ReceiptKind::promise, ReceiptKind::detached,
                               ReceiptKind::initial, ReceiptKind::refund};

class Linker {
public:
    explicit Linker(const std::vector<std::string_view>& recorded)
        : round_(recorded.size()), found_(read_lineage(recorded)), states_(found_.items.size()) {
        links_.blocks.resize(round_);
        waiting_.resize(round_);
        for (std::size_t i = 0; i < found_.items.size(); ++i) {
            const auto& item = found_.items[i];
            if (!item.is_transaction) executed_.try_emplace(item.id, i);
            for (const auto id : item.makes) made_.try_emplace(id, i);
            ++(item.is_transaction ? links_.counts.transactions : links_.counts.receipts);
        }
    }

    RunLinks link() {
        keep_recorded_links();
        for (std::size_t i = 0; i < found_.items.size(); ++i) {
            const auto& item = found_.items[i];
            if (item.is_transaction)
                place(i, i, 0);
            else if (!states_[i].parent && is_shiftable(item.id))
                waiting_[item.slot][index(item.kind)].push_back(i);
        }
        match();
        link_unawaited_data();
        write_links();
        return std::move(links_);
    }

private:
    struct State {
        std::optional<std::size_t> parent;  // announcement
        std::optional<std::size_t> root;    // transaction
        std::size_t root_distance = 0;      // blocks since it
    };

    static std::size_t index(ReceiptKind kind) { return static_cast<std::size_t>(kind); }

    void keep_recorded_links() {
        for (std::size_t i = 0; i < found_.announcements.size(); ++i) {
            auto& announced = found_.announcements[i];
            const auto child = executed_.find(announced.id);
            if (child == executed_.end() || states_[child->second].parent) continue;
            if (found_.items[child->second].slot < found_.items[announced.parent].slot) continue;
            announced.child = child->second;
            states_[child->second].parent = i;
            ++links_.counts.recorded;
        }
    }

    // The item hangs on the transaction, and with it all that the recording hangs on the item.
    void place(std::size_t item, std::size_t root, std::size_t root_distance) {
        states_[item].root = root;
        states_[item].root_distance = root_distance;
        for (std::deque<std::size_t> to_place{item}; !to_place.empty(); to_place.pop_front()) {
            const auto parent = to_place.front();
            const auto& [first, count] = found_.items[parent].announcements;
            for (std::size_t a = first; a < first + count; ++a) {
                const auto child = found_.announcements[a].child;
                if (!child) {
                    open_.push_back(a);
                    continue;
                }
                const auto distance = found_.items[*child].slot - found_.items[parent].slot;
                states_[*child].root = root;
                states_[*child].root_distance = states_[parent].root_distance + distance;
                to_place.push_back(*child);
            }
        }
    }

    void match() {
        std::vector<std::size_t> left;
        for (bool any_kind = false;; any_kind = true) {
            for (; !open_.empty(); open_.pop_front())
                if (!match(open_.front())) left.push_back(open_.front());
            if (!any_kind) continue;
            // Calls before refunds: they announce more.
            std::stable_sort(left.begin(), left.end(), [this](std::size_t a, std::size_t b) {
                return urgency(found_.announcements[a]) < urgency(found_.announcements[b]);
            });
            const auto kept = std::find_if(left.begin(), left.end(), [this](std::size_t a) {
                return take(a, kAnything, 1).has_value();
            });
            if (kept == left.end()) break;
            left.erase(kept);
        }
        unmatched_ = std::move(left);
    }

    static int urgency(const Announcement& announced) {
        if (announced.named_by_status) return 0;
        return announced.expected == ReceiptKind::refund ? 2 : 1;
    }

    bool match(std::size_t a) {
        const auto& announced = found_.announcements[a];
        switch (announced.expected) {
            case ReceiptKind::detached: return take(a, kCalls, 1).has_value();
            case ReceiptKind::callback: return match_callback(a);
            default: return take(a, std::array{announced.expected}, 1).has_value();
        }
    }

    // Stands behind the promise whose data it awaits.
    bool match_callback(std::size_t a) {
        const auto promise = found_.announcements[a - 1].child;
        if (!promise || found_.items[*promise].makes.empty()) return take(a, kCalls, 1).has_value();
        const auto before =
            states_[*promise].root_distance - states_[found_.announcements[a].parent].root_distance;
        const std::array callback{ReceiptKind::callback};
        auto child = take(a, callback, before + 1, [this](std::size_t i) { return lists_its_data(i); });
        if (!child) child = take(a, callback, before + 1);
        if (!child) return false;
        give_data(*promise, *child);
        return true;
    }

    bool lists_its_data(std::size_t callback) const {
        const auto& item = found_.items[callback];
        const auto listed = found_.data_listed.find(item.awaits.front());
        return listed != found_.data_listed.end() && listed->second == item.slot &&
               !made_.contains(item.awaits.front());
    }

    void give_data(std::size_t promise, std::size_t callback) {
        const auto& item = found_.items[callback];
        if (made_.contains(item.awaits.front())) return;
        const auto distance = states_[callback].root_distance - states_[promise].root_distance;
        const auto made = found_.items[promise].makes.front();
        stand_for(item.slot, item.awaits.front(), made, distance);
        if (lists_its_data(callback)) listed_.insert(made);
    }

    // Data for a callback that no recorded block executes is that of a promise whose data none lists.
    void link_unawaited_data() {
        for (const auto& [id, slot] : found_.data_listed) {
            if (made_.contains(id) || !is_shiftable(id) || links_.blocks[slot].ids.contains(id)) continue;
            for (std::size_t distance = 1; distance <= round_; ++distance)
                if (link_unawaited_data(id, slot, distance)) break;
        }
    }

    bool link_unawaited_data(std::string_view id, std::size_t slot, std::size_t distance) {
        for (const auto& item : found_.items) {
            if ((item.slot + distance) % round_ != slot || item.makes.empty()) continue;
            const auto made = item.makes.front();
            if (found_.data_listed.contains(made) || !listed_.insert(made).second) continue;
            stand_for(slot, id, made, distance);
            return true;
        }
        return false;
    }

    void stand_for(std::size_t slot, std::string_view id, std::string_view other, std::size_t distance) {
        links_.blocks[slot].ids.insert_or_assign(
            id, RunId{std::string(other), rounds_between(slot, distance, round_)});
    }

    struct Any {
        bool operator()(std::size_t) const { return true; }
    };

    // The nearest waiting receipt of these kinds, at least that many blocks on, takes the announced id.
    template <std::size_t Count, class Accepts = Any>
    std::optional<std::size_t> take(std::size_t a, const std::array<ReceiptKind, Count>& kinds,
                                    std::size_t from, const Accepts& accepts = {}) {
        auto& announced = found_.announcements[a];
        if (!is_shiftable(announced.id)) return std::nullopt;
        const auto slot = found_.items[announced.parent].slot;
        for (std::size_t distance = from; distance < from + round_; ++distance) {
            const auto at = (slot + distance) % round_;
            for (const auto kind : kinds) {
                auto& waiting = waiting_[at][index(kind)];
                const auto child = std::find_if(waiting.begin(), waiting.end(), accepts);
                if (child == waiting.end()) continue;
                const auto taken = *child;
                waiting.erase(child);
                hang(a, taken, distance);
                return taken;
            }
        }
        return std::nullopt;
    }

    void hang(std::size_t a, std::size_t child, std::size_t distance) {
        auto& announced = found_.announcements[a];
        const auto& parent = states_[announced.parent];
        announced.child = child;
        states_[child].parent = a;
        ++links_.counts.linked;
        stand_for(found_.items[child].slot, found_.items[child].id, announced.id, distance);
        place(child, *parent.root, parent.root_distance + distance);
    }

    void write_links() {
        for (std::size_t i = 0; i < found_.items.size(); ++i) {
            const auto& item = found_.items[i];
            const auto& state = states_[i];
            if (item.is_transaction) continue;
            if (!state.parent) ++links_.counts.orphans;
            if (!state.root || !is_shiftable(item.tx_hash)) continue;
            links_.blocks[item.slot].transaction_of.emplace(
                item.tx_hash.data(), RunId{std::string(found_.items[*state.root].id),
                                           rounds_between(item.slot, state.root_distance, round_)});
        }
        std::vector<bool> drops(found_.announcements.size());
        for (const auto a : unmatched_) {
            const auto& announced = found_.announcements[a];
            drops[a] = !announced.named_by_status && announced.expected != ReceiptKind::initial;
            ++(drops[a] ? links_.counts.dropped : links_.counts.open);
        }
        for (const auto& item : found_.items) drop(item, drops);
    }

    // Together with the comma that parts it from its neighbour.
    void drop(const LineageItem& item, const std::vector<bool>& drops) {
        const char* end_of_kept = nullptr;
        const auto end = item.announcements.first + item.announcements.count;
        for (auto a = item.announcements.first; a < end; ++a) {
            const auto element = found_.announcements[a].element;
            const char* from = element.data();
            const char* to = from + element.size();
            if (!drops[a]) {
                end_of_kept = to;
                continue;
            }
            if (end_of_kept != nullptr)
                from = std::exchange(end_of_kept, to);
            else if (a + 1 < end)
                to = found_.announcements[a + 1].element.data();
            links_.blocks[item.slot].drops.emplace(
                found_.announcements[a].id.data(),
                std::string_view(from, static_cast<std::size_t>(to - from)));
        }
    }

    std::size_t round_;
    LineageItems found_;
    std::vector<State> states_;
    std::unordered_map<std::string_view, std::size_t> executed_;  // by receipt id
    std::unordered_map<std::string_view, std::size_t> made_;      // by data id: who makes it
    std::vector<std::array<std::deque<std::size_t>, kReceiptKinds>>
        waiting_;                                  // by slot: items without parent
    std::unordered_set<std::string_view> listed_;  // data ids that a linked block lists
    std::deque<std::size_t> open_;                 // announcements whose parent hangs on a transaction
    std::vector<std::size_t> unmatched_;           // announcements that no receipt took
    RunLinks links_;
};

}  // namespace

RunLinks link_run(const std::vector<std::string_view>& recorded) { return Linker(recorded).link(); }

unsigned rounds_between(std::size_t slot, std::size_t distance, std::size_t round) {
    return distance <= slot ? 0 : static_cast<unsigned>((distance - slot + round - 1) / round);
}

}  // namespace receiptd::sandbox
