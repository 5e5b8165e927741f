#include "chain/json/errors.hpp"

#include "base/glob.hpp"
#include "base/nearest.hpp"
#include "base/nul.hpp"
#include "chain/json/error_rules.hpp"
#include "chain/json/panic_text.hpp"

#include <simdjson.h>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

namespace receiptd::chain {

namespace {

using simdjson::dom::element;

constexpr std::string_view kPanic = "Smart contract panicked: ";
constexpr std::string_view kPanicClass = "contract_panic";
constexpr std::string_view kOtherText = "execution_error";  // free text that no rule knows
constexpr std::string_view kUnknown = "unknown";
constexpr int kMaxNesting = 8;  // the deepest real one has 6

// An enum in JSON: "Name" or {"Name": payload}.
struct Variant {
    std::string_view name;
    std::optional<element> payload;
};

std::optional<Variant> read_variant(const element& value) {
    std::string_view name;
    if (value.get(name) == simdjson::SUCCESS) return Variant{name, std::nullopt};
    simdjson::dom::object object;
    if (value.get(object) != simdjson::SUCCESS || object.begin() == object.end()) return std::nullopt;
    const auto field = *object.begin();
    return Variant{field.key, field.value};
}

std::string value_text(const element& value) {
    std::string_view text;
    if (value.get(text) == simdjson::SUCCESS) return std::string(text);
    if (value.is_null()) return "none";
    simdjson::dom::object object;  // such as {"hash": …}, where the value says enough
    if (value.get(object) == simdjson::SUCCESS && object.size() == 1) {
        const element inner = (*object.begin()).value;
        if (inner.get(text) == simdjson::SUCCESS) return std::string(text);
    }
    return simdjson::minify(value);
}

std::string field_text(const std::optional<element>& payload, std::string_view field) {
    if (!payload) return "?";
    if (field.empty()) return value_text(*payload);
    element value;
    return payload->at_key(field).get(value) == simdjson::SUCCESS ? value_text(value) : "?";
}

std::string fill_in(const ErrorRule& rule, const std::optional<element>& payload) {
    if (rule.text.empty())
        return payload ? std::string(rule.variant) + ": " + value_text(*payload) : std::string(rule.variant);
    std::string text;
    std::string_view rest = rule.text;
    for (auto open = rest.find('{'); open != std::string_view::npos; open = rest.find('{')) {
        const auto close = rest.find('}', open);
        text += rest.substr(0, open);
        text += field_text(payload, rest.substr(open + 1, close - open - 1));
        rest = rest.substr(close + 1);
    }
    text += rest;
    return text;
}

// Nodes of 2020 wrote Rust's debug form: "HostError(GuestPanic { panic_msg: \"…\" })",
// "MethodResolveError(MethodNotFound)".
std::optional<FailureClass> classify_debug_form(std::string_view text) {
    const ErrorRule* rule = nullptr;
    auto family = ErrorFamily::function_call;
    std::string_view rest = text;
    while (family != ErrorFamily::none && family != ErrorFamily::free_text) {
        const auto end = rest.find_first_of("( {");
        rule = find_error_rule(family, rest.substr(0, end));
        if (!rule) return std::nullopt;
        if (rule->next == ErrorFamily::none) break;
        if (end == std::string_view::npos || rest[end] != '(') return std::nullopt;
        rest = rest.substr(end + 1);
        if (rest.ends_with(')')) rest.remove_suffix(1);
        family = rule->next;
    }
    if (!rule || rule->next != ErrorFamily::none) return std::nullopt;
    const auto open = rest.find("{ panic_msg: \"");
    if (rule->error_class == kPanicClass && open != std::string_view::npos && rest.ends_with("\" }")) {
        rest = rest.substr(open + 14, rest.size() - open - 17);
        return FailureClass{std::string(kPanicClass), readable_panic(rest)};
    }
    return FailureClass{std::string(rule->error_class), std::string(text)};
}

FailureClass classify_text(std::string_view text) {
    if (text.starts_with(kPanic))
        return {std::string(kPanicClass), readable_panic(text.substr(kPanic.size()))};
    if (const ErrorTextRule* rule = find_error_text_rule(text))
        return {std::string(rule->error_class), std::string(text)};
    if (auto known = classify_debug_form(text)) return std::move(*known);
    return {std::string(kOtherText), std::string(text)};
}

// `whole`: the input, the text of a variant that no rule knows.
std::optional<FailureClass> classify(ErrorFamily family, const element& value, std::string_view whole,
                                     int nesting) {
    if (nesting > kMaxNesting) return std::nullopt;
    const auto variant = read_variant(value);
    if (!variant) return std::nullopt;
    const ErrorRule* rule = find_error_rule(family, variant->name);
    if (!rule) return FailureClass{class_of_variant(variant->name), std::string(whole)};
    if (rule->next == ErrorFamily::none) {
        std::string text = fill_in(*rule, variant->payload);
        if (rule->error_class == kPanicClass) text = readable_panic(text);
        return FailureClass{std::string(rule->error_class), std::move(text)};
    }
    if (!variant->payload) return std::nullopt;
    element inner = *variant->payload;
    // ActionError alone wraps its enum: {"index": …, "kind": …}.
    if (rule->next == ErrorFamily::action && inner.at_key("kind").get(inner) != simdjson::SUCCESS)
        return std::nullopt;
    if (rule->next == ErrorFamily::free_text) {
        std::string_view text;
        if (inner.get(text) != simdjson::SUCCESS) return std::nullopt;
        return classify_text(text);
    }
    auto found = classify(rule->next, inner, whole, nesting + 1);
    if (found) {
        found->error_class.insert(0, rule->error_class);
        if (found->error_text != whole) found->error_text.insert(0, rule->text);
    }
    return found;
}

using Classes = std::set<std::string, std::less<>>;

// All that classify() can make of known variants; a rule that leads on gives its prefix.
void add_classes(ErrorFamily family, const std::string& prefix, Classes& classes) {
    for (const ErrorRule& rule : error_rules()) {
        if (rule.family != family) continue;
        const std::string name = prefix + std::string(rule.error_class);
        if (rule.next == ErrorFamily::none)
            classes.insert(name);
        else
            add_classes(rule.next, name, classes);
    }
}

Classes make_classes() {
    Classes classes{std::string(kPanicClass), std::string(kOtherText), std::string(kUnknown)};
    add_classes(ErrorFamily::execution, "", classes);
    for (const ErrorTextRule& rule : error_text_rules()) classes.insert(std::string(rule.error_class));
    return classes;
}

const Classes& classes() {
    static const Classes kKnown = make_classes();
    return kKnown;
}

bool is_upper_case(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower_case(char c) { return c >= 'a' && c <= 'z'; }
bool is_decimal(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string class_of_variant(std::string_view name) {
    std::string made;
    for (std::size_t i = 0; i < name.size() && made.size() < kLongestErrorClass; ++i) {
        const char c = name[i];
        if (c != '_' && !is_upper_case(c) && !is_lower_case(c) && !is_decimal(c))
            return std::string(kUnknown);
        const bool after_word = i > 0 && (is_lower_case(name[i - 1]) || is_decimal(name[i - 1]));
        const bool before_word =
            i > 0 && is_upper_case(name[i - 1]) && i + 1 < name.size() && is_lower_case(name[i + 1]);
        const bool starts_word = c == '_' || (is_upper_case(c) && (after_word || before_word));
        if (starts_word && !made.empty() && made.back() != '_') made += '_';
        if (c != '_') made += is_upper_case(c) ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return made.empty() ? std::string(kUnknown) : made;
}

std::optional<std::string_view> meant_error_class(std::string_view written) {
    static const std::vector<std::string_view> kAll(classes().begin(), classes().end());
    if (base::is_glob(written) || classes().contains(written)) return std::nullopt;
    return base::nearest(written, kAll);
}

std::string_view error_class_label(std::string_view error_class) {
    return error_class.empty() || classes().contains(error_class) ? error_class : "other";
}

FailureClass classify_failure(std::string_view tx_execution_error_json) {
    thread_local simdjson::dom::parser parser;
    thread_local std::string padded;
    padded.reserve(tx_execution_error_json.size() + simdjson::SIMDJSON_PADDING);
    padded.assign(tx_execution_error_json);
    std::optional<FailureClass> found;
    element root;
    if (parser.parse(padded.data(), padded.size(), false).get(root) == simdjson::SUCCESS)
        found = classify(ErrorFamily::execution, root, tx_execution_error_json, 0);
    std::uint64_t index = 0;
    if (found && root.at_key("ActionError").at_key("index").get(index) == simdjson::SUCCESS)
        found->action_index = index;
    if (!found || !simdjson::validate_utf8(found->error_text))
        found = FailureClass{std::string(kUnknown), std::string(tx_execution_error_json)};
    found->error_class.resize(std::min(found->error_class.size(), kLongestErrorClass));
    found->error_text = base::without_nul(found->error_text);
    return std::move(*found);
}

}  // namespace receiptd::chain
