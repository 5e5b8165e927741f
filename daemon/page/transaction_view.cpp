// GET /tx/{hash} and /search.
#include "api/lookup.hpp"
#include "base/coroutine.hpp"
#include "base/iso_time.hpp"
#include "base/line.hpp"
#include "draw/svg.hpp"
#include "page/texts.hpp"
#include "page/transaction.hpp"
#include "page/views.hpp"
#include "watch/reference.hpp"

namespace receiptd::page {

namespace {

constexpr std::size_t kMostOfValue = 8u << 10;    // bytes of one value among many
constexpr std::size_t kMostOfChosen = 64u << 10;  // and of the receipt that was asked for

constexpr std::size_t kLongestSearch = 512;

struct Shown {
    watch::TransactionView view;
    ReceiptsView receipts;
};

base::Task<std::vector<storage::ReceiptDetail>> details(SharedSite site, std::string tx_hash,
                                                        std::vector<std::string> ids, std::size_t most) {
    auto reading = site->store.receipt_details(std::move(tx_hash), std::move(ids), most);
    return site->api->calls.wait_for(std::move(reading));
}

base::Task<void> load_details(SharedSite site, Shown& shown) {
    std::vector<std::string> ids;
    for (const auto index : listed_receipts(*shown.view.tree, shown.receipts.chosen))
        if (shown.view.tree->receipts[index].receipt_id != shown.receipts.chosen)
            ids.push_back(shown.view.tree->receipts[index].receipt_id);
    shown.receipts.details = co_await details(site, shown.view.tx_hash, std::move(ids), kMostOfValue);
    if (shown.receipts.chosen.empty()) co_return;
    std::vector<std::string> one = {shown.receipts.chosen};
    auto chosen = co_await details(site, shown.view.tx_hash, std::move(one), kMostOfChosen);
    for (auto& detail : chosen) shown.receipts.details.push_back(std::move(detail));
}

std::string drawing_of(const watch::TransactionView& view) {
    if (!view.tree) return {};
    draw::SvgOptions options;
    const bool all_are_listed = view.tree->receipts.size() <= kMostListed;
    options.link_prefix = all_are_listed ? "#receipt-" : "?receipt=";
    options.within_page = true;
    return draw::tree_svg(view.tx_hash, view.transaction, *view.tree, options);
}

base::Task<net::ServerReply> show(SharedSite site, Shown shown) {
    auto frame = site->frame("Transaction " + short_id(shown.view.tx_hash), "");
    frame.searched = shown.view.tx_hash;
    auto write = [frame = std::move(frame), shown = std::move(shown)] {
        const auto values = transaction_values(shown.view, shown.receipts, drawing_of(shown.view));
        return html_reply(200, whole_page(frame, "transaction", values));
    };
    return base::offload(site->api->services.cpu, std::move(write));
}

// The hosts may know a transaction that is not stored, once its signer is told.
base::Task<net::ServerReply> not_stored(SharedSite site, api::Sought sought, api::Problem problem) {
    auto frame = site->frame("Not stored", "");
    frame.searched = sought.id;
    Json values;
    values["tx"] = transaction_link(sought.id);
    values["sender"] = sought.sender_id;
    values["needs_token"] = problem.status == 401;
    values["too_soon"] = problem.status == 429;
    values["nobody_knows"] = problem.status == 404 && !sought.sender_id.empty();
    auto reading = site->api->services.findings.kept(sought.id);
    const auto kept = co_await site->api->calls.wait_for(std::move(reading));
    values["pruned_before"] = kept.pruned_before ? Json(base::iso_time(*kept.pruned_before)) : Json();
    auto reply =
        co_await reply_with(std::move(site), problem.status, std::move(frame), "unknown", std::move(values));
    for (auto& header : problem.headers) reply.headers.push_back(std::move(header));
    co_return reply;
}

net::ServerReply see_other(std::string place) {
    auto reply = html_reply(303, {});
    reply.headers.push_back({"Location", std::move(place)});
    return reply;
}

std::string place_of(const std::string& tx_hash, const std::string& receipt_id) {
    const auto place = "/tx/" + tx_hash;
    if (receipt_id.empty() || receipt_id == tx_hash) return place;
    return place + "?receipt=" + receipt_id + "#receipt-" + receipt_id;
}

base::Task<net::ServerReply> transaction_page(SharedSite site, api::Call call) {
    if (!storage::is_transaction_hash(call.captured[0]))
        co_return co_await notice(std::move(site), 404, "That is no transaction",
                                  "A transaction hash has 32 bytes in base58: 43 or 44 letters and digits" +
                                      std::string(watch::what_else(call.captured[0])) + ".");
    api::Sought sought;
    sought.id = call.captured[0];
    sought.sender_id = account_parameter(call, "sender");
    sought.may_ask_hosts = api::may_ask_hosts(site->api->services, call.request);
    auto found = co_await api::find_transaction(site->api, sought);
    if (!found) co_return co_await not_stored(std::move(site), std::move(sought), found.error());
    if (found->tx_hash != call.captured[0]) co_return see_other(place_of(found->tx_hash, call.captured[0]));
    Shown shown;
    shown.view = std::move(*found);
    shown.receipts.tx_hash = call.captured[0];
    if (const auto chosen = parameter(call, "receipt"); storage::is_transaction_hash(chosen))
        shown.receipts.chosen = chosen;
    watch::show_execution_with(shown.view, shown.receipts.chosen);
    shown.receipts.now = site->wall();
    if (shown.view.tree && !shown.view.from_hosts) co_await load_details(site, shown);
    co_return co_await show(std::move(site), std::move(shown));
}

base::Task<net::ServerReply> search(SharedSite site, api::Call call) {
    const auto asked = co_await api::find_reference(site->api, parameter(call, "q", kLongestSearch));
    if (asked) {
        auto looking = site->api->services.watches.tree_of(asked->id);
        const auto tree_id = co_await site->api->calls.wait_for(std::move(looking));
        if (tree_id) co_return see_other(place_of(*tree_id, asked->id));
        co_return see_other("/tx/" + asked->id +
                            (asked->sender_id.empty() ? "" : "?sender=" + url_encoded(asked->sender_id)));
    }
    auto frame = site->frame("Search", "");
    frame.searched = base::shortened(call.request.query_parameter("q"), kLongestSearch);
    Json values;
    values["asked"] = frame.searched;
    values["what_else"] = watch::what_else(frame.searched);
    const int status = frame.searched.empty() ? 200 : 404;
    co_return co_await reply_with(std::move(site), status, std::move(frame), "search", std::move(values));
}

}  // namespace

std::vector<api::Route> transaction_view_routes(const SharedSite& site) {
    return {view(site, "/tx/{hash}", transaction_page), view(site, "/search", search)};
}

}  // namespace receiptd::page
