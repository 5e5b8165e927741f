#include "page/render.hpp"

#include "base/exact_json.hpp"
#include "base/visible.hpp"
#include "page/files.hpp"

#include <kainjow/mustache.hpp>

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

namespace receiptd::page {

namespace {

namespace mustache = kainjow::mustache;

constexpr unsigned kMostIncludes = 64;

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
    if (!json.is_string()) return Data(base::write_json(json));
    const auto& text = json.get_ref<const std::string&>();
    if (text.empty()) return Data(false);
    return Data(base::visible(text));
}

}  // namespace

std::string render(std::string_view name, const Json& values) {
    auto& filled = template_of(name);
    auto html = filled.render(value_of(values));
    if (!filled.is_valid())
        throw std::logic_error("template " + std::string(name) + ": " + filled.error_message());
    return html;
}

}  // namespace receiptd::page
