#include "sandbox/replay/passers_by.hpp"

#include "chain/wire/account_id.hpp"
#include "sandbox/gateway/json_text.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace receiptd::sandbox {

namespace {

constexpr unsigned kSeldom = 8;  // times, in the one block
constexpr std::size_t kLeastOfName = 3;
constexpr std::string_view kCharacters = "0123456789abcdefghijklmnopqrstuvwxyz";
// Coprime to 16 and 36: names of neighbouring rounds are far from each other.
constexpr std::int64_t kNameStride = 1'364'609'261;

bool names_an_account(std::string_view name) {
    return name == "predecessor_id" || name == "receiver_id" || name == "signer_id" || name == "executor_id";
}

// Accounts by the names of the members that hold them, in all depths.
template <class Visit>
void for_each_account(std::string_view value, const Visit& visit) {
    using namespace json_text;
    if (is_array(value)) {
        for (const auto element : elements(value)) for_each_account(element, visit);
    } else if (is_object(value)) {
        for (const auto& [name, inner] : members(value)) {
            if (!is_string(inner))
                for_each_account(inner, visit);
            else if (names_an_account(name))
                visit(string_body(inner));
        }
    }
}

// Value of a digit of kCharacters.
unsigned value_of(char c) {
    return c <= '9' ? static_cast<unsigned>(c - '0') : static_cast<unsigned>(c - 'a' + 10);
}

// At the start of a name's own part, before the parent account. A top-level account has none.
NameGroup group_of_named(std::string_view account_id) {
    const auto dot = account_id.find('.');
    if (dot == std::string_view::npos) return {};
    const auto label = account_id.substr(0, dot);
    std::size_t size = 0;
    while (size < std::min(label.size(), NameGroup::kMost) &&
           kCharacters.find(label[size]) != std::string_view::npos)
        ++size;
    if (size < kLeastOfName) return {};
    return {0, static_cast<std::uint8_t>(size), 36};
}

}  // namespace

Accounts passers_by(const std::vector<std::string_view>& recorded) {
    struct Mentions {
        std::size_t block = 0;
        unsigned times = 0;
        bool in_others = false;
    };
    std::unordered_map<std::string_view, Mentions> known;
    for (std::size_t block = 0; block < recorded.size(); ++block) {
        for_each_account(recorded[block], [&](std::string_view account_id) {
            auto& mentions = known.try_emplace(account_id, Mentions{block}).first->second;
            ++mentions.times;
            mentions.in_others = mentions.in_others || mentions.block != block;
        });
    }
    Accounts accounts;
    for (const auto& [account_id, mentions] : known)
        if (!mentions.in_others && mentions.times <= kSeldom && name_group(account_id).size > 0)
            accounts.insert(account_id);
    return accounts;
}

NameGroup name_group(std::string_view account_id) {
    constexpr std::size_t kBehindPrefix = 2;  // 0x, 0s
    if (!chain::is_valid_account_id(account_id)) return {};
    if (chain::account_kind(account_id) == chain::AccountKind::named) return group_of_named(account_id);
    return {kBehindPrefix, NameGroup::kMost, 16};
}

const NameShift::Digits& NameShift::digits(const NameGroup& group) {
    const auto [known, is_new] = digits_.try_emplace({group.base, group.size});
    auto& digits = known->second;
    if (!is_new) return digits;
    auto rest = static_cast<std::uint64_t>(k_ * kNameStride);
    for (std::size_t i = group.size; i-- > 0; rest /= group.base)
        digits[i] = static_cast<std::uint8_t>(rest % group.base);
    return digits;
}

void NameShift::apply(const NameGroup& group, const char* recorded, char* name) {
    const auto& added = digits(group);
    unsigned carry = 0;
    for (std::size_t i = group.size; i-- > 0;) {
        const unsigned sum = value_of(recorded[i]) + added[i] + carry;
        carry = sum >= group.base ? 1 : 0;
        name[i] = kCharacters[sum - (carry ? group.base : 0)];
    }
}

}  // namespace receiptd::sandbox
