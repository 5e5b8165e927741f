// State that is shared while one rule is read: its faults, and the forms of single values.
#pragma once

#include "rule/condition.hpp"
#include "rule/definition.hpp"
#include "rule/json_document.hpp"
#include "rule/keys.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace receiptd::rule {

class Reading {
public:
    explicit Reading(const JsonDocument& read) : document(read) {}

    const JsonDocument& document;
    std::vector<Fault> faults;
    std::vector<std::string> lists;  // named so far
    bool tokens_are_near = false;    // every amount is of yoctoNEAR

    void fault(const std::string& path, std::string text) { faults.push_back({path, std::move(text)}); }
    void wrong_type(const std::string& path, const JsonNode& node, std::string_view wanted);
    // "is no key of ...; did you mean ...?"
    void unknown_key(const std::string& path, std::string_view key, std::string_view of,
                     const std::vector<std::string_view>& known);
    // Whether there is room for one more; else a fault, once.
    bool count_condition(const std::string& path);

    // Each item of a list, or the value itself. An empty list and an item that stands twice are faults.
    void each(const std::string& path, const JsonNode& node,
              const std::function<void(const std::string& path, const JsonNode& item)>& read);
    // Each member of a table; a name that stands twice is a fault.
    void each_member(const std::string& path, const JsonNode& table,
                     const std::function<void(const std::string& path, const JsonNode& member)>& read);

    Texts read_texts(const std::string& path, const JsonNode& node, Form form);
    std::vector<std::string> read_choices(const std::string& path, const JsonNode& node,
                                          std::span<const std::string_view> choices);
    FlagTest read_flags(const std::string& path, const JsonNode& node, Field field);
    Actions read_actions(const std::string& path, const JsonNode& node);
    std::optional<base::u128> read_amount(const std::string& path, const JsonNode& node, Field field);
    std::optional<WhereTest> read_where(const std::string& path, const JsonNode& node);
    void add_text(const std::string& path, const std::string& text, Form form, Texts& to);

private:
    std::size_t conditions_ = 0;
};

// "1.5 NEAR" and "100 Tgas" as yoctoNEAR and gas. nullopt: no number in front of a unit of the field, too
// many places, or too large.
std::optional<base::u128> parse_amount(std::string_view text, Field field);

}  // namespace receiptd::rule
