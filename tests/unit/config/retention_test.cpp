#include "config/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace receiptd::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> problems_of_retention(const std::string& keys) {
    const auto loaded = load_text(
        "[database]\nurl = \"host=/tmp\"\n[[upstream]]\nname = \"main\"\nurl = \"https://rpc.example.com\"\n"
        "[retention]\n" +
            keys,
        "r.toml", [](const std::string&) { return std::nullopt; });
    std::vector<std::string> all;
    for (const auto& problem : loaded.problems) all.push_back(problem.to_string());
    return all;
}

TEST(Retention, KeepsResultsForEverByDefault) {
    EXPECT_THAT(problems_of_retention("receipts = \"90d\"\n"), IsEmpty());
}

TEST(Retention, KeepsResultsAtLeastAsLongAsReceipts) {
    EXPECT_THAT(problems_of_retention("receipts = \"90d\"\nresults = \"90d\"\n"), IsEmpty());
    for (const std::string receipts : {"", "receipts = \"forever\"\n", "receipts = \"91d\"\n"})
        EXPECT_THAT(problems_of_retention(receipts + "results = \"90d\"\n"),
                    ElementsAre(HasSubstr("retention.results is shorter than retention.receipts")))
            << receipts;
}

}  // namespace
}  // namespace receiptd::config
