// A judged tree as a picture that stands alone: lanes for shards, rows for blocks, boxes for receipts. Pure:
// the same tree gives the same bytes.
#pragma once

#include "chain/tree/judgement.hpp"

#include <optional>
#include <string>

namespace receiptd::draw {

struct SvgOptions {
    // Each box is a link to this and its receipt's id; the transaction's has the hash. Empty: no links.
    std::string link_prefix = {};
    // For the text of an HTML page, which has style() in its style sheet and tells the story itself: without
    // declaration, style and story.
    bool within_page = false;
};

// UTF-8. Boxes are <g class="rt-receipt" id="rt-ID" data-receipt="ID">, edges <g class="rt-edge"
// data-from="ID" data-to="ID">. Whatever the chain's texts hold: well-formed, and nothing in it runs.
std::string tree_svg(const std::string& tx_hash, const std::optional<chain::TransactionFacts>& transaction,
                     const chain::Judgement& tree, const SvgOptions& options = {});

}  // namespace receiptd::draw
