// Recorded files, as text.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace receiptd::sandbox {

// The folder's *.json in name order; an absent folder has none.
std::vector<std::filesystem::path> json_files(const std::filesystem::path& folder);

// The file's text, checked to be JSON. Throws std::runtime_error that names the file.
std::string read_json_file(const std::filesystem::path& path);

}  // namespace receiptd::sandbox
