#include "rule/definition.hpp"

#include "base/id_faults.hpp"
#include "base/units.hpp"
#include "rule/canonical.hpp"
#include "rule/read_condition.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace receiptd::rule {
namespace {

constexpr std::string_view kOwnKeys[] = {"name", "kind", "when_late", "stages"};
constexpr std::string_view kAbsenceKeys[] = {"at_least", "for"};
constexpr std::string_view kLatencyKeys[] = {"stage", "percentile", "over", "window"};
constexpr auto kShortestWindow = std::chrono::minutes(1);
constexpr auto kLongestWindow = std::chrono::days(7);

bool is_among(std::span<const std::string_view> words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

class RuleReader {
public:
    explicit RuleReader(const JsonDocument& document) : reading_(document), root_(document.root()) {}

    base::Result<Definition, std::vector<Fault>> read(bool may_be_default) {
        Definition rule;
        auto json = canonical(reading_.document, root_);
        if (!json) {
            reading_.fault("rule", "is nested too deep");
            return std::move(reading_.faults);
        }
        rule.json = std::move(*json);
        read_name(rule, may_be_default);
        read_kinds();
        read_when_late(rule);
        for (const auto& kinds : kinds_) rule.kinds |= kinds.kinds;
        reading_.tokens_are_near = rule.kinds == bit(Kind::burnt_tokens) || names_near();
        auto conditions = read_conditions(reading_, "rule", root_, kinds_,
                                          [this](const std::string& key) { return is_own(key); });
        check_own_keys();
        require_some_condition(rule.kinds, conditions);
        add_defaults(conditions);
        add_stages(conditions.all);
        if (rule.kinds == bit(Kind::absence)) rule.absence = read_absence();
        if (rule.kinds == bit(Kind::latency)) rule.latency = read_latency(conditions.all);
        rule.condition = std::make_shared<Condition>(Condition{std::move(conditions.all)});
        rule.lists = std::move(reading_.lists);
        if (!reading_.faults.empty()) return std::move(reading_.faults);
        return rule;
    }

private:
    const JsonNode* member(std::string_view name) const { return reading_.document.member(root_, name); }
    bool has_kind(Kind kind) const {
        return std::any_of(kinds_.begin(), kinds_.end(),
                           [&](const auto& kinds) { return (kinds.kinds & bit(kind)) != 0; });
    }
    bool is_own(std::string_view key) const {
        if (key == "stage") return true;  // no condition, whatever the kind
        return is_among(kOwnKeys, key) || is_among(kAbsenceKeys, key) || is_among(kLatencyKeys, key);
    }

    void read_name(Definition& rule, bool may_be_default) {
        const auto* name = member("name");
        if (!name) return reading_.fault("rule.name", "is missing");
        if (name->type != JsonNode::Type::text) return reading_.wrong_type("rule.name", *name, "a text");
        if (const auto bad = base::name_fault(name->text)) return reading_.fault("rule.name", *bad);
        if (name->text == kDefaultName && !may_be_default)
            return reading_.fault("rule.name", "is that of the built-in rule; choose another");
        rule.name = name->text;
    }

    void read_kinds() {
        static const auto names = [] {
            std::vector<std::string_view> all = {"finding", "end"};
            for (std::size_t i = 0; i < kKinds; ++i) all.push_back(kind_name(static_cast<Kind>(i)));
            return all;
        }();
        const auto* kind = member("kind");
        if (!kind) return reading_.fault("rule.kind", "is missing");
        Kinds seen = 0;
        for (const auto& name : reading_.read_choices("rule.kind", *kind, names)) {
            const auto kinds =
                name == "finding" ? kFindings : bit(parse_kind(name == "end" ? "stage" : name).value());
            if ((seen & kinds) != 0)
                reading_.fault("rule.kind", "holds \"" + name + "\", which another of its words includes");
            seen |= kinds;
            kinds_.push_back({name, kinds});
        }
        if (kinds_.size() > 1 && (has_kind(Kind::absence) || has_kind(Kind::latency)))
            reading_.fault("rule.kind", "must not hold other kinds beside absence or latency");
    }

    void read_when_late(Definition& rule) {
        const auto* given = member("when_late");
        if (!given) return;
        if (given->type != JsonNode::Type::text || (given->text != "send" && given->text != "withhold"))
            return reading_.fault("rule.when_late", "must be \"send\" or \"withhold\"");
        rule.withholds_late = given->text == "withhold";
    }

    // "1 NEAR" counts where all amounts are of NEAR.
    bool names_near() const {
        const auto* token = member("token");
        if (!token) return false;
        if (token->type == JsonNode::Type::text) return token->text == "near";
        const auto* only = reading_.document.item(*token, 0);
        return only && only->text == "near" && !reading_.document.next(*only);
    }

    void check_own_keys() {
        const auto belongs = [this](std::span<const std::string_view> keys, std::string_view kinds,
                                    bool given) {
            for (const auto key : keys)
                if (!given && member(key))
                    reading_.fault("rule." + std::string(key), "belongs to " + std::string(kinds));
        };
        const bool known = !kinds_.empty();  // else its fault is told already
        belongs(kAbsenceKeys, "kind \"absence\"", !known || has_kind(Kind::absence));
        belongs(kLatencyKeys, "kind \"latency\"; others have stages", !known || has_kind(Kind::latency));
        belongs(std::span(kOwnKeys).subspan(3), "the kinds \"stage\" and \"end\"",
                !known || has_kind(Kind::stage));
    }

    // Else every event or every receipt of the chain would be an alert.
    void require_some_condition(Kinds kinds, const Conditions& conditions) {
        constexpr Kinds kMany = bit(Kind::verdict) | bit(Kind::event) | bit(Kind::transfer) |
                                bit(Kind::key_added) | bit(Kind::absence);
        if ((kinds & kMany) != 0 && conditions.asked.empty())
            reading_.fault(
                "rule", "needs a condition: everything of its kind would match; account = \"*\" says that");
    }

    // Defaults where the rule does not ask: only causes that are not expected, only transfers that are no
    // refunds.
    void add_defaults(Conditions& conditions) const {
        const auto asks = [&](std::string_view key) {
            return std::find(conditions.asked.begin(), conditions.asked.end(), key) != conditions.asked.end();
        };
        auto& all = conditions.all.of;
        if (!asks("expected"))
            all.push_back({Not{{{FlagTest{.field = Field::expected, .allows_true = true}}}}});
        if (has_kind(Kind::transfer) && !asks("cause"))
            all.push_back(
                {Any{{{KindTest{~bit(Kind::transfer)}}, {TextTest{Field::cause, {{"transfer"}, {}, {}}}}}}});
    }

    void add_stages(All& all) {
        const auto named = std::find_if(kinds_.begin(), kinds_.end(),
                                        [](const auto& kinds) { return kinds.kinds == bit(Kind::stage); });
        if (named == kinds_.end()) return;
        std::vector<std::string> wanted = {"completed"};
        if (const auto* given = member("stages"))
            wanted =
                reading_.read_choices("rule.stages", *given, named->name == "end" ? end_stages() : stages());
        else if (named->name == "stage")
            reading_.fault("rule.stages", "is missing: kind \"stage\" needs to know which");
        all.of.push_back(
            {Any{{{KindTest{~bit(Kind::stage)}}, {TextTest{Field::stage, {std::move(wanted), {}, {}}}}}}});
    }

    std::chrono::milliseconds read_duration(std::string_view key, std::chrono::milliseconds least) {
        const auto path = "rule." + std::string(key);
        const auto* node = member(key);
        if (!node) {
            reading_.fault(path, "is missing");
            return {};
        }
        const auto duration =
            node->type == JsonNode::Type::text ? base::parse_duration(node->text) : std::nullopt;
        if (!duration)
            reading_.fault(path, "must be a duration such as \"30s\", \"10m\" or \"1h30m\"");
        else if (*duration < least || *duration > kLongestWindow)
            reading_.fault(path, "must be between \"" + base::format_duration(least) + "\" and \"" +
                                     base::format_duration(kLongestWindow) + '"');
        return duration.value_or(least);
    }

    double read_number(std::string_view key, double initial, double least, double most, bool whole) {
        const auto* node = member(key);
        if (!node) return initial;
        const auto number =
            node->type == JsonNode::Type::number ? std::strtod(node->text.c_str(), nullptr) : -1;
        if (!(number >= least && number <= most) || (whole && number != std::floor(number)))
            reading_.fault("rule." + std::string(key),
                           std::string("must be a ") + (whole ? "whole " : "") + "number between " +
                               std::to_string(static_cast<std::uint64_t>(least)) + " and " +
                               std::to_string(static_cast<std::uint64_t>(most)));
        return number;
    }

    std::shared_ptr<const Absence> read_absence() {
        Absence absence;
        absence.at_least =
            static_cast<std::uint64_t>(std::max(0.0, read_number("at_least", 1, 1, 1'000'000, true)));
        absence.within = read_duration("for", kShortestWindow);
        return std::make_shared<const Absence>(absence);
    }

    std::shared_ptr<const Latency> read_latency(All& all) {
        Latency latency;
        latency.percentile = read_number("percentile", latency.percentile, 1, 100, false);
        latency.over = read_duration("over", std::chrono::milliseconds(1));
        latency.window = read_duration("window", kShortestWindow);
        if (const auto* stage = member("stage"))
            all.of.push_back({TextTest{
                Field::stage, {reading_.read_choices("rule.stage", *stage, latency_stages()), {}, {}}}});
        else
            reading_.fault("rule.stage", "is missing");
        return std::make_shared<const Latency>(latency);
    }

    Reading reading_;
    const JsonNode& root_;
    std::vector<NamedKinds> kinds_;
};

base::Result<Definition, std::vector<Fault>> parse_rule(std::string_view json, bool may_be_default) {
    const auto refused = [](std::string text) { return std::vector<Fault>{{"rule", std::move(text)}}; };
    if (json.size() > kLongestRule) return refused("is longer than 64 KiB");
    const auto document = JsonDocument::parse(json);
    if (!document || document->root().type != JsonNode::Type::table) return refused("is no JSON object");
    return RuleReader(*document).read(may_be_default);
}

}  // namespace

base::Result<Definition, std::vector<Fault>> parse(std::string_view json) { return parse_rule(json, false); }

const Definition& default_definition() {
    static const auto definition = [] {
        auto parsed = parse_rule(R"({"name":"default","kind":"finding","not":{"handled":true}})", true);
        if (!parsed) throw std::logic_error("the default rule is refused: " + parsed.error().front().text);
        return std::move(*parsed);
    }();
    return definition;
}

}  // namespace receiptd::rule
