// GET /docs
#include "page/docs.hpp"
#include "api/openapi.hpp"
#include "unit/page/fakes.hpp"

namespace receiptd::page {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using DocsPage = testing::PageTest;

TEST_F(DocsPage, ListsEachGetRouteOfTheApi) {
    const auto page = html("/docs");
    for (const auto& [path, methods] : Json::parse(api::documents().front().text).at("paths").items()) {
        const auto link = "<code>" + path + "</code></a>";
        if (methods.contains("get") && methods["get"]["tags"][0] != "Page")
            EXPECT_THAT(page, HasSubstr(link));
        else
            EXPECT_THAT(page, Not(HasSubstr(link)));
    }
    EXPECT_THAT(page, Not(HasSubstr("<form class=\"fields\"")));
}

TEST_F(DocsPage, FillsTheFormFromItsAddressAndAsksAgain) {
    const auto page =
        html("/docs?operation=listFindings&contract_id=app.near&handled=false&method=a%26b%3Dc&limit=5");
    EXPECT_THAT(page, HasSubstr(R"(name="contract_id" value="app.near")"));
    EXPECT_THAT(page, HasSubstr(R"(<option value="false" selected>)"));
    EXPECT_THAT(page, HasSubstr("<option value=\"failed_receipt\">"));
    EXPECT_THAT(
        page,
        HasSubstr("data-ask=\"/v1/"
                  "findings?contract_id=app.near&amp;method=a%26b%3Dc&amp;handled=false&amp;limit=5\""));
}

TEST_F(DocsPage, ARouteRunsByItselfWhereSomethingIsGivenOrNothingCanBe) {
    EXPECT_THAT(html("/docs?operation=status"), HasSubstr("data-ask=\"/v1/status\""));
    EXPECT_THAT(html("/docs?operation=listFindings"), Not(HasSubstr("data-ask")));
    EXPECT_THAT(html("/docs?operation=listFindings"), HasSubstr("<a href=\"/v1/findings\">"));
    EXPECT_THAT(html("/docs?operation=listFindings&run=1"), HasSubstr("data-ask=\"/v1/findings\""));
}

TEST_F(DocsPage, AnAddressNeedsAllPartsOfItsPath) {
    const auto page = html("/docs?operation=getTransaction&sender=alice.near");
    EXPECT_THAT(page, HasSubstr("A link needs hash."));
    EXPECT_THAT(page, Not(HasSubstr("data-ask")));
    EXPECT_THAT(html("/docs?operation=getTransaction&hash=..%2F..%2Fmetrics"),
                HasSubstr("data-ask=\"/v1/transactions/..%2F..%2Fmetrics\""));
}

TEST_F(DocsPage, NeitherWritesNorViewsNorUnknownOperationsHaveAForm) {
    for (const std::string operation : {"viewNow", "addWatch", "no_such", "%3Cscript%3E"}) {
        const auto page = html("/docs?operation=" + operation);
        EXPECT_THAT(page, Not(HasSubstr("<form class=\"fields\""))) << operation;
        EXPECT_THAT(page, Not(HasSubstr("<script>"))) << operation;
    }
}

TEST_F(DocsPage, ValuesOfStrangersAreText) {
    const auto page = html("/docs?operation=search&q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E");
    EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
    EXPECT_THAT(page, HasSubstr("&lt;script&gt;"));
}

TEST(Docs, NoParameterHasANameOfTheView) {
    const auto document = Json::parse(api::documents().front().text);
    for (const auto& [path, methods] : document.at("paths").items()) {
        if (path == "/docs" || !methods.contains("get")) continue;
        for (const auto& parameter : methods["get"].value("parameters", Json::array()))
            EXPECT_THAT(parameter.value("name", ""), Not(::testing::AnyOf("operation", "run"))) << path;
    }
}

}  // namespace
}  // namespace receiptd::page
