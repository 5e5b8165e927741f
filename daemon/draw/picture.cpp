#include "draw/picture.hpp"

#include "chain/tree/sentences.hpp"
#include "draw/legend.hpp"
#include "draw/routes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace receiptd::draw {
namespace {

using chain::JudgedReceipt;
using Receipts = std::vector<const JudgedReceipt*>;

constexpr int kMargin = 24;
constexpr int kAxisWidth = 84;
constexpr int kLeastWidth = 680;
constexpr int kLaneHeader = 30;
constexpr int kStackGap = 14;  // between boxes of one cell
constexpr int kLowGap = 6;     // the same below a refund
constexpr int kRowGap = 12;
constexpr int kLeastRow = 36;  // what stands on the axis: height and time
constexpr int kIdleGap = 26;   // more above a row that has idle blocks before it
constexpr int kTrack = 7;
constexpr int kGutterPad = 16;  // between a box and the first track
constexpr int kNarrowGutter = 20;
constexpr int kChannelPad = 12;
constexpr int kLegendPad = 8;
constexpr std::size_t kMostColumns = 4;  // of a lane
constexpr int kWantedStack = 1'080;  // pixels of boxes above one another before a lane gets another column

// Boxes of one lane and one row, in columns of about the same height.
struct Cell {
    std::vector<std::size_t> boxes;
    int height = 0;  // all of them
};

class Drawing {
public:
    Drawing(const std::string& tx_hash, const std::optional<chain::TransactionFacts>& transaction,
            const chain::Judgement& tree, const Receipts& receipts, bool with_story)
        : transaction_(transaction),
          tree_(tree),
          with_story_(with_story),
          grid_(make_grid(transaction, tree, receipts)) {
        picture_.left_out = tree.receipts.size() - receipts.size();
        picture_.boxes.push_back(transaction_box(tx_hash, transaction, tree));
        places_.push_back(grid_.transaction);
        for (std::size_t i = 0; i < receipts.size(); ++i) {
            picture_.boxes.push_back(receipt_box(*receipts[i], tree));
            places_.push_back(grid_.receipts[i]);
        }
        edges_ = edges_of(tree, receipts);
    }

    Picture picture() {
        fill_cells();
        routes_ = make_routes(edges_, stations_, row_heights_, lane_of_column_.size());
        place_columns();
        write_heading();
        place_rows();
        place_boxes();
        for (std::size_t i = 0; i < edges_.size(); ++i) picture_.arrows.push_back(arrow(i));
        picture_.rows = grid_.rows;
        const int legend = legend_height(picture_, picture_.width - 2 * kMargin);
        picture_.height = picture_.bottom + legend + kLegendPad + kMargin;
        return std::move(picture_);
    }

private:
    // --- Which box stands in which column, and how far below the top of its row ---

    void fill_cells() {
        std::vector<std::vector<Cell>> cells(grid_.rows.size(), std::vector<Cell>(grid_.lanes.size()));
        for (std::size_t i = 0; i < places_.size(); ++i) {
            auto& cell = cells[places_[i].row][places_[i].lane];
            cell.boxes.push_back(i);
            cell.height += picture_.boxes[i].height + gap_below(i);
        }
        stations_.resize(places_.size());
        row_heights_.assign(grid_.rows.size(), kLeastRow);
        for (std::size_t lane = 0; lane < grid_.lanes.size(); ++lane) {
            int tallest = 0;
            for (const auto& row : cells) tallest = std::max(tallest, row[lane].height);
            const auto wanted = static_cast<std::size_t>((tallest + kWantedStack - 1) / kWantedStack);
            const auto columns = std::clamp<std::size_t>(wanted, 1, kMostColumns);
            for (std::size_t row = 0; row < cells.size(); ++row) fill(cells[row][lane], row, columns);
            lane_of_column_.resize(lane_of_column_.size() + columns, lane);
        }
    }

    // One column after the other; refunds, which are low, come after the rest.
    void fill(Cell& cell, std::size_t row, std::size_t columns) {
        std::stable_partition(cell.boxes.begin(), cell.boxes.end(),
                              [&](std::size_t i) { return !is_low(i); });
        const int share = cell.height / static_cast<int>(columns);
        std::size_t column = 0;
        int offset = 0;
        for (const auto i : cell.boxes) {
            const int height = picture_.boxes[i].height;
            if (offset > 0 && offset + height / 2 > share && column + 1 < columns) {
                ++column;
                offset = 0;
            }
            stations_[i] = {row, lane_of_column_.size() + column, offset, height};
            row_heights_[row] = std::max(row_heights_[row], offset + height);
            offset += height + gap_below(i);
        }
    }
    int gap_below(std::size_t box) const { return is_low(box) ? kLowGap : kStackGap; }
    bool is_low(std::size_t box) const { return picture_.boxes[box].height == kLowHeight; }

    // --- Pixels ---

    int gutter_width(std::size_t gutter) const {
        const auto tracks = static_cast<int>(routes_.gutters[gutter]);
        return tracks == 0 ? kNarrowGutter : 2 * kGutterPad + (tracks - 1) * kTrack;
    }
    int channel_height(std::size_t row) const {
        const auto tracks = static_cast<int>(routes_.channels[row]);
        return tracks == 0 ? kChannelPad : 2 * kChannelPad + (tracks - 1) * kTrack;
    }

    void place_columns() {
        int x = kMargin + kAxisWidth;
        for (std::size_t column = 0; column < lane_of_column_.size(); ++column) {
            gutter_x_.push_back(x);
            x += gutter_width(column);
            column_x_.push_back(x);
            x += kBoxWidth;
        }
        gutter_x_.push_back(x);
        x += gutter_width(lane_of_column_.size());
        picture_.width = std::max(x + kMargin, kLeastWidth);
        for (std::size_t column = 0; column < lane_of_column_.size(); ++column) {
            const auto lane = lane_of_column_[column];
            const bool first = column == 0 || lane_of_column_[column - 1] != lane;
            const bool last = column + 1 == lane_of_column_.size() || lane_of_column_[column + 1] != lane;
            if (first) picture_.bands.push_back({grid_.lanes[lane].name, border(column), 0});
            if (last) picture_.bands.back().width = border(column + 1) - picture_.bands.back().x;
        }
    }
    // Between two lanes, in the middle of their gutter.
    int border(std::size_t gutter) const {
        if (gutter == 0) return gutter_x_[0];
        const bool outermost = gutter == lane_of_column_.size();
        return gutter_x_[gutter] + (outermost ? gutter_width(gutter) : gutter_width(gutter) / 2);
    }

    void write_heading() {
        constexpr Font kHeadline{Face::bold, 17};
        constexpr Font kSentence{Face::sans, 12.5};
        const auto sentences = chain::sentences_of(transaction_, tree_);
        const int room = std::min(picture_.width - 2 * kMargin, 1'000);
        int y = kMargin - 4;
        const auto write = [&](const std::string& text, Font font, int step, std::string_view style,
                               std::size_t most) {
            for (auto& line : wrapped(text, room, font, most))
                picture_.heading.push_back({kMargin, y += step, room, font, style, std::move(line)});
        };
        if (with_story_) {
            write(sentences.headline, kHeadline, 23, "rt-headline", 2);
            y += 4;
            for (const auto& cause : sentences.causes) write(cause, kSentence, 18, "rt-cause", 3);
            for (const auto& money : sentences.money) write(money, kSentence, 18, "rt-money", 2);
        }
        if (picture_.left_out > 0)
            write(std::to_string(picture_.left_out) + " receipts are not drawn.", kSentence, 18, "rt-note",
                  1);
        picture_.top = picture_.heading.empty() ? kMargin / 2 : y + 22;
        picture_.title = sentences.headline;
        for (const auto* group : {&sentences.causes, &sentences.money})
            for (const auto& sentence : *group)
                picture_.description += (picture_.description.empty() ? "" : " ") + sentence;
    }

    void place_rows() {
        int y = picture_.top + kLaneHeader;
        for (std::size_t row = 0; row < grid_.rows.size(); ++row) {
            if (grid_.rows[row].idle_before > 0) y += kIdleGap;
            picture_.row_lines.push_back(y);
            channel_y_.push_back(y + kChannelPad);
            y += channel_height(row);
            picture_.row_tops.push_back(y);
            y += row_heights_[row] + kRowGap;
        }
        picture_.bottom = y + kRowGap;
    }

    void place_boxes() {
        for (std::size_t i = 0; i < stations_.size(); ++i) {
            picture_.boxes[i].x = column_x_[stations_[i].column];
            picture_.boxes[i].y = picture_.row_tops[stations_[i].row] + stations_[i].offset;
        }
    }

    int track_x(std::size_t gutter, std::size_t track) const {
        return gutter_x_[gutter] + kGutterPad + static_cast<int>(track) * kTrack;
    }

    Arrow arrow(std::size_t index) const {
        const auto& edge = edges_[index];
        const auto& way = routes_.ways[index];
        const auto& from = picture_.boxes[edge.from];
        const auto& to = picture_.boxes[edge.to];
        const Point begin{from.x + (way.leaves_right ? kBoxWidth : 0), from.y + way.leaves_at};
        const Point end{to.x + (way.enters_right ? kBoxWidth : 0), to.y + way.enters_at};
        Arrow arrow{edge, {begin}};
        arrow.points.push_back({track_x(way.out_gutter, way.out_track), begin.y});
        if (way.out_gutter != way.in_gutter) {
            const int y = channel_y_[way.channel] + static_cast<int>(way.channel_track) * kTrack;
            arrow.points.push_back({arrow.points.back().x, y});
            arrow.points.push_back({track_x(way.in_gutter, way.in_track), y});
        }
        arrow.points.push_back({arrow.points.back().x, end.y});
        arrow.points.push_back(end);
        return arrow;
    }

    const std::optional<chain::TransactionFacts>& transaction_;
    const chain::Judgement& tree_;
    bool with_story_;
    Grid grid_;
    std::vector<Place> places_;  // of the boxes
    std::vector<Edge> edges_;
    std::vector<Station> stations_;
    std::vector<int> row_heights_;
    std::vector<std::size_t> lane_of_column_;
    Routes routes_;
    std::vector<int> gutter_x_;
    std::vector<int> column_x_;
    std::vector<int> channel_y_;  // of the first track
    Picture picture_;
};

Receipts drawn_receipts(const chain::Judgement& tree) {
    Receipts drawn;
    for (const auto& receipt : tree.receipts) drawn.push_back(&receipt);
    if (drawn.size() > kMostDrawn)
        std::erase_if(drawn, [](const auto* receipt) { return receipt->is_from_system(); });
    if (drawn.size() > kMostDrawn) drawn.resize(kMostDrawn);
    return drawn;
}

}  // namespace

Picture make_picture(const std::string& tx_hash, const std::optional<chain::TransactionFacts>& transaction,
                     const chain::Judgement& tree, bool with_story) {
    const auto receipts = drawn_receipts(tree);
    return Drawing(tx_hash, transaction, tree, receipts, with_story).picture();
}

}  // namespace receiptd::draw
