// Where things stand in a picture: whatever the tree, nothing covers anything else.
#include "draw/picture.hpp"

#include "made_up.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace receiptd::draw {
namespace {

using testing::MadeUp;

struct Rectangle {
    int left;
    int top;
    int right;
    int bottom;
};

Rectangle rectangle_of(const Box& box) { return {box.x, box.y, box.x + kBoxWidth, box.y + box.height}; }

bool overlap(const Rectangle& a, const Rectangle& b) {
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

Picture picture_of(const MadeUp& made_up) { return make_picture("TX", made_up.transaction, made_up.tree); }

// Trees of every size up to 500 receipts, on no known shard, on one, on many.
std::vector<MadeUp> trees() {
    std::vector<MadeUp> all;
    for (const std::size_t receipts : {0, 1, 2, 5, 17, 60, 180, 500})
        for (const unsigned shards : {0, 1, 3, 9})
            all.emplace_back(static_cast<unsigned>(receipts + shards), receipts, shards);
    return all;
}

std::string name_of(const MadeUp& made_up) {
    return std::to_string(made_up.tree.receipts.size()) + " receipts";
}

TEST(Picture, HasABoxForEachReceiptAndNoTwoOverlap) {
    for (const auto& made_up : trees()) {
        const auto picture = picture_of(made_up);
        ASSERT_EQ(picture.boxes.size(), made_up.tree.receipts.size() + 1);
        for (std::size_t i = 0; i < picture.boxes.size(); ++i)
            for (std::size_t k = 0; k < i; ++k)
                ASSERT_FALSE(overlap(rectangle_of(picture.boxes[i]), rectangle_of(picture.boxes[k])))
                    << name_of(made_up) << ": " << picture.boxes[i].id << " and " << picture.boxes[k].id;
    }
}

TEST(Picture, HasNothingOutsideItself) {
    for (const auto& made_up : trees()) {
        const auto picture = picture_of(made_up);
        for (const auto& box : picture.boxes) {
            ASSERT_GE(box.x, 0);
            ASSERT_GE(box.y, picture.top);
            ASSERT_LE(box.x + kBoxWidth, picture.width);
            ASSERT_LE(box.y + box.height, picture.bottom);
        }
        for (const auto& line : picture.heading)
            ASSERT_LE(line.x + width_of(line.text, line.font), picture.width) << line.text;
    }
}

TEST(Picture, HasNoTextThatIsWiderThanItsBox) {
    for (const auto& made_up : trees())
        for (const auto& box : picture_of(made_up).boxes) {
            for (const auto& line : box.lines) {
                ASSERT_LE(width_of(line.text, line.font), line.room) << line.text;
                ASSERT_LE(line.x + line.room, kBoxWidth) << line.text;
                ASSERT_LT(line.y, box.height) << line.text;
            }
            for (std::size_t i = 0; i < box.chips.size(); ++i) {
                ASSERT_LE(box.chips[i].x + box.chips[i].width, i == 0 ? kBoxWidth : box.chips[i - 1].x);
                ASSERT_GE(box.chips[i].x, 0);
            }
        }
}

// From corner to corner, which lie on one line of the grid each.
TEST(Picture, HasNoArrowThatRunsThroughABox) {
    for (const auto& made_up : trees()) {
        const auto picture = picture_of(made_up);
        for (const auto& arrow : picture.arrows)
            for (std::size_t i = 1; i < arrow.points.size(); ++i) {
                const auto a = arrow.points[i - 1];
                const auto b = arrow.points[i];
                ASSERT_TRUE(a.x == b.x || a.y == b.y);
                const Rectangle line{std::min(a.x, b.x), std::min(a.y, b.y), std::max(a.x, b.x),
                                     std::max(a.y, b.y)};
                for (const auto& box : picture.boxes)
                    ASSERT_FALSE(overlap(line, rectangle_of(box)))
                        << name_of(made_up) << ": " << picture.boxes[arrow.edge.from].id << " to "
                        << picture.boxes[arrow.edge.to].id << " through " << box.id;
            }
    }
}

TEST(Picture, HasAnArrowFromAndToWhatItSays) {
    const auto picture = picture_of(MadeUp(7, 40, 3));
    ASSERT_FALSE(picture.arrows.empty());
    for (const auto& arrow : picture.arrows) {
        const auto touches = [](const Box& box, Point point) {
            return (point.x == box.x || point.x == box.x + kBoxWidth) && point.y > box.y &&
                   point.y < box.y + box.height;
        };
        EXPECT_TRUE(touches(picture.boxes[arrow.edge.from], arrow.points.front()));
        EXPECT_TRUE(touches(picture.boxes[arrow.edge.to], arrow.points.back()));
    }
}

TEST(Picture, LeavesOutTheRefundsOfAHugeTreeFirst) {
    const MadeUp huge(3, 2'500, 4);
    const auto picture = picture_of(huge);
    EXPECT_LE(picture.boxes.size(), kMostDrawn + 1);
    EXPECT_EQ(picture.left_out, huge.tree.receipts.size() + 1 - picture.boxes.size());
    EXPECT_EQ(picture.heading.back().text, std::to_string(picture.left_out) + " receipts are not drawn.");
    EXPECT_TRUE(std::none_of(picture.boxes.begin(), picture.boxes.end(),
                             [](const Box& box) { return box.look == Look::quiet; }));
}

TEST(Picture, NamesAllActionsOfABatch) {
    MadeUp made_up(1, 1, 1);
    const std::vector<std::string> actions{"CreateAccount", "Transfer", "AddKey"};
    auto& receipt = made_up.tree.receipts.front();
    made_up.transaction.action_names = receipt.action_names = actions;
    made_up.transaction.method_name = receipt.method_name = actions.front();
    receipt.predecessor_id = "alice.near";
    for (const auto& box : picture_of(made_up).boxes)
        EXPECT_NE(box.label.find("CreateAccount, Transfer, AddKey"), std::string::npos) << box.label;
}

TEST(Picture, PutsBlocksBelowOneAnotherAndTellsOfIdleOnes) {
    MadeUp made_up(1, 1, 1);
    auto& receipt = made_up.tree.receipts.front();
    receipt.executed = true;
    receipt.at = chain::ExecutedAt{made_up.tree.included_at->height + 4, 0};
    const auto picture = picture_of(made_up);
    ASSERT_EQ(picture.rows.size(), 2u);
    EXPECT_EQ(picture.rows[1].height, picture.rows[0].height + 4);
    EXPECT_EQ(picture.rows[1].idle_before, 3u);
    EXPECT_GT(picture.row_tops[1], picture.row_tops[0]);
}

TEST(Picture, HasALaneForEachShardInOrder) {
    MadeUp made_up(1, 2, 1);
    made_up.tree.included_in_shard = 7;
    made_up.tree.receipts[0].shard_id = 11;
    made_up.tree.receipts[1].shard_id = 3;
    const auto picture = picture_of(made_up);
    ASSERT_EQ(picture.bands.size(), 3u);
    EXPECT_EQ(picture.bands[0].name, "shard 3");
    EXPECT_EQ(picture.bands[1].name, "shard 7");
    EXPECT_EQ(picture.bands[2].name, "shard 11");
    EXPECT_LT(picture.boxes[2].x, picture.boxes[0].x);
    EXPECT_LT(picture.boxes[0].x, picture.boxes[1].x);
}

TEST(Picture, HasLanesOfAccountsWhereNoShardIsKnown) {
    MadeUp made_up(1, 2, 0);
    made_up.tree.receipts[0].receiver_id = "app.near";
    made_up.tree.receipts[1].receiver_id = "token.near";
    const auto picture = picture_of(made_up);
    ASSERT_EQ(picture.bands.size(), 3u);
    EXPECT_EQ(picture.bands[0].name, "alice.near");
    EXPECT_EQ(picture.bands[1].name, "app.near");
    EXPECT_EQ(picture.bands[2].name, "token.near");
}

TEST(Picture, PutsAReceiptOfAnUnknownShardToOthersOfItsAccount) {
    MadeUp made_up(1, 2, 1);
    made_up.tree.included_in_shard = 0;
    made_up.tree.receipts[0].receiver_id = made_up.tree.receipts[1].receiver_id = "app.near";
    made_up.tree.receipts[0].shard_id = 1;
    made_up.tree.receipts[1].shard_id.reset();
    const auto picture = picture_of(made_up);
    EXPECT_EQ(picture.boxes[2].x, picture.boxes[1].x);
    EXPECT_EQ(picture.bands.size(), 2u);
}

}  // namespace
}  // namespace receiptd::draw
