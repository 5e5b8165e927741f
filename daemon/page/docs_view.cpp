// GET /docs
#include "api/openapi.hpp"
#include "base/coroutine.hpp"
#include "base/exact_json.hpp"
#include "page/docs.hpp"
#include "page/views.hpp"

namespace receiptd::page {

namespace {

constexpr std::size_t kLongestValue = 2'048;  // a cursor, an address of an explorer

base::Task<net::ServerReply> docs_page(SharedSite site, api::Call call) {
    static const auto document = base::read_json(api::documents().front().text);
    const auto given = [&](const std::string& name) {
        const auto value = call.request.query_parameter(name);
        return value.size() <= kLongestValue ? std::string(value) : std::string();
    };
    auto values = docs_values(document, given("operation"), given);
    auto frame = site->frame("HTTP API", "");
    co_return co_await reply_with(std::move(site), 200, std::move(frame), "docs", std::move(values));
}

}  // namespace

std::vector<api::Route> docs_routes(const SharedSite& site) { return {view(site, "/docs", docs_page)}; }

}  // namespace receiptd::page
