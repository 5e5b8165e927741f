#include "page/account.hpp"

#include "base/line.hpp"
#include "page/lists.hpp"
#include "page/now.hpp"
#include "page/texts.hpp"

#include <algorithm>
#include <utility>

namespace receiptd::page {

namespace {

constexpr std::size_t kMostRangesShown = 5;

Json transaction_row(const storage::ListedTransaction& listed, base::WallTime now) {
    Json values;
    values["tx"] = transaction_link(listed.tx_hash);
    values["signer"] = listed.signer_id;
    values["user"] = listed.user_id == listed.signer_id ? Json() : Json(listed.user_id);
    values["receiver"] = listed.receiver_id;
    values["method"] = base::shortened(listed.method_name, 80);
    const auto verdict = chain::parse_verdict(listed.verdict);
    values["verdict"] = verdict ? verdict_badge(*verdict) : Json();
    values["error_class"] = listed.error_class;
    values["time"] = time_json(listed.block_time, now);
    return values;
}

Json link_to(std::string link) { return {{"link", std::move(link)}}; }

std::string_view headline(storage::AccountRole role) {
    switch (role) {
        case storage::AccountRole::signer: return "Signed";
        case storage::AccountRole::receiver: return "Received";
        case storage::AccountRole::user: break;
    }
    return "Sent";
}

Json list_values(const AccountView& view, const AccountList& list) {
    const std::string role(storage::account_role_name(list.role));
    const auto id = url_encoded(view.account_id);
    Json values;
    values["id"] = role;
    values["headline"] = headline(list.role);
    values["csv"] = link_to("/v1/transactions?account_id=" + id + "&role=" + role + "&format=csv");
    const auto& next = list.page.next_cursor;
    values["next"] =
        next.empty() ? Json() : link_to("/account/" + id + "?role=" + role + "&cursor=" + url_encoded(next));
    values["rows"] = Json::array();
    for (const auto& listed : list.page.transactions)
        values["rows"].push_back(transaction_row(listed, view.now));
    // Older ones are looked for when somebody asks.
    values["empty"] = !values["rows"].empty() ? ""
                      : next.empty()          ? "Nothing is stored."
                                              : "Nothing newer is stored.";
    return values;
}

Json known_values(const storage::KnownHeights& known, base::WallTime now) {
    Json values;
    values["followed"] = known.followed;
    values["ranges"] = Json::array();
    const auto shown = std::min(known.ranges.size(), kMostRangesShown);
    for (std::size_t i = 0; i < shown; ++i)
        values["ranges"].push_back(
            {{"from", height_text(known.ranges[i].from)}, {"to", height_text(known.ranges[i].to)}});
    values["more"] = known.has_more || shown < known.ranges.size();
    values["nothing"] = known.ranges.empty();
    values["since"] = time_json(known.since, now);
    values["pruned"] = time_json(known.pruned_before, now);
    return values;
}

}  // namespace

Json account_values(const AccountView& view) {
    Json values;
    const auto id = url_encoded(view.account_id);
    values["account"] = view.account_id;
    values["lists"] = Json::array();
    for (const auto& list : view.lists) values["lists"].push_back(list_values(view, list));
    values["with_failures"] = view.findings.has_value();
    values["findings"] = Json::array();
    values["watches"] = Json::array();
    if (view.findings)
        for (const auto& finding : *view.findings)
            values["findings"].push_back(finding_values(finding, view.now));
    for (const auto& watch : view.open_watches) values["watches"].push_back(watch_values(watch, view.now));
    values["findings_csv"] = link_to("/v1/findings?user_id=" + id + "&format=csv");
    values["watches_csv"] = link_to("/v1/watches?sender_id=" + id + "&format=csv");
    values["known"] = known_values(view.known, view.now);
    return values;
}

}  // namespace receiptd::page
