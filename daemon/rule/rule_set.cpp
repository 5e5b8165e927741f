#include "rule/rule_set.hpp"

#include "rule/anchor.hpp"
#include "rule/evaluate.hpp"
#include "rule/text_map.hpp"

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <array>

namespace receiptd::rule {
namespace {

constexpr std::uint32_t kNoSlot = ~std::uint32_t{0};

// Each path costs a walk through the JSON; rules beyond these are tried one by one.
constexpr std::size_t kMostPaths = 16;
// Fewer rules are quicker tried one by one: most fail before they need the JSON at all.
constexpr std::size_t kLeastByValue = 32;

// Rules that need a text at a path of the subject's JSON.
struct ByValue {
    bool in_args = false;
    JsonPath path;
    TextMap<std::vector<RuleIndex>> rules;
    std::size_t count = 0;
};

// The rules that need one account, suffix, list or other word.
class Postings {
public:
    Kinds kinds() const { return kinds_; }

    void add(RuleIndex rule, const Definition& definition) {
        kinds_ |= definition.kinds;
        const auto value = value_anchor_of(*definition.condition);
        auto* by_value = value ? find(*value) : nullptr;
        if (!by_value) return rules_.push_back(rule);
        ++by_value->count;
        for (const auto& word : value->words) by_value->rules[word].push_back(rule);
    }

    // Once all rules are added.
    void finish() {
        for (const auto& by_value : by_value_)
            if (by_value.count < kLeastByValue)
                for (const auto& [word, rules] : by_value.rules)
                    rules_.insert(rules_.end(), rules.begin(), rules.end());
        std::erase_if(by_value_, [](const ByValue& by_value) { return by_value.count < kLeastByValue; });
        std::sort(rules_.begin(), rules_.end());
        rules_.erase(std::unique(rules_.begin(), rules_.end()), rules_.end());
    }

    template <class Use>
    void each(Evaluation& evaluation, const Use& use) const {
        for (const auto rule : rules_) use(rule);
        for (const auto& by_value : by_value_)
            evaluation.each_text(by_value.in_args, by_value.path, [&](std::string_view text) {
                const auto found = by_value.rules.find(text);
                if (found == by_value.rules.end()) return;
                for (const auto rule : found->second) use(rule);
            });
    }

private:
    ByValue* find(const ValueAnchor& anchor) {
        for (auto& known : by_value_)
            if (known.in_args == anchor.in_args && known.path == anchor.path) return &known;
        if (by_value_.size() == kMostPaths) return nullptr;
        return &by_value_.emplace_back(ByValue{anchor.in_args, anchor.path, {}});
    }

    Kinds kinds_ = 0;
    std::vector<RuleIndex> rules_;
    std::vector<ByValue> by_value_;
};

}  // namespace

struct RuleSet::Compiled {
    std::vector<Definition> definitions;
    Kinds kinds = 0;                          // of all rules
    Kinds open_kinds = 0;                     // of those that any account may satisfy
    std::array<Postings, kKinds> unanchored;  // the rules that name no account and no other such word
    std::array<TextMap<Postings>, kAnchorFields.size()> fields;
    TextMap<Postings> words;
    TextMap<Postings> suffixes;
    std::ptrdiff_t most_dots = 0;    // of a suffix
    TextMap<std::uint32_t> slot_of;  // by the name of a list
    std::vector<Postings> lists;     // by slot

    explicit Compiled(std::vector<Definition> rules) : definitions(std::move(rules)) {
        for (RuleIndex i = 0; i < definitions.size(); ++i) add(i);
        for (auto& postings : unanchored) postings.finish();
        for (auto& field : fields) finish(field);
        finish(words);
        finish(suffixes);
        for (auto& postings : lists) postings.finish();
    }

private:
    static void finish(TextMap<Postings>& index) {
        for (auto& [word, postings] : index) postings.finish();
    }

    void add(RuleIndex rule) {
        const auto& definition = definitions[rule];
        kinds |= definition.kinds;
        const auto anchor = anchor_of(*definition.condition);
        if (!anchor || anchor->by != Field::account) open_kinds |= definition.kinds;
        if (!anchor) return add_unanchored(rule, definition);
        const auto field = std::find(kAnchorFields.begin(), kAnchorFields.end(), anchor->by);
        auto& of_words = field == kAnchorFields.end()
                             ? words
                             : fields[static_cast<std::size_t>(field - kAnchorFields.begin())];
        for (const auto& word : anchor->words) of_words[word].add(rule, definition);
        for (const auto& suffix : anchor->suffixes) {
            suffixes[suffix].add(rule, definition);
            most_dots = std::max(most_dots, std::count(suffix.begin(), suffix.end(), '.'));
        }
        for (const auto& list : anchor->lists) {
            const auto slot =
                slot_of.try_emplace(list, static_cast<std::uint32_t>(lists.size())).first->second;
            if (slot == lists.size()) lists.emplace_back();
            lists[slot].add(rule, definition);
        }
    }

    void add_unanchored(RuleIndex rule, const Definition& definition) {
        for (std::size_t kind = 0; kind < kKinds; ++kind)
            if ((definition.kinds & bit(static_cast<Kind>(kind))) != 0)
                unanchored[kind].add(rule, definition);
    }
};

RuleSet::RuleSet() : RuleSet(std::vector<Definition>(), Lists()) {}

RuleSet::RuleSet(std::vector<Definition> definitions, Lists lists)
    : RuleSet(std::make_shared<const Compiled>(std::move(definitions)), std::move(lists)) {}

RuleSet::RuleSet(std::shared_ptr<const Compiled> compiled, Lists lists)
    : compiled_(std::move(compiled)), lists_(std::move(lists)) {
    for (const auto& name : lists_.names()) {
        const auto slot = compiled_->slot_of.find(name);
        slot_of_list_.push_back(slot == compiled_->slot_of.end() ? kNoSlot : slot->second);
    }
}

RuleSet RuleSet::with_lists(Lists lists) const { return {compiled_, std::move(lists)}; }

template <class Use>
void RuleSet::each_posting(std::string_view account, const Use& use) const {
    if (account.empty()) return;
    if (const auto found = compiled_->words.find(account); found != compiled_->words.end())
        use(found->second);
    auto dot = account.size();
    for (auto dots = compiled_->most_dots; dots > 0 && dot > 0; --dots) {
        dot = account.rfind('.', dot - 1);
        if (dot == std::string_view::npos) break;
        const auto found = compiled_->suffixes.find(account.substr(dot));
        if (found != compiled_->suffixes.end()) use(found->second);
    }
    if (compiled_->lists.empty()) return;
    for (const auto id : lists_.of(account))
        if (slot_of_list_[id] != kNoSlot) use(compiled_->lists[slot_of_list_[id]]);
}

Kinds RuleSet::kinds_for(std::span<const std::string_view> accounts) const {
    auto kinds = compiled_->open_kinds;
    for (const auto account : accounts) {
        if (kinds == compiled_->kinds) break;
        each_posting(account, [&](const Postings& postings) { kinds |= postings.kinds(); });
    }
    return kinds;
}

std::vector<RuleIndex> RuleSet::match(const Subject& subject) const {
    const auto kind = bit(subject.kind);
    if ((compiled_->kinds & kind) == 0) return {};
    const auto& definitions = compiled_->definitions;
    Evaluation evaluation(subject, lists_);
    boost::container::small_vector<RuleIndex, 64> candidates;
    const auto add = [&](const Postings& postings) {
        if ((postings.kinds() & kind) == 0) return;
        postings.each(evaluation, [&](RuleIndex rule) {
            if ((definitions[rule].kinds & kind) != 0) candidates.push_back(rule);
        });
    };
    add(compiled_->unanchored[static_cast<std::size_t>(subject.kind)]);
    for (std::size_t i = 0; i < kAnchorFields.size(); ++i) {
        const auto& words = compiled_->fields[i];
        const auto found = words.find(text_of(subject, kAnchorFields[i]));
        if (found != words.end()) add(found->second);
    }
    const std::array accounts = {subject.signer_id, subject.user_id, subject.predecessor_id,
                                 subject.receiver_id, subject.account_id};
    for (auto account = accounts.begin(); account != accounts.end(); ++account) {
        if (std::find(accounts.begin(), account, *account) == account) each_posting(*account, add);
    }
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    std::vector<RuleIndex> matching;
    for (const auto rule : candidates)
        if (evaluation.holds(*definitions[rule].condition)) matching.push_back(rule);
    return matching;
}

std::vector<std::string_view> RuleSet::match_names(const Subject& subject) const {
    std::vector<std::string_view> names;
    for (const auto rule : match(subject)) names.push_back(compiled_->definitions[rule].name);
    return names;
}

Kinds RuleSet::kinds() const { return compiled_->kinds; }
std::span<const Definition> RuleSet::definitions() const { return compiled_->definitions; }

}  // namespace receiptd::rule
