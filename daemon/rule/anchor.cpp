#include "rule/anchor.hpp"

#include "base/glob.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace receiptd::rule {
namespace {

// ".alice.near" of "*.alice.near"; empty: the glob is of another form.
std::string_view suffix_of(std::string_view glob) {
    if (!glob.starts_with("*.") || base::is_glob(glob.substr(1))) return {};
    return glob.substr(1);
}

bool is_account(Field field) {
    return field == Field::signer || field == Field::user || field == Field::predecessor ||
           field == Field::receiver || field == Field::account;
}

std::optional<Anchor> anchor_of(const TextTest& test) {
    const auto& any_of = test.any_of;
    if (std::find(kAnchorFields.begin(), kAnchorFields.end(), test.field) != kAnchorFields.end()) {
        if (!any_of.globs.empty() || !any_of.lists.empty()) return std::nullopt;
        return Anchor{test.field, any_of.words, {}, {}};
    }
    if (!is_account(test.field)) return std::nullopt;
    Anchor anchor{Field::account, any_of.words, {}, any_of.lists};
    for (const auto& glob : any_of.globs) {
        const auto suffix = suffix_of(glob);
        if (suffix.empty()) return std::nullopt;
        anchor.suffixes.emplace_back(suffix);
    }
    return anchor;
}

// Accounts first: who asks beforehand knows the accounts only.
auto breadth(const Anchor& anchor) {
    return std::tuple(anchor.by != Field::account, anchor.suffixes.size(), anchor.lists.size(),
                      anchor.words.size());
}

std::optional<Anchor> narrowest(const std::vector<Condition>& all) {
    std::optional<Anchor> best;
    for (const auto& condition : all)
        if (auto anchor = anchor_of(condition); anchor && (!best || breadth(*anchor) < breadth(*best)))
            best = std::move(anchor);
    return best;
}

std::optional<Anchor> together(const std::vector<Condition>& any) {
    std::optional<Anchor> sum;
    for (const auto& condition : any) {
        auto anchor = anchor_of(condition);
        if (!anchor || (sum && sum->by != anchor->by)) return std::nullopt;
        if (!sum) {
            sum = std::move(anchor);
            continue;
        }
        sum->words.insert(sum->words.end(), anchor->words.begin(), anchor->words.end());
        sum->suffixes.insert(sum->suffixes.end(), anchor->suffixes.begin(), anchor->suffixes.end());
        sum->lists.insert(sum->lists.end(), anchor->lists.begin(), anchor->lists.end());
    }
    return sum;
}

// The words that the value at the path, or one within it, must be among. Digits are no words: they are
// compared as numbers.
std::optional<ValueAnchor> value_anchor_of(const JsonPart& part, bool in_args) {
    const auto& is = part.test.is;
    if (!is.texts.words.empty() && is == Literals{{is.texts.words, {}, {}}, {}, false, false})
        return ValueAnchor{in_args, part.path, is.texts.words};
    for (const auto& inner : part.test.has)
        if (auto anchor = value_anchor_of(inner, in_args)) {
            anchor->path.insert(anchor->path.begin(), part.path.begin(), part.path.end());
            return anchor;
        }
    return std::nullopt;
}

}  // namespace

std::optional<ValueAnchor> value_anchor_of(const Condition& condition) {
    if (const auto* where = std::get_if<WhereTest>(&condition.is))
        return value_anchor_of(where->part, where->in_args);
    if (const auto* all = std::get_if<All>(&condition.is))
        for (const auto& part : all->of)
            if (auto anchor = value_anchor_of(part)) return anchor;
    return std::nullopt;
}

std::optional<Anchor> anchor_of(const Condition& condition) {
    if (const auto* all = std::get_if<All>(&condition.is)) return narrowest(all->of);
    if (const auto* any = std::get_if<Any>(&condition.is)) return together(any->of);
    if (const auto* text = std::get_if<TextTest>(&condition.is)) return anchor_of(*text);
    return std::nullopt;
}

std::vector<std::string> receivers_of(const Condition& condition) {
    if (const auto* all = std::get_if<All>(&condition.is))
        for (const auto& part : all->of)
            if (auto receivers = receivers_of(part); !receivers.empty()) return receivers;
    const auto* text = std::get_if<TextTest>(&condition.is);
    const bool by_receiver =
        text && text->field == Field::receiver && text->any_of.globs.empty() && text->any_of.lists.empty();
    return by_receiver ? text->any_of.words : std::vector<std::string>();
}

}  // namespace receiptd::rule
