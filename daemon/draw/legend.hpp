// What the marks of a picture mean. Pure.
#pragma once

#include "draw/picture.hpp"

#include <string>

namespace receiptd::draw {

// SVG of those that the picture has, in lines of at most `width` pixels, from a corner on.
std::string legend(const Picture& picture, Point corner, int width);

}  // namespace receiptd::draw
