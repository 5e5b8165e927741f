// Inputs that are deep or long: one piece of an input, or one that nests in some language, repeated in its
// place. Damages of single bytes never make them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace receiptd::fuzz {

inline constexpr std::size_t kLongestGrown = 256 << 10;

struct Nesting {
    std::string_view open;
    std::string_view close;
};
inline constexpr std::array kNestings{
    Nesting{"[", "]"},       Nesting{"{\"a\":", "}"},     Nesting{"[{\"a\":", "}]"}, Nesting{"{a=", "}"},
    Nesting{"a.", ""},       Nesting{"\"a\".", ""},       Nesting{"[a.", "]"},       Nesting{"[[", "]]"},
    Nesting{"not = {", "}"}, Nesting{"{{#a}}", "{{/a}}"}, Nesting{"\\", ""},         Nesting{"(", ")"},
};

inline std::string repeated(std::string_view piece, std::size_t times) {
    std::string text;
    text.reserve(piece.size() * times);
    for (; times > 0; --times) text += piece;
    return text;
}

// `next()` gives a random number; nothing becomes longer than `longest`, if it was not so before.
template <class Next>
std::string grown(const std::string& input, Next&& next, std::size_t longest = kLongestGrown) {
    if (input.size() >= longest) return input;
    const auto room = longest - input.size();
    // As often a few levels as very many.
    const auto budget = std::min(room, std::size_t{16} << (next() % 15));
    // Values begin behind these.
    const auto near = next() % (input.size() + 1);
    const auto behind = input.find_first_of("[{:,=(\n", near);
    const auto at = next() % 3 == 0 || behind == std::string::npos ? near : behind + 1;
    std::string more;
    if (next() % 3 == 0 && at < input.size()) {
        const auto piece = std::string_view(input).substr(at, 1 + next() % 40);
        more = repeated(piece, budget / piece.size());
    } else {
        const auto& nesting = kNestings[next() % kNestings.size()];
        const auto times = budget / (nesting.open.size() + nesting.close.size());
        more = repeated(nesting.open, times);
        if (next() % 2 == 0) more += repeated(nesting.close, times);
    }
    return input.substr(0, at) + more + input.substr(at);
}

}  // namespace receiptd::fuzz
