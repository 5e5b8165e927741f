#include "base/ascii.hpp"
#include "base/glob.hpp"
#include "base/id_faults.hpp"
#include "rule/reading.hpp"

#include <algorithm>

namespace receiptd::rule {
namespace {

constexpr std::size_t kLongestText = 1'024;
constexpr std::size_t kLongestWord = 256;

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// The fault of a pattern such as "*.alice.near": one with other letters would match nothing.
std::optional<std::string> account_glob_fault(std::string_view glob) {
    if (glob.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789._-*?") == std::string_view::npos)
        return std::nullopt;
    return "may hold only a-z, 0-9, the separators . _ - and the wildcards * and ?";
}

std::optional<std::string> text_fault(std::string_view text, Form form) {
    const bool is_text = form == Form::text || form == Form::standard;
    const auto longest = is_text ? kLongestText : kLongestWord;
    if (text.size() > longest) return "must not be longer than " + std::to_string(longest) + " characters";
    if (is_text) return std::nullopt;
    const auto bad = [](char c) { return c == ' ' || is_control(c); };
    if (std::any_of(text.begin(), text.end(), bad)) return "must not hold blanks or control characters";
    return std::nullopt;
}

// "nep141" of "NEP-141", as documents write it: events have small letters and no hyphen (NEP-297).
std::optional<std::string> meant_standard(std::string_view text) {
    auto small = base::lowered(text);
    std::erase(small, '-');
    const bool is_number = small.size() > 3 && small.find_first_not_of("0123456789", 3) == std::string::npos;
    if (!small.starts_with("nep") || !is_number || small == text) return std::nullopt;
    return small;
}

}  // namespace

void Reading::add_text(const std::string& path, const std::string& text, Form form, Texts& to) {
    if (text.empty()) return fault(path, "must not be empty");
    const bool of_accounts = form == Form::accounts || form == Form::token;
    if (auto bad = text_fault(text, form)) return fault(path, *bad);
    if (of_accounts && text.starts_with('@')) {
        const auto list = text.substr(1);
        if (const auto bad = base::name_fault(list)) return fault(path, "names a list, which " + *bad);
        if (std::find(lists.begin(), lists.end(), list) == lists.end()) lists.push_back(list);
        to.lists.push_back(list);
    } else if (base::is_glob(text)) {
        const auto bad = of_accounts ? account_glob_fault(text) : std::nullopt;
        if (bad) return fault(path, *bad);
        to.globs.push_back(text);
    } else if (const auto meant = form == Form::standard ? meant_standard(text) : std::nullopt) {
        fault(path, "is no standard as events name it; did you mean \"" + *meant + "\"?");
    } else {
        const bool is_near = form == Form::token && text == "near";
        const auto bad = of_accounts && !is_near ? base::account_fault(text) : std::nullopt;
        if (bad) return fault(path, "must be an account id; \"" + text.substr(0, 80) + "\" " + *bad);
        to.words.push_back(text);
    }
}

Texts Reading::read_texts(const std::string& path, const JsonNode& node, Form form) {
    Texts texts;
    each(path, node, [&](const std::string& at, const JsonNode& item) {
        if (item.type != JsonNode::Type::text) return wrong_type(at, item, "a text or a list of texts");
        add_text(at, item.text, form, texts);
    });
    return texts;
}

}  // namespace receiptd::rule
