#include "config/read_secret.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace receiptd::config {

namespace {

using SecretOrFault = base::Result<ReadSecret, SecretFault>;

constexpr std::uintmax_t kLongestSecret = 64 * 1024;

SecretOrFault checked_secret(std::string value, const std::string& holder, Lines lines) {
    while (!value.empty() && (value.back() == '\n' || value.back() == '\r')) value.pop_back();
    if (value.empty()) return SecretFault{holder + " is empty"};
    const auto is_control = [lines](unsigned char c) {
        const bool breaks = c == '\n' || c == '\r';
        return !(breaks && lines == Lines::several) && (c < 0x20 || c == 0x7f);
    };
    if (std::any_of(value.begin(), value.end(), is_control))
        return SecretFault{holder + " holds a line break or control character inside the value"};
    return ReadSecret{base::Secret(std::move(value))};
}

SecretOrFault secret_in_file(const std::filesystem::path& path, Lines lines) {
    struct stat facts {};
    if (::stat(path.c_str(), &facts) != 0)
        return SecretFault{std::string("cannot read the file: ") + std::strerror(errno)};
    if (!S_ISREG(facts.st_mode) || static_cast<std::uintmax_t>(facts.st_size) > kLongestSecret)
        return SecretFault{"is no ordinary file of at most 64 KiB"};
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (facts.st_size > 0) text << file.rdbuf();
    if (!file) return SecretFault{std::string("cannot read the file: ") + std::strerror(errno)};
    auto read = checked_secret(text.str(), "the file", lines);
    if (read) read->everybody_can_read = (facts.st_mode & S_IROTH) != 0;
    return read;
}

}  // namespace

base::Result<ReadSecret, SecretFault> read_secret(const SecretPlace& place,
                                                  const std::filesystem::path& folder,
                                                  const Environment& environment, Lines lines) {
    if (place.env.empty()) return secret_in_file(folder / place.file, lines);
    const auto value = environment(place.env);
    if (!value) return SecretFault{"environment variable " + place.env + " is not set"};
    return checked_secret(*value, "environment variable " + place.env, lines);
}

}  // namespace receiptd::config
