#include "sandbox/replay/block_template.hpp"

#include "sandbox/gateway/json_text.hpp"
#include "sandbox/replay/id_shift.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <stdexcept>
#include <unordered_set>

namespace receiptd::sandbox {

namespace {

using json_text::elements;
using json_text::is_array;
using json_text::is_object;
using json_text::is_string;
using json_text::member;
using json_text::require;
using json_text::string_body;

constexpr std::uint32_t kTimeDigits = 19;

using IdSet = std::unordered_set<std::string_view>;

void add_id(IdSet& ids, std::string_view value) {
    const auto id = string_body(value);
    if (is_shiftable(id)) ids.insert(id);
}

bool names_an_id(std::string_view name) {
    return name == "id" || name == "receipt_id" || name == "data_id" || name == "chunk_hash" ||
           name == "SuccessReceiptId" || name == "tx_hash" || name == "receipt_hash";
}

bool names_ids(std::string_view name) { return name == "receipt_ids" || name == "input_data_ids"; }

IdSet block_ids(std::string_view recorded, const WholeBlockLayout& layout) {
    IdSet ids;
    json_text::for_each_member(recorded, [&ids](std::string_view name, std::string_view value) {
        if (is_string(value) && names_an_id(name)) add_id(ids, value);
        if (is_array(value) && names_ids(name))
            for (const auto element : elements(value)) add_id(ids, element);
    });
    for (const auto& shard : layout.shards) {
        for (const auto& transaction : shard.transactions)
            add_id(ids, require(transaction.transaction.in(recorded), "hash"));
    }
    add_id(ids, require(require(require(recorded, "block"), "header"), "hash"));
    return ids;
}

void write_right_aligned(char* slot, std::size_t width, std::uint64_t number) {
    for (std::size_t i = width; i-- > 0; number /= 10)
        slot[i] = number != 0 || i + 1 == width ? static_cast<char>('0' + number % 10) : ' ';
}

}  // namespace

// A piece of the recorded text that gives way to `text` and is patched in each production.
struct BlockTemplate::Edit {
    enum class Kind { id, drop, name, height, time };
    Kind kind = Kind::id;
    std::string_view old;  // into the recorded text
    std::string text;
    std::uint32_t rounds_back = 0;
    std::int64_t below = 0;
};

BlockTemplate::BlockTemplate(std::string_view recorded, const RunId& parent, const RunId& grandparent,
                             const BlockLinks& links, const Accounts& passers_by, unsigned height_digits) {
    const WholeBlockLayout original = read_layout(recorded);
    auto edits = id_edits(recorded, original, parent, grandparent, links);
    collect_names(edits, recorded, passers_by);
    collect_numbers(edits, recorded, height_digits);
    apply(std::move(edits), recorded);
    layout_ = read_layout(text_);
}

std::vector<BlockTemplate::Edit> BlockTemplate::id_edits(std::string_view recorded,
                                                         const WholeBlockLayout& original,
                                                         const RunId& parent, const RunId& grandparent,
                                                         const BlockLinks& links) {
    const IdSet ids = block_ids(recorded, original);
    const auto header = require(require(recorded, "block"), "header");
    const auto last_final = string_body(require(header, "last_final_block"));
    std::vector<Edit> edits;
    const auto put = [&](std::string_view body, const RunId& id) {
        edits.push_back({Edit::Kind::id, body, id.recorded, id.rounds_back, 0});
    };
    json_text::for_each_string(recorded, [&](std::string_view body) {
        if (body.data() == last_final.data()) return put(body, grandparent);
        if (body == original.prev_hash) return put(body, parent);
        if (const auto drop = links.drops.find(body.data()); drop != links.drops.end()) {
            edits.push_back({Edit::Kind::drop, drop->second, {}, 0, 0});
            return;
        }
        if (!ids.contains(body)) return;
        if (const auto hash = links.transaction_of.find(body.data()); hash != links.transaction_of.end())
            put(body, hash->second);
        else if (const auto linked = links.ids.find(body); linked != links.ids.end())
            put(body, linked->second);
        else
            put(body, {std::string(body), 0});
    });
    return edits;
}

void BlockTemplate::collect_names(std::vector<Edit>& edits, std::string_view recorded,
                                  const Accounts& passers_by) {
    constexpr std::string_view kQuote = "\\\"";
    const auto take = [&](std::string_view name) {
        if (passers_by.contains(name)) edits.push_back({Edit::Kind::name, name, std::string(name), 0, 0});
    };
    json_text::for_each_string(recorded, [&](std::string_view body) {
        take(body);
        for (auto at = body.find(kQuote); at != std::string_view::npos;) {
            const auto begin = at + kQuote.size();
            at = body.find(kQuote, begin);
            if (at != std::string_view::npos) take(body.substr(begin, at - begin));
        }
    });
}

void BlockTemplate::collect_numbers(std::vector<Edit>& edits, std::string_view recorded,
                                    unsigned width) const {
    const auto block = require(recorded, "block");
    const auto header = require(block, "header");
    const std::uint64_t height = json_text::number(require(header, "height")).value_or(0);
    const auto add_height = [&](std::string_view object, std::string_view name, std::uint64_t reference) {
        const auto value = member(object, name);
        const auto number = value ? json_text::number(*value) : std::nullopt;
        if (!number) return;  // null or absent in very old recordings
        const auto below = static_cast<std::int64_t>(reference) - static_cast<std::int64_t>(*number);
        edits.push_back({Edit::Kind::height, *value, std::string(width, ' '), 0, below});
    };
    const auto add_chunk = [&](std::string_view chunk_header) {
        add_height(chunk_header, "height_created", height);
        add_height(chunk_header, "height_included", height);
    };
    add_height(header, "height", height);
    if (const auto prev = member(header, "prev_height"); prev && json_text::number(*prev))
        edits.push_back({Edit::Kind::height, *prev, std::string(width, ' '), 0, 1});  // no skips in a run
    if (const auto chunks = member(block, "chunks"); chunks && is_array(*chunks)) {
        for (const auto chunk_header : elements(*chunks)) add_chunk(chunk_header);
    }
    for (const auto shard : elements(require(recorded, "shards"))) {
        if (const auto chunk = member(shard, "chunk"); chunk && is_object(*chunk))
            add_chunk(require(*chunk, "header"));
    }
    edits.push_back({Edit::Kind::time, require(header, "timestamp"), std::string(kTimeDigits, '0'), 0, 0});
    if (const auto exact = member(header, "timestamp_nanosec"); exact && is_string(*exact))
        edits.push_back({Edit::Kind::time, string_body(*exact), std::string(kTimeDigits, '0'), 0, 0});
}

void BlockTemplate::apply(std::vector<Edit> edits, std::string_view recorded) {
    std::sort(edits.begin(), edits.end(),
              [](const Edit& a, const Edit& b) { return a.old.data() < b.old.data(); });
    const char* from = recorded.data();
    text_.reserve(recorded.size() + 64 * edits.size());
    std::vector<std::uint32_t> offsets;
    for (const auto& edit : edits) {
        text_.append(from, edit.old.data());
        offsets.push_back(static_cast<std::uint32_t>(text_.size()));
        text_.append(edit.text);
        from = edit.old.data() + edit.old.size();
    }
    text_.append(from, recorded.data() + recorded.size());
    text_.shrink_to_fit();
    add_places(edits, offsets);
    // Numbers must be readable before the first production, for the layout.
    for (const auto& patch : numbers_) write_right_aligned(text_.data() + patch.offset, patch.width, 0);
}

void BlockTemplate::add_places(const std::vector<Edit>& edits, const std::vector<std::uint32_t>& offsets) {
    const auto add = [](auto& known, auto& groups, auto& places, auto key, auto group, std::size_t offset) {
        const auto [found, is_new] = known.try_emplace(key, static_cast<std::uint32_t>(groups.size()));
        places.push_back({static_cast<std::uint32_t>(offset), found->second});
        if (is_new) groups.push_back(group);
    };
    std::map<std::pair<std::string_view, std::uint32_t>, std::uint32_t> known_ids;
    std::map<std::string_view, std::uint32_t> known_accounts;
    for (std::size_t i = 0; i < edits.size(); ++i) {
        const auto& edit = edits[i];
        switch (edit.kind) {
            case Edit::Kind::id: {
                if (!is_shiftable(edit.text)) break;
                IdGroup group{{}, edit.rounds_back};
                const auto within = shift_offset(edit.text);
                edit.text.copy(group.recorded.data(), kShiftDigits, within);
                add(known_ids, ids_, id_places_, std::pair(std::string_view(edit.text), edit.rounds_back),
                    group, offsets[i] + within);
                most_rounds_back_ = std::max(most_rounds_back_, edit.rounds_back);
                break;
            }
            case Edit::Kind::name: {
                AccountGroup group{{}, name_group(edit.text)};
                edit.text.copy(group.recorded.data(), group.form.size, group.form.offset);
                add(known_accounts, accounts_, account_places_, std::string_view(edit.text), group,
                    offsets[i] + group.form.offset);
                break;
            }
            case Edit::Kind::drop: break;
            case Edit::Kind::height:
                numbers_.push_back({offsets[i], static_cast<std::uint32_t>(edit.text.size()), edit.below});
                break;
            case Edit::Kind::time: times_.push_back(offsets[i]); break;
        }
    }
}

void BlockTemplate::produce(const Production& production, std::string& block) const {
    std::vector<IdShift> shifts;
    for (unsigned back = 0; back <= most_rounds_back_; ++back) shifts.emplace_back(production.shift - back);
    if (block.empty()) block = text_;
    std::vector<std::array<char, kShiftDigits>> ids(ids_.size());
    for (std::size_t i = 0; i < ids_.size(); ++i)
        shifts[ids_[i].rounds_back].apply(ids_[i].recorded.data(), ids[i].data());
    for (const auto& place : id_places_)
        std::memcpy(block.data() + place.offset, ids[place.group].data(), kShiftDigits);
    const NameShift shift(production.shift);
    std::vector<std::array<char, NameGroup::kMost>> accounts(accounts_.size());
    for (std::size_t i = 0; i < accounts_.size(); ++i)
        shift.apply(accounts_[i].form, accounts_[i].recorded.data(), accounts[i].data());
    for (const auto& place : account_places_)
        std::memcpy(block.data() + place.offset, accounts[place.group].data(),
                    accounts_[place.group].form.size);
    for (const auto& patch : numbers_) {
        const auto number = static_cast<std::int64_t>(production.height) - patch.below;
        write_right_aligned(block.data() + patch.offset, patch.width,
                            static_cast<std::uint64_t>(std::max<std::int64_t>(0, number)));
    }
    for (const auto offset : times_)
        write_right_aligned(block.data() + offset, kTimeDigits, production.timestamp_nanosec);
}

}  // namespace receiptd::sandbox
