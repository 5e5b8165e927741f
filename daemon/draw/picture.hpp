// A tree's picture with every place in pixels, before it is written down. Pure.
#pragma once

#include "draw/boxes.hpp"
#include "draw/edges.hpp"
#include "draw/grid.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace receiptd::draw {

struct Point {
    int x = 0;
    int y = 0;
    friend bool operator==(const Point&, const Point&) = default;
};

struct Arrow {
    Edge edge;
    std::vector<Point> points;  // corners; the last one touches the box
};

struct Band {  // of a lane
    std::string name;
    int x = 0;
    int width = 0;
};

struct Picture {
    int width = 0;
    int height = 0;
    std::vector<TextLine> heading;  // from the picture's corner
    std::vector<Box> boxes;         // the transaction first
    std::vector<Arrow> arrows;
    std::vector<Band> bands;
    std::vector<Row> rows;
    std::vector<int> row_lines;  // where each begins, with room for arrows above its boxes
    std::vector<int> row_tops;   // where its boxes begin
    int top = 0;                 // of the lanes
    int bottom = 0;
    std::size_t left_out = 0;  // receipts that are not drawn
    std::string title;         // the first sentence of the transaction's story
    std::string description;   // the others
};

// Receipts that are drawn; of a larger tree refunds are left out first, then the last ones.
inline constexpr std::size_t kMostDrawn = 2'000;

// `with_story`: what happened stands in words above the lanes.
Picture make_picture(const std::string& tx_hash, const std::optional<chain::TransactionFacts>& transaction,
                     const chain::Judgement& tree, bool with_story = true);

}  // namespace receiptd::draw
