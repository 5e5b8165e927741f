// GET /: made once a second at most, whoever asks.
#include "base/coroutine.hpp"
#include "page/now.hpp"
#include "page/texts.hpp"
#include "page/views.hpp"
#include "storage/errors.hpp"

#include <chrono>

namespace receiptd::page {

namespace {

using namespace std::chrono_literals;

constexpr auto kKeepBoard = 1s;
constexpr auto kShowBoard = 10s;   // while a newer one is made
constexpr auto kKeepCounts = 10s;  // they read an hour of results
constexpr unsigned kNewestFindings = 30;

base::Task<std::optional<storage::RecentCounts>> counts(SharedSite site) {
    auto& board = site->now;
    const auto now = site->api->services.clock.steady();
    if (board.counted_at && now < *board.counted_at + kKeepCounts) co_return board.counts;
    try {
        auto counting = site->store.recent_counts();
        board.counts = co_await site->api->calls.wait_for(std::move(counting));
    } catch (const api::NoAnswer&) {
        board.counts.reset();
    } catch (const storage::StorageTimeout&) {
        board.counts.reset();
    }
    board.counted_at = now;
    co_return board.counts;
}

base::Task<std::optional<std::vector<chain::Finding>>> newest_findings(SharedSite site) {
    storage::FindingFilter filter;
    filter.limit = kNewestFindings;
    try {
        auto listing = site->api->services.findings.list_findings(std::move(filter));
        co_return co_await site->api->calls.wait_for(std::move(listing));
    } catch (const api::NoAnswer&) {
    } catch (const storage::StorageTimeout&) {
    }
    co_return std::nullopt;
}

// While somebody makes the board the others see the last one, unless it is too old to pass for the present.
struct Turn {
    explicit Turn(NowBoard& of) : board(of) { ++board.makers; }
    ~Turn() { --board.makers; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    NowBoard& board;
};

base::Task<std::shared_ptr<const std::string>> board_html(SharedSite site) {
    auto& board = site->now;
    const auto& services = site->api->services;
    const auto keep = board.makers > 0 ? kShowBoard : kKeepBoard;
    if (board.html && services.clock.steady() < board.made_at + keep) co_return board.html;
    const Turn turn(board);
    NowView view;
    view.counts = co_await counts(site);
    view.findings = co_await newest_findings(site);
    view.status = services.status();
    view.now = site->wall();
    auto write = [view = std::move(view)] {
        const Frame frame{"Now", "now", view.status.network, view.status.version, ""};
        return whole_page(frame, "now", now_values(view));
    };
    auto html = co_await base::offload(services.cpu, std::move(write));
    board.html = std::make_shared<const std::string>(std::move(html));
    board.made_at = services.clock.steady();
    co_return board.html;
}

base::Task<net::ServerReply> now_page(SharedSite site, api::Call call) {
    if (const auto asked = parameter(call, "q"); !asked.empty()) {
        auto elsewhere = html_reply(303, {});
        elsewhere.headers.push_back({"Location", "/search?q=" + url_encoded(asked)});
        co_return elsewhere;
    }
    const auto html = co_await board_html(std::move(site));
    auto reply = html_reply(200, {});
    reply.shared_body = html;
    co_return reply;
}

}  // namespace

std::vector<api::Route> now_routes(const SharedSite& site) { return {view(site, "/", now_page)}; }

}  // namespace receiptd::page
