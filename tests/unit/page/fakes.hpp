// The page's part of a database in memory.
#pragma once

#include "page/page.hpp"
#include "storage/page_store.hpp"
#include "unit/api/fakes.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace receiptd::page::testing {

class FakePageStore final : public storage::PageStore {
public:
    explicit FakePageStore(api::testing::Database& database) : database_(database) {}

    base::Task<std::vector<storage::ReceiptDetail>> receipt_details(std::string, std::vector<std::string> ids,
                                                                    std::size_t) override {
        co_await database_.ask();
        std::vector<storage::ReceiptDetail> found;
        for (const auto& id : ids)
            if (details.contains(id)) found.push_back(details.at(id));
        co_return found;
    }
    base::Task<storage::RecentCounts> recent_counts() override {
        co_await database_.ask();
        ++counted;
        co_return counts;
    }
    base::Task<std::vector<storage::FailureGroup>> failure_groups(storage::FailureFilter filter,
                                                                  unsigned) override {
        co_await database_.ask();
        asked = filter;
        co_return groups;
    }
    base::Task<std::vector<storage::FailureCount>> failure_trend(storage::FailureFilter, unsigned) override {
        co_await database_.ask();
        co_return std::vector<storage::FailureCount>{{"2026-01-01T00:00:00Z", 3}};
    }
    base::Task<std::vector<storage::MethodHealth>> contract_health(std::string contract, unsigned,
                                                                   unsigned) override {
        co_await database_.ask();
        asked.contract_id = contract;
        co_return methods;
    }

    base::Task<std::optional<storage::AlertGroup>> alert_group(std::int64_t group_id) override {
        co_await database_.ask();
        co_return alert_groups.contains(group_id) ? std::optional(alert_groups.at(group_id)) : std::nullopt;
    }

    std::map<std::string, storage::ReceiptDetail> details;
    storage::RecentCounts counts;
    std::vector<storage::FailureGroup> groups;
    std::vector<storage::MethodHealth> methods;
    std::map<std::int64_t, storage::AlertGroup> alert_groups;
    storage::FailureFilter asked;
    int counted = 0;

private:
    api::testing::Database& database_;
};

// An API with the page's views.
class PageTest : public api::testing::ApiTest {
protected:
    void SetUp() override {
        ApiTest::SetUp();
        more_routes_ = routes(store_);
    }
    static std::string text_of(const net::ServerReply& reply) {
        return reply.shared_body ? *reply.shared_body : reply.body;
    }
    std::string html(const std::string& target, int status = 200) {
        const auto reply = get(target);
        EXPECT_EQ(reply.status, status) << text_of(reply);
        EXPECT_EQ(header(reply, "Content-Type"), "text/html; charset=utf-8");
        return text_of(reply);
    }

    FakePageStore store_{database_};
};

}  // namespace receiptd::page::testing
