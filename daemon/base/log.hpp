// Structured logging: a message for people and fields for machines, as plain or JSON lines on
// standard error. Values are escaped by the formatter; secrets have no way in (base/secret.hpp).
//
//     log::info("block stored", {{"height", height}, {"rows", rows}});
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

namespace receiptd::log {

enum class Level { trace, debug, info, warn, error };
enum class Format { plain, json };

struct Field {
    using Value = std::variant<std::int64_t, std::uint64_t, double, bool, std::string>;

    Field(std::string_view field_name, std::string_view text) : name(field_name), value(std::string(text)) {}
    Field(std::string_view field_name, const char* text) : name(field_name), value(std::string(text)) {}
    Field(std::string_view field_name, const std::string& text) : name(field_name), value(text) {}
    Field(std::string_view field_name, bool flag) : name(field_name), value(flag) {}
    Field(std::string_view field_name, double number) : name(field_name), value(number) {}
    template <std::integral Integer>
    Field(std::string_view field_name, Integer number) : name(field_name) {
        if constexpr (std::is_signed_v<Integer>)
            value = static_cast<std::int64_t>(number);
        else
            value = static_cast<std::uint64_t>(number);
    }

    std::string_view name;
    Value value;
};
using Fields = std::initializer_list<Field>;

// Call once at start and again to reload. Thread-safe.
void configure(Level level, Format format);

void write(Level level, std::string_view message, Fields fields = {});

inline void debug(std::string_view message, Fields fields = {}) { write(Level::debug, message, fields); }
inline void info(std::string_view message, Fields fields = {}) { write(Level::info, message, fields); }
inline void warn(std::string_view message, Fields fields = {}) { write(Level::warn, message, fields); }
inline void error(std::string_view message, Fields fields = {}) { write(Level::error, message, fields); }

// The line as it would be written, without the line end (for tests and the formatter).
std::string format_line(Format format, Level level, std::string_view time, std::string_view message,
                        Fields fields);

}  // namespace receiptd::log
