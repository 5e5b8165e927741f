#include "base/file_watch.hpp"

#include <sys/stat.h>

namespace receiptd::base {

namespace {

// Empty: it cannot be looked at.
std::string print_of(const std::string& file) {
    struct stat facts {};
    if (::stat(file.c_str(), &facts) != 0) return {};
    std::string print;
    for (const auto part :
         {static_cast<long long>(facts.st_dev), static_cast<long long>(facts.st_ino),
          static_cast<long long>(facts.st_size), static_cast<long long>(facts.st_mtim.tv_sec),
          static_cast<long long>(facts.st_mtim.tv_nsec)})
        print += std::to_string(part) + ' ';
    return print;
}

}  // namespace

void FileWatch::add(const std::vector<std::string>& files) {
    for (const auto& file : files) seen_.try_emplace(file);
}

bool FileWatch::look() {
    Prints now;
    for (const auto& [file, print] : seen_) now.emplace(file, print_of(file));
    const bool rests = now == seen_;
    seen_ = std::move(now);
    if (!rests || seen_ == reported_) return false;
    reported_ = seen_;
    return true;
}

}  // namespace receiptd::base
