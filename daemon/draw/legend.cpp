#include "draw/legend.hpp"

#include "draw/marks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace receiptd::draw {
namespace {

constexpr Font kFont{Face::sans, 11};
constexpr int kLine = 22;
constexpr int kSample = 34;
constexpr int kGap = 22;

struct Entry {
    std::string_view edge;  // classes of a line; empty: a box
    Look look;
    std::string_view text;
    bool (*occurs)(const Edge& edge) = nullptr;  // of a line
};

bool is_plain(const Edge& edge) {
    return edge.kind == Edge::Kind::spawn && edge.tone == Edge::Tone::plain && !edge.quiet;
}
bool is_result(const Edge& edge) { return edge.tone == Edge::Tone::result; }
bool is_data(const Edge& edge) { return edge.kind == Edge::Kind::data; }
bool is_failed(const Edge& edge) { return edge.tone == Edge::Tone::failed; }

bool occurs(const Entry& entry, const Picture& picture) {
    if (entry.occurs != nullptr)
        return std::any_of(picture.arrows.begin(), picture.arrows.end(),
                           [&](const Arrow& arrow) { return entry.occurs(arrow.edge); });
    return std::any_of(picture.boxes.begin(), picture.boxes.end(),
                       [&](const Box& box) { return box.look == entry.look; });
}

constexpr std::array kEntries = {
    Entry{"rt-edge", Look::plain, "made", is_plain},
    Entry{"rt-edge rt-result-edge", Look::plain, "result chain", is_result},
    Entry{"rt-edge rt-data-edge", Look::plain, "result awaited by", is_data},
    Entry{"rt-edge rt-failed-edge", Look::plain, "led to a failure", is_failed},
    Entry{"", Look::plain, "succeeded"},
    Entry{"", Look::failed, "failed"},
    Entry{"", Look::handled, "failed, and handled"},
    Entry{"", Look::pending, "not run yet"},
    Entry{"", Look::quiet, "refund"},
};

std::string_view class_of(Look look) {
    switch (look) {
        case Look::plain: return "rt-receipt";
        case Look::failed: return "rt-failed";
        case Look::handled: return "rt-handled";
        case Look::pending: return "rt-pending";
        case Look::quiet: return "rt-quiet";
    }
    return {};
}

std::string sample(const Entry& entry, Point at) {
    if (!entry.edge.empty())
        return "<g class=\"" + std::string(entry.edge) + "\">" +
               arrow_mark({{at.x, at.y}, {at.x + kSample - 8, at.y}}) + "</g>";
    return "<g class=\"" + std::string(class_of(entry.look)) + "\"><rect class=\"rt-frame\" x=\"" +
           std::to_string(at.x) + "\" y=\"" + std::to_string(at.y - 8) +
           "\" width=\"26\" height=\"16\" rx=\"4\"/>" + icon_mark(entry.look, {at.x + 7, at.y - 6}) + "</g>";
}

// Calls `put` with each entry that the picture has and its place. Returns the place of the last.
template <class Put>
Point lay_out(const Picture& picture, Point corner, int width, Put&& put) {
    Point at = corner;
    for (const auto& entry : kEntries) {
        if (!occurs(entry, picture)) continue;
        const int taken = kSample + static_cast<int>(std::ceil(width_of(entry.text, kFont)));
        if (at.x > corner.x && at.x + taken > corner.x + width) at = {corner.x, at.y + kLine};
        put(entry, at, taken);
        at.x += taken + kGap;
    }
    return at;
}

}  // namespace

std::string legend(const Picture& picture, Point corner, int width) {
    std::string svg = "<g class=\"rt-legend\" aria-hidden=\"true\">";
    lay_out(picture, corner, width, [&](const Entry& entry, Point at, int taken) {
        svg += sample(entry, at);
        svg +=
            text_mark({at.x + kSample, at.y + 4, taken - kSample, kFont, "rt-note", std::string(entry.text)});
    });
    return svg + "</g>\n";
}

int legend_height(const Picture& picture, int width) {
    return lay_out(picture, {}, width, [](const Entry&, Point, int) {}).y + kLine;
}

}  // namespace receiptd::draw
