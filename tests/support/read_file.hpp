#pragma once

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace receiptd::test {

// The whole file; throws if it cannot be read.
inline std::string read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::string content;
    if (file) content.resize(std::filesystem::file_size(path));
    if (!file.read(content.data(), static_cast<std::streamsize>(content.size())))
        throw std::runtime_error("cannot read " + path.string());
    return content;
}

}  // namespace receiptd::test
