// Positions of keys in the file, and the problems found there.
#pragma once

#include "config/load.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace receiptd::config {

struct Position {
    unsigned line = 0;
    unsigned column = 0;
};

// "upstream[0]"
inline std::string item_path(std::string_view section, std::size_t item) {
    return std::string(section) + "[" + std::to_string(item) + "]";
}

// Positions of every section ("follow", "upstream[0]"), value ("follow.scope", "upstream[0].url") and list
// item ("follow.accounts[2]") that the file holds, right or wrong.
class Places {
public:
    void set(const std::string& path, Position position) { positions_[path] = position; }
    bool has(const std::string& path) const { return positions_.contains(path); }
    // The position of the path, else of its nearest known parent, else the start of the file.
    Position find(std::string path) const {
        while (!positions_.contains(path)) {
            const auto cut = path.find_last_of(".[");
            if (cut == std::string::npos) return {1, 1};
            path.resize(cut);
        }
        return positions_.at(path);
    }

private:
    std::map<std::string, Position> positions_;
};

class Report {
public:
    explicit Report(std::string file) : file_(std::move(file)) {}
    void error(Position where, std::string message) {
        problems_.push_back({Severity::error, file_, where.line, where.column, std::move(message)});
    }
    void warning(Position where, std::string message) {
        problems_.push_back({Severity::warning, file_, where.line, where.column, std::move(message)});
    }
    // The same in a file that the configuration names.
    void error_in(const std::string& file, Position where, std::string message) {
        problems_.push_back({Severity::error, file, where.line, where.column, std::move(message)});
    }
    std::vector<Problem> in_file_order() const;  // those of other files last

private:
    std::string file_;
    std::vector<Problem> problems_;
};

}  // namespace receiptd::config
