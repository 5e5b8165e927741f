// Rules about stages match what the transaction does, whatever the chain's time is, and before it is in a
// block.
#include "chain/wire/base64.hpp"
#include "chain/wire/transaction.hpp"
#include "rule/definition.hpp"
#include "storage/pg_delivery_store.hpp"
#include "watch_test_support.hpp"

#include <gmock/gmock.h>

namespace receiptd::test {
namespace {

namespace wire = chain::wire;

// Blocks are of 2022, and the clock is that of the machine.
class StageRules : public WatchStoreTest {
protected:
    // A rule of each condition; all have the endpoint that takes them.
    void declare(const std::vector<std::pair<std::string, std::string>>& conditions) {
        storage::DaemonSettings settings;
        settings.source = "rpc";
        std::vector<std::string> names;
        for (const auto& [name, condition] : conditions) {
            auto read = rule::parse(R"({"name":")" + name +
                                    R"(","kind":"stage","stages":["pending","included","completed"],)" +
                                    condition + "}");
            if (!read) throw std::invalid_argument(read.error().front().text);
            settings.alerts.rules.push_back({read->name, read->json});
            names.push_back(name);
        }
        await(store().database.join(settings));
        storage::PgDeliveryStore deliveries(store().database);
        await(deliveries.serve_endpoints({{"team", names}}, storage::Serving::begins));
    }
    void enter(const std::string& tx_hash, Stage from, Stage to) {
        auto step = step_update(tx_hash, from, to);
        if (to != Stage::pending) step.transitions.front().at = executed_at(104);
        update(std::move(step));
    }
    std::string told() {
        return rows(
            "SELECT a.kind || ' ' || array_to_string(rules, ',') FROM deliveries JOIN alerts a USING "
            "(alert_id) ORDER BY 1");
    }
    void store_transaction(const std::string& tx_hash) {
        const auto at = "'" + time_text(104) + "'";
        execute(
            "SELECT make_partitions(" + at + ", " + at +
            "); INSERT INTO transactions (tx_hash, tree_id, block_height, block_time, signer_id, "
            "receiver_id, nonce, "
            "user_id, actions) VALUES ('" +
            tx_hash + "', '" + tx_hash + "', 104, " + at +
            ", 'relayer.near', 'shop.near', 1, 'alice.near', '[{\"FunctionCall\": {\"method_name\": \"buy\", "
            "\"deposit\": \"5000\", \"args_json\": {\"item\": 7}}}, {\"Transfer\": {\"deposit\": \"1\"}}]'); "
            "INSERT INTO transaction_results (tx_hash, tree_id, block_height, block_time, signer_id, "
            "receiver_id, "
            "verdict, error_class, error_text, included_height, completed_height, completed_time, "
            "settled_height, "
            "receipts, failed_receipts, gas_burnt, tokens_burnt) VALUES ('" +
            tx_hash + "', '" + tx_hash + "', 104, " + at +
            ", 'relayer.near', 'shop.near', 'failed', 'contract_panic', 'sold out', 104, 104, " + at +
            ", 104, 1, 1, 3000000000000, 0)");
    }
};

const std::vector<std::pair<std::string, std::string>> kAsked = {
    {"action", R"("action":"transfer")"},
    {"args", R"("where":[{"args":"item","is":7}])"},
    {"deposit", R"("deposit_at_least":"5001")"},
    {"else", R"("deposit_at_least":"5002")"},
    {"error", R"("error_class":"contract_panic","text":"sold*","gas_at_least":"3 Tgas")"},
    {"method", R"("method":"buy")"},
    {"receiver", R"("receiver":"shop.near")"},
    {"user", R"("user":"alice.near")"},
};

TEST_F(StageRules, SeeWhatAStoredTransactionDoesOnAChainOfLongAgo) {
    declare(kAsked);
    add({new_watch(1, "relayer.near")});
    store_transaction(hash_of(1));
    enter(hash_of(1), Stage::accepted, Stage::included);
    EXPECT_EQ(told(), "included action@1,args@1,deposit@1,method@1,receiver@1,user@1\n");
    execute("UPDATE watches SET verdict = 'failed'");
    enter(hash_of(1), Stage::included, Stage::completed);
    EXPECT_EQ(told(),
              "completed action@1,args@1,deposit@1,error@1,method@1,receiver@1,user@1\n"
              "included action@1,args@1,deposit@1,method@1,receiver@1,user@1\n");
}

std::string signed_purchase() {
    wire::FunctionCall call;
    call.method_name = "buy";
    const std::string args = R"({"item": 7})";
    call.args.assign(args.begin(), args.end());
    call.deposit = 5'000;
    wire::DelegateAction inner;
    inner.sender_id = "alice.near";
    inner.receiver_id = "shop.near";
    inner.actions = {wire::Action{wire::Transfer{1}}};
    wire::SignedTransaction transaction;
    transaction.transaction.signer_id = "relayer.near";
    transaction.transaction.receiver_id = "shop.near";
    transaction.transaction.actions = {wire::Action{call}, wire::Action{wire::Transfer{0}},
                                       wire::Action{wire::SignedDelegate{inner, {}}}};
    return chain::base64_encode(wire::encode(transaction));
}

TEST_F(StageRules, SeeWhatASubmissionAsksForBeforeABlockHasIt) {
    declare(kAsked);
    auto watch = new_watch(1, "relayer.near");
    watch.signed_tx_base64 = signed_purchase();
    add({watch});
    enter(hash_of(1), Stage::accepted, Stage::pending);
    EXPECT_EQ(told(), "pending action@1,args@1,deposit@1,method@1,receiver@1,user@1\n");
}

TEST_F(StageRules, SeeNoMoreThanItsSignerOfATransactionThatNobodyHasShown) {
    declare({{"receiver", R"("receiver":"*")"}, {"signer", R"("signer":"alice.near")"}});
    add({new_watch(1)});
    enter(hash_of(1), Stage::accepted, Stage::included);
    EXPECT_EQ(told(), "included signer@1\n");
}

TEST_F(StageRules, WhoHearsOfAnInclusionThatIsNotFinalHearsWhatBecomesOfIt) {
    declare({{"all", R"("signer":"alice.near")"}});
    add({new_watch(1)});
    const auto see = [&](const chain::Observation& observation) {
        update(observed(*await(watches().watch(hash_of(1))), observation));
    };
    see(seen_early("A", 104));
    see(chain::EarlyBlockLost{});
    see(seen_early("B", 105));
    see(included_at(105));
    const auto id = hash_of(1);
    EXPECT_EQ(rows("SELECT alert_id, kind, cause ->> 'stage', cause ->> 'final', cause ->> 'inclusion_id' "
                   "FROM alerts ORDER BY place"),
              "included:" + id + ":A|included|included|false|" + id + ":A\n" + "retracted:" + id +
                  ":A|retracted|pending|-|" + id + ":A\n" + "included:" + id + ":B|included|included|false|" +
                  id + ":B\n" + "confirmed:" + id + ":B|confirmed|included|true|" + id + ":B\n");
    EXPECT_EQ(value("SELECT count(*) FROM deliveries"), "4");
}

TEST_F(StageRules, WhoMatchesOnlyOnceTheBlockIsFinalHearsOfTheInclusionThen) {
    declare({{"all", R"("signer":"relayer.near")"}, {"receiver", R"("receiver":"shop.near")"}});
    storage::PgDeliveryStore deliveries(store().database);
    await(deliveries.serve_endpoints({{"team", {"all"}}, {"shop", {"receiver"}}}, storage::Serving::begins));
    add({new_watch(1, "relayer.near")});
    const auto see = [&](const chain::Observation& observation) {
        update(observed(*await(watches().watch(hash_of(1))), observation));
    };
    see(seen_early("A", 104));
    store_transaction(hash_of(1));
    see(included_at(104));
    const auto id = hash_of(1);
    EXPECT_EQ(rows("SELECT endpoint, alert_id FROM deliveries ORDER BY 1, 2"),
              "shop|included:" + id + "\nteam|confirmed:" + id + ":A\nteam|included:" + id + ":A\n");
    EXPECT_EQ(
        rows("SELECT cause ->> 'final', cause ->> 'inclusion_id' FROM alerts WHERE alert_id = 'included:" +
             id + "'"),
        "true|\n");
}

}  // namespace
}  // namespace receiptd::test
