#include "base/file_watch.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace receiptd::base {
namespace {

class FileWatchTest : public ::testing::Test {
protected:
    FileWatchTest()
        : folder_(std::filesystem::temp_directory_path() / ("receiptd-watch-" + std::to_string(::getpid()))) {
        std::filesystem::create_directories(folder_);
    }
    ~FileWatchTest() override { std::filesystem::remove_all(folder_); }

    std::string path(const std::string& name) const { return folder_ / name; }
    void write(const std::string& name, const std::string& text) {
        std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
        std::ofstream(path(name)) << text;
    }
    void link(const std::string& name, const std::string& target) {
        std::filesystem::create_symlink(target, path(name + ".new"));
        std::filesystem::rename(path(name + ".new"), path(name));
    }
    // The next report, of two looks at most.
    static bool reports(FileWatch& watch) { return watch.look() || watch.look(); }

    std::filesystem::path folder_;
};

TEST_F(FileWatchTest, ReportsAChangeOnceWhenItStandsStill) {
    write("a", "1");
    FileWatch watch(path("a"));
    EXPECT_TRUE(reports(watch));  // what was before the first look is not known
    EXPECT_FALSE(reports(watch));
    write("a", "12");
    EXPECT_FALSE(watch.look());
    write("a", "123");
    EXPECT_FALSE(watch.look());
    EXPECT_TRUE(watch.look());
    EXPECT_FALSE(reports(watch));
}

TEST_F(FileWatchTest, SeesTheSwapOfAConfigMap) {
    write("..1/a", "same");
    write("..2/a", "same");
    link("..data", "..1");
    link("a", "..data/a");
    FileWatch watch(path("a"));
    ASSERT_TRUE(reports(watch));
    link("..data", "..2");
    std::filesystem::remove_all(path("..1"));
    EXPECT_TRUE(reports(watch));
    EXPECT_FALSE(reports(watch));
}

TEST_F(FileWatchTest, FileThatGoesAndComesBackIsAChange) {
    write("a", "1");
    FileWatch watch(path("a"));
    ASSERT_TRUE(reports(watch));
    std::filesystem::rename(path("a"), path("b"));
    EXPECT_TRUE(reports(watch));
    std::filesystem::rename(path("b"), path("a"));
    EXPECT_TRUE(reports(watch));
}

TEST_F(FileWatchTest, LooksAtFilesThatAreAddedLater) {
    write("a", "1");
    FileWatch watch(path("a"));
    ASSERT_TRUE(reports(watch));
    write("list", "1");
    watch.add({path("list"), path("a")});
    ASSERT_TRUE(reports(watch));
    write("list", "12");
    EXPECT_TRUE(reports(watch));
}

}  // namespace
}  // namespace receiptd::base
