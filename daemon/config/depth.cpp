#include "config/depth.hpp"

#include <algorithm>

namespace receiptd::config {
namespace {

class DepthReader {
public:
    explicit DepthReader(std::string_view toml) : toml_(toml) {}

    std::optional<Position> read() {
        while (at_ < toml_.size()) {
            const char c = toml_[at_];
            if (c == '"' || c == '\'') {
                skip_string(c);
                continue;
            }
            if (c == '#') {
                at_ = std::min(toml_.find('\n', at_), toml_.size());
                continue;
            }
            count(c);
            if (dots_ >= kDeepest || brackets_ > kDeepest) return place();
            ++at_;
        }
        return std::nullopt;
    }

private:
    // A dotted key goes on over spaces and quoted parts, and ends at what else has a meaning.
    void count(char c) {
        if (c == '.') {
            ++dots_;
            return;
        }
        if (c == '[' || c == '{') ++brackets_;
        if ((c == ']' || c == '}') && brackets_ > 0) --brackets_;
        if (std::string_view("=,[]{}\n").find(c) != std::string_view::npos) dots_ = 0;
    }

    bool quotes_at(std::size_t at, char quote, std::size_t count) const {
        return toml_.substr(at, count) == std::string(count, quote);
    }

    void skip_string(char quote) {
        const bool long_one = quotes_at(at_, quote, 3);
        at_ += long_one ? 3 : 1;
        for (; at_ < toml_.size(); ++at_) {
            const char c = toml_[at_];
            if (c == '\\' && quote == '"') {
                ++at_;
            } else if (!long_one && (c == quote || c == '\n')) {
                at_ += c == quote ? 1 : 0;  // a line break is a fault: that line ends there
                return;
            } else if (long_one && quotes_at(at_, quote, 3)) {
                at_ += 3;
                // Up to two quotes before the last three belong to the string.
                for (int more = 0; more < 2 && at_ < toml_.size() && toml_[at_] == quote; ++more) ++at_;
                return;
            }
        }
        at_ = std::min(at_, toml_.size());
    }

    Position place() const {
        const auto before = toml_.substr(0, at_);
        const auto line = std::count(before.begin(), before.end(), '\n');
        const auto begin = before.rfind('\n');
        const auto column = begin == std::string_view::npos ? at_ + 1 : at_ - begin;
        return {static_cast<unsigned>(line) + 1, static_cast<unsigned>(column)};
    }

    std::string_view toml_;
    std::size_t at_ = 0;
    std::size_t dots_ = 0;      // of the key so far
    std::size_t brackets_ = 0;  // open ones
};

}  // namespace

std::optional<Position> too_deep(std::string_view toml) { return DepthReader(toml).read(); }

}  // namespace receiptd::config
