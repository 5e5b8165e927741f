#include "config/load.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace receiptd::config {
namespace {

class SecretFile : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (std::filesystem::temp_directory_path() / "receiptd-config-XXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    void write(const std::string& name, const std::string& text, mode_t mode) {
        std::ofstream(folder_ / name, std::ios::binary) << text;
        ASSERT_EQ(::chmod((folder_ / name).c_str(), mode), 0);
    }

    Loaded load() {
        write("r.toml",
              "[database]\nurl = \"host=/tmp\"\n[[upstream]]\nname = \"a\"\nurl = \"https://x\"\n"
              "api_key_file = \"key\"\n",
              0644);
        return load_file((folder_ / "r.toml").string(), [](const std::string&) { return std::nullopt; });
    }

    std::filesystem::path folder_;
};

TEST_F(SecretFile, IsFoundBesideTheConfigurationAndLosesItsLineEnd) {
    write("key", "s3cret\r\n", 0600);
    const auto loaded = load();
    EXPECT_THAT(loaded.problems, testing::IsEmpty());
    EXPECT_EQ(loaded.settings.upstreams.at(0).api_key.reveal(), "s3cret");
}

TEST_F(SecretFile, ThatEverybodyCanReadIsAWarning) {
    write("key", "s3cret", 0644);
    const auto loaded = load();
    EXPECT_TRUE(loaded.ok());
    ASSERT_EQ(loaded.problems.size(), 1u);
    EXPECT_EQ(loaded.problems[0].line, 6u);
    EXPECT_EQ(loaded.problems[0].column, 16u);
    EXPECT_EQ(loaded.problems[0].severity, Severity::warning);
    EXPECT_EQ(loaded.problems[0].message,
              "upstream.api_key_file: the file can be read by everybody; chmod 600 it");
}

TEST_F(SecretFile, ThatIsEmptyIsAnError) {
    write("key", "\n", 0600);
    const auto loaded = load();
    ASSERT_EQ(loaded.problems.size(), 1u);
    EXPECT_EQ(loaded.problems[0].message, "upstream.api_key_file: the file is empty");
}

}  // namespace
}  // namespace receiptd::config
