#include "rule/read_condition.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace receiptd::rule {
namespace {

// Cheap ones first: arguments are parsed only where all else holds.
void sort_by_cost(All& all) {
    const auto cost = [](const Condition& condition) {
        if (std::holds_alternative<WhereTest>(condition.is)) return 2;
        const bool nests = std::holds_alternative<All>(condition.is) ||
                           std::holds_alternative<Any>(condition.is) ||
                           std::holds_alternative<Not>(condition.is);
        return nests ? 1 : 0;
    };
    std::stable_sort(all.of.begin(), all.of.end(),
                     [&](const Condition& a, const Condition& b) { return cost(a) < cost(b); });
}

class ConditionReader {
public:
    ConditionReader(Reading& reading, const std::vector<NamedKinds>& kinds)
        : reading_(reading), kinds_(kinds) {}

    // `must_hold`: the rule matches nothing where this table does not hold.
    All read_table(const std::string& path, const JsonNode& table, std::size_t depth, bool must_hold,
                   const std::function<bool(const std::string&)>& is_own) {
        All all;
        Bounds bounds;
        reading_.each_member(path, table, [&](const std::string& at, const JsonNode& member) {
            if (is_own(member.name)) return;
            const auto* key = find_condition_key(member.name);
            if (!key) return unknown(at, member.name);
            asked.push_back(member.name);
            if (!applies(at, *key, must_hold)) return;
            if (key->form == Form::at_least || key->form == Form::at_most)
                read_bound(at, *key, member, bounds);
            else
                read_key(at, *key, member, {depth, must_hold}, all);
        });
        for (auto& [field, test] : bounds) {
            if (test.at_least > test.at_most)
                reading_.fault(
                    path, "asks for an amount whose at_most is less than its at_least: nothing could match");
            all.of.push_back({test});
        }
        sort_by_cost(all);
        return all;
    }

    std::vector<std::string> asked;

private:
    using Bounds = std::map<Field, AmountTest>;
    struct Place {
        std::size_t depth;
        bool must_hold;
    };

    void unknown(const std::string& path, const std::string& name) {
        if (name == "contract")
            return reading_.fault(path, "is no key of a rule; did you mean \"receiver\"?");
        std::vector<std::string_view> known = {"name", "kind", "stages"};
        for (const auto& key : condition_keys()) known.push_back(key.name);
        reading_.unknown_key(path, name, "a rule", known);
    }

    bool applies(const std::string& path, const ConditionKey& key, bool must_hold) {
        const auto can_have = [&](const NamedKinds& kinds) { return (kinds.kinds & key.kinds) != 0; };
        const bool fits = must_hold ? std::all_of(kinds_.begin(), kinds_.end(), can_have)
                                    : std::any_of(kinds_.begin(), kinds_.end(), can_have);
        if (fits || kinds_.empty()) return true;
        const auto without =
            std::find_if(kinds_.begin(), kinds_.end(), [&](const auto& kinds) { return !can_have(kinds); });
        reading_.fault(path, "does not apply to kind \"" + without->name + "\": it would never match" +
                                 (kinds_.size() > 1 ? "; write two rules" : ""));
        return false;
    }

    void read_bound(const std::string& path, const ConditionKey& key, const JsonNode& node, Bounds& bounds) {
        if (!reading_.count_condition(path)) return;
        const auto amount = reading_.read_amount(path, node, key.field);
        if (!amount) return;
        auto& test = bounds.try_emplace(key.field, AmountTest{.field = key.field}).first->second;
        (key.form == Form::at_least ? test.at_least : test.at_most) = *amount;
    }

    void read_key(const std::string& path, const ConditionKey& key, const JsonNode& node, Place place,
                  All& all) {
        switch (key.form) {
            case Form::any: return all.of.push_back({Any{read_tables(path, node, {place.depth, false})}});
            case Form::all: return all.of.push_back({All{read_tables(path, node, place)}});
            case Form::negation:
                if (node.type == JsonNode::Type::table)
                    return all.of.push_back({Not{read_tables(path, node, {place.depth, false})}});
                return reading_.wrong_type(path, node, "one table of conditions");
            case Form::where: return read_where(path, node, all);
            default: break;
        }
        if (!reading_.count_condition(path)) return;
        if (key.form == Form::choices)
            all.of.push_back({TextTest{key.field, {reading_.read_choices(path, node, key.choices), {}, {}}}});
        else if (key.form == Form::flags)
            all.of.push_back({reading_.read_flags(path, node, key.field)});
        else if (key.form == Form::actions)
            all.of.push_back({ActionTest{reading_.read_actions(path, node)}});
        else
            all.of.push_back({TextTest{key.field, reading_.read_texts(path, node, key.form)}});
    }

    std::vector<Condition> read_tables(const std::string& path, const JsonNode& node, Place place) {
        std::vector<Condition> tables;
        if (place.depth == kDeepest) {
            reading_.fault(
                path, "is nested too deep: any, all and not go " + std::to_string(kDeepest) + " levels down");
            return tables;
        }
        reading_.each(path, node, [&](const std::string& at, const JsonNode& item) {
            if (item.type != JsonNode::Type::table)
                return reading_.wrong_type(at, item, "a table of conditions, { receiver = \"app.near\" }");
            if (!reading_.document.first(item)) return reading_.fault(at, "asks nothing");
            tables.push_back({read_table(at, item, place.depth + 1, place.must_hold,
                                         [](const std::string&) { return false; })});
        });
        return tables;
    }

    void read_where(const std::string& path, const JsonNode& node, All& all) {
        reading_.each(path, node, [&](const std::string& at, const JsonNode& item) {
            auto test = reading_.read_where(at, item);
            if (!test) return;
            const auto has_data = [](const NamedKinds& kinds) {
                return (kinds.kinds & bit(Kind::event)) != 0;
            };
            if (!test->in_args && std::none_of(kinds_.begin(), kinds_.end(), has_data) && !kinds_.empty())
                return reading_.fault(at + ".data", "applies to kind \"event\" only; other kinds have args");
            all.of.push_back({std::move(*test)});
        });
    }

    Reading& reading_;
    const std::vector<NamedKinds>& kinds_;
};

}  // namespace

Conditions read_conditions(Reading& reading, const std::string& path, const JsonNode& table,
                           const std::vector<NamedKinds>& kinds,
                           const std::function<bool(const std::string&)>& is_own) {
    ConditionReader reader(reading, kinds);
    auto all = reader.read_table(path, table, 0, true, is_own);
    return {std::move(all), std::move(reader.asked)};
}

}  // namespace receiptd::rule
