#include "sandbox/replay/passers_by.hpp"

#include "chain/wire/account_id.hpp"
#include "sandbox/gateway/json_text.hpp"
#include "sandbox/replay/digits.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace receiptd::sandbox {

namespace {

constexpr unsigned kSeldom = 8;  // times, in the one block
constexpr std::size_t kLeastOfName = 3;
constexpr Alphabet kBase36("0123456789abcdefghijklmnopqrstuvwxyz");
// Coprime to 16 and 36: names of neighbouring rounds are far from each other.
constexpr std::int64_t kNameStride = 1'364'609'261;

bool names_an_account(std::string_view name) {
    return name == "predecessor_id" || name == "receiver_id" || name == "signer_id" || name == "executor_id";
}

// At the start of a name's own part, before the parent account. A top-level account has none.
NameGroup group_of_named(std::string_view account_id) {
    const auto dot = account_id.find('.');
    if (dot == std::string_view::npos) return {};
    const auto label = account_id.substr(0, dot);
    std::size_t size = 0;
    while (size < std::min(label.size(), NameGroup::kMost) &&
           kBase36.characters.find(label[size]) != std::string_view::npos)
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
        json_text::for_each_member(recorded[block], [&](std::string_view name, std::string_view value) {
            if (!names_an_account(name) || !json_text::is_string(value)) return;
            auto& mentions = known.try_emplace(json_text::string_body(value), Mentions{block}).first->second;
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

NameShift::NameShift(std::int64_t k)
    : of_base_16_(digits_of<NameGroup::kMost>(static_cast<std::uint64_t>(k * kNameStride), 16)),
      of_base_36_(digits_of<NameGroup::kMost>(static_cast<std::uint64_t>(k * kNameStride), 36)) {}

void NameShift::apply(const NameGroup& group, const char* recorded, char* name) const {
    const auto& digits = group.base == 16 ? of_base_16_ : of_base_36_;
    const auto* lowest = digits.data() + (digits.size() - group.size);
    add_digits(kBase36, group.base, lowest, group.size, recorded, name);
}

}  // namespace receiptd::sandbox
