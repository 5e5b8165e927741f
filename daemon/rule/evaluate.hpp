// Whether a condition holds.
#pragma once

#include "rule/condition.hpp"
#include "rule/json_document.hpp"
#include "rule/lists.hpp"
#include "rule/subject.hpp"

#include <functional>
#include <optional>
#include <string_view>

namespace receiptd::rule {

// The subject's value of a field of texts; of Field::account that of a transfer. Empty: it is missing.
std::string_view text_of(const Subject& subject, Field field);

// A subject with its JSON, which is parsed when a condition first asks for it, and once.
class Evaluation {
public:
    Evaluation(const Subject& subject, const Lists& lists) : subject_(subject), lists_(lists) {}
    Evaluation(const Evaluation&) = delete;
    Evaluation& operator=(const Evaluation&) = delete;

    // Recurses as deep as the condition.
    bool holds(const Condition& condition);
    // The texts at a path of the arguments, or of an event's data.
    void each_text(bool in_args, const JsonPath& path, const std::function<void(std::string_view)>& use);

private:
    struct Parsed {
        bool tried = false;
        std::optional<JsonDocument> document;
    };

    bool holds(const TextTest& test) const;
    bool holds(const FlagTest& test) const;
    bool holds(const AmountTest& test) const;
    bool holds(const WhereTest& test);
    const std::optional<JsonDocument>& document(bool in_args);
    bool matches(const Texts& any_of, std::string_view text) const;
    bool is_one_of(const Literals& literals, const JsonNode& value) const;
    bool satisfies(const JsonDocument& document, const JsonNode& value, const JsonTest& test) const;

    const Subject& subject_;
    const Lists& lists_;
    Parsed data_;
    Parsed args_;
};

}  // namespace receiptd::rule
