#include "storm/silence.hpp"

#include "base/glob.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>

namespace receiptd::storm {

namespace {

using Json = nlohmann::json;

struct MatcherKey {
    const char* name;
    std::vector<std::string> Matcher::*patterns;
};
constexpr std::array<MatcherKey, 7> kKeys = {{{"account", &Matcher::account},
                                              {"contract", &Matcher::contract},
                                              {"endpoint", &Matcher::endpoint},
                                              {"error_class", &Matcher::error_class},
                                              {"kind", &Matcher::kind},
                                              {"method", &Matcher::method},
                                              {"rule", &Matcher::rule}}};

std::string key_names() {
    std::string names;
    for (const auto& key : kKeys) names.append(names.empty() ? "" : ", ").append(key.name);
    return names;
}

// Why the patterns of one key are refused; empty: they are read.
std::string read_patterns(const std::string& name, const Json& given, std::vector<std::string>& patterns) {
    const auto list = given.is_array() ? given : Json::array({given});
    if (list.empty()) return name + " must not be an empty list";
    for (const auto& each : list) {
        if (!each.is_string()) return name + " must be a text or a list of texts";
        auto text = each.get<std::string>();
        if (text.empty() || text.size() > kLongestPattern)
            return name + " holds a text that is empty or longer than " + std::to_string(kLongestPattern) +
                   " bytes";
        if (text.find('\0') != std::string::npos) return name + " holds a NUL";
        patterns.push_back(std::move(text));
    }
    return {};
}

bool one_matches(const std::vector<std::string>& patterns, std::initializer_list<std::string_view> texts) {
    return std::any_of(patterns.begin(), patterns.end(), [&](const auto& pattern) {
        return std::any_of(texts.begin(), texts.end(),
                           [&](auto text) { return !text.empty() && base::matches_glob(pattern, text); });
    });
}

bool may_match(const std::vector<std::string>& patterns, std::initializer_list<std::string_view> texts) {
    return patterns.empty() || one_matches(patterns, texts);
}

}  // namespace

base::Result<Matcher, std::string> parse_matcher(std::string_view json) {
    const auto document = Json::parse(json, nullptr, false);
    if (!document.is_object()) return std::string("must be a JSON object");
    Matcher matcher;
    std::size_t patterns = 0;
    for (const auto& [name, given] : document.items()) {
        const auto key = std::find_if(kKeys.begin(), kKeys.end(),
                                      [&, &wanted = name](const auto& each) { return wanted == each.name; });
        if (key == kKeys.end()) return "has no \"" + name + "\"; there are: " + key_names();
        auto& into = matcher.*key->patterns;
        if (auto fault = read_patterns(name, given, into); !fault.empty()) return fault;
        patterns += into.size();
    }
    if (patterns == 0) return "needs at least one of " + key_names() + "; \"*\" matches everything";
    if (patterns > kMostPatterns) return "has more than " + std::to_string(kMostPatterns) + " patterns";
    return matcher;
}

std::string to_json(const Matcher& matcher) {
    auto document = Json::object();
    for (const auto& key : kKeys)
        if (const auto& patterns = matcher.*key.patterns; !patterns.empty()) document[key.name] = patterns;
    return document.dump();
}

bool matches(const Matcher& matcher, const About& about) {
    const auto& kinds = matcher.kind;
    if (about.is_of_transaction && std::find(kinds.begin(), kinds.end(), about.kind) == kinds.end())
        return false;
    const bool has_rule = matcher.rule.empty() ||
                          std::any_of(about.rules.begin(), about.rules.end(),
                                      [&](const auto& rule) { return one_matches(matcher.rule, {rule}); });
    return has_rule && may_match(matcher.endpoint, {about.endpoint}) && may_match(kinds, {about.kind}) &&
           may_match(matcher.contract, {about.contract_id}) &&
           may_match(matcher.method, {about.method_name}) &&
           may_match(matcher.error_class, {about.error_class}) &&
           may_match(matcher.account, {about.contract_id, about.signer_id, about.user_id, about.account_id});
}

const Silence* silence_of(const std::vector<Silence>& silences, const About& about, base::WallTime now) {
    const auto found = std::find_if(silences.begin(), silences.end(), [&](const auto& silence) {
        return silence.starts_at <= now && now < silence.ends_at && matches(silence.matcher, about);
    });
    return found == silences.end() ? nullptr : &*found;
}

}  // namespace receiptd::storm
