// The small parts of a picture as SVG. Pure.
#pragma once

#include "draw/boxes.hpp"
#include "draw/picture.hpp"

#include <string>
#include <vector>

namespace receiptd::draw {

std::string text_mark(const TextLine& line);
std::string chip_mark(const Chip& chip);
// The frame of a box with its icon, from the box's corner.
std::string frame_mark(const Box& box);
// The icon alone; its place is that of its upper left corner, it is 12 pixels wide and high.
std::string icon_mark(Look look, Point place);
// A line with round corners and a head at its end.
std::string arrow_mark(const std::vector<Point>& points);

}  // namespace receiptd::draw
