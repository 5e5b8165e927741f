// Whether a text is well-formed XML 1.0, as far as the drawn trees use it: elements, attributes, texts, one
// declaration; no comments, no processing instructions, no CDATA, no DOCTYPE.
#pragma once

#include "draw/unicode.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::draw::testing {

class XmlCheck {
public:
    explicit XmlCheck(std::string_view text) : rest_(text), whole_(text) {}

    // Empty: it is well-formed.
    std::string fault() {
        if (auto fault = bad_character(); !fault.empty()) return fault;
        if (rest_.starts_with("<?xml ")) rest_.remove_prefix(rest_.find("?>") + 2);
        while (fault_.empty() && !rest_.empty()) next();
        if (fault_.empty() && !open_.empty()) fault_ = "not closed: " + open_.back();
        return fault_;
    }

    std::vector<std::string> elements;
    std::vector<std::string> attributes;  // names

private:
    std::string bad_character() const {
        auto text = whole_;
        while (!text.empty()) {
            const auto before = text;
            const auto c = take_character(text);
            const auto taken = before.size() - text.size();
            if (c == kReplacement && before.substr(0, taken) != "\xef\xbf\xbd") return "no UTF-8";
            const bool fine = c == 9 || c == 10 || c == 13 || (c >= 0x20 && c < 0xfffe) || c >= 0x10000;
            if (!fine) return "a character that XML forbids";
        }
        return {};
    }

    void next() {
        if (rest_.front() != '<') return text(rest_.substr(0, rest_.find('<')));
        const auto end = rest_.find('>');
        if (end == std::string_view::npos) return fail("an element that does not end");
        auto tag = rest_.substr(1, end - 1);
        rest_.remove_prefix(end + 1);
        if (tag.starts_with('/')) return close(std::string(tag.substr(1)));
        const bool empty = tag.ends_with('/');
        if (empty) tag.remove_suffix(1);
        open(tag);
        if (empty && !open_.empty()) open_.pop_back();
    }

    void open(std::string_view tag) {
        const auto name = std::string(tag.substr(0, tag.find(' ')));
        if (name.empty() || std::isalpha(static_cast<unsigned char>(name[0])) == 0)
            return fail("no element: " + name);
        elements.push_back(name);
        open_.push_back(name);
        tag.remove_prefix(name.size());
        std::set<std::string> names;
        while (fault_.empty() && !tag.empty()) {
            if (tag.front() != ' ') return fail("no space before an attribute");
            const auto begin = tag.find("=\"");
            if (begin == std::string_view::npos) return fail("no attribute: " + std::string(tag));
            const auto end = tag.find('"', begin + 2);
            if (end == std::string_view::npos) return fail("a value that does not end");
            const auto attribute = std::string(tag.substr(1, begin - 1));
            if (!names.insert(attribute).second) return fail("twice: " + attribute);
            attributes.push_back(attribute);
            const auto value = tag.substr(begin + 2, end - begin - 2);
            references(value);
            if (value.find('<') != std::string_view::npos) return fail("< in a value");
            tag.remove_prefix(end + 1);
        }
    }

    void close(const std::string& name) {
        if (open_.empty() || open_.back() != name) return fail("closes nothing: " + name);
        open_.pop_back();
    }

    void text(std::string_view text) {
        rest_.remove_prefix(text.size());
        references(text);
        if (text.find("]]>") != std::string_view::npos) fail("]]> in a text");
    }

    void references(std::string_view text) {
        for (auto at = text.find('&'); at != std::string_view::npos; at = text.find('&', at + 1)) {
            const auto name = text.substr(at + 1, text.find(';', at) - at - 1);
            static const std::set<std::string_view> kKnown = {"amp", "lt", "gt", "quot", "#39", "#10"};
            if (!kKnown.contains(name)) fail("no reference: " + std::string(name.substr(0, 20)));
        }
    }

    void fail(std::string why) {
        if (fault_.empty()) fault_ = std::move(why);
    }

    std::string_view rest_;
    std::string_view whole_;
    std::vector<std::string> open_;
    std::string fault_;
};

inline std::string xml_fault(std::string_view text) { return XmlCheck(text).fault(); }

}  // namespace receiptd::draw::testing
