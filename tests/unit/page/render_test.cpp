#include "page/render.hpp"

#include "page/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

namespace receiptd::page {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kHostile = R"("><script>alert('x')</script>&)";

TEST(Render, ATextIsEscapedInTextAndInAttributes) {
    const auto html =
        render("badge", {{"tone", kHostile}, {"means", kHostile}, {"icon", "!"}, {"label", kHostile}});
    EXPECT_THAT(html, Not(HasSubstr("<script")));
    EXPECT_THAT(html,
                HasSubstr("title=\"&quot;&gt;&lt;script&gt;alert(&apos;x&apos;)&lt;/script&gt;&amp;\""));
    EXPECT_THAT(html, HasSubstr("</span>&quot;&gt;&lt;script&gt;"));
}

TEST(Render, ValuesThatAreNotThereLeaveTheirSectionOut) {
    const auto html = [](const Json& text) {
        return render("notice", {{"headline", "Gone"}, {"text", text}});
    };
    EXPECT_THAT(html("why"), HasSubstr("<p>why</p>"));
    for (const Json& nothing : {Json(""), Json(nullptr), Json(false), Json::array()})
        EXPECT_THAT(html(nothing), Not(HasSubstr("<p></p>"))) << nothing;
}

// A template that breaks these rules would let text of the chain act, or break the page's own policy.
TEST(Templates, NothingButTheViewAndTheDrawingStandsUnescaped) {
    const std::regex unescaped(R"(\{\{(\{|&)\s*(\w+))");
    for (const auto& file : template_files())
        for (std::sregex_iterator it(file.text.begin(), file.text.end(), unescaped), end; it != end; ++it)
            EXPECT_TRUE((*it)[2] == "body" || (*it)[2] == "svg") << file.name << ": " << (*it)[0];
}

TEST(Templates, AttributesHaveQuotesAndNoneRunsOrStyles) {
    for (const auto& file : template_files())
        for (const char* refused :
             {R"(\s[\w-]+=\{\{)", R"(\son\w+=)", R"(\sstyle=)", R"(<style)", R"(<script>)", R"(https?:)",
              R"(javascript:)", R"(\s(src|href)="(?!/|#|\{\{link\}\}))"})
            EXPECT_FALSE(std::regex_search(file.text, std::regex(refused)))
                << file.name << " has " << refused;
}

TEST(Templates, EachCanBeFilledWithNothing) {
    for (const auto& file : template_files())
        EXPECT_NO_THROW(render(file.name.substr(0, file.name.find('.')), Json::object())) << file.name;
}

TEST(Templates, OnesThatAreNotThereAreSaidSo) { EXPECT_THROW(render("nowhere", {}), std::logic_error); }

}  // namespace
}  // namespace receiptd::page
