#include "app/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace receiptd::app {
namespace {

constexpr unsigned kBarWidth = 24;

std::string duration_text(double seconds) {
    const auto whole = static_cast<long>(seconds);
    char text[32];
    if (whole < 60)
        std::snprintf(text, sizeof text, "%lds", whole);
    else if (whole < 3600)
        std::snprintf(text, sizeof text, "%ldm%02lds", whole / 60, whole % 60);
    else
        std::snprintf(text, sizeof text, "%ldh%02ldm", whole / 3600, whole / 60 % 60);
    return text;
}

}  // namespace

std::string progress_line(base::Height done, base::Height total, base::Height unavailable,
                          base::Duration elapsed) {
    const double share = total == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(total);
    const double seconds = static_cast<double>(elapsed.count()) / 1e9;
    const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
    const auto filled = static_cast<unsigned>(share * kBarWidth);
    std::string line =
        "[" + std::string(filled, '#') + std::string(kBarWidth - std::min(filled, kBarWidth), '.') + "]";
    char numbers[128];
    std::snprintf(numbers, sizeof numbers, " %5.1f %%  %llu/%llu heights  %.1f/s", share * 100,
                  static_cast<unsigned long long>(done), static_cast<unsigned long long>(total), rate);
    line += numbers;
    if (rate > 0 && done < total) line += "  eta " + duration_text(static_cast<double>(total - done) / rate);
    if (unavailable > 0) line += "  " + std::to_string(unavailable) + " unavailable";
    return line;
}

Progress::Progress(base::Height total, const base::Clock& clock)
    : total_(total), clock_(clock), started_at_(clock.steady()), visible_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
    if (visible_) std::fputs("\n", stderr);
}

void Progress::show(base::Height done, base::Height unavailable) {
    if (!visible_) return;
    const auto line = progress_line(done, total_, unavailable, clock_.steady() - started_at_);
    std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
    std::fflush(stderr);
}

}  // namespace receiptd::app
