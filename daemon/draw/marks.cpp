#include "draw/marks.hpp"

#include "draw/unicode.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace receiptd::draw {
namespace {

std::string number(double value) {
    const auto tenths = std::lround(value * 10);
    auto text = std::to_string(tenths / 10);
    if (tenths % 10 != 0) text += "." + std::to_string(std::abs(tenths % 10));
    return text;
}

std::string at(Point point) { return std::to_string(point.x) + " " + std::to_string(point.y); }

int sign(int value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }

// `steps` pixels from `from` towards `to`; both lie on one line of the grid.
Point towards(Point from, Point to, int steps) {
    return {from.x + sign(to.x - from.x) * steps, from.y + sign(to.y - from.y) * steps};
}

int distance(Point a, Point b) { return std::abs(a.x - b.x) + std::abs(a.y - b.y); }

std::vector<Point> without_repeats(const std::vector<Point>& points) {
    std::vector<Point> corners;
    for (const auto point : points)
        if (corners.empty() || !(corners.back() == point)) corners.push_back(point);
    return corners;
}

std::string_view icon_path(Look look) {
    switch (look) {
        case Look::plain: return "M1.5 6.5 4.8 9.8 10.5 2.5";
        case Look::failed: return "M2.5 2.5 9.5 9.5M9.5 2.5 2.5 9.5";
        case Look::handled: return "M6 1.2 11.2 10.6H.8ZM6 4.6V7.2M6 8.9v.1";
        case Look::pending: return "M6 .9a5.1 5.1 0 1 0 0 10.2A5.1 5.1 0 1 0 6 .9M6 3.2V6l2 1.3";
        case Look::quiet: return "M4 2.5 1.5 5 4 7.5M1.5 5H8a2.4 2.4 0 0 1 0 4.8H5.5";
    }
    return {};
}

}  // namespace

std::string text_mark(const TextLine& line) {
    std::string mark = "<text class=\"" + std::string(line.style);
    if (line.font.face == Face::mono) mark += " rt-mono";
    if (line.font.face == Face::bold) mark += " rt-bold";
    return mark + "\" x=\"" + std::to_string(line.x) + "\" y=\"" + std::to_string(line.y) +
           "\" font-size=\"" + number(line.font.size) + "\">" + escaped(line.text) + "</text>";
}

std::string chip_mark(const Chip& chip) {
    const auto middle = number(chip.x + chip.width / 2.0);
    return "<g class=\"" + std::string(chip.style) + "\"><rect x=\"" + std::to_string(chip.x) +
           "\" y=\"7\" width=\"" + std::to_string(chip.width) +
           "\" height=\"15\" rx=\"7.5\"/><text class=\"rt-bold\" x=\"" + middle +
           "\" y=\"18\" font-size=\"9\" text-anchor=\"middle\">" + std::string(chip.text) + "</text></g>";
}

std::string icon_mark(Look look, Point place) {
    return "<path class=\"rt-icon\" transform=\"translate(" + at(place) + ")\" d=\"" +
           std::string(icon_path(look)) + "\"/>";
}

std::string frame_mark(const Box& box) {
    const auto size =
        "width=\"" + std::to_string(kBoxWidth) + "\" height=\"" + std::to_string(box.height) + "\"";
    const bool low = box.height == kLowHeight;
    const std::string round = low ? " rx=\"6\"" : " rx=\"9\"";
    std::string mark;
    if (box.is_root_cause) mark += "<rect class=\"rt-glow\" " + size + round + "/>";
    mark += "<rect class=\"rt-frame\" " + size + round + "/>";
    if (box.on_result_chain)
        mark += "<rect class=\"rt-bar\" x=\"0\" y=\"9\" width=\"4\" height=\"" +
                std::to_string(box.height - 18) + "\" rx=\"2\"/>";
    return mark + icon_mark(box.look, low ? Point{11, 6} : Point{12, 25});
}

std::string arrow_mark(const std::vector<Point>& points) {
    constexpr int kRadius = 6;
    constexpr int kHead = 7;
    const auto corners = without_repeats(points);
    if (corners.size() < 2) return {};
    std::string line = "<path d=\"M" + at(corners.front());
    for (std::size_t i = 1; i + 1 < corners.size(); ++i) {
        const auto before = corners[i - 1];
        const auto after = corners[i + 1];
        const int radius =
            std::min({kRadius, distance(before, corners[i]) / 2, distance(corners[i], after) / 2});
        line += "L" + at(towards(corners[i], before, radius)) + "Q" + at(corners[i]) + " " +
                at(towards(corners[i], after, radius));
    }
    const auto end = corners.back();
    const auto neck = towards(end, corners[corners.size() - 2], kHead - 1);
    const int back = neck.x < end.x ? -kHead : kHead;  // the last stretch is always level
    line += "L" + at(neck) + "\"/>";
    return line + "<path class=\"rt-head\" d=\"M" + at(end) + "l" + std::to_string(back) + " -4v8z\"/>";
}

}  // namespace receiptd::draw
