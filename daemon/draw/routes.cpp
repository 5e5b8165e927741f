#include "draw/routes.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

namespace receiptd::draw {
namespace {

// Edges that share tracks: what one receipt made, what one receipt awaits, refunds into one place.
enum class Bundle : std::uint8_t { made, awaited, refunds };
using Net = std::tuple<Bundle, std::size_t, std::size_t>;

struct Stretch {
    long from = 0;
    long to = 0;
};

// One gutter or channel: each net takes one stretch of one track.
class Tracks {
public:
    void reserve(Net net, long a, long b) {
        const Stretch stretch{std::min(a, b), std::max(a, b)};
        const auto [known, is_new] = stretches_.try_emplace(net, stretch);
        if (is_new) return;
        known->second.from = std::min(known->second.from, stretch.from);
        known->second.to = std::max(known->second.to, stretch.to);
    }

    // Returns how many tracks there are.
    std::size_t assign() {
        std::vector<std::pair<Stretch, Net>> all;
        for (const auto& [net, stretch] : stretches_) all.emplace_back(stretch, net);
        std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
            return std::tie(a.first.from, a.first.to, a.second) <
                   std::tie(b.first.from, b.first.to, b.second);
        });
        std::vector<long> ends;
        for (const auto& [stretch, net] : all) {
            std::size_t track = 0;
            while (track < ends.size() && ends[track] >= stretch.from) ++track;
            if (track == ends.size()) ends.push_back(0);
            ends[track] = stretch.to;
            tracks_[net] = track;
        }
        return ends.size();
    }
    std::size_t of(Net net) const { return tracks_.at(net); }

private:
    std::map<Net, Stretch> stretches_;
    std::map<Net, std::size_t> tracks_;
};

Net net_of(const Edge& edge, const std::vector<Station>& stations) {
    if (edge.quiet) return {Bundle::refunds, stations[edge.to].row, stations[edge.to].column};
    if (edge.kind == Edge::Kind::spawn) return {Bundle::made, edge.from, 0};
    return {Bundle::awaited, edge.to, 0};
}

// On large boxes each kind of edge has a place of its own at either side.
int attachment(const Station& station, bool data, bool leaves) {
    constexpr int kLowBox = 40;
    if (station.height < kLowBox) return station.height / 2;
    constexpr int kSpawnIn = 30;
    constexpr int kStep = 11;
    return kSpawnIn + (leaves ? kStep : 0) + (data ? 2 * kStep : 0) - (data ? 4 : 0);
}

Way plan(const Edge& edge, const Station& from, const Station& to) {
    const bool data = edge.kind == Edge::Kind::data;
    Way way;
    way.leaves_at = attachment(from, data, true);
    way.enters_at = attachment(to, data, false);
    // In one column results go by the right side, what is made by the left one.
    way.leaves_right = from.column == to.column ? data : to.column > from.column;
    way.enters_right = from.column == to.column ? data : to.column < from.column;
    way.out_gutter = from.column + (way.leaves_right ? 1 : 0);
    way.in_gutter = to.column + (way.enters_right ? 1 : 0);
    way.channel = to.row;
    return way;
}

}  // namespace

Routes make_routes(const std::vector<Edge>& edges, const std::vector<Station>& stations,
                   const std::vector<int>& row_heights, std::size_t columns) {
    // Order is all that matters here: a channel is one pixel high, a column is two wide.
    std::vector<long> tops;
    long y = 0;
    for (const auto height : row_heights) {
        tops.push_back(y + 1);
        y += height + 1;
    }
    const auto at = [&](const Station& station, int offset) {
        return tops[station.row] + station.offset + offset;
    };
    Routes routes;
    std::vector<Tracks> gutters(columns + 1);
    std::vector<Tracks> channels(row_heights.size());
    for (const auto& edge : edges) {
        const auto& from = stations[edge.from];
        const auto& to = stations[edge.to];
        const auto way = plan(edge, from, to);
        routes.ways.push_back(way);
        const auto net = net_of(edge, stations);
        if (way.out_gutter == way.in_gutter) {
            gutters[way.out_gutter].reserve(net, at(from, way.leaves_at), at(to, way.enters_at));
            continue;
        }
        const auto channel = tops[way.channel] - 1;
        gutters[way.out_gutter].reserve(net, at(from, way.leaves_at), channel);
        gutters[way.in_gutter].reserve(net, channel, at(to, way.enters_at));
        channels[way.channel].reserve(net, static_cast<long>(way.out_gutter),
                                      static_cast<long>(way.in_gutter));
    }
    for (auto& gutter : gutters) routes.gutters.push_back(gutter.assign());
    for (auto& channel : channels) routes.channels.push_back(channel.assign());
    for (std::size_t i = 0; i < edges.size(); ++i) {
        auto& way = routes.ways[i];
        const auto net = net_of(edges[i], stations);
        way.out_track = gutters[way.out_gutter].of(net);
        way.in_track = gutters[way.in_gutter].of(net);
        if (way.out_gutter != way.in_gutter) way.channel_track = channels[way.channel].of(net);
    }
    return routes;
}

}  // namespace receiptd::draw
