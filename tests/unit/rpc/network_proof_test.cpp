#include "rpc/network_proof.hpp"

#include <gmock/gmock.h>

namespace receiptd::rpc {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

constexpr base::SteadyTime kAsked{1h};
const ChainIdentity kOurs{"testnet", "Gen"};

NetworkProof asked(const NetworkAnswer& answer, const ChainIdentity& ours = kOurs) {
    return next(unproven("", kAsked), answer, ours, kAsked);
}

TEST(NetworkProof, TheRightNameAndGenesisProveAHostForTenMinutes) {
    const auto proof = asked(ChainIdentity{"testnet", "Gen"});
    EXPECT_EQ(proof.state, NetworkState::proven);
    EXPECT_EQ(proof.detail, "");
    EXPECT_EQ(proof.ask_at, kAsked + 10min);
    EXPECT_TRUE(may_be_used(proof));
}

TEST(NetworkProof, AnotherNameOrGenesisPutsAHostAside) {
    const auto other = asked(ChainIdentity{"mainnet", "Gen"});
    EXPECT_EQ(other.state, NetworkState::other_network);
    EXPECT_FALSE(may_be_used(other));
    EXPECT_THAT(other.detail, HasSubstr("\"mainnet\""));
    const auto anew = asked(ChainIdentity{"testnet", "Another"});
    EXPECT_EQ(anew.state, NetworkState::other_network);
    EXPECT_THAT(anew.detail, HasSubstr("genesis block is Another, not Gen"));
    EXPECT_EQ(next(anew, ChainIdentity{"testnet", "Gen"}, kOurs, kAsked).state, NetworkState::proven);
}

TEST(NetworkProof, ALongNameFillsNoLog) {
    const std::string name(10'000, 'x');
    for (const auto& proof : {asked(ChainIdentity{name, "Gen"}), asked(ChainIdentity{"testnet", name}),
                              asked(OtherBlock{7, name, "B"}), disputed(name, kAsked)})
        EXPECT_LT(proof.detail.size(), 300u);
}

TEST(NetworkProof, WithoutAGenesisTheNameDecidesAndThatIsTold) {
    for (const auto& proof : {asked(ChainIdentity{"testnet", ""}),
                              asked(ChainIdentity{"testnet", "Any"}, ChainIdentity{"testnet", ""})}) {
        EXPECT_EQ(proof.state, NetworkState::proven);
        EXPECT_THAT(proof.detail, HasSubstr("name of its network alone"));
    }
}

TEST(NetworkProof, ABlockThatIsKnownOtherwiseProvesOrRefutes) {
    EXPECT_EQ(asked(SameBlock{7}).state, NetworkState::proven);
    const auto other = asked(OtherBlock{7, "A", "B"});
    EXPECT_EQ(other.state, NetworkState::other_network);
    EXPECT_THAT(other.detail, HasSubstr("at height 7: A, not B"));
    EXPECT_EQ(asked(NothingToCompare{}).state, NetworkState::on_trust);
    EXPECT_TRUE(may_be_used(asked(NothingToCompare{})));
}

TEST(NetworkProof, SilenceProvesNothingAndRefutesNothing) {
    auto silent = asked(Untold{"timeout"});
    EXPECT_FALSE(may_be_used(silent));
    EXPECT_TRUE(is_being_asked(silent));
    EXPECT_THAT(silent.detail, HasSubstr("timeout"));
    auto ask_at = silent.ask_at;
    for (int i = 0; i < 10; ++i) silent = next(silent, Untold{"timeout"}, kOurs, kAsked);
    EXPECT_GT(silent.ask_at, ask_at);
    EXPECT_LE(silent.ask_at, kAsked + 30s);
    EXPECT_FALSE(is_being_asked(silent));
    const auto proven = asked(ChainIdentity{"testnet", "Gen"});
    EXPECT_EQ(next(proven, Untold{"timeout"}, kOurs, kAsked).state, NetworkState::proven);
    const auto other = asked(ChainIdentity{"mainnet", ""});
    EXPECT_EQ(next(other, Untold{"timeout"}, kOurs, kAsked).state, NetworkState::other_network);
}

TEST(NetworkProof, WhoWasPutAsideProvesItselfAnew) {
    const auto back = after_absence(asked(ChainIdentity{"testnet", "Gen"}), kAsked);
    EXPECT_EQ(back.state, NetworkState::unproven);
    EXPECT_TRUE(is_being_asked(back));
    EXPECT_EQ(back.ask_at, kAsked);
    EXPECT_EQ(after_absence(NetworkProof{}, kAsked).state, NetworkState::unchecked);
    EXPECT_EQ(after_absence(asked(ChainIdentity{"mainnet", ""}), kAsked).state, NetworkState::other_network);
}

TEST(NetworkProof, OfWhichNobodyCanJudgeIsNotUsed) {
    EXPECT_FALSE(may_be_used(disputed("A", kAsked)));
    EXPECT_FALSE(is_being_asked(disputed("A", kAsked)));
}

}  // namespace
}  // namespace receiptd::rpc
