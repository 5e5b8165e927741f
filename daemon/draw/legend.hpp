// What the marks of a picture mean. Pure.
#pragma once

#include "draw/picture.hpp"

#include <string>

namespace receiptd::draw {

// SVG of those that the picture has, in lines of at most `width` pixels. `corner`: the middle of the first
// line, at its left.
std::string legend(const Picture& picture, Point corner, int width);
// The height of all its lines, in pixels.
int legend_height(const Picture& picture, int width);

}  // namespace receiptd::draw
