#include "rule/evaluate.hpp"

#include "base/glob.hpp"

#include <algorithm>
#include <type_traits>

namespace receiptd::rule {
namespace {

std::string_view user_of(const Subject& subject) {
    return subject.user_id.empty() ? subject.signer_id : subject.user_id;
}

std::optional<bool> flag_of(const Subject& subject, Field field) {
    switch (field) {
        case Field::handled: return subject.handled;
        case Field::expected: return subject.expected;
        case Field::conclusive: return subject.conclusive;
        default: return std::nullopt;
    }
}

std::optional<base::u128> amount_of(const Subject& subject, Field field) {
    switch (field) {
        case Field::deposit: return subject.deposit;
        case Field::gas: return subject.gas;
        case Field::amount: return subject.amount;
        default: return std::nullopt;
    }
}

// A number, or a text of digits as tokens write their amounts.
std::optional<Number> number_of(const JsonNode& value) {
    if (value.type == JsonNode::Type::text && !is_digits(value.text)) return std::nullopt;
    if (value.type != JsonNode::Type::text && value.type != JsonNode::Type::number) return std::nullopt;
    return parse_number(value.text);
}

}  // namespace

std::string_view text_of(const Subject& subject, Field field) {
    switch (field) {
        case Field::signer: return subject.signer_id;
        case Field::user: return user_of(subject);
        case Field::predecessor: return subject.predecessor_id;
        case Field::receiver: return subject.receiver_id;
        case Field::account: return subject.account_id;
        case Field::token: return subject.token_id;
        case Field::method: return subject.method_name;
        case Field::role: return subject.role;
        case Field::error_class: return subject.error_class;
        case Field::text: return subject.error_text;
        case Field::verdict: return subject.verdict;
        case Field::near_status: return subject.near_status;
        case Field::effect: return subject.effect;
        case Field::stage: return subject.stage;
        case Field::standard: return subject.standard;
        case Field::event: return subject.event;
        case Field::direction: return subject.direction;
        case Field::cause: return subject.cause;
        case Field::access: return subject.access;
        default: return {};
    }
}

bool Evaluation::holds(const Condition& condition) {
    const auto one_holds = [this](const Condition& part) { return holds(part); };
    return std::visit(
        [&](const auto& test) {
            using Test = std::decay_t<decltype(test)>;
            if constexpr (std::is_same_v<Test, All>)
                return std::all_of(test.of.begin(), test.of.end(), one_holds);
            else if constexpr (std::is_same_v<Test, Any>)
                return std::any_of(test.of.begin(), test.of.end(), one_holds);
            else if constexpr (std::is_same_v<Test, Not>)
                return !std::all_of(test.of.begin(), test.of.end(), one_holds);
            else if constexpr (std::is_same_v<Test, KindTest>)
                return (test.any_of & bit(subject_.kind)) != 0;
            else if constexpr (std::is_same_v<Test, ActionTest>)
                return (test.any_of & subject_.actions) != 0;
            else
                return holds(test);
        },
        condition.is);
}

bool Evaluation::holds(const TextTest& test) const {
    if (test.field == Field::account && subject_.kind != Kind::transfer)
        return matches(test.any_of, subject_.signer_id) || matches(test.any_of, user_of(subject_)) ||
               matches(test.any_of, subject_.predecessor_id) || matches(test.any_of, subject_.receiver_id);
    return matches(test.any_of, text_of(subject_, test.field));
}

bool Evaluation::holds(const FlagTest& test) const {
    const auto flag = flag_of(subject_, test.field);
    return flag && (*flag ? test.allows_true : test.allows_false);
}

bool Evaluation::holds(const AmountTest& test) const {
    const auto amount = amount_of(subject_, test.field);
    return amount && *amount >= test.at_least && *amount <= test.at_most;
}

bool Evaluation::holds(const WhereTest& where) {
    const auto& json = document(where.in_args);
    return json && any_at(*json, json->root(), where.part.path,
                          [&](const JsonNode& value) { return satisfies(*json, value, where.part.test); });
}

void Evaluation::each_text(bool in_args, const JsonPath& path,
                           const std::function<void(std::string_view)>& use) {
    const auto& json = document(in_args);
    if (!json) return;
    any_at(*json, json->root(), path, [&](const JsonNode& value) {
        if (value.type == JsonNode::Type::text) use(value.text);
        return false;
    });
}

const std::optional<JsonDocument>& Evaluation::document(bool in_args) {
    auto& parsed = in_args ? args_ : data_;
    if (!parsed.tried) {
        parsed.tried = true;
        parsed.document = JsonDocument::parse(in_args ? subject_.args_json : subject_.data_json);
    }
    return parsed.document;
}

bool Evaluation::matches(const Texts& any_of, std::string_view text) const {
    if (text.empty()) return false;
    return std::find(any_of.words.begin(), any_of.words.end(), text) != any_of.words.end() ||
           std::any_of(any_of.globs.begin(), any_of.globs.end(),
                       [&](const auto& glob) { return base::matches_glob(glob, text); }) ||
           std::any_of(any_of.lists.begin(), any_of.lists.end(),
                       [&](const auto& list) { return lists_.contains(list, text); });
}

bool Evaluation::is_one_of(const Literals& literals, const JsonNode& value) const {
    if (value.type == JsonNode::Type::boolean) return value.flag ? literals.yes : literals.no;
    if (const auto number = number_of(value);
        number &&
        std::find(literals.numbers.begin(), literals.numbers.end(), *number) != literals.numbers.end())
        return true;
    return value.type == JsonNode::Type::text && matches(literals.texts, value.text);
}

bool Evaluation::satisfies(const JsonDocument& document, const JsonNode& value, const JsonTest& test) const {
    if (!test.is.empty() && !is_one_of(test.is, value)) return false;
    if (!test.is_not.empty() && is_one_of(test.is_not, value)) return false;
    if (test.at_least || test.at_most) {
        const auto number = number_of(value);
        if (!number) return false;
        if (test.at_least && *number < *test.at_least) return false;
        if (test.at_most && *number > *test.at_most) return false;
    }
    return std::all_of(test.has.begin(), test.has.end(), [&](const JsonPart& part) {
        return any_at(document, value, part.path,
                      [&](const JsonNode& inner) { return satisfies(document, inner, part.test); });
    });
}

}  // namespace receiptd::rule
