#include "config/alert_rules.hpp"

#include "base/nearest.hpp"
#include "chain/json/errors.hpp"
#include "rule/condition.hpp"
#include "rule/definition.hpp"
#include "rule/lists.hpp"

#include <algorithm>
#include <set>

namespace receiptd::config {

namespace {

template <class Entry>
std::set<std::string_view> names_of(const std::vector<Entry>& entries) {
    std::set<std::string_view> names;
    for (const auto& entry : entries) names.insert(entry.name);
    return names;
}

// Names that a file uses and does not have. Each costs a comparison with all that it has, so that of many the
// first ones are said, and how many more there are.
class UnknownNames {
public:
    UnknownNames(const std::set<std::string_view>& known, Report& report)
        : known_(known.begin(), known.end()), report_(report) {}

    void add(Position where, const std::string& text, std::string_view name) {
        where_ = where;
        if (++count_ > kMostSaid) return;
        const auto near = base::nearest(name, known_);
        report_.error(where, text + (near ? "; did you mean \"" + std::string(*near) + "\"?" : ""));
    }

    void finish(std::string_view what) {
        if (count_ <= kMostSaid) return;
        report_.error(where_, "is the last of " + std::to_string(count_ - kMostSaid) +
                                  " more unknown names of " + std::string(what));
    }

private:
    static constexpr std::size_t kMostSaid = 20;
    std::vector<std::string_view> known_;  // sorted
    Report& report_;
    Position where_;
    std::size_t count_ = 0;
};

// Everything of scope "all" that goes wrong is a lot: most of it concerns nobody here.
void check_default_rule(const Settings& settings, std::size_t item, const Places& places, Report& report) {
    const auto& endpoint = settings.endpoints[item];
    const auto& rules = endpoint.rules;
    const bool takes_default = std::find(rules.begin(), rules.end(), rule::kDefaultName) != rules.end();
    if (!takes_default || settings.follow.scope != ScopeName::all) return;
    report.warning(places.find(item_path("endpoint", item) + ".rules"),
                   "endpoint \"" + endpoint.name +
                       "\" takes the default rule while follow.scope is \"all\": on mainnet these are about "
                       "120,000 alerts a day; name [[rule]]s in endpoint.rules");
}

void check_endpoints(const Settings& settings, const Places& places, Report& report) {
    auto known = names_of(settings.rules);
    known.insert(rule::kDefaultName);
    UnknownNames unknown(known, report);
    for (std::size_t i = 0; i < settings.endpoints.size(); ++i) {
        const auto& rules = settings.endpoints[i].rules;
        const auto path = item_path("endpoint", i) + ".rules";
        if (rules.empty())
            report.error(places.find(path),
                         "endpoint.rules must name at least one rule; without the key it is \"default\"");
        for (std::size_t n = 0; n < rules.size(); ++n)
            if (!known.contains(rules[n]))
                unknown.add(places.find(item_path(path, n)),
                            "endpoint.rules names \"" + rules[n] + "\", which no [[rule]] has", rules[n]);
        check_default_rule(settings, i, places, report);
    }
    unknown.finish("rules");
}

// A rule that nobody is told of is a slip as a rule; but another daemon's endpoint may take it.
void check_use(const Settings& settings, const Places& places, Report& report) {
    constexpr std::size_t kMostWarnings = 10;
    if (settings.endpoints.empty()) return;
    std::set<std::string_view> used;
    for (const auto& endpoint : settings.endpoints) used.insert(endpoint.rules.begin(), endpoint.rules.end());
    std::size_t unused = 0;
    for (std::size_t i = 0; i < settings.rules.size() && unused <= kMostWarnings; ++i) {
        const auto& name = settings.rules[i].name;
        if (name.empty() || used.contains(name)) continue;
        const bool last = ++unused > kMostWarnings;
        report.warning(places.find(item_path("rule", i)), "no [[endpoint]] of this file takes the rule \"" +
                                                              name + (last ? "\" and perhaps more" : "\""));
    }
}

void check_lists_of(const AlertRule& rule, Position where, const std::set<std::string_view>& known,
                    UnknownNames& unknown) {
    for (const auto& list : rule.lists)
        if (!known.contains(list))
            unknown.add(where,
                        "rule \"" + rule.name + "\" names the list \"@" + list + "\", which no [[list]] has",
                        list);
}

void check_error_classes_of(const AlertRule& rule, Position where, Report& report) {
    const auto definition = rule::parse(rule.json);
    if (!definition) return;  // that is said elsewhere
    for (const auto& written : rule::words_asked(*definition->condition, rule::Field::error_class))
        if (const auto meant = chain::meant_error_class(written))
            report.warning(where, "rule \"" + rule.name + "\" asks for the error class \"" + written +
                                      "\", which is not known; did you mean \"" + std::string(*meant) +
                                      "\"?");
}

}  // namespace

void check_alert_rules(const Settings& settings, const Places& places, Report& report) {
    check_endpoints(settings, places, report);
    check_use(settings, places, report);
    const auto lists = names_of(settings.lists);
    UnknownNames unknown(lists, report);
    std::size_t timed = 0;
    for (std::size_t i = 0; i < settings.rules.size(); ++i) {
        const auto& rule = settings.rules[i];
        const auto where = places.find(item_path("rule", i));
        check_lists_of(rule, where, lists, unknown);
        check_error_classes_of(rule, where, report);
        const bool is_timed = rule.kinds == std::vector<std::string>{"absence"} ||
                              rule.kinds == std::vector<std::string>{"latency"};
        if (is_timed && ++timed == rule::kMostTimedRules + 1)
            report.error(where, "is one timed rule (absence, latency) too many: there are at most 1,000");
    }
    unknown.finish("lists");
    if (settings.rules.size() > rule::kMostRules)
        report.error(places.find(item_path("rule", rule::kMostRules)),
                     "is one rule too many: there are at most 10,000");
    if (settings.lists.size() > rule::Lists::kMostLists)
        report.error(places.find(item_path("list", rule::Lists::kMostLists)),
                     "is one list too many: there are at most 1,000");
}

}  // namespace receiptd::config
