#include "base/visible_stream.hpp"

#include "base/visible.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace receiptd::base {

namespace {

// The colours of our own texts (chain/tree/paint.cpp). Another's text can become coloured by them, and
// nothing else.
constexpr std::array<std::string_view, 5> kColours = {"\x1b[0m", "\x1b[2m", "\x1b[31m", "\x1b[32m",
                                                      "\x1b[33m"};

std::string visible_but_for_colours(std::string_view text) {
    std::string shown;
    for (auto at = text.find('\x1b'); at != std::string_view::npos; at = text.find('\x1b', at)) {
        const auto* colour = std::find_if(kColours.begin(), kColours.end(), [&](std::string_view known) {
            return text.substr(at).starts_with(known);
        });
        if (colour == kColours.end()) {
            ++at;
            continue;
        }
        shown.append(visible(text.substr(0, at))).append(*colour);
        text.remove_prefix(at + colour->size());
        at = 0;
    }
    return shown.append(visible(text));
}

}  // namespace

VisibleBuffer::int_type VisibleBuffer::overflow(int_type c) {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    const char character = traits_type::to_char_type(c);
    return xsputn(&character, 1) == 1 ? c : traits_type::eof();
}

std::streamsize VisibleBuffer::xsputn(const char* text, std::streamsize size) {
    line_.append(text, static_cast<std::size_t>(size));
    const auto end = line_.rfind('\n');
    return end == std::string::npos || pass_on(end + 1) ? size : 0;
}

int VisibleBuffer::sync() { return pass_on(line_.size()) && to_.pubsync() == 0 ? 0 : -1; }

bool VisibleBuffer::pass_on(std::size_t size) {
    const auto shown = visible_but_for_colours(std::string_view(line_).substr(0, size));
    line_.erase(0, size);
    const auto length = static_cast<std::streamsize>(shown.size());
    return to_.sputn(shown.data(), length) == length;
}

VisibleOnTerminal::VisibleOnTerminal(std::ostream& stream, int descriptor)
    : stream_(stream), raw_(stream.rdbuf()), visible_(*raw_) {
    if (::isatty(descriptor) == 1) stream_.rdbuf(&visible_);
}

VisibleOnTerminal::~VisibleOnTerminal() {
    stream_.flush();
    stream_.rdbuf(raw_);
}

}  // namespace receiptd::base
