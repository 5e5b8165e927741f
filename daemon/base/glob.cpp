#include "base/glob.hpp"

#include <cstddef>

namespace receiptd::base {
namespace {

// Behind the character that begins at `at`.
std::size_t next_character(std::string_view text, std::size_t at) {
    do ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U);
    return at;
}

}  // namespace

bool matches_glob(std::string_view glob, std::string_view text) {
    std::size_t at = 0;
    std::size_t in = 0;
    std::size_t star = std::string_view::npos;  // the latest one, and what it has taken so far
    std::size_t taken_to = 0;
    while (in < text.size()) {
        if (at < glob.size() && glob[at] == '*') {
            star = at++;
            taken_to = in;
        } else if (at < glob.size() && glob[at] == '?') {
            ++at;
            in = next_character(text, in);
        } else if (at < glob.size() && glob[at] == text[in]) {
            ++at;
            ++in;
        } else if (star != std::string_view::npos) {
            at = star + 1;
            in = ++taken_to;
        } else {
            return false;
        }
    }
    return glob.find_first_not_of('*', at) == std::string_view::npos;
}

}  // namespace receiptd::base
