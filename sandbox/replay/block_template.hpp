// One recorded whole block, prepared so that it can be produced again and again under new heights,
// hashes, ids and times: a copy of the text and a few thousand patches in place.
//
// Replaced are: every string that is one of the block's own ids (its hash, chunk hashes,
// transaction hashes, receipt ids, data ids), wherever it stands; prev_hash and last_final_block;
// heights; times; the names of accounts that come once (passers_by.hpp), where they are a string of their
// own or one in the JSON of a log. Ids of what other blocks of the run brought up are put in
// (run_links.hpp). Proofs, roots, keys, signatures and arguments in base64 stay as recorded.
#pragma once

#include "sandbox/replay/id_shift.hpp"
#include "sandbox/replay/passers_by.hpp"
#include "sandbox/replay/run_links.hpp"
#include "sandbox/replay/whole_block_layout.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::sandbox {

// The values that one production of a template replaces.
struct Production {
    base::Height height = 0;
    std::uint64_t timestamp_nanosec = 0;  // 19 digits
    std::int64_t shift = 0;               // k of id_shift.hpp for the ids of this round
};

class BlockTemplate {
public:
    // `parent` and `grandparent` are the hashes of the blocks 1 and 2 before it in the run; no produced
    // height has more than `height_digits` digits. Throws std::invalid_argument on a text without the
    // members it needs.
    BlockTemplate(std::string_view recorded, const RunId& parent, const RunId& grandparent,
                  const BlockLinks& links, const Accounts& passers_by, unsigned height_digits);

    // The positions of the parts in every produced text. Its ids are the recorded ones, its height is not
    // set.
    const WholeBlockLayout& layout() const { return layout_; }
    // `block`: empty, or an earlier production of this template, in which only the patches are written.
    void produce(const Production& production, std::string& block) const;

private:
    // The changing characters of an id or a name are worked out once for each production, and then written to
    // all its places.
    struct IdGroup {
        std::array<char, kShiftDigits> recorded{};
        std::uint32_t rounds_back = 0;
    };
    struct AccountGroup {
        std::array<char, NameGroup::kMost> recorded{};
        NameGroup form;
    };
    struct Place {
        std::uint32_t offset = 0;
        std::uint32_t group = 0;  // index
    };
    struct NumberPatch {
        std::uint32_t offset = 0;
        std::uint32_t width = 0;
        std::int64_t below = 0;  // the number written is height - below
    };

    struct Edit;
    static std::vector<Edit> id_edits(std::string_view recorded, const WholeBlockLayout& original,
                                      const RunId& parent, const RunId& grandparent, const BlockLinks& links);
    static void collect_names(std::vector<Edit>& edits, std::string_view recorded,
                              const Accounts& passers_by);
    void collect_numbers(std::vector<Edit>& edits, std::string_view recorded, unsigned width) const;
    void apply(std::vector<Edit> edits, std::string_view recorded);
    void add_places(const std::vector<Edit>& edits, const std::vector<std::uint32_t>& offsets);

    std::string text_;
    std::vector<IdGroup> ids_;
    std::vector<AccountGroup> accounts_;
    std::vector<Place> id_places_, account_places_;
    unsigned most_rounds_back_ = 0;
    std::vector<NumberPatch> numbers_;
    std::vector<std::uint32_t> times_;
    WholeBlockLayout layout_;
};

}  // namespace receiptd::sandbox
