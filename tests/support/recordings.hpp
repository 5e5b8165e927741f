// Answers that NEAR's hosts once gave: a selection in tests/data/recorded, with a README, and a larger set in
// ../shared/data for whoever has it. A suite of Recordings runs on both; the larger set is skipped where it
// is absent.
#pragma once

#include "support/read_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace receiptd::test {

inline const std::filesystem::path kRecorded = RECEIPTD_TEST_DATA "/recorded";
inline const std::filesystem::path kShared = RECEIPTD_SHARED "/data";

// The JSON files of a folder, sorted; throws if there is none.
inline std::vector<std::filesystem::path> recordings(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    if (files.empty()) throw std::runtime_error("no recordings in " + folder.string());
    std::sort(files.begin(), files.end());
    return files;
}

enum class Where { repository, shared };

class Recordings : public ::testing::TestWithParam<Where> {
protected:
    void SetUp() override {
        if (!std::filesystem::exists(root())) GTEST_SKIP() << "no recorded data at " << root();
    }
    static bool in_repository() { return GetParam() == Where::repository; }
    static std::filesystem::path root() { return in_repository() ? kRecorded : kShared; }
    static std::vector<std::filesystem::path> files(const std::string& folder) {
        return recordings(root() / folder);
    }
};

}  // namespace receiptd::test

#define RECEIPTD_WHERE_RECORDED(Suite)                                                                   \
    INSTANTIATE_TEST_SUITE_P(Repository, Suite, ::testing::Values(::receiptd::test::Where::repository)); \
    INSTANTIATE_TEST_SUITE_P(Shared, Suite, ::testing::Values(::receiptd::test::Where::shared))
