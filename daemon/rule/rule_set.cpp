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

// The rules that need one account, suffix or list.
struct Postings {
    Kinds kinds = 0;  // of all of them
    std::vector<RuleIndex> rules;

    void add(RuleIndex rule, Kinds of_rule) {
        kinds |= of_rule;
        if (rules.empty() || rules.back() != rule) rules.push_back(rule);
    }
};

}  // namespace

struct RuleSet::Compiled {
    std::vector<Definition> definitions;
    Kinds kinds = 0;                                        // of all rules
    Kinds open_kinds = 0;                                   // of those that any account may satisfy
    std::array<std::vector<RuleIndex>, kKinds> unanchored;  // the rules that are tried for every subject
    std::array<TextMap<Postings>, kAnchorFields.size()> fields;
    TextMap<Postings> words;
    TextMap<Postings> suffixes;
    std::ptrdiff_t most_dots = 0;    // of a suffix
    TextMap<std::uint32_t> slot_of;  // by the name of a list
    std::vector<Postings> lists;     // by slot

    explicit Compiled(std::vector<Definition> rules) : definitions(std::move(rules)) {
        for (RuleIndex i = 0; i < definitions.size(); ++i) add(i);
    }

private:
    void add(RuleIndex rule) {
        const auto of_rule = definitions[rule].kinds;
        kinds |= of_rule;
        const auto anchor = anchor_of(*definitions[rule].condition);
        if (!anchor || anchor->by != Field::account) open_kinds |= of_rule;
        if (!anchor) return add_unanchored(rule, of_rule);
        const auto field = std::find(kAnchorFields.begin(), kAnchorFields.end(), anchor->by);
        auto& of_words = field == kAnchorFields.end()
                             ? words
                             : fields[static_cast<std::size_t>(field - kAnchorFields.begin())];
        for (const auto& word : anchor->words) of_words[word].add(rule, of_rule);
        for (const auto& suffix : anchor->suffixes) {
            suffixes[suffix].add(rule, of_rule);
            most_dots = std::max(most_dots, std::count(suffix.begin(), suffix.end(), '.'));
        }
        for (const auto& list : anchor->lists) {
            const auto slot =
                slot_of.try_emplace(list, static_cast<std::uint32_t>(lists.size())).first->second;
            if (slot == lists.size()) lists.emplace_back();
            lists[slot].add(rule, of_rule);
        }
    }

    void add_unanchored(RuleIndex rule, Kinds of_rule) {
        for (std::size_t kind = 0; kind < kKinds; ++kind)
            if ((of_rule & bit(static_cast<Kind>(kind))) != 0) unanchored[kind].push_back(rule);
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
        each_posting(account, [&](const Postings& postings) { kinds |= postings.kinds; });
    }
    return kinds;
}

std::vector<RuleIndex> RuleSet::match(const Subject& subject) const {
    const auto kind = bit(subject.kind);
    if ((compiled_->kinds & kind) == 0) return {};
    const auto& definitions = compiled_->definitions;
    const auto& unanchored = compiled_->unanchored[static_cast<std::size_t>(subject.kind)];
    boost::container::small_vector<RuleIndex, 64> candidates(unanchored.begin(), unanchored.end());
    const auto add = [&](const Postings& postings) {
        if ((postings.kinds & kind) == 0) return;
        for (const auto rule : postings.rules)
            if ((definitions[rule].kinds & kind) != 0) candidates.push_back(rule);
    };
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
    Evaluation evaluation(subject, lists_);
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
