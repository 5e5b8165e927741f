#include "sandbox/replay/passers_by.hpp"

#include "chain/wire/account_id.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace receiptd::sandbox {
namespace {

std::string receipt(const std::string& predecessor_id, const std::string& receiver_id) {
    return R"({"predecessor_id": ")" + predecessor_id + R"(", "receiver_id": ")" + receiver_id + R"("})";
}

std::string name_in(std::int64_t round, std::string_view account_id) {
    std::string name(account_id);
    const auto group = name_group(account_id);
    NameShift(round).apply(group, account_id.data() + group.offset, name.data() + group.offset);
    return name;
}

TEST(PassersBy, AreTheAccountsThatOneBlockNames) {
    const std::string first = "[" + receipt("alice.near", "token.near") + "]";
    const std::string second = R"({"deep": [)" + receipt("bobby.near", "token.near") + "]}";
    EXPECT_EQ(passers_by({first, second}), (Accounts{"alice.near", "bobby.near"}));
}

TEST(PassersBy, AreNamedSeldom) {
    std::string receipts = receipt("relayer.near", "alice.near");
    for (int i = 0; i < 8; ++i) receipts += "," + receipt("relayer.near", "system");
    const std::string block = "[" + receipts + "]";
    EXPECT_EQ(passers_by({block}), Accounts{"alice.near"});
}

TEST(PassersBy, HaveAnotherNameOfTheSameFormInEachRound) {
    const std::string implicit(64, 'f');
    for (const std::string_view account_id :
         {std::string_view("alice.near"), std::string_view("bob.tg"),
          std::string_view("some_body.users.kaiching"), std::string_view(implicit),
          std::string_view("0x00ffeeddccbbaa99887766554433221100ffeedd")}) {
        std::set<std::string> names;
        for (std::int64_t round = 1; round <= 500; ++round) {
            const auto name = name_in(round, account_id);
            EXPECT_TRUE(chain::is_valid_account_id(name)) << name;
            EXPECT_EQ(chain::account_kind(name), chain::account_kind(account_id)) << name;
            EXPECT_EQ(name.size(), account_id.size());
            names.insert(name);
        }
        EXPECT_EQ(names.size(), 500u) << account_id;
    }
}

TEST(PassersBy, KeepNamesThatLeaveNoRoom) {
    for (const auto* account_id : {"system", "near", "ab.near", "a_b.near", "not an account"})
        EXPECT_EQ(name_group(account_id).size, 0u) << account_id;
}

}  // namespace
}  // namespace receiptd::sandbox
