#include "chain/tree/happening.hpp"

#include "unit/chain/asked.hpp"

#include <gtest/gtest.h>

#include <string>

namespace receiptd::chain {
namespace {

using testing::Asked;
using testing::ids_of;
using testing::kAnything;
using Ids = std::vector<std::string>;

constexpr HappeningKinds kTransfers = bit(HappeningKind::transfer);

// bob.near calls app.near in a transaction of alice.near.
ReceiptOutline call() {
    ReceiptOutline receipt;
    receipt.receipt_id = "R";
    receipt.tx_hash = "TX";
    receipt.user_id = Text();
    receipt.signer_id = "alice.near";
    receipt.predecessor_id = "bob.near";
    receipt.receiver_id = "app.near";
    receipt.method_name = "pay";
    receipt.role = Role::promise;
    receipt.gas_burnt = 7;
    receipt.at = {10, 1'700'000'000'123'456'789};
    return receipt;
}

ContractEvent transfer(Text data) {
    ContractEvent event;
    event.standard = "nep141";
    event.event = "ft_transfer";
    event.data = data;
    return event;
}

constexpr Text kPaid = R"([{"old_owner_id":"bob.near","new_owner_id":"eve.near","amount":"5"}])";

class Gathered : public ::testing::Test {
protected:
    std::vector<Happening> of(const Interest* interest, const ReceiptOutline& receipt,
                              const std::vector<ContractEvent>& events = {}) {
        std::vector<Happening> found;
        const auto read = [this] {
            ++read_;
            return actions_;
        };
        Gathering gathering(interest, receipt, read, found);
        for (std::size_t i = 0; i < events.size(); ++i) gathering.event(i, events[i]);
        gathering.actions();
        return found;
    }
    static const Transferred& side(const Happening& happening) {
        return std::get<Transferred>(happening.what);
    }

    ActionFacts actions_;
    int read_ = 0;
};

TEST_F(Gathered, ADepositGoesOutOfThePredecessorAndIntoTheReceiver) {
    auto receipt = call();
    receipt.deposit = 100;
    const Asked asked(kTransfers);
    const auto found = of(&asked, receipt);
    ASSERT_EQ(ids_of(found), (Ids{"transfer:R:near:in:app.near", "transfer:R:near:out:bob.near"}));
    EXPECT_EQ(side(found[0]),
              (Transferred{"bob.near", "app.near", false, "near", "", 100, TransferCause::transfer}));
    EXPECT_EQ(side(found[1]),
              (Transferred{"app.near", "bob.near", true, "near", "", 100, TransferCause::transfer}));
}

TEST_F(Gathered, NothingMovesWithoutADepositOrWithinOneAccount) {
    const Asked asked(kTransfers);
    EXPECT_TRUE(of(&asked, call()).empty());
    auto to_itself = call();
    to_itself.deposit = 100;
    to_itself.receiver_id = to_itself.predecessor_id;
    EXPECT_TRUE(of(&asked, to_itself).empty());
    EXPECT_EQ(read_, 0);
}

TEST_F(Gathered, RefundsAreToldFromWhatADeletedAccountLeaves) {
    auto receipt = call();
    receipt.predecessor_id = "system";
    receipt.deposit = 100;
    const Asked asked(kTransfers);
    for (const auto role : {std::optional<Role>(Role::refund), std::optional<Role>()}) {
        receipt.role = role;
        const auto found = of(&asked, receipt);
        ASSERT_EQ(ids_of(found), Ids{"transfer:R:near:in:app.near"});
        EXPECT_EQ(side(found[0]).cause, TransferCause::refund);
        EXPECT_EQ(side(found[0]).other_id, "");
    }
    receipt.role = Role::payout;
    EXPECT_EQ(side(of(&asked, receipt).at(0)).cause, TransferCause::transfer);
}

TEST_F(Gathered, PayoutsAndRefundsNameWhoPaid) {
    auto receipt = call();
    receipt.predecessor_id = "system";
    receipt.payer_id = "gone.near";
    receipt.deposit = 100;
    receipt.role = Role::payout;
    const Asked asked(kTransfers);
    const auto payout = of(&asked, receipt);
    ASSERT_EQ(ids_of(payout), (Ids{"transfer:R:near:in:app.near", "transfer:R:near:out:gone.near"}));
    EXPECT_EQ(side(payout[1]).other_id, "gone.near");
    receipt.role = Role::refund;
    const auto refund = of(&asked, receipt);
    ASSERT_EQ(ids_of(refund), Ids{"transfer:R:near:in:app.near"}) << "the call that failed never had it";
    EXPECT_EQ(side(refund[0]).other_id, "gone.near");
}

TEST_F(Gathered, WhereTheSignerIsNotKnownEverythingAskedForIsKept) {
    auto receipt = call();
    receipt.predecessor_id = receipt.signer_id = "system";
    receipt.role = Role::payout;
    receipt.deposit = 100;
    const Asked signer(kTransfers, {"gone.near"});
    EXPECT_EQ(ids_of(of(&signer, receipt)), Ids{"transfer:R:near:in:app.near"});
    receipt.signer_id = "zoe.near";
    EXPECT_TRUE(of(&signer, receipt).empty());
}

TEST_F(Gathered, TokensMoveOnTheContractThatSaysSo) {
    const Asked asked(kTransfers);
    const auto found = of(&asked, call(), {ContractEvent(), transfer(kPaid)});
    ASSERT_EQ(ids_of(found), (Ids{"transfer:R:1.0:in:eve.near", "transfer:R:1.0:out:bob.near"}));
    EXPECT_EQ(side(found[1]),
              (Transferred{"eve.near", "bob.near", true, "app.near", "", 5, TransferCause::transfer}));
}

TEST_F(Gathered, TokensThatAResolvingCallbackMovesAreReturned) {
    auto receipt = call();
    receipt.method_name = "ft_resolve_transfer";
    const Asked asked(kTransfers);
    auto burnt = transfer(R"([{"owner_id":"bob.near","amount":"5"}])");
    burnt.event = "ft_burn";
    const auto found = of(&asked, receipt, {transfer(kPaid), burnt});
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(side(found[0]).cause, TransferCause::returned);
    EXPECT_EQ(side(found[1]).cause, TransferCause::returned);
    EXPECT_EQ(side(found[2]).cause, TransferCause::transfer);
}

TEST_F(Gathered, EachSideOfATransferIsAskedForByItsOwnAccount) {
    auto receipt = call();
    receipt.deposit = 100;
    const Asked asked(kTransfers, {"eve.near"});
    EXPECT_EQ(ids_of(of(&asked, receipt, {transfer(kPaid)})), Ids{"transfer:R:0.0:in:eve.near"});
    const Asked by_role(kTransfers, {"alice.near"});
    EXPECT_EQ(of(&by_role, receipt, {transfer(kPaid)}).size(), 4u);
}

TEST_F(Gathered, EventsKeepTheirWordsAndTheirLog) {
    const Asked asked(bit(HappeningKind::event));
    const auto found = of(&asked, call(), {transfer(kPaid), transfer("")});
    ASSERT_EQ(ids_of(found), (Ids{"event:R:0", "event:R:1"}));
    EXPECT_EQ(std::get<Emitted>(found[0].what), (Emitted{"nep141", "ft_transfer", std::string(kPaid)}));
    EXPECT_EQ(found[0].receipt, found[1].receipt);
}

TEST_F(Gathered, AddedKeysTellTheirAccess) {
    auto receipt = call();
    receipt.adds_keys = true;
    actions_.keys = {{0, "ed25519:a", "full"}, {3, "ed25519:b", "function_call"}};
    const Asked asked(bit(HappeningKind::key_added));
    const auto found = of(&asked, receipt);
    ASSERT_EQ(ids_of(found), (Ids{"key_added:R:0", "key_added:R:3"}));
    EXPECT_EQ(std::get<AddedKey>(found[1].what), (AddedKey{3, "ed25519:b", "function_call"}));
}

TEST_F(Gathered, TheReceiptComesWithWhatItDid) {
    auto receipt = call();
    receipt.user_id = "user.near";
    receipt.deposit = 1;
    actions_.names = {"FunctionCall"};
    actions_.args_json = R"({"n":1})";
    const Asked asked(kAnything);
    const auto found = of(&asked, receipt, {transfer(kPaid)});
    const DoneReceipt done{"R",
                           "TX",
                           "user.near",
                           "alice.near",
                           "bob.near",
                           "app.near",
                           Role::promise,
                           "pay",
                           R"({"n":1})",
                           {"FunctionCall"},
                           1,
                           7,
                           {10, 1'700'000'000'123'456'000}};
    for (const auto& happening : found) EXPECT_EQ(*happening.receipt, done);
    EXPECT_EQ(read_, 1);
    EXPECT_EQ(ids_of(found),
              (Ids{"absence:R", "event:R:0", "transfer:R:0.0:in:eve.near", "transfer:R:0.0:out:bob.near",
                   "transfer:R:near:in:app.near", "transfer:R:near:out:bob.near"}));
}

TEST_F(Gathered, NothingIsReadForWhatNobodyAsks) {
    auto receipt = call();
    receipt.deposit = 100;
    receipt.adds_keys = true;
    const Asked others(kAnything, {"zoe.near"});
    const Asked nothing(0);
    for (const auto* interest :
         {static_cast<const Interest*>(&others), static_cast<const Interest*>(&nothing),
          static_cast<const Interest*>(nullptr)})
        EXPECT_TRUE(of(interest, receipt, {transfer(kPaid)}).empty());
    EXPECT_EQ(read_, 0);
}

// Which user a transaction has may be told by a row only.
TEST_F(Gathered, WhereTheUserIsNotKnownEverythingAskedForIsKept) {
    auto receipt = call();
    receipt.user_id.reset();
    const Asked user(bit(HappeningKind::event), {"user.near"});
    EXPECT_EQ(ids_of(of(&user, receipt, {transfer(kPaid)})), Ids{"event:R:0"});
    receipt.tx_hash = {};
    EXPECT_TRUE(of(&user, receipt, {transfer(kPaid)}).empty());
    receipt.user_id = "user.near";
    EXPECT_EQ(ids_of(of(&user, receipt, {transfer(kPaid)})), Ids{"event:R:0"});
}

}  // namespace
}  // namespace receiptd::chain
