// The same bytes, as they may come over a connection.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace receiptd::fuzz {

class Pieces {
public:
    Pieces(std::string_view bytes, std::size_t largest) : rest_(bytes), largest_(largest) {}

    // At most `room` bytes; 0: there are no more.
    std::size_t take(char* to, std::size_t room) {
        const auto count = std::min({room, largest_, rest_.size()});
        std::copy_n(rest_.data(), count, to);
        rest_.remove_prefix(count);
        return count;
    }

private:
    std::string_view rest_;
    std::size_t largest_;
};

}  // namespace receiptd::fuzz
