// What shells, man(1) and people with slips of the keyboard get from a tree of commands.
#include "cli/complaint.hpp"
#include "cli/completion.hpp"
#include "cli/manual.hpp"
#include "cli/walk.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

namespace receiptd::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

class CommandTree : public testing::Test {
protected:
    CommandTree() {
        root_.add_option("--config", file_, "Configuration")->type_name("FILE");
        auto* alerts = root_.add_subcommand("alerts", "Alerts");
        auto* list = alerts->add_subcommand("list", "List them");
        list->add_option("--state", text_, "Only those")->check(CLI::IsMember(states_));
        list->add_flag("--json", flag_, "Print JSON");
        auto* tx = root_.add_subcommand("tx", "Show a transaction");
        tx->add_option("hash", text_, "Hash")->required();
        tx->add_option("picture", file_, "Where to")->type_name("FILE");
        root_.add_subcommand("hidden", "Nobody's")->group("");
        tx->footer("Exit codes:\n   0  done");
    }

    std::string offered(const std::vector<std::string>& words) { return completions(root_, words); }

    CLI::App root_{"About it", "receiptd"};
    std::vector<std::string> states_{"dead", "delivered", "pending"};
    std::string text_, file_;
    bool flag_ = false;
};

TEST_F(CommandTree, OffersCommandsByWhatTheyBeginWith) {
    EXPECT_EQ(offered({""}), "alerts\tAlerts\ntx\tShow a transaction\n");
    EXPECT_EQ(offered({"al"}), "alerts\tAlerts\n");
    EXPECT_EQ(offered({"alerts", ""}), "list\tList them\n");
    EXPECT_EQ(offered({"nonsense", ""}), "");
}

TEST_F(CommandTree, OffersOptionsOfTheCommandAndOfThoseAboveIt) {
    const auto options = offered({"alerts", "list", "--"});
    for (const char* option : {"--state\t", "--json\t", "--config\t", "--help\t"})
        EXPECT_THAT(options, HasSubstr(option));
    EXPECT_THAT(offered({"tx", "--"}), Not(HasSubstr("--state")));
    EXPECT_EQ(offered({"alerts", "list", "--", "--"}), "");
}

TEST_F(CommandTree, OffersTheValuesOfAnOption) {
    EXPECT_EQ(offered({"alerts", "list", "--state", "de"}), "dead\tOnly those\ndelivered\tOnly those\n");
    EXPECT_EQ(offered({"alerts", "list", "--state", "=", "p"}), "pending\tOnly those\n");
    EXPECT_EQ(offered({"--config", ""}), ":files\n");
    EXPECT_EQ(offered({"--config", "x", "t"}), "tx\tShow a transaction\n");
    EXPECT_EQ(offered({"--config=x", "t"}), "tx\tShow a transaction\n");
}

TEST_F(CommandTree, OffersTheValuesOfTheArgumentThatComesNext) {
    EXPECT_EQ(offered({"tx", ""}), "");
    EXPECT_EQ(offered({"tx", "HASH", ""}), ":files\n");
    EXPECT_EQ(offered({"tx", "HASH", "FILE", ""}), "");
}

TEST_F(CommandTree, SaysWhichCommandOrOptionWasProbablyMeant) {
    EXPECT_EQ(complaint(root_, {"alrets"}), "receiptd has no command alrets; did you mean alerts?");
    EXPECT_EQ(complaint(root_, {"--config", "x", "alerts", "lits"}),
              "receiptd alerts has no command lits; did you mean list?");
    EXPECT_EQ(complaint(root_, {"alerts", "list", "--stat", "dead"}),
              "receiptd alerts list has no option --stat; did you mean --state?");
    EXPECT_EQ(complaint(root_, {"frobnicate"}), "receiptd has no command frobnicate");
    EXPECT_EQ(complaint(root_, {"alerts", "\x1b[31mlist"}).find('\x1b'), std::string::npos);
}

TEST_F(CommandTree, HasNoComplaintAboutGoodWords) {
    EXPECT_EQ(complaint(root_, {"--config=x", "alerts", "list", "--state", "--odd", "--json"}), "");
    EXPECT_EQ(complaint(root_, {"tx", "HASH", "FILE"}), "");
    EXPECT_EQ(complaint(root_, {"tx", "--", "--not-an-option"}), "");
}

TEST_F(CommandTree, ItsManualHasEachCommandItsOptionsAndItsNotes) {
    Manual manual;
    manual.summary = "follows";
    manual.version = "1.2";
    manual.sections = {{"Files", {{".receiptd", "Odd\\name"}}}};
    const auto page = manual_page(root_, manual);
    EXPECT_THAT(page, HasSubstr(".TH RECEIPTD 1 \"\" \"receiptd 1.2\""));
    EXPECT_THAT(page, HasSubstr(".SS receiptd alerts list [OPTIONS]\nList them.\n"));
    EXPECT_THAT(page, HasSubstr(".SS receiptd tx hash [picture]\n"));
    EXPECT_THAT(page, HasSubstr(".B \\-\\-state TEXT:{dead,delivered,pending}\nOnly those\n"));
    EXPECT_THAT(page, HasSubstr(".nf\nExit codes:\n   0  done\n.fi\n"));
    EXPECT_THAT(page, HasSubstr(".SH FILES\n.TP\n.B \\&.receiptd\nOdd\\ename\n"));
    EXPECT_THAT(page, Not(HasSubstr("hidden")));
    const auto markdown = manual_markdown(root_, manual);
    EXPECT_THAT(markdown, HasSubstr("## `receiptd tx hash [picture]`\n\nShow a transaction.\n"));
    EXPECT_THAT(markdown, HasSubstr("```\nExit codes:\n   0  done\n```\n"));
}

TEST_F(CommandTree, HasAScriptForEachShellItKnows) {
    for (const char* shell : {"bash", "zsh", "fish"}) {
        const auto script = completion_script(shell, "near-tool");
        ASSERT_TRUE(script) << shell;
        EXPECT_THAT(*script, HasSubstr("__complete"));
        EXPECT_THAT(*script, Not(HasSubstr("FUNCTION")));
        EXPECT_THAT(*script, HasSubstr("near_tool"));
    }
    EXPECT_FALSE(completion_script("csh", "near-tool"));
}

}  // namespace
}  // namespace receiptd::cli
