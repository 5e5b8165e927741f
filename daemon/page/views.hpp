// Parts that the handlers of the views share.
#pragma once

#include "api/services.hpp"
#include "base/offload.hpp"
#include "page/frame.hpp"
#include "storage/page_store.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::page {

// The first view as every visitor sees it, made once for all of them and kept for a moment.
struct NowBoard {
    std::shared_ptr<const std::string> html;
    base::SteadyTime made_at{};
    unsigned makers = 0;  // at this moment
    std::optional<storage::RecentCounts> counts;
    std::optional<base::SteadyTime> counted_at;  // whether or not they could be had
};

struct Site {
    Site(api::SharedContext context, storage::PageStore& page_store)
        : api(std::move(context)), store(page_store), board(std::make_shared<NowBoard>()) {}
    // The same as one client has it.
    Site(const Site& site, const std::string& client)
        : api(std::make_shared<api::Context>(site.api->shared, client)),
          store(site.store),
          board(site.board) {}
    Site(const Site&) = delete;
    Site& operator=(const Site&) = delete;

    api::SharedContext api;
    storage::PageStore& store;
    std::shared_ptr<NowBoard> board;
    NowBoard& now = *board;

    base::WallTime wall() const { return api->services.clock.wall(); }
    Frame frame(std::string title, std::string section) const;
};
using SharedSite = std::shared_ptr<Site>;

// Fills and frames the template beside the event loop.
base::Task<net::ServerReply> reply_with(SharedSite site, int status, Frame frame, std::string_view name,
                                        Json values);

// A plain view for what cannot be shown: a headline, what it means and what to do.
base::Task<net::ServerReply> notice(SharedSite site, int status, std::string headline, std::string text);

// Parameters of a view's address; empty where a value is none. Unlike the API it passes over names that it
// does not know: people follow old links.
std::string parameter(const api::Call& call, std::string_view name, std::size_t most = 128);
// The same of an account id; empty where it is none.
std::string account_parameter(const api::Call& call, std::string_view name);

std::vector<api::Route> now_routes(const SharedSite& site);
std::vector<api::Route> transaction_view_routes(const SharedSite& site);
std::vector<api::Route> list_routes(const SharedSite& site);
std::vector<api::Route> alert_view_routes(const SharedSite& site);
std::vector<api::Route> account_routes(const SharedSite& site);
std::vector<api::Route> docs_routes(const SharedSite& site);

// A handler whose faults are told in HTML.
using View = base::Task<net::ServerReply> (*)(SharedSite site, api::Call call);
api::Route view(const SharedSite& site, std::string_view pattern, View handler);

}  // namespace receiptd::page
