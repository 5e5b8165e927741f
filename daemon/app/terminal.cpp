#include "app/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace receiptd::app {
namespace {

// A tree in fewer columns cannot be read.
constexpr std::size_t kNarrowest = 40;

bool is_set(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
}

}  // namespace

chain::TreeStyle style_of_output() {
    chain::TreeStyle style;
    style.details = true;
    if (!isatty(STDOUT_FILENO)) return style;
    const char* terminal = std::getenv("TERM");
    style.colour = !is_set("NO_COLOR") && terminal != nullptr && std::string_view(terminal) != "dumb";
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        style.width = std::max<std::size_t>(size.ws_col, kNarrowest);
    return style;
}

}  // namespace receiptd::app
