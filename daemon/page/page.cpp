#include "page/page.hpp"

#include "base/ascii.hpp"
#include "base/coroutine.hpp"
#include "chain/wire/account_id.hpp"
#include "page/texts.hpp"
#include "page/views.hpp"
#include "storage/errors.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace receiptd::page {

namespace {

struct Fault {
    int status = 0;
    std::string headline, text;
};

constexpr const char* kAgain = "5";  // seconds

base::Task<net::ServerReply> guarded(SharedSite site, View handler, api::Call call) {
    Fault fault;
    try {
        auto task = handler(site, std::move(call));
        co_return co_await std::move(task);
    } catch (const storage::StorageTimeout&) {
        fault = {503, "The database took too long",
                 "This question is larger than the daemon lets a page ask. Choose a shorter time or one "
                 "contract."};
    } catch (const api::NoAnswer& error) {
        fault = {503, "The database does not answer",
                 std::string("The daemon is up, but cannot read what is stored: ") + error.what() +
                     ". The page works again as soon as the database does."};
    } catch (const storage::StorageStopped&) {
        fault = {503, "The daemon is stopping", "Load this page again in a moment."};
    }
    auto reply =
        co_await notice(std::move(site), fault.status, std::move(fault.headline), std::move(fault.text));
    reply.headers.push_back({"Retry-After", kAgain});
    co_return reply;
}

base::Task<net::ServerReply> asset(SharedSite site, api::Call call) {
    if (auto reply = asset_reply(call.captured[0], call.request)) co_return std::move(*reply);
    co_return co_await notice(std::move(site), 404, "There is no such file", "");
}

}  // namespace

Frame Site::frame(std::string title, std::string section) const {
    const auto status = api->services.status();
    return {std::move(title), std::move(section), status.network, status.version, ""};
}

base::Task<net::ServerReply> reply_with(SharedSite site, int status, Frame frame, std::string_view name,
                                        Json values) {
    auto write = [status, frame = std::move(frame), name, values = std::move(values)] {
        return html_reply(status, whole_page(frame, name, values));
    };
    return base::offload(site->api->services.cpu, std::move(write));
}

base::Task<net::ServerReply> notice(SharedSite site, int status, std::string headline, std::string text) {
    Json values;
    values["headline"] = headline;
    values["text"] = std::move(text);
    auto frame = site->frame(std::move(headline), "");
    return reply_with(std::move(site), status, std::move(frame), "notice", std::move(values));
}

std::string parameter(const api::Call& call, std::string_view name, std::size_t most) {
    const auto given = call.request.query_parameter(name);
    const auto value = base::trimmed(given, " ");
    const bool is_plain = std::all_of(value.begin(), value.end(), [](char c) { return c > ' ' && c < 0x7f; });
    return is_plain && value.size() <= most ? std::string(value) : std::string();
}

std::string account_parameter(const api::Call& call, std::string_view name) {
    auto account = parameter(call, name);
    return chain::is_valid_account_id(account) ? account : std::string();
}

api::Route view(const SharedSite& site, std::string_view pattern, View handler) {
    return {"GET", pattern, api::Access::read, [site, handler](api::Call call) {
                auto own = std::make_shared<Site>(*site, call.request.client);
                return guarded(std::move(own), handler, std::move(call));
            }};
}

api::MakeRoutes routes(storage::PageStore& store) {
    return [&store](const api::SharedContext& context) {
        const auto site = std::make_shared<Site>(context, store);
        std::vector<api::Route> all = {view(site, "/assets/{file}", asset)};
        for (auto* const part : {now_routes, transaction_view_routes, list_routes, alert_view_routes,
                                 account_routes, docs_routes}) {
            auto more = part(site);
            std::move(more.begin(), more.end(), std::back_inserter(all));
        }
        return all;
    };
}

}  // namespace receiptd::page
