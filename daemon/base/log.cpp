#include "base/log.hpp"

#include "base/iso_time.hpp"
#include "base/json_text.hpp"
#include "base/visible.hpp"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <cstdio>
#include <memory>

namespace receiptd::log {
namespace {

std::atomic<Level> current_level{Level::info};
std::atomic<Format> current_format{Format::plain};

// spdlog carries finished lines (its %v is not escaped, so the line is made here).
spdlog::logger& sink() {
    static const auto logger = [] {
        auto stderr_sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
        auto made = std::make_shared<spdlog::logger>("receiptd", stderr_sink);
        made->set_pattern("%v");
        made->set_level(spdlog::level::trace);
        made->flush_on(spdlog::level::trace);
        return made;
    }();
    return *logger;
}

const char* level_name(Level level) {
    switch (level) {
        case Level::trace: return "trace";
        case Level::debug: return "debug";
        case Level::info: return "info";
        case Level::warn: return "warn";
        case Level::error: return "error";
    }
    return "info";
}

bool is_plain_word(std::string_view text) {
    if (text.empty()) return false;
    for (const char c : text)
        if (c <= ' ' || c == '"' || c == '\\' || c == '=' || c == 0x7f) return false;
    return true;
}

std::string value_text(const Field::Value& value, Format format) {
    if (const auto* text = std::get_if<std::string>(&value)) {
        if (format == Format::plain && is_plain_word(*text)) return *text;
        std::string quoted;
        base::append_quoted(quoted, *text);
        return quoted;
    }
    if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
    if (const auto* real = std::get_if<double>(&value)) {
        char digits[32];
        std::snprintf(digits, sizeof digits, "%.6g", *real);
        return digits;
    }
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
    return std::to_string(std::get<std::uint64_t>(value));
}

}  // namespace

std::string format_line(Format format, Level level, std::string_view time, std::string_view message,
                        Fields fields) {
    if (format == Format::json) {
        base::JsonObject line;
        line.text("time", time).text("level", level_name(level)).text("message", message);
        for (const auto& field : fields) line.json(field.name, value_text(field.value, format));
        return base::visible(line.to_json());
    }
    std::string line;
    line += time;
    line += ' ';
    line += level_name(level);
    line += ' ';
    base::append_escaped(line, message);
    for (const auto& field : fields) {
        line += ' ';
        line += field.name;
        line += '=';
        line += value_text(field.value, format);
    }
    return base::visible(line);
}

void configure(Level level, Format format) {
    current_level = level;
    current_format = format;
}

void write(Level level, std::string_view message, Fields fields) {
    if (level < current_level.load(std::memory_order_relaxed)) return;
    sink().info(
        format_line(current_format, level, base::iso_time(base::SystemClock().wall()), message, fields));
}

}  // namespace receiptd::log
