// The laws of the chain over random traffic: nothing is lost, doubled or left without a proof.
#include "random_traffic.hpp"

namespace receiptd::sandbox {
namespace {

CheckReport run_traffic(std::size_t transactions, std::uint64_t seed) {
    LedgerOptions options = test_options();
    options.seed = seed;
    options.shards = 4;
    options.missing_chunk_probability = 0.1;
    options.skipped_height_probability = 0.05;
    for (GenesisAccount& account : options.accounts) account.amount = 1'000'000 * kToken;
    TestChain chain(std::move(options));
    RandomTraffic traffic(chain, seed);
    for (std::size_t sent = 0; sent < transactions;) {
        for (int i = 0; i < 100 && sent < transactions; ++i, ++sent) chain.ledger->submit(traffic.next());
        if (sent % 1'000 == 0) chain.ledger->congest(chain.shard_id_of("ft.sandbox"), 3);
        chain.produce();
        if (sent % 200 != 0 || transactions > 1'000) continue;
        const CheckReport between = chain.ledger->check(false);
        EXPECT_TRUE(between.ok()) << between.to_json().dump(1);
    }
    // Until the last delayed receipt and the last yield are done.
    chain.produce(60);
    return chain.ledger->check();
}

TEST(Conservation, EveryReceiptOnceEveryTokenAccountedForEveryProofValid) {
    for (const std::uint64_t seed : {1, 2}) {
        const CheckReport report = run_traffic(400, seed);
        EXPECT_TRUE(report.ok()) << report.to_json().dump(1);
        EXPECT_EQ(report.executed, report.receipts);
        EXPECT_EQ(report.under_way, 0U);
        EXPECT_GT(report.proofs, 800U);
        EXPECT_GT(report.burnt, 0U);
    }
}

TEST(Conservation, HoldsOverAThousandTransactions) {
    const CheckReport report = run_traffic(1'000, 4);
    EXPECT_TRUE(report.ok()) << report.to_json().dump(1);
    EXPECT_EQ(report.executed, report.receipts);
    EXPECT_EQ(report.transactions, 1'000U);
}

}  // namespace
}  // namespace receiptd::sandbox
