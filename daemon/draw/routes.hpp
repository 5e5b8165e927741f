// Ways for edges that touch no box: down the gutters between columns, along the channels above rows. Edges
// that belong together share a track, others run side by side. Pure.
#pragma once

#include "draw/edges.hpp"

#include <cstddef>
#include <vector>

namespace receiptd::draw {

// A box on the grid. Column c stands between the gutters c and c + 1; channel r lies above row r.
struct Station {
    std::size_t row = 0;
    std::size_t column = 0;
    int offset = 0;  // from the top of its row
    int height = 0;
};

struct Way {
    bool leaves_right = false;  // the side of the box that it begins at
    bool enters_right = false;
    int leaves_at = 0;  // pixels from the top of its box
    int enters_at = 0;
    std::size_t out_gutter = 0;
    std::size_t in_gutter = 0;  // the same: it needs no channel
    std::size_t out_track = 0;
    std::size_t in_track = 0;
    std::size_t channel = 0;  // a row
    std::size_t channel_track = 0;
};

struct Routes {
    std::vector<Way> ways;              // as the edges
    std::vector<std::size_t> gutters;   // tracks of each: one more than there are columns
    std::vector<std::size_t> channels;  // tracks above each row
};

// `row_heights`: without their channels.
Routes make_routes(const std::vector<Edge>& edges, const std::vector<Station>& stations,
                   const std::vector<int>& row_heights, std::size_t columns);

}  // namespace receiptd::draw
