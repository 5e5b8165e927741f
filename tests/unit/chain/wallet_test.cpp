#include "chain/tree/wallet.hpp"

#include "chain/wire/base64.hpp"

#include <gtest/gtest.h>

#include <string>

namespace receiptd::chain {
namespace {

constexpr const char* kWallet = "0x4bae32fe351b5a8be431bd6ae44cd8e152b89266";

std::optional<std::string> refusal_in(const std::string& value, Text executor_id = kWallet) {
    const auto base64 = base64_encode({reinterpret_cast<const std::uint8_t*>(value.data()), value.size()});
    ExecutionStatus status;
    status.kind = StatusKind::success_value;
    status.success_value = base64;
    return wallet_refusal(executor_id, status);
}

TEST(Wallet, SaysWhyItDidNotDoWhatItsOwnerSigned) {
    EXPECT_EQ(refusal_in(R"({"success":false,"success_value":null,"error":"Error: invalid nonce value"})"),
              "Error: invalid nonce value");
    EXPECT_EQ(refusal_in(R"({"success":false,"success_value":null,"error":null})"), "");
}

TEST(Wallet, SaysThatItWasDone) {
    EXPECT_EQ(refusal_in(R"({"success":true,"success_value":[120],"error":null})"), std::nullopt);
}

TEST(Wallet, OtherAccountsAndOtherValuesAreNoAnswer) {
    EXPECT_EQ(refusal_in(R"({"success":false,"error":"no"})", "app.near"), std::nullopt);
    EXPECT_EQ(refusal_in(""), std::nullopt);
    EXPECT_EQ(refusal_in("[1,2]"), std::nullopt);
    EXPECT_EQ(refusal_in(R"({"success":"false"})"), std::nullopt);
    ExecutionStatus status;
    status.kind = StatusKind::success_value;
    status.success_value = "no base64";
    EXPECT_EQ(wallet_refusal(kWallet, status), std::nullopt);
    status.kind = StatusKind::failure;
    EXPECT_EQ(wallet_refusal(kWallet, status), std::nullopt);
}

}  // namespace
}  // namespace receiptd::chain
