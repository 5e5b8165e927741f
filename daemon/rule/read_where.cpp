#include "base/glob.hpp"
#include "rule/reading.hpp"

#include <algorithm>

namespace receiptd::rule {
namespace {

constexpr std::string_view kTests[] = {"is", "is_not", "at_least", "at_most", "has"};
constexpr std::size_t kDeepestHas = 3;

// Reads the tables of `where` and of `has`.
class WhereReader {
public:
    explicit WhereReader(Reading& reading) : reading_(reading) {}

    // A table whose path stands under one of `places`; nullopt: it was refused.
    struct Entry {
        std::string place;
        JsonPart part;
    };
    std::optional<Entry> read(const std::string& at, const JsonNode& node,
                              std::span<const std::string_view> places, std::size_t depth) {
        if (node.type != JsonNode::Type::table) {
            reading_.wrong_type(at, node, "a table such as { args = \"receiver_id\", is = \"@treasury\" }");
            return std::nullopt;
        }
        if (!reading_.count_condition(at)) return std::nullopt;
        Entry entry;
        bool has_test = false;
        reading_.each_member(at, node, [&](const std::string& path, const JsonNode& member) {
            if (std::find(places.begin(), places.end(), member.name) != places.end())
                read_place(path, member, entry);
            else if (read_test(path, member, entry.part.test, depth))
                has_test = true;
            else
                unknown(path, member, places);
        });
        const auto missing = [&](const std::string& what) {
            reading_.fault(at, "needs " + what);
            return std::nullopt;
        };
        if (entry.place.empty())
            return missing(places.size() > 1 ? "data or args, with a path" : "at, with a path");
        if (!has_test) return missing("is, is_not, at_least, at_most or has");
        if (entry.part.test.at_least && entry.part.test.at_most &&
            *entry.part.test.at_least > *entry.part.test.at_most)
            reading_.fault(at + ".at_most", "is less than at_least: nothing could match");
        return entry;
    }

private:
    void read_place(const std::string& path, const JsonNode& member, Entry& entry) {
        if (!entry.place.empty()) return reading_.fault(path, "is one path too many: give data or args");
        entry.place = member.name;
        if (member.type != JsonNode::Type::text)
            return reading_.wrong_type(path, member, "a path such as \"[*].amount\"");
        if (member.text.starts_with('$'))
            return reading_.fault(
                path, "begins with $, which paths here do not: \"" +
                          (member.text.starts_with("$.") ? member.text.substr(2) : member.text.substr(1)) +
                          "\"");
        auto steps = parse_path(member.text);
        if (steps)
            entry.part.path = std::move(*steps);
        else
            reading_.fault(path, steps.error());
    }

    bool read_test(const std::string& path, const JsonNode& member, JsonTest& test, std::size_t depth) {
        const auto& name = member.name;
        if (name == "is")
            read_literals(path, member, test.is);
        else if (name == "is_not")
            read_literals(path, member, test.is_not);
        else if (name == "at_least")
            test.at_least = read_bound(path, member);
        else if (name == "at_most")
            test.at_most = read_bound(path, member);
        else if (name == "has")
            read_has(path, member, test, depth);
        else
            return false;
        return true;
    }

    void unknown(const std::string& path, const JsonNode& member, std::span<const std::string_view> places) {
        if (member.name == "matches")
            return reading_.fault(path, "is no key; write is = ..., which takes * and ?");
        std::vector<std::string_view> known(std::begin(kTests), std::end(kTests));
        known.insert(known.end(), places.begin(), places.end());
        reading_.unknown_key(path, member.name, "what is asked of JSON", known);
    }

    void read_literals(const std::string& path, const JsonNode& node, Literals& literals) {
        reading_.each(path, node, [&](const std::string& at, const JsonNode& item) {
            if (item.type == JsonNode::Type::boolean)
                (item.flag ? literals.yes : literals.no) = true;
            else if (item.type == JsonNode::Type::number || is_digits(item.text))
                read_number(at, item, literals);
            else if (item.type == JsonNode::Type::text)
                read_literal_text(at, item, literals);
            else
                reading_.wrong_type(at, item, "a text, a number, true or false, or a list of these");
        });
    }

    void read_number(const std::string& path, const JsonNode& item, Literals& literals) {
        if (auto number = parse_number(item.text))
            literals.numbers.push_back(std::move(*number));
        else
            reading_.fault(path, "must be a number of at most 100 places");
    }

    // Text in JSON may be anything, but a list holds accounts.
    void read_literal_text(const std::string& path, const JsonNode& item, Literals& literals) {
        const auto form = item.text.starts_with('@') ? Form::accounts : Form::text;
        reading_.add_text(path, item.text, form, literals.texts);
    }

    std::optional<Number> read_bound(const std::string& path, const JsonNode& node) {
        const bool has_form = node.type == JsonNode::Type::text || node.type == JsonNode::Type::number;
        auto number = has_form ? parse_number(node.text) : std::nullopt;
        if (!number && node.type == JsonNode::Type::text)
            if (const auto amount = parse_amount(node.text, Field::deposit))
                number = parse_number(base::to_string(*amount));
        if (!number)
            reading_.fault(path, "must be a number, digits in quotes, or an amount such as \"1.5 NEAR\"");
        return number;
    }

    void read_has(const std::string& path, const JsonNode& node, JsonTest& test, std::size_t depth) {
        static constexpr std::string_view kAt[] = {"at"};
        if (depth == kDeepestHas) return reading_.fault(path, "is nested too deep");
        reading_.each(path, node, [&](const std::string& at, const JsonNode& item) {
            if (auto entry = read(at, item, kAt, depth + 1)) test.has.push_back(std::move(entry->part));
        });
    }

    Reading& reading_;
};

}  // namespace

std::optional<WhereTest> Reading::read_where(const std::string& path, const JsonNode& node) {
    static constexpr std::string_view kDocuments[] = {"data", "args"};
    auto entry = WhereReader(*this).read(path, node, kDocuments, 0);
    if (!entry) return std::nullopt;
    return WhereTest{entry->place == "args", std::move(entry->part)};
}

}  // namespace receiptd::rule
