#include "page/render.hpp"

#include "page/files.hpp"

#include <kainjow/mustache.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <unordered_map>

namespace receiptd::page {

namespace {

namespace mustache = kainjow::mustache;

constexpr std::string_view kReplacement = "\xef\xbf\xbd";
constexpr unsigned kMostIncludes = 64;

struct Character {
    std::uint32_t code = 0;
    std::size_t bytes = 1;
    bool broken = true;
};

// The first character of a text that is not empty.
Character first_of(std::string_view text) {
    const auto byte = [&](std::size_t i) {
        return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
    };
    const auto head = byte(0);
    if (head < 0x80) return {head, 1, false};
    const std::size_t bytes = head >= 0xf0 && head < 0xf5 ? 4 : head >= 0xe0 && head < 0xf0 ? 3 : 2;
    if (head < 0xc2 || head >= 0xf5 || text.size() < bytes) return {};
    auto code = head & (0xffu >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xc0u) != 0x80) return {};
        code = (code << 6u) | (byte(i) & 0x3fu);
    }
    constexpr std::array<std::uint32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
    if (code < kLeast[bytes] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
    return {code, bytes, false};
}

bool is_hidden(std::uint32_t code) {
    struct Range {
        std::uint32_t from, to;
    };
    static constexpr std::array<Range, 13> kHidden = {{{0x00, 0x08},
                                                       {0x0b, 0x1f},
                                                       {0x7f, 0x9f},
                                                       {0xad, 0xad},
                                                       {0x061c, 0x061c},
                                                       {0x180e, 0x180e},
                                                       {0x200b, 0x200f},
                                                       {0x2028, 0x202e},
                                                       {0x2060, 0x206f},
                                                       {0xfeff, 0xfeff},
                                                       {0xfff9, 0xfffb},
                                                       {0xfdd0, 0xfdef},
                                                       {0xe0000, 0xe0fff}}};
    return std::any_of(kHidden.begin(), kHidden.end(),
                       [&](const Range& range) { return code >= range.from && code <= range.to; });
}

const std::string& text_of(std::string_view name) {
    const auto& files = template_files();
    const auto found = std::find_if(files.begin(), files.end(), [&](const File& file) {
        return file.name.size() == name.size() + 9 && file.name.starts_with(name) &&
               file.name.ends_with(".mustache");
    });
    if (found == files.end()) throw std::logic_error("there is no template " + std::string(name));
    return found->text;
}

// With the templates it includes put in their places: the library would parse them anew for each item.
std::string with_includes(std::string_view name) {
    constexpr std::string_view kOpen = "{{> ";
    std::string text = text_of(name);
    unsigned includes = 0;
    for (auto at = text.find(kOpen); at != std::string::npos; at = text.find(kOpen, at)) {
        const auto end = text.find("}}", at);
        if (end == std::string::npos || ++includes > kMostIncludes)
            throw std::logic_error("template " + std::string(name) + " includes itself, or is broken");
        auto included = text_of(text.substr(at + kOpen.size(), end - at - kOpen.size()));
        while (included.ends_with('\n')) included.pop_back();
        text.replace(at, end + 2 - at, included);
    }
    return text;
}

// Parsed once a thread: rendering changes a template's state.
mustache::mustache& template_of(std::string_view name) {
    thread_local std::unordered_map<std::string, mustache::mustache> parsed;
    const auto found = parsed.find(std::string(name));
    if (found != parsed.end()) return found->second;
    mustache::mustache made(with_includes(name));
    if (!made.is_valid())
        throw std::logic_error("template " + std::string(name) + ": " + made.error_message());
    return parsed.emplace(name, std::move(made)).first->second;
}

mustache::data value_of(const Json& json) {
    using Data = mustache::data;
    if (json.is_object()) {
        Data data(Data::type::object);
        for (const auto& [name, value] : json.items()) data[name] = value_of(value);
        return data;
    }
    if (json.is_array()) {
        mustache::list items;
        items.reserve(json.size());
        for (const auto& each : json) items.push_back(value_of(each));
        return Data(items);
    }
    if (json.is_null()) return Data(false);
    if (json.is_boolean()) return Data(json.get<bool>());
    if (!json.is_string()) return Data(json.dump());
    const auto& text = json.get_ref<const std::string&>();
    if (text.empty()) return Data(false);
    return Data(visible(text));
}

}  // namespace

std::string visible(std::string_view text) {
    std::string clean;
    clean.reserve(text.size());
    while (!text.empty()) {
        const auto next = first_of(text);
        clean.append(next.broken || is_hidden(next.code) ? kReplacement : text.substr(0, next.bytes));
        text.remove_prefix(next.bytes);
    }
    return clean;
}

std::string render(std::string_view name, const Json& values) {
    auto& filled = template_of(name);
    auto html = filled.render(value_of(values));
    if (!filled.is_valid())
        throw std::logic_error("template " + std::string(name) + ": " + filled.error_message());
    return html;
}

}  // namespace receiptd::page
